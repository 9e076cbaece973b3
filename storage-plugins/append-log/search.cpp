#include "storage-plugins/append-log/search.hpp"

#include <algorithm>
#include <utility>

#include "storage-plugins/append-log/record_fetch.hpp"

namespace sluice::append_log {

using storage::Position;

namespace {

using Positions = std::vector<Position>;

bool may_hold(const SegmentSummary& summary, const KeyQuery& query) {
  return summary.record_count > 0 && summary.last_stored_at >= query.first &&
         summary.first_stored_at < query.last &&
         (!query.before || summary.first_position < *query.before);
}

bool is_in_range(const RecordEntry& record, const KeyQuery& query) {
  return record.stored_at >= query.first && record.stored_at < query.last &&
         (!query.before || record.position < *query.before);
}

bool has_key(const AppendView& append, std::string_view key) {
  bool found = false;
  append.visit_index_keys([&](std::string_view it) { found = found || it == key; });
  return found;
}

/// Whether record `number` answers the query; nullopt in the inner optional if not.
Lookup<std::optional<Position>> examine(Store& store, const IndexAccess& index,
                                        std::uint32_t number, const KeyQuery& query,
                                        ReadMode mode) {
  using Answer = std::optional<Position>;
  const auto records = index.records(number, 1);
  SLUICE_TRY(records);
  if (!*records) return {};
  if ((*records)->empty() || !is_in_range((*records)->front(), query)) {
    return std::optional(Answer{});
  }
  const RecordEntry& record = (*records)->front();
  {
    const std::lock_guard lock(store.mutex);
    if (!store.state.is_live(record)) return std::optional(Answer{});
  }
  RecordFetch fetch(store);
  fetch.add(index.segment_ptr(), record, 0);
  const auto fetched = fetch.run(mode);
  SLUICE_TRY(fetched);
  if (!*fetched) return {};
  SLUICE_TRY((*fetched)->front().append);
  if (!has_key(*(*fetched)->front().append, query.key)) return std::optional(Answer{});
  return std::optional(Answer{record.position});
}

}  // namespace

Lookup<Positions> find_records(Store& store, const KeyQuery& query, ReadMode mode) {
  SLUICE_ASSERT(query.positions_max >= 1, "a search may return something");
  struct Part {
    SegmentPtr segment;
    SegmentSummary summary;
  };
  std::vector<Part> parts;
  {
    const std::lock_guard lock(store.mutex);
    for (const SegmentPtr& it : store.state.segments()) {
      if (it->summary.last_position < store.state.drop_floor()) continue;
      parts.push_back({.segment = it, .summary = it->summary});
    }
  }
  const std::uint64_t hash = hash_of_key(query.key);
  Positions found;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    if (!may_hold(part->summary, query)) continue;
    const IndexAccess index(store, part->segment, mode);
    auto numbers = index.records_with_key(hash);
    SLUICE_TRY(numbers);
    if (!*numbers) return {};
    auto& unique = **numbers;
    unique.erase(std::unique(unique.begin(), unique.end()), unique.end());
    for (auto number = unique.rbegin(); number != unique.rend(); ++number) {
      if (found.size() == query.positions_max) return std::optional(std::move(found));
      const auto position = examine(store, index, *number, query, mode);
      SLUICE_TRY(position);
      if (!*position) return {};
      if (**position) found.push_back(***position);
    }
  }
  return std::optional(std::move(found));
}

}  // namespace sluice::append_log
