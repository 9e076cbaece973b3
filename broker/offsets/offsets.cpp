#include "broker/offsets/offsets.hpp"

#include <utility>

namespace sluice::broker {

namespace {

constexpr std::uint32_t kScanPage = 1000;

}  // namespace

Task<> Offsets::load() {
  Bytes from(1, keys::kOffsetPrefix);
  const Bytes end(1, static_cast<char>(keys::kOffsetPrefix + 1));
  while (true) {
    auto page = co_await engine_.scan(from, end, kScanPage);
    SLUICE_CO_TRY(page);
    for (storage::KeyValue& entry : *page) {
      const auto offset = static_cast<std::int64_t>(keys::decode_number(entry.value));
      shard_of(entry.key).by_key[entry.key] = offset;
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
  return found->second;
}

Task<> Offsets::store(keys::TopicNumber topic, std::int32_t queue, std::string group,
                      std::int64_t offset) {
  Bytes key = keys::offset(topic, queue, group);
  {
    Shard& shard = shard_of(key);
    const std::lock_guard lock(shard.mutex);
    const auto [entry, is_new] = shard.by_key.try_emplace(key, offset);
    if (!is_new && std::exchange(entry->second, offset) == offset) co_return Result<>{};
  }
  storage::WriteBatch batch;
  batch.put(std::move(key), keys::encode_number(static_cast<std::uint64_t>(offset)));
  auto committed = co_await engine_.commit(std::move(batch), storage::Durability::buffered);
  SLUICE_CO_TRY(committed);
  co_return Result<>{};
}

void Offsets::forget(keys::TopicNumber topic) {
  const Bytes prefix = keys::offsets_of(topic);
  for (Shard& shard : shards_) {
    const std::lock_guard lock(shard.mutex);
    std::erase_if(shard.by_key, [&](const auto& entry) { return entry.first.starts_with(prefix); });
  }
}

}  // namespace sluice::broker
