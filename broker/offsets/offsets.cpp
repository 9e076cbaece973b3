#include "broker/offsets/offsets.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "common/base/metrics.hpp"
#include "common/runtime/one_shot.hpp"
#include "common/runtime/spawn.hpp"

namespace sluice::broker {

namespace {

constexpr std::uint32_t kScanPage = 1000;

/// So that a batch stays far below what the engine takes.
constexpr std::size_t kKeysPerCommitMax = 4096;

}  // namespace

Task<> Offsets::load() {
  Bytes from(1, keys::kOffsetPrefix);
  const Bytes end(1, static_cast<char>(keys::kOffsetPrefix + 1));
  while (true) {
    auto page = co_await engine_.scan(from, end, kScanPage);
    SLUICE_CO_TRY(page);
    for (storage::KeyValue& entry : *page) {
      const auto offset = static_cast<std::int64_t>(keys::decode_number(entry.value));
      shard_of(entry.key).by_key[entry.key] = {.value = offset, .ticket = 0, .is_stored = true};
      index_.add(keys::topic_of_offset(entry.key), keys::group_of_offset(entry.key));
    }
    if (page->size() < kScanPage) co_return Result<>{};
    from = page->back().key + '\0';
  }
}

std::optional<std::int64_t> Offsets::find(keys::TopicNumber topic, std::int32_t queue,
                                          std::string_view group) const {
  const Bytes key = keys::offset(topic, queue, group);
  const Shard& shard = shard_of(key);
  const std::lock_guard lock(shard.mutex);
  const auto found = shard.by_key.find(key);
  if (found == shard.by_key.end()) return std::nullopt;
  return found->second.value;
}

template <class Change>
Task<> Offsets::change_and_wait(Shard* shard, Change change) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  auto start = [&](Resume resume) {
    std::unique_lock lock(shard->mutex);
    if (shard->is_stopped) {
      lock.unlock();
      return resume(fail(Errc::draining, "the broker is stopping"));
    }
    const Ticket ticket = change(*shard);
    if (ticket == 0) {
      lock.unlock();
      return resume({});
    }
    shard->waiting.push_back({.ticket = ticket, .resume = std::move(resume)});
    if (!must_start(*shard)) return;
    lock.unlock();
    spawn(executor, commit_queue(shard));
  };
  auto done = co_await wait_for_completion<Result<>>(start);
  co_return done;
}

Task<> Offsets::store(keys::TopicNumber topic, std::int32_t queue, std::string group,
                      std::int64_t offset) {
  Bytes key = keys::offset(topic, queue, group);
  Shard& shard = shard_of(key);
  return change_and_wait(&shard, [this, offset, key = std::move(key)](Shard& locked) mutable {
    return update(locked, std::move(key), offset);
  });
}

Task<> Offsets::erase(keys::TopicNumber topic, std::int32_t queue, std::string group) {
  Bytes key = keys::offset(topic, queue, group);
  Shard& shard = shard_of(key);
  return change_and_wait(&shard, [key = std::move(key)](Shard& locked) mutable -> Ticket {
    if (locked.by_key.erase(key) == 0) return 0;
    locked.queue.push_back(std::move(key));
    return ++locked.queued;
  });
}

void Offsets::store_soon(const Executor& executor, keys::TopicNumber topic, std::int32_t queue,
                         std::string_view group, std::int64_t offset) {
  Bytes key = keys::offset(topic, queue, group);
  Shard& shard = shard_of(key);
  {
    const std::lock_guard lock(shard.mutex);
    if (shard.is_stopped) return;
    const Ticket ticket = update(shard, std::move(key), offset);
    if (ticket == 0 || !must_start(shard)) return;
  }
  spawn(executor, commit_queue(&shard));
}

