#include "gateway/sessions/hub.hpp"

#include <algorithm>
#include <chrono>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/post.hpp>

#include "common/base/log.hpp"
#include "common/runtime/join.hpp"
#include "common/runtime/one_shot.hpp"
#include "common/runtime/spawn.hpp"
#include "gateway/sessions/mailbox.hpp"

namespace sluice::gateway {

namespace {

constexpr std::chrono::milliseconds kPauseMin{20};
constexpr std::chrono::milliseconds kPauseMax{1000};

/// The loop that watches one broker. On the hub's loop only.
struct Watch {
  BrokerApi* broker = nullptr;
  UniqueFunction<void(bool)> paused;
  TimerWheel::Timer timer;

  void resume() {
    timer.cancel();
    auto go_on = std::move(paused);
    if (go_on) go_on(true);
  }
};

}  // namespace

class Hub::State : public std::enable_shared_from_this<State> {
 public:
  explicit State(Runtime& runtime) : runtime_(runtime), executor_(runtime.loop(0)) {}

  [[nodiscard]] Executor executor() const noexcept { return executor_; }

  std::shared_ptr<Mailbox> attach(model::SessionId session) {
    auto mailbox = std::make_shared<Mailbox>();
    std::shared_ptr<Mailbox> before;
    {
      const std::lock_guard lock(mutex_);
      before = std::exchange(mailboxes_[session], mailbox);
    }
    if (before) before->close();
    return mailbox;
  }

  void detach(model::SessionId session, const std::shared_ptr<Mailbox>& mailbox) {
    const std::lock_guard lock(mutex_);
    const auto found = mailboxes_.find(session);
    if (found != mailboxes_.end() && found->second == mailbox) mailboxes_.erase(found);
  }

  void dispatch(std::vector<model::Notice> notices) {
    for (model::Notice& notice : notices) {
      const std::shared_ptr<Mailbox> mailbox = find(notice.session);
      if (mailbox) mailbox->post(std::move(notice.event));
    }
  }

  static Task<> run(std::shared_ptr<State> self, BrokerApi* broker) {
    if (self->is_stopping_) co_return Result<>{};
    Watch& watch = self->watches_.emplace_back();
    watch.broker = broker;
    std::chrono::milliseconds pause = kPauseMin;
    while (!self->is_stopping_) {
      auto reply = co_await broker->watch(model::CallContext{}, model::Watch{});
      const bool has_news = reply && !reply->notices.empty();
      if (has_news) {
        self->dispatch(std::move(reply->notices));
        pause = kPauseMin;
        continue;
      }
      if (self->is_stopping_) break;
      // An empty answer comes after a long wait, and this pause is nothing beside it.
      if (reply) pause = kPauseMin;
      co_await self->pause_for(watch, pause);
      pause = std::min(2 * pause, kPauseMax);
    }
    self->watches_.remove_if([&](const Watch& other) { return &other == &watch; });
    self->finish_stop();
    co_return Result<>{};
  }

  static Task<> stop(std::shared_ptr<State> self) {
    self->is_stopping_ = true;
    self->close_streams();
    for (Watch& watch : self->watches_) {
      // Posted: a loop that goes on ends, and leaves this list.
      boost::asio::post(self->executor_, [self, broker = watch.broker] { self->wake(broker); });
    }
    auto start = [&](UniqueFunction<void(bool)> resume) {
      self->stopped_ = std::move(resume);
      self->finish_stop();
    };
    co_await wait_for_completion<bool>(start);
    co_return Result<>{};
  }

 private:
  std::shared_ptr<Mailbox> find(model::SessionId session) {
    const std::lock_guard lock(mutex_);
    const auto found = mailboxes_.find(session);
    return found == mailboxes_.end() ? nullptr : found->second;
  }

  void close_streams() {
    std::vector<std::shared_ptr<Mailbox>> open;
    {
      const std::lock_guard lock(mutex_);
      for (auto& [session, mailbox] : mailboxes_) open.push_back(mailbox);
    }
    for (const auto& mailbox : open) mailbox->close();
  }

  boost::asio::awaitable<bool, Executor> pause_for(Watch& watch,
                                                   std::chrono::milliseconds duration) {
    auto start = [this, &watch, duration](UniqueFunction<void(bool)> resume) {
      watch.paused = std::move(resume);
      watch.timer.on_fire([&watch] { watch.resume(); });
      runtime_.timers(executor_).arm(watch.timer, runtime_.environment().steady_now() + duration);
    };
    return wait_for_completion<bool>(start);
  }

  void wake(BrokerApi* broker) {
    for (Watch& watch : watches_) {
      if (watch.broker == broker) return watch.resume();
    }
  }

  void finish_stop() {
    if (!watches_.empty() || !stopped_) return;
    auto resume = std::move(stopped_);
    resume(true);
  }

  Runtime& runtime_;
  Executor executor_;

  std::mutex mutex_;
  std::unordered_map<model::SessionId, std::shared_ptr<Mailbox>> mailboxes_;

  // On the executor.
  std::list<Watch> watches_;
  bool is_stopping_ = false;
  UniqueFunction<void(bool)> stopped_;

  friend class Hub;
};

namespace {

/// What a session holds: the mailbox, and its place in the hub.
template <class State>
class Stream final : public protocol::DeliveryStream {
 public:
  Stream(std::shared_ptr<State> hub, model::SessionId session)
      : hub_(std::move(hub)), session_(session), mailbox_(hub_->attach(session)) {}
  ~Stream() override { hub_->detach(session_, mailbox_); }

  Task<std::vector<model::Event>> next(std::uint32_t events_max) override {
    return mailbox_->take(events_max);
  }
  void close() noexcept override { mailbox_->close(); }

 private:
  std::shared_ptr<State> hub_;
  model::SessionId session_;
  std::shared_ptr<Mailbox> mailbox_;
};

}  // namespace

Hub::Hub(Runtime& runtime) : state_(std::make_shared<State>(runtime)) {}

Hub::~Hub() = default;

std::unique_ptr<protocol::DeliveryStream> Hub::attach(model::SessionId session) {
  return std::make_unique<Stream<State>>(state_, session);
}

void Hub::dispatch(std::vector<model::Notice> notices) {
  state_->dispatch(std::move(notices));
}

void Hub::watch(BrokerApi& broker) {
  spawn(state_->executor(), State::run(state_, &broker));
}

Task<> Hub::stop() {
  return run_on(state_->executor(), State::stop(state_));
}

}  // namespace sluice::gateway
