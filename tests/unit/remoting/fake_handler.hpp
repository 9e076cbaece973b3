#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "common/runtime/one_shot.hpp"
#include "protocols/spi/request_handler.hpp"

namespace sluice::test {

/// A stream that tells what the test posts.
class FakeStream final : public protocol::DeliveryStream {
 public:
  Task<std::vector<model::Event>> next(std::uint32_t events_max) override {
    auto start = [this](UniqueFunction<void(bool)> resume) {
      {
        const std::lock_guard lock(mutex_);
        if (events_.empty() && !is_closed_) {
          waiting_ = std::move(resume);
          return;
        }
      }
      resume(true);
    };
    co_await wait_for_completion<bool>(start);
    const std::lock_guard lock(mutex_);
    if (is_closed_) co_return fail(Errc::cancelled, "closed");
    std::vector<model::Event> taken;
    while (!events_.empty() && taken.size() < events_max) {
      taken.push_back(std::move(events_.front()));
      events_.pop_front();
    }
    co_return taken;
  }

  void close() noexcept override {
    wake([this] { is_closed_ = true; });
  }

  void post(model::Event event) {
    wake([&] { events_.push_back(std::move(event)); });
  }

 private:
  template <class Change>
  void wake(Change change) {
    UniqueFunction<void(bool)> resume;
    {
      const std::lock_guard lock(mutex_);
      change();
      resume = std::exchange(waiting_, {});
    }
    if (resume) resume(true);
  }

  std::mutex mutex_;
  std::deque<model::Event> events_;
  bool is_closed_ = false;
  UniqueFunction<void(bool)> waiting_;
};

/// One queue in memory behind the seam, and a record of what was asked. Pulls with a wait are
/// answered when append() or release() is called.
class FakeHandler final : public protocol::RequestHandler {
 public:
  using Instead = std::function<Result<model::Reply>(const model::Command&)>;

  // --- what the test asks and says -------------------------------------------------------------

  /// Answers commands other than pulls.
  void answer_with(Instead instead) {
    const std::lock_guard lock(mutex_);
    instead_ = std::move(instead);
  }
  void fail_sends_with(Errc code) {
    const std::lock_guard lock(mutex_);
    send_error_ = code;
  }
  /// Sends wait until release_sends().
  void hold_sends() {
    const std::lock_guard lock(mutex_);
    are_sends_held_ = true;
  }
  void release_sends() {
    resume_all([this] {
      are_sends_held_ = false;
      return std::exchange(held_sends_, {});
    });
  }
  /// One more record, of this payload; waiting pulls get it.
  void append(std::string payload) {
    resume_all([&] {
      records_.push_back(std::move(payload));
      return std::exchange(waiting_pulls_, {});
    });
  }
  /// Waiting pulls get what there is, be it nothing.
  void release() {
    resume_all([this] { return std::exchange(waiting_pulls_, {}); });
  }
  void notify(model::SessionId session, std::string group) {
    post(session, model::GroupChanged{std::move(group)});
  }
  void post(model::SessionId session, model::Event event) {
    std::shared_ptr<FakeStream> stream;
    {
      const std::lock_guard lock(mutex_);
      stream = streams_[session].lock();
    }
    if (stream) stream->post(std::move(event));
  }
  /// Questions to clients wait until release_asks().
  void hold_asks() {
    const std::lock_guard lock(mutex_);
    are_asks_held_ = true;
  }
  void release_asks() {
    resume_all([this] {
      are_asks_held_ = false;
      return std::exchange(held_asks_, {});
    });
  }
  std::size_t held_asks() const {
    const std::lock_guard lock(mutex_);
    return held_asks_.size();
  }
  void answer_watch(model::WatchReply reply) {
    resume_all([&] {
      watch_reply_ = std::move(reply);
      return std::exchange(watches_, {});
    });
  }

  std::vector<std::vector<model::Send>> sends() const { return copy_of(sends_); }
  /// Bodies of all sends, in order; copied while they were valid.
  std::vector<std::string> bodies() const { return copy_of(bodies_); }
  std::vector<std::string> properties() const { return copy_of(properties_); }
  std::vector<model::Command> commands() const { return copy_of(commands_); }
  std::vector<model::CallContext> contexts() const { return copy_of(contexts_); }
  std::vector<std::pair<model::SessionId, model::SessionId>> closed() const {
    return copy_of(closed_);
  }
  std::size_t waiting_pulls() const {
    const std::lock_guard lock(mutex_);
    return waiting_pulls_.size();
  }
  std::size_t held_sends() const {
    const std::lock_guard lock(mutex_);
    return held_sends_.size();
  }
  std::size_t waiting_watches() const {
    const std::lock_guard lock(mutex_);
    return watches_.size();
  }
  std::size_t streams() const {
    const std::lock_guard lock(mutex_);
    return streams_.size();
  }

  // --- the seam --------------------------------------------------------------------------------

  Task<model::Reply> handle(model::CallContext context, model::Command command) override {
    Instead instead;
    {
      const std::lock_guard lock(mutex_);
      contexts_.push_back(context);
      commands_.push_back(command);
      instead = instead_;
    }
    if (const auto* const pull = std::get_if<model::Pull>(&command)) {
      if (pull->wait.count() > 0) {
        co_await wait_in(&waiting_pulls_, [this, offset = pull->offset] {
          return static_cast<std::size_t>(offset) < records_.size();
        });
      }
      co_return model::Reply(read(*pull));
    }
    if (const auto* const ask = std::get_if<model::AskClient>(&command)) {
      co_await wait_in(&held_asks_, [this] { return !are_asks_held_; });
      co_return model::Reply(model::ClientReply{Slice::copy_of("asked " + ask->client_id)});
    }
    if (instead) co_return instead(command);
    co_return model::Reply(model::Acknowledged{});
  }