Offsets::Ticket Offsets::update(Shard& shard, Bytes key, std::int64_t offset) {
  const auto [found, is_new] = shard.by_key.try_emplace(key);
  if (is_new) index_.add(keys::topic_of_offset(key), keys::group_of_offset(key));
  Entry& entry = found->second;
  const bool is_same = !is_new && entry.value == offset;
  if (is_same && entry.is_stored) return 0;
  const bool is_on_its_way = entry.ticket > shard.done;
  if (is_same && is_on_its_way) return entry.ticket;
  entry.value = offset;
  entry.is_stored = false;
  const bool is_queued = entry.ticket > shard.taken;
  if (is_queued) return entry.ticket;
  shard.queue.push_back(std::move(key));
  entry.ticket = ++shard.queued;
  return entry.ticket;
}

bool Offsets::must_start(Shard& shard) {
  return !shard.queue.empty() && !std::exchange(shard.is_committing, true);
}

Task<> Offsets::commit_queue(Shard* shard) {
  static metrics::Counter& failed = metrics::counter("sluice_progress_not_stored_total", "",
                                                     "Offsets whose commit failed, by attempt");
  while (true) {
    Round round;
    if (!begin_round(*shard, round)) co_return Result<>{};
    Result<> result;
    if (!round.batch.empty()) {
      auto committed =
          co_await engine_.commit(std::move(round.batch), storage::Durability::buffered);
      if (!committed) {
        failed.add(round.keys.size());
        result = fail(std::move(committed).error());
      }
    }
    end_round(*shard, round, result);
  }
}

bool Offsets::begin_round(Shard& shard, Round& round) {
  std::unique_lock lock(shard.mutex);
  if (shard.queue.empty()) {
    shard.is_committing = false;
    auto when_idle = std::move(shard.when_idle);
    lock.unlock();
    if (when_idle) when_idle({});
    return false;
  }
  round.first = shard.taken + 1;
  const std::size_t count = std::min(shard.queue.size(), kKeysPerCommitMax);
  shard.taken += count;
  round.keys.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const Bytes& key = round.keys.emplace_back(std::move(shard.queue.front()));
    shard.queue.pop_front();
    const auto entry = shard.by_key.find(key);
    if (entry == shard.by_key.end()) {
      round.batch.erase(key);
      continue;
    }
    const auto value = static_cast<std::uint64_t>(entry->second.value);
    round.batch.put(key, keys::encode_number(value));
  }
  return true;
}

void Offsets::end_round(Shard& shard, const Round& round, const Result<>& result) {
  std::vector<Waiting> ended;
  {
    const std::lock_guard lock(shard.mutex);
    shard.done = shard.taken;
    for (std::size_t i = 0; result && i < round.keys.size(); ++i) {
      const auto entry = shard.by_key.find(round.keys[i]);
      if (entry == shard.by_key.end() || entry->second.ticket != round.first + i) continue;
      entry->second.is_stored = true;
    }
    const auto later = std::ranges::partition(
        shard.waiting, [&](const Waiting& it) { return it.ticket > shard.done; });
    std::ranges::move(later, std::back_inserter(ended));
    shard.waiting.erase(later.begin(), later.end());
  }
  for (Waiting& waiting : ended) waiting.resume(result);
}

Task<> Offsets::forget(keys::TopicNumber topic) {
  index_.remove(topic);
  const Bytes prefix = keys::offsets_of(topic);
  for (Shard& shard : shards_) {
    auto start = [&](Resume resume) {
      std::unique_lock lock(shard.mutex);
      std::erase_if(shard.by_key, [&](const auto& it) { return it.first.starts_with(prefix); });
      if (shard.taken > shard.done) {
        shard.waiting.push_back({.ticket = shard.taken, .resume = std::move(resume)});
        return;
      }
      lock.unlock();
      resume({});
    };
    auto settled = co_await wait_for_completion<Result<>>(start);
    static_cast<void>(settled);  // Whether that commit failed is not our business.
  }
  co_return Result<>{};
}

Task<> Offsets::stop() {
  for (Shard& shard : shards_) {
    auto start = [&](Resume resume) {
      std::unique_lock lock(shard.mutex);
      shard.is_stopped = true;
      if (shard.is_committing) {
        shard.when_idle = std::move(resume);
        return;
      }
      lock.unlock();
      resume({});
    };
    auto idle = co_await wait_for_completion<Result<>>(start);
    static_cast<void>(idle);
  }
  co_return Result<>{};
}

}  // namespace sluice::broker
