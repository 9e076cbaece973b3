#include "broker/cluster/registrar.hpp"

#include <atomic>
#include <cstdint>
#include <utility>

#include "common/base/log.hpp"
#include "common/runtime/async_mutex.hpp"
#include "common/runtime/join.hpp"
#include "common/runtime/spawn.hpp"

namespace sluice::broker {

namespace {

/// One name server with what is known about it. On one loop.
struct Target {
  explicit Target(std::unique_ptr<NameServerLink> link_in) : link(std::move(link_in)) {}

  std::unique_ptr<NameServerLink> link;
  AsyncMutex one_at_a_time;
  std::uint64_t covered = 0;  ///< The last request whose state the name server has seen or refused.
  std::size_t queued = 0;     ///< Registrations not begun yet: each will say what holds by then.
  bool is_registering = false;
  bool is_answering = true;
  bool is_logged_as_down = false;
};

}  // namespace

/// What the coroutines of a registrar share, which may outlive it by one answer of a name server.
class Registrar::State {
 public:
  State(Executor executor, std::vector<std::unique_ptr<NameServerLink>> links,
        std::function<model::RegisterBroker()> current)
      : executor_(executor), current_(std::move(current)) {
    for (auto& link : links) targets_.push_back(std::make_unique<Target>(std::move(link)));
  }

  [[nodiscard]] Executor executor() const noexcept { return executor_; }

  /// A number for "the state as of now": see register_at().
  [[nodiscard]] std::uint64_t request() noexcept { return requested_.fetch_add(1) + 1; }

  static Task<> start(std::shared_ptr<State> self) {
    self->is_active_ = true;
    auto done = co_await register_everywhere(self, self->request());
    co_return done;
  }

  /// Registers everywhere, so that what held when `request` was made is covered.
  static Task<> register_everywhere(std::shared_ptr<State> self, std::uint64_t request) {
    std::vector<Task<>> tasks;
    for (auto& target : self->targets_) {
      tasks.push_back(register_at(self, target.get(), request));
    }
    auto done = co_await wait_for_all(std::move(tasks));
    co_return Result<>{};
  }

  /// The same, without waiting for name servers that did not answer last time.
  static Task<> register_where_answered(std::shared_ptr<State> self, std::uint64_t request) {
    std::vector<Task<>> tasks;
    for (auto& target : self->targets_) {
      if (target->is_answering) {
        tasks.push_back(register_at(self, target.get(), request));
      } else {
        register_soon(self, *target, request);
      }
    }
    auto done = co_await wait_for_all(std::move(tasks));
    co_return Result<>{};
  }

  /// Begins registrations everywhere and waits for none. On the executor.
  static void register_soon(const std::shared_ptr<State>& self, std::uint64_t request) {
    for (auto& target : self->targets_) register_soon(self, *target, request);
  }

  /// Begins registrations where the last one failed or is forgotten by now. On the executor.
  static void retry(const std::shared_ptr<State>& self) {
    for (auto& target : self->targets_) {
      const bool is_forgotten = target->is_answering && !target->link->is_in_touch();
      const bool is_under_way = target->is_registering || target->queued > 0;
      if (is_under_way || (target->is_answering && !is_forgotten)) continue;
      register_soon(self, *target, self->request());
    }
  }

  static Task<> unregister_everywhere(std::shared_ptr<State> self) {
    if (!std::exchange(self->is_active_, false)) co_return Result<>{};
    const model::RegisterBroker registration = self->current_();
    const model::UnregisterBroker broker{.cluster = registration.cluster,
                                         .broker_name = registration.broker_name,
                                         .broker_id = registration.broker_id,
                                         .address = registration.address};
    std::vector<Task<>> tasks;
    for (auto& target : self->targets_) tasks.push_back(unregister_at(self, target.get(), broker));
    auto done = co_await wait_for_all(std::move(tasks));
    co_return Result<>{};
  }

 private:
  static Task<> register_at(std::shared_ptr<State> self, Target* target, std::uint64_t request) {
    ++target->queued;
    auto guard = co_await target->one_at_a_time.lock();
    --target->queued;
    // Whoever was first in line may have said it all.
    if (target->covered >= request || !self->is_active_) co_return Result<>{};
    const std::uint64_t covered = self->requested_.load();
    model::RegisterBroker registration = self->current_();
    registration.replaces_topics = true;
    target->is_registering = true;
    auto registered = co_await target->link->register_broker(std::move(registration));
    target->is_registering = false;
    target->covered = covered;
    target->is_answering = registered || !is_out_of_reach(registered.error());
    report(*target, registered);
    co_return Result<>{};
  }

  static void register_soon(const std::shared_ptr<State>& self, Target& target,
                            std::uint64_t request) {
    if (target.queued > 0) return;
    spawn(self->executor_, register_at(self, &target, request));
  }

  static Task<> unregister_at(std::shared_ptr<State> self, Target* target,
                              model::UnregisterBroker broker) {
    auto guard = co_await target->one_at_a_time.lock();
    auto unregistered = co_await target->link->unregister_broker(std::move(broker));
    if (!unregistered) {
      log::warn("registrar: {} did not take the goodbye: {}", target->link->name(),
                describe(unregistered.error()));
    }
    co_return Result<>{};
  }

  static void report(Target& target, const Result<>& registered) {
    if (!registered && !target.is_logged_as_down) {
      log::warn("registrar: {} does not take the registration: {}", target.link->name(),
                describe(registered.error()));
    }
    if (registered && target.is_logged_as_down) {
      log::info("registrar: {} takes the registration again", target.link->name());
    }
    target.is_logged_as_down = !registered;
  }

  Executor executor_;
  std::function<model::RegisterBroker()> current_;
  std::vector<std::unique_ptr<Target>> targets_;
  std::atomic<std::uint64_t> requested_{0};
  bool is_active_ = false;  ///< Between start and stop: only then is there something to say.
};

Registrar::Registrar(Runtime& runtime, std::vector<std::unique_ptr<NameServerLink>> links,
                     std::function<model::RegisterBroker()> current, RegistrarOptions options)
    : runtime_(runtime),
      options_(options),
      // One loop, and so one connection: a name server drops a broker with its connection.
      state_(std::make_shared<State>(runtime.loop(0), std::move(links), std::move(current))) {}

Registrar::~Registrar() = default;

Task<> Registrar::start() {
  auto task = State::start(state_);
  auto done = co_await run_on(state_->executor(), std::move(task));
  repeat_ = std::make_unique<Periodic>(runtime_, state_->executor(), options_.interval,
                                       [this] { topics_changed(); });
  retry_ = std::make_unique<Periodic>(runtime_, state_->executor(), options_.retry_interval,
                                      [state = state_] { State::retry(state); });
  co_return done;
}

void Registrar::topics_changed() {
  const std::uint64_t request = state_->request();
  boost::asio::post(state_->executor(),
                    [state = state_, request] { State::register_soon(state, request); });
}

Task<> Registrar::register_now() {
  auto task = State::register_where_answered(state_, state_->request());
  return run_on(state_->executor(), std::move(task));
}

Task<> Registrar::stop() {
  repeat_.reset();
  retry_.reset();
  auto task = State::unregister_everywhere(state_);
  auto done = co_await run_on(state_->executor(), std::move(task));
  co_return done;
}

}  // namespace sluice::broker
