#include "gateway/remote/remote_broker.hpp"

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "common/base/limits.hpp"
#include "common/runtime/join.hpp"
#include "common/runtime/one_shot.hpp"
#include "protocols/remoting/client/admin_client.hpp"

namespace sluice::gateway {

namespace {

using remoting::BrokerRequest;
using remoting::Caller;

Caller caller_of(const model::CallContext& context) {
  if (!context.session) return {};
  return {.session = context.session->id.value, .peer = context.session->peer};
}

/// How long the call may take beyond what it waits for itself; nullopt if its time is over.
std::optional<std::chrono::milliseconds> timeout_of(const model::CallContext& context,
                                                    Environment::Instant now) {
  constexpr std::chrono::milliseconds kMax = limits::kClientRequestTimeout;
  if (context.deadline == Environment::Instant::max()) return kMax;
  if (context.deadline <= now) return std::nullopt;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(context.deadline - now);
  return std::min(left, kMax);
}

Error too_late() {
  return {Errc::deadline_exceeded, "the deadline passed before the broker was asked"};
}

}  // namespace

/// What the broker knows of our sessions, and how it learns it. Everything but the constructor runs
/// on one loop.
class RemoteBroker::Control : public std::enable_shared_from_this<Control> {
 public:
  Control(Runtime& runtime, remoting::RemotingClientPool& pool, std::string address)
      : executor_(runtime.loop(0)), pool_(pool), address_(std::move(address)) {}

  [[nodiscard]] Executor executor() const noexcept { return executor_; }

  static Task<> register_client(std::shared_ptr<Control> self, Caller caller,
                                std::chrono::milliseconds timeout, model::RegisterClient client) {
    const bool is_first = self->sessions_.empty();
    self->remember(caller, client);
    auto done =
        co_await remoting::register_client(self->request(caller, timeout), std::move(client));
    if (done && is_first) self->connection_ = self->client()->connections();
    co_return done;
  }

  static Task<> unregister_client(std::shared_ptr<Control> self, Caller caller,
                                  std::chrono::milliseconds timeout,
                                  model::UnregisterClient client) {
    self->forget_groups(caller, client);
    auto done =
        co_await remoting::unregister_client(self->request(caller, timeout), std::move(client));
    co_return done;
  }

  template <class Answer, class Command>
  static Task<Answer> ask(std::shared_ptr<Control> self, Caller caller,
                          std::chrono::milliseconds timeout, Command command,
                          Task<Answer> (*call)(BrokerRequest, Command)) {
    auto answer = co_await call(self->request(caller, timeout), std::move(command));
    co_return answer;
  }

  void close_session(std::uint64_t session) {
    if (sessions_.erase(session) == 0 || is_stopped_) return;
    remoting::close_session(*client(), session);
  }

  static Task<model::WatchReply> watch(std::shared_ptr<Control> self) {
    // Another connection is another gateway to the broker: it knows none of our sessions.
    if (self->is_forgotten()) {
      auto registered = co_await register_all(self);
      SLUICE_CO_TRY(registered);
      self->connection_ = self->client()->connections();
    }
    if (self->is_stopped_) co_return fail(Errc::cancelled, "the gateway stops");
    auto start = [&](UniqueFunction<void(Result<model::WatchReply>)> complete) {
      self->begin_watch(std::move(complete));
    };
    auto reply = co_await wait_for_completion<Result<model::WatchReply>>(start);
    co_return std::move(reply);
  }

  void stop() {
    is_stopped_ = true;
    end_watch(fail(Errc::cancelled, "the gateway stops"));
  }

 private:
  /// What one connection of a client said last, by client id: several may share a connection.
  struct Session {
    Caller caller;
    std::deque<model::RegisterClient> clients;
  };

  [[nodiscard]] std::shared_ptr<remoting::RemotingClient> client() {
    return pool_.get(executor_, address_);
  }
  [[nodiscard]] BrokerRequest request(Caller caller, std::chrono::milliseconds timeout) {
    return {.client = client(), .caller = caller, .timeout = timeout};
  }

  [[nodiscard]] bool is_forgotten() {
    const auto now = client();
    return !sessions_.empty() && !(now->is_connected() && now->connections() == connection_);
  }

  void remember(const Caller& caller, const model::RegisterClient& client) {
    if (caller.session == 0) return;
    Session& session = sessions_[caller.session];
    session.caller = caller;
    const auto known =
        std::ranges::find(session.clients, client.client_id, &model::RegisterClient::client_id);
    if (known != session.clients.end()) {
      *known = client;
      return;
    }
    // One forgotten here is back with its next heartbeat.
    if (session.clients.size() >= limits::kClientsPerSessionRemembered) session.clients.pop_front();
    session.clients.push_back(client);
  }

