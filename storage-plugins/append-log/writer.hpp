#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "storage-plugins/append-log/round_encoder.hpp"

namespace sluice::append_log {

/// Orders all commits and writes them.
///
/// enqueue() gathers what one loop commits in one round of events. flush(), posted once a round,
/// moves that to the shared queue, and makes its loop the leader if there is none. The leader
/// checks, encodes, writes and publishes what is in the queue until it is empty. After some rounds
/// it lets its loop do other work, and stays leader. What would block (making a segment ready,
/// cleaning up after a failed write) runs on a worker thread; the leader stays leader and goes on
/// when that is done.
class Writer {
 public:
  struct Callbacks {
    std::function<void()> on_sealed;     ///< A new segment was begun; the one before is complete.
    std::function<void()> on_forgotten;  ///< A commit truncated or dropped something.
  };

  Writer(Store& store, Callbacks callbacks);

  /// Where recovery found the end of the log; `segment` has no `segment` in an empty store. Once,
  /// before anything else. `keep_alive` is shared by whatever is posted.
  void start(OpenSegment segment, Chain chain, std::uint64_t next_number);
  void keep_alive_with(std::weak_ptr<void> owner) { owner_ = std::move(owner); }

  /// Takes room for a commit among those that wait to be written; it is given back when the commit
  /// was written or refused. Any thread.
  /// \return quota_exceeded over limits::kPendingCommitBytesMax.
  [[nodiscard]] Result<> reserve(std::size_t frame_bytes);

  /// `commit` has passed check_batch() and reserve(), and `complete`, `loop` and sizes are set. On
  /// its loop.
  void enqueue(PendingCommit& commit);

  /// Calls `idle` as soon as no commit is under way. Any thread.
  void when_idle(UniqueFunction<void(CommitDone)> idle);

  /// Where the log ends. Only while idle.
  [[nodiscard]] const Chain& chain() const noexcept { return chain_; }
  [[nodiscard]] std::uint64_t next_segment_number() const noexcept { return next_number_; }

 private:
  struct LoopQueue {
    CommitList commits;  ///< Only touched on its loop.
    bool is_flush_posted = false;
  };
  enum class Step : std::uint8_t { done, parked };

  void flush(std::uint32_t loop);
  void lead(std::uint32_t loop);
  [[nodiscard]] bool take_queue();

  [[nodiscard]] Step run_round(std::uint32_t loop);
  void encode_round();
  [[nodiscard]] bool admit(PendingCommit& commit);
  [[nodiscard]] bool has_room(const PendingCommit& commit);
  [[nodiscard]] bool ensure_block(std::size_t frame_bytes);
  [[nodiscard]] Result<> write_round();
  void publish();
  void complete_round(std::uint32_t loop);
  void fail_round(std::uint32_t loop, const Error& error, const Chain& chain_before);

  [[nodiscard]] Step next_segment(std::uint32_t loop, std::uint64_t room);
  void give_back_unused_segment();
  void open_segment(PreparedSegment prepared);
  void refuse_for_segment(const Error& error);
  void prepare(std::uint64_t number, std::uint64_t bytes_min);
  void report(const Result<PreparedSegment>& prepared);
  void segment_prepared(Result<PreparedSegment> prepared);
  [[nodiscard]] bool is_segment_ready() const;

  void resume(std::uint32_t loop);

  Store& store_;
  Callbacks callbacks_;
  std::weak_ptr<void> owner_;
  std::vector<LoopQueue> loops_;
  std::atomic<std::size_t> waiting_bytes_{0};  ///< Of the frames of commits not written yet.

  mutable std::mutex queue_mutex_;  ///< Guards what follows, up to the blank line.
  CommitList queue_;
  bool has_leader_ = false;
  UniqueFunction<void(CommitDone)> idle_waiter_;
  bool is_preparing_ = false;
  std::atomic<bool> has_preparing_failed_{false};
  std::optional<PreparedSegment> prepared_;
  std::optional<Error> prepare_error_;
  std::optional<std::uint32_t> parked_loop_;  ///< The leader that waits for prepared_.

  // The leader's own.
  bool has_begun_ = false;
  CommitList todo_;
  Round round_;
  RoundEncoder encoder_;
  Chain chain_;
  OpenSegment open_;
  WriteBlockPtr block_;
  bool is_block_published_ = false;
  std::uint64_t next_number_ = 1;
  std::optional<Error>
      segment_error_;  ///< Why no segment can be had, until the queue is read again.
};

}  // namespace sluice::append_log
