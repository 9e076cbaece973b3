#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "broker/metadata/keys.hpp"
#include "broker/offsets/progress_index.hpp"
#include "common/base/text_hash.hpp"
#include "common/base/unique_function.hpp"
#include "common/runtime/task.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::broker {

/// The progress of every group in every queue: answered from memory, kept in the engine. Safe from
/// any loop.
///
/// Memory changes at once and in the order of the calls; a shard commits one batch at a time, of
/// all that has changed by then, until nothing has. So the engine never gets an older value last.
class Offsets {
 public:
  explicit Offsets(storage::StorageEngine& engine) : engine_(engine) {}

  /// Reads all of them. Once, before anything else.
  Task<> load();

  [[nodiscard]] std::optional<std::int64_t> find(keys::TopicNumber topic, std::int32_t queue,
                                                 std::string_view group) const;

  /// A plain overwrite, also backwards. Completes once it, or what overwrote it, survives a crash
  /// of the process; at once if it changes nothing.
  /// \return what commit() may return: find() knows the offset, the engine may not, and the next
  ///         call for it tries again. draining after stop().
  Task<> store(keys::TopicNumber topic, std::int32_t queue, std::string group, std::int64_t offset);

  /// The same, and nobody waits for it: commits on `executor`. Nothing after stop().
  void store_soon(const Executor& executor, keys::TopicNumber topic, std::int32_t queue,
                  std::string_view group, std::int64_t offset);

  /// Forgets the topic's entries, which nobody may store any more. Once it completes, no commit is
  /// under way that could bring back to the engine what is erased there.
  Task<> forget(keys::TopicNumber topic);

  /// Forgets the progress of a group in one queue, as store() keeps it. Progress that is stored
  /// meanwhile may stay.
  Task<> erase(keys::TopicNumber topic, std::int32_t queue, std::string group);

  /// Which groups have progress in which topics. One whose queues were all erased may still be
  /// listed, until its next erase_from_index().
  [[nodiscard]] const ProgressIndex& index() const noexcept { return index_; }
  void erase_from_index(keys::TopicNumber topic, std::string_view group) {
    index_.remove(topic, group);
  }

  /// Ends storing; completes when the commits under way have.
  Task<> stop();

 private:
  static constexpr std::size_t kShards = 16;
  using Resume = UniqueFunction<void(Result<>)>;

  /// Numbers the keys that were queued in a shard: 1, 2, 3, …
  using Ticket = std::uint64_t;

  struct Entry {
    std::int64_t value = 0;
    Ticket ticket = 0;       ///< Its latest place in the queue.
    bool is_stored = false;  ///< The engine has `value`.
  };
  struct Waiting {
    Ticket ticket;
    Resume resume;
  };
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<Bytes, Entry, TextHash, std::equal_to<>> by_key;
    std::deque<Bytes> queue;  ///< Keys for the commits to come, each once.
    Ticket queued = 0;        ///< Of the last key queued,
    Ticket taken = 0;         ///< put into a commit,
    Ticket done = 0;          ///< and committed, or failed to.
    std::vector<Waiting> waiting;
    bool is_committing = false;  ///< A coroutine empties the queue.
    bool is_stopped = false;
    Resume when_idle;
  };
  struct Round {
    Ticket first = 0;
    std::vector<Bytes> keys;
    storage::WriteBatch batch;
  };

  [[nodiscard]] const Shard& shard_of(std::string_view key) const noexcept {
    return shards_[TextHash{}(key) % kShards];
  }
  [[nodiscard]] Shard& shard_of(std::string_view key) noexcept {
    return shards_[TextHash{}(key) % kShards];
  }

  /// Under the mutex. \return the ticket to wait for; 0: the engine has that offset.
  Ticket update(Shard& shard, Bytes key, std::int64_t offset);
  /// Waits for the commit of what `change(shard)`, called under the mutex, has put into the queue.
  template <class Change>
  Task<> change_and_wait(Shard* shard, Change change);

  /// Under the mutex. \return true if the caller has to start commit_queue().
  static bool must_start(Shard& shard);
  Task<> commit_queue(Shard* shard);
  /// \return false if the queue was empty: whoever queues next starts anew.
  static bool begin_round(Shard& shard, Round& round);
  static void end_round(Shard& shard, const Round& round, const Result<>& result);

  storage::StorageEngine& engine_;
  ProgressIndex index_;
  std::array<Shard, kShards> shards_;
};

}  // namespace sluice::broker