  void forget_groups(const Caller& caller, const model::UnregisterClient& gone) {
    const auto session = sessions_.find(caller.session);
    if (session == sessions_.end()) return;
    for (model::RegisterClient& client : session->second.clients) {
      if (client.client_id != gone.client_id) continue;
      std::erase(client.producer_groups, gone.producer_group);
      std::erase_if(client.consumers, [&](const model::ConsumerRegistration& consumer) {
        return consumer.group == gone.consumer_group;
      });
    }
  }

  /// All sessions, a bounded number at a time. The first failure ends it: there is no connection.
  static Task<> register_all(std::shared_ptr<Control> self) {
    std::vector<std::pair<Caller, model::RegisterClient>> all;
    for (const auto& [id, session] : self->sessions_) {
      for (const model::RegisterClient& client : session.clients) {
        all.emplace_back(session.caller, client);
      }
    }
    for (std::size_t begin = 0; begin < all.size(); begin += kRegistrationsAtOnce) {
      const std::size_t end = std::min(all.size(), begin + kRegistrationsAtOnce);
      std::vector<Task<>> tasks;
      for (std::size_t i = begin; i < end; ++i) {
        tasks.push_back(register_again(self, all[i].first, std::move(all[i].second)));
      }
      auto results = co_await wait_for_all(std::move(tasks));
      for (auto& result : results) {
        const bool has_no_connection = !result && result.error().code == Errc::unavailable;
        if (has_no_connection) co_return fail(std::move(result).error());
      }
    }
    co_return Result<>{};
  }

  static Task<> register_again(std::shared_ptr<Control> self, Caller caller,
                               model::RegisterClient client) {
    // Closed since: what is sent from here on comes after the word of its end.
    if (!self->sessions_.contains(caller.session)) co_return Result<>{};
    auto request = self->request(caller, limits::kClientRequestTimeout);
    auto done = co_await remoting::register_client(std::move(request), std::move(client));
    co_return done;
  }

  void begin_watch(UniqueFunction<void(Result<model::WatchReply>)> complete) {
    watching_ = std::move(complete);
    const std::uint64_t number = ++watch_number_;
    auto finish = [self = shared_from_this(), number](std::exception_ptr bug,
                                                      Result<model::WatchReply> reply) {
      if (bug) std::rethrow_exception(bug);
      if (number == self->watch_number_) self->end_watch(std::move(reply));
    };
    auto task = remoting::watch(request(Caller{}, limits::kClientRequestTimeout));
    boost::asio::co_spawn(executor_, std::move(task), std::move(finish));
  }

  void end_watch(Result<model::WatchReply> reply) {
    auto complete = std::move(watching_);
    if (complete) complete(std::move(reply));
  }

  static constexpr std::size_t kRegistrationsAtOnce = 256;

