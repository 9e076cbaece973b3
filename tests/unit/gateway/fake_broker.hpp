#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/runtime/one_shot.hpp"
#include "gateway/remote/cluster_broker.hpp"

namespace sluice::test {

/// A broker that writes down what it is asked, answers in a way that shows who answered, and gives
/// out notices when the test says so.
class FakeBroker final : public gateway::ClusterBroker {
 public:
  explicit FakeBroker(std::int32_t number = 0) : number_(number) {}

  /// Every call fails with this from now on; nullopt: answers again.
  void fail_with(std::optional<Errc> code) {
    const std::lock_guard lock(mutex_);
    failure_ = code;
  }
  void add_topic(model::TopicConfig config) {
    const std::lock_guard lock(mutex_);
    topics_.push_back(std::move(config));
  }
  void set_members(std::vector<std::string> members) {
    const std::lock_guard lock(mutex_);
    members_ = std::move(members);
  }

  /// The names of the calls made, in order; watch() is not among them.
  std::vector<std::string> calls() const {
    const std::lock_guard lock(mutex_);
    return calls_;
  }
  std::vector<model::Pull> pulls() const {
    const std::lock_guard lock(mutex_);
    return pulls_;
  }
  std::vector<model::RegisterClient> clients() const {
    const std::lock_guard lock(mutex_);
    return clients_;
  }
  std::vector<std::size_t> send_sizes() const {
    const std::lock_guard lock(mutex_);
    return send_sizes_;
  }
  std::size_t watch_calls() const { return watch_calls_; }

  /// The waiting or next watch() answers these.
  void notify(std::vector<model::Notice> notices) {
    UniqueFunction<void(bool)> resume;
    {
      const std::lock_guard lock(mutex_);
      for (auto& notice : notices) notices_.push_back(std::move(notice));
      resume = std::move(watching_);
    }
    if (resume) resume(true);
  }

  /// watch() answers `draining` from now on.
  void stop_watching() {
    UniqueFunction<void(bool)> resume;
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
      resume = std::move(watching_);
    }
    if (resume) resume(true);
  }

  void stop() noexcept override { stop_watching(); }

  Task<std::vector<Result<model::SendReply>>> send(model::CallContext /*context*/,
                                                   std::vector<model::Send> sends) override {
    const auto failure = note("send");
    {
      const std::lock_guard lock(mutex_);
      send_sizes_.push_back(sends.size());
    }
    if (failure) co_return fail(*failure, "fake");
    std::vector<Result<model::SendReply>> replies;
    for (const model::Send& send : sends) {
      model::SendReply reply;
      reply.queue = number_;
      reply.unique_key = send.topic;
      replies.emplace_back(std::move(reply));
    }
    co_return replies;
  }

  Task<model::PullReply> pull(model::CallContext /*context*/, model::Pull pull) override {
    const auto failure = note("pull");
    {
      const std::lock_guard lock(mutex_);
      pulls_.push_back(pull);
    }
    if (failure) co_return fail(*failure, "fake");
    model::PullReply reply;
    reply.next_offset = 100 + number_;
    co_return reply;
  }

  Task<model::OffsetReply> query_offset(model::CallContext /*context*/,
                                        model::QueryOffset /*query*/) override {
    return offset("query_offset", 1);
  }
  Task<> update_offset(model::CallContext /*context*/, model::UpdateOffset /*update*/) override {
    return done("update_offset");
  }
  Task<model::BoundsReply> query_bounds(model::CallContext /*context*/,
                                        model::QueryBounds /*query*/) override {
    const auto failure = note("query_bounds");
    if (failure) co_return fail(*failure, "fake");
    co_return model::BoundsReply{.first = 2, .next = 3};
  }
  Task<model::OffsetReply> search_offset(model::CallContext /*context*/,
                                         model::SearchOffset /*search*/) override {
    return offset("search_offset", 4);
  }
  Task<model::OffsetReply> query_earliest_time(model::CallContext /*context*/,
                                               model::QueryEarliestTime /*query*/) override {
    return offset("query_earliest_time", 5);
  }

  Task<model::MessagesReply> query_messages(model::CallContext /*context*/,
                                            model::QueryMessages /*query*/) override {
    return messages("query_messages");
  }
  Task<model::MessagesReply> view_message(model::CallContext /*context*/,
                                          model::ViewMessage /*view*/) override {
    return messages("view_message");
  }
  Task<model::LocksReply> lock_queues(model::CallContext /*context*/,
                                      model::LockQueues lock) override {
    const auto failure = note("lock_queues " + std::to_string(lock.queues.size()));
    if (failure) co_return fail(*failure, "fake");
    co_return model::LocksReply{std::move(lock.queues)};
  }
  Task<> unlock_queues(model::CallContext /*context*/, model::UnlockQueues unlock) override {
    return done("unlock_queues " + std::to_string(unlock.queues.size()));
  }
  Task<model::QueueOffsetsReply> reset_offset(model::CallContext /*context*/,
                                              model::ResetOffset reset) override {
    const auto failure = note("reset_offset");
    if (failure) co_return fail(*failure, "fake");
    model::QueueOffsetsReply reply;
    reply.offsets.push_back({.queue = {{}, reset.topic, number_}, .offset = 7});
    co_return reply;
  }
  Task<model::ClientReply> ask_client(model::CallContext /*context*/,
                                      model::AskClient ask) override {
    const auto failure = note("ask_client " + ask.client_id);
    if (failure) co_return fail(*failure, "fake");
    co_return model::ClientReply{Slice::copy_of("from " + ask.client_id)};
  }
  Task<> answer_client_request(model::CallContext /*context*/,
                               model::AnswerClientRequest answer) override {
    return done("answer_client_request " + std::to_string(answer.number));
  }