  Task<std::vector<Result<model::SendReply>>> send(model::CallContext context,
                                                   std::vector<model::Send> sends) override {
    co_await wait_in(&held_sends_, [this] { return !are_sends_held_; });
    const std::lock_guard lock(mutex_);
    contexts_.push_back(context);
    std::vector<Result<model::SendReply>> results;
    for (const model::Send& send : sends) {
      if (send_error_) {
        results.emplace_back(fail(*send_error_, "no sends today"));
        continue;
      }
      model::SendReply reply;
      reply.queue = send.queue;
      reply.offset = next_offset_;
      reply.store_host = kStoreHost;
      for (const model::NewMessage& message : send.messages) {
        reply.positions.push_back(static_cast<std::uint64_t>(next_offset_++));
        bodies_.emplace_back(as_text(message.body));
        properties_.emplace_back(message.properties);
      }
      if (!send.is_batch) reply.unique_key = "KEY";
      results.emplace_back(std::move(reply));
    }
    sends_.push_back(std::move(sends));
    for (model::Send& send : sends_.back()) {
      send.messages.clear();  // Views into memory that its owner may use again.
      send.owner.reset();
    }
    co_return results;
  }

  std::unique_ptr<protocol::DeliveryStream> attach(model::CallContext context) override {
    auto stream = std::make_shared<FakeStream>();
    const std::lock_guard lock(mutex_);
    streams_[context.session->id] = stream;
    return std::make_unique<Shared>(std::move(stream));
  }

  Task<model::WatchReply> watch(model::CallContext context, model::Watch) override {
    {
      const std::lock_guard lock(mutex_);
      contexts_.push_back(context);
    }
    co_await wait_in(&watches_, [] { return false; });
    const std::lock_guard lock(mutex_);
    co_return watch_reply_;
  }

  [[nodiscard]] model::SessionId next_session_id() noexcept override {
    return model::SessionId{++last_session_};
  }

  void session_closed(model::SessionId session, model::SessionId via) noexcept override {
    const std::lock_guard lock(mutex_);
    closed_.emplace_back(session, via);
  }

  /// 10.1.2.3:10911
  static inline const model::Endpoint kStoreHost = *model::parse_endpoint("10.1.2.3:10911");

 private:
  using Waiting = std::vector<UniqueFunction<void(bool)>>;

  class Shared final : public protocol::DeliveryStream {
   public:
    explicit Shared(std::shared_ptr<FakeStream> stream) : stream_(std::move(stream)) {}
    Task<std::vector<model::Event>> next(std::uint32_t events_max) override {
      return stream_->next(events_max);
    }
    void close() noexcept override { stream_->close(); }

   private:
    std::shared_ptr<FakeStream> stream_;
  };

  template <class T>
  T copy_of(const T& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }

  /// Suspends in `waiting`, unless `is_done` says under the mutex that there is no need.
  Task<> wait_in(Waiting* waiting, std::function<bool()> is_done) {
    auto start = [this, waiting, is_done](UniqueFunction<void(bool)> resume) {
      {
        const std::lock_guard lock(mutex_);
        if (!is_done()) {
          waiting->push_back(std::move(resume));
          return;
        }
      }
      resume(true);
    };
    co_await wait_for_completion<bool>(start);
    co_return Result<>{};
  }

  template <class Change>
  void resume_all(Change change) {
    Waiting waiting;
    {
      const std::lock_guard lock(mutex_);
      waiting = change();
    }
    for (auto& resume : waiting) resume(true);
  }

  model::PullReply read(const model::Pull& pull) const {
    const std::lock_guard lock(mutex_);
    model::PullReply reply;
    reply.next_offset = pull.offset;
    reply.end_offset = static_cast<std::int64_t>(records_.size());
    reply.store_host = kStoreHost;
    const auto first = static_cast<std::size_t>(pull.offset);
    for (std::size_t i = first; i < records_.size() && i < first + pull.messages_max; ++i) {
      reply.records.push_back({.offset = static_cast<std::int64_t>(i),
                               .position = 1000 + i,
                               .stored_at_ms = 77,
                               .payload = Slice::copy_of(std::string_view(records_[i]))});
      reply.status = model::PullStatus::found;
      reply.next_offset = static_cast<std::int64_t>(i) + 1;
    }
    return reply;
  }

  mutable std::mutex mutex_;
  Instead instead_;
  std::optional<Errc> send_error_;
  bool are_sends_held_ = false;
  bool are_asks_held_ = false;
  Waiting held_sends_;
  Waiting held_asks_;
  Waiting waiting_pulls_;
  Waiting watches_;
  model::WatchReply watch_reply_;
  std::vector<std::string> records_;
  std::vector<std::vector<model::Send>> sends_;
  std::vector<std::string> bodies_;
  std::vector<std::string> properties_;
  std::vector<model::Command> commands_;
  std::vector<model::CallContext> contexts_;
  std::vector<std::pair<model::SessionId, model::SessionId>> closed_;
  std::map<model::SessionId, std::weak_ptr<FakeStream>> streams_;  ///< Every one ever.
  std::int64_t next_offset_ = 0;
  std::atomic<std::uint64_t> last_session_{0};
};

}  // namespace sluice::test