  Executor executor_;
  remoting::RemotingClientPool& pool_;
  std::string address_;
  std::map<std::uint64_t, Session> sessions_;
  std::uint64_t connection_ = 0;  ///< The one that all sessions were registered over.
  bool is_stopped_ = false;
  std::uint64_t watch_number_ = 0;
  UniqueFunction<void(Result<model::WatchReply>)> watching_;
};

RemoteBroker::RemoteBroker(Runtime& runtime, remoting::RemotingClientPool& pool,
                           std::string address)
    : runtime_(runtime),
      pool_(pool),
      address_(std::move(address)),
      control_(std::make_shared<Control>(runtime, pool, address_)) {}

RemoteBroker::~RemoteBroker() = default;

template <class Answer, class Command>
Task<Answer> RemoteBroker::ask(model::CallContext context, Command command,
                               Task<Answer> (*call)(BrokerRequest, Command)) {
  const auto timeout = timeout_of(context, runtime_.environment().steady_now());
  if (!timeout) co_return fail(too_late());
  const Executor executor = co_await boost::asio::this_coro::executor;
  BrokerRequest request;
  request.client = pool_.get(executor, address_);
  request.caller = caller_of(context);
  request.timeout = *timeout;
  auto answer = co_await call(std::move(request), std::move(command));
  co_return std::move(answer);
}

template <class Answer, class Command>
Task<Answer> RemoteBroker::ask_on_control(model::CallContext context, Command command,
                                          Task<Answer> (*call)(BrokerRequest, Command)) {
  const auto timeout = timeout_of(context, runtime_.environment().steady_now());
  if (!timeout) co_return fail(too_late());
  auto task = Control::ask(control_, caller_of(context), *timeout, std::move(command), call);
  auto answer = co_await run_on(control_->executor(), std::move(task));
  co_return answer;
}

Task<std::vector<Result<model::SendReply>>> RemoteBroker::send(model::CallContext context,
                                                               std::vector<model::Send> sends) {
  return ask(std::move(context), std::move(sends), &remoting::send_messages);
}

Task<model::PullReply> RemoteBroker::pull(model::CallContext context, model::Pull pull) {
  return ask(std::move(context), std::move(pull), &remoting::pull_messages);
}

Task<model::OffsetReply> RemoteBroker::query_offset(model::CallContext context,
                                                    model::QueryOffset query) {
  return ask(std::move(context), std::move(query), &remoting::query_offset);
}

Task<> RemoteBroker::update_offset(model::CallContext context, model::UpdateOffset update) {
  return ask(std::move(context), std::move(update), &remoting::update_offset);
}

Task<model::BoundsReply> RemoteBroker::query_bounds(model::CallContext context,
                                                    model::QueryBounds query) {
  return ask(std::move(context), std::move(query), &remoting::query_bounds);
}

Task<model::OffsetReply> RemoteBroker::search_offset(model::CallContext context,
                                                     model::SearchOffset search) {
  return ask(std::move(context), std::move(search), &remoting::search_offset);
}

Task<model::OffsetReply> RemoteBroker::query_earliest_time(model::CallContext context,
                                                           model::QueryEarliestTime query) {
  return ask(std::move(context), std::move(query), &remoting::query_earliest_time);
}

Task<model::MessagesReply> RemoteBroker::query_messages(model::CallContext context,
                                                        model::QueryMessages query) {
  return ask(std::move(context), std::move(query), &remoting::query_messages);
}

Task<model::MessagesReply> RemoteBroker::view_message(model::CallContext context,
                                                      model::ViewMessage view) {
  return ask(std::move(context), std::move(view), &remoting::view_message);
}

Task<model::LocksReply> RemoteBroker::lock_queues(model::CallContext context,
                                                  model::LockQueues lock) {
  return ask_on_control(std::move(context), std::move(lock), &remoting::lock_queues);
}

Task<> RemoteBroker::unlock_queues(model::CallContext context, model::UnlockQueues unlock) {
  return ask_on_control(std::move(context), std::move(unlock), &remoting::unlock_queues);
}

Task<model::QueueOffsetsReply> RemoteBroker::reset_offset(model::CallContext context,
                                                          model::ResetOffset reset) {
  return ask(std::move(context), std::move(reset), &remoting::reset_offset);
}

Task<model::ClientReply> RemoteBroker::ask_client(model::CallContext context,
                                                  model::AskClient question) {
  return ask(std::move(context), std::move(question), &remoting::ask_client);
}

Task<> RemoteBroker::answer_client_request(model::CallContext context,
                                           model::AnswerClientRequest answer) {
  return ask_on_control(std::move(context), std::move(answer), &remoting::answer_client_request);
}

Task<> RemoteBroker::register_client(model::CallContext context, model::RegisterClient client) {
  const auto timeout = timeout_of(context, runtime_.environment().steady_now());
  if (!timeout) co_return fail(too_late());
  auto task = Control::register_client(control_, caller_of(context), *timeout, std::move(client));
  auto done = co_await run_on(control_->executor(), std::move(task));
  co_return done;
}

Task<> RemoteBroker::unregister_client(model::CallContext context, model::UnregisterClient client) {
  const auto timeout = timeout_of(context, runtime_.environment().steady_now());
  if (!timeout) co_return fail(too_late());
  auto task = Control::unregister_client(control_, caller_of(context), *timeout, std::move(client));
  auto done = co_await run_on(control_->executor(), std::move(task));
  co_return done;
}

Task<model::MembersReply> RemoteBroker::list_members(model::CallContext context,
                                                     model::ListMembers query) {
  return ask(std::move(context), std::move(query), &remoting::list_members);
}

Task<> RemoteBroker::create_topic(model::CallContext context, model::CreateTopic create) {
  return ask(std::move(context), std::move(create), &remoting::create_topic);
}

Task<> RemoteBroker::delete_topic(model::CallContext context, model::DeleteTopic remove) {
  return ask(std::move(context), std::move(remove), &remoting::delete_topic);
}

Task<model::TopicsReply> RemoteBroker::query_topics(model::CallContext context,
                                                    model::QueryTopics query) {
  return ask(std::move(context), std::move(query), &remoting::query_topics);
}

Task<model::AdminReply> RemoteBroker::administer(model::CallContext context,
                                                 model::AdminCommand command) {
  return ask(std::move(context), std::move(command), &remoting::administer);
}

Task<model::WatchReply> RemoteBroker::watch(model::CallContext /*context*/,
                                            model::Watch /*watch*/) {
  auto task = Control::watch(control_);
  return run_on(control_->executor(), std::move(task));
}

void RemoteBroker::session_closed(model::SessionId session, model::SessionId /*via*/) noexcept {
  boost::asio::post(control_->executor(),
                    [control = control_, session] { control->close_session(session.value); });
}

void RemoteBroker::stop() noexcept {
  boost::asio::post(control_->executor(), [control = control_] { control->stop(); });
}

}  // namespace sluice::gateway