  Task<> register_client(model::CallContext /*context*/, model::RegisterClient client) override {
    {
      const std::lock_guard lock(mutex_);
      clients_.push_back(std::move(client));
    }
    return done("register_client");
  }
  Task<> unregister_client(model::CallContext /*context*/,
                           model::UnregisterClient /*client*/) override {
    return done("unregister_client");
  }
  Task<model::MembersReply> list_members(model::CallContext /*context*/,
                                         model::ListMembers /*query*/) override {
    const auto failure = note("list_members");
    if (failure) co_return fail(*failure, "fake");
    const std::lock_guard lock(mutex_);
    if (members_.empty()) co_return fail(Errc::group_has_no_members, "nobody");
    co_return model::MembersReply{members_};
  }

  Task<> create_topic(model::CallContext /*context*/, model::CreateTopic /*create*/) override {
    return done("create_topic");
  }
  Task<> delete_topic(model::CallContext /*context*/, model::DeleteTopic /*remove*/) override {
    return done("delete_topic");
  }
  Task<model::TopicsReply> query_topics(model::CallContext /*context*/,
                                        model::QueryTopics query) override {
    const auto failure = note("query_topics");
    if (failure) co_return fail(*failure, "fake");
    model::TopicsReply reply;
    const std::lock_guard lock(mutex_);
    for (const model::TopicConfig& config : topics_) {
      if (query.topic.empty() || query.topic == config.name) reply.topics.push_back(config);
    }
    co_return reply;
  }

  /// Answers administer() with this; without it, `Administered`.
  void administer_with(
      std::function<Result<model::AdminReply>(const model::AdminCommand&)> answer) {
    const std::lock_guard lock(mutex_);
    administration_ = std::move(answer);
  }

  Task<model::AdminReply> administer(model::CallContext /*context*/,
                                     model::AdminCommand command) override {
    const auto failure = note("administer");
    if (failure) co_return fail(*failure, "fake");
    const std::lock_guard lock(mutex_);
    if (administration_) co_return administration_(command);
    co_return model::Administered{};
  }

  Task<model::WatchReply> watch(model::CallContext /*context*/, model::Watch /*watch*/) override {
    ++watch_calls_;
    auto start = [this](UniqueFunction<void(bool)> resume) {
      {
        const std::lock_guard lock(mutex_);
        if (notices_.empty() && !is_stopping_ && !failure_) {
          watching_ = std::move(resume);
          return;
        }
      }
      resume(true);
    };
    co_await wait_for_completion<bool>(start);
    const std::lock_guard lock(mutex_);
    if (is_stopping_) co_return fail(Errc::draining, "the broker stops");
    if (failure_) co_return fail(*failure_, "fake");
    co_return model::WatchReply{std::exchange(notices_, {})};
  }

  void session_closed(model::SessionId session, model::SessionId via) noexcept override {
    static_cast<void>(
        note("closed " + std::to_string(session.value) + " via " + std::to_string(via.value)));
  }

 private:
  Task<model::MessagesReply> messages(std::string call) {
    const auto failure = note(std::move(call));
    if (failure) co_return fail(*failure, "fake");
    model::MessagesReply reply;
    reply.messages.emplace_back();
    reply.messages.back().record.stored_at_ms = number_;
    reply.newest_stored_at_ms = number_;
    co_return reply;
  }
  [[nodiscard]] std::optional<Errc> note(std::string call) {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(call));
    return failure_;
  }
  Task<> done(std::string call) {
    const auto failure = note(std::move(call));
    if (failure) co_return fail(*failure, "fake");
    co_return Result<>{};
  }
  Task<model::OffsetReply> offset(std::string call, std::int64_t offset) {
    const auto failure = note(std::move(call));
    if (failure) co_return fail(*failure, "fake");
    co_return model::OffsetReply{offset};
  }

  const std::int32_t number_;
  mutable std::mutex mutex_;
  std::optional<Errc> failure_;
  bool is_stopping_ = false;
  std::vector<std::string> calls_;
  std::vector<model::Pull> pulls_;
  std::vector<model::RegisterClient> clients_;
  std::vector<std::size_t> send_sizes_;
  std::vector<model::TopicConfig> topics_;
  std::vector<std::string> members_;
  std::vector<model::Notice> notices_;
  std::function<Result<model::AdminReply>(const model::AdminCommand&)> administration_;
  UniqueFunction<void(bool)> watching_;
  std::atomic<std::size_t> watch_calls_{0};
};

}  // namespace sluice::test
