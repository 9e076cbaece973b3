#include "storage-plugins/spi/conformance/random_batches.hpp"

#include <algorithm>
#include <string>

namespace sluice::storage::conformance {

namespace {

/// Keys that share beginnings, hold zeros and high bytes, and include the empty one.
Bytes key_number(std::uint64_t number) {
  if (number == 0) return {};
  Bytes key(1, static_cast<char>(number % 5 == 0 ? 0xF0 : 'a' + number % 5));
  if (number % 3 == 0) key.push_back('\0');
  return key + std::to_string(number / 5);
}

Bytes index_key_number(std::uint64_t number) {
  return "index " + std::to_string(number);
}

template <class Make>
std::vector<Bytes> all_of(std::uint64_t count, Make make) {
  std::vector<Bytes> all;
  for (std::uint64_t i = 0; i < count; ++i) all.push_back(make(i));
  return all;
}

}  // namespace

std::vector<LogId> RandomBatches::all_logs() {
  std::vector<LogId> all;
  for (std::uint64_t id = 1; id <= kLogs + 1; ++id) all.push_back(LogId{id});
  return all;
}

std::vector<Bytes> RandomBatches::all_keys() {
  return all_of(kKeys, key_number);
}

std::vector<Bytes> RandomBatches::all_index_keys() {
  return all_of(kIndexKeys, index_key_number);
}

Bytes RandomBatches::any_key() {
  return key_number(below(kKeys));
}

Bytes RandomBatches::any_index_key() {
  return index_key_number(below(kIndexKeys));
}

WriteBatch RandomBatches::next(const memory_engine::State& state) {
  WriteBatch batch;
  const std::uint64_t operations = one_in(20) ? 30 : 1 + below(4);
  for (std::uint64_t i = 0; i < operations; ++i) add_operation(batch, state);
  // Expectations alone are no batch.
  batch.put(any_key(), "value " + std::to_string(below(10)));
  return batch;
}

void RandomBatches::add_operation(WriteBatch& batch, const memory_engine::State& state) {
  const std::uint64_t choice = below(100);
  if (choice < 55) {
    batch.append(any_record());
    return;
  }
  if (choice < 68) return batch.put(any_key(), any_payload());
  if (choice < 75) return batch.erase(any_key());
  if (choice < 78) return batch.erase_range(any_key(), any_key());
  if (choice < 85) {
    const Bytes key = any_key();
    return batch.expect(key, one_in(8) ? Bytes("something else") : state.get(key));
  }
  if (choice < 93) {
    const LogId log = any_log();
    const LogBounds bounds = state.bounds(log);
    const auto length = static_cast<std::uint64_t>(bounds.next - bounds.first);
    const auto above = static_cast<std::int64_t>(below(length / 2 + 2));
    // From one below the bounds to somewhat above their middle; in rare cases above them.
    const Offset keep_from = bounds.first + (above - 1);
    const bool may_fail = one_in(20);
    return batch.truncate_before(log, may_fail ? keep_from : std::min(keep_from, bounds.next));
  }
  if (choice < 97) return batch.drop_before(any_old_position(state));
  if (one_in(2)) return batch.drop_log(any_log());
}

Position RandomBatches::any_old_position(const memory_engine::State& state) {
  if (one_in(60)) return Position{UINT64_MAX};
  const auto oldest = state.usage().oldest;
  return oldest ? *oldest + below(20) : Position{1};
}

NewRecord RandomBatches::any_record() {
  NewRecord it;
  const std::uint64_t logs = one_in(3) ? 1 + below(4) : 1;
  for (std::uint64_t i = 0; i < logs; ++i) {
    const LogId log{1 + below(kLogs)};
    const bool is_new = std::ranges::find(it.logs, log) == it.logs.end();
    if (is_new) it.logs.push_back(log);
  }
  it.tag_hash = below(4);
  for (std::uint64_t i = below(3); i > 0; --i) it.index_keys.push_back(any_index_key());
  it.payload = Slice::copy_of(any_payload());
  return it;
}

std::string RandomBatches::any_payload() {
  std::uint64_t size = below(200);
  if (one_in(10)) size = 0;
  if (one_in(15)) size = below(8000);
  if (one_in(300)) size = below(100'000);
  std::string payload(size, '\0');
  const std::uint64_t start = below(256);
  for (std::size_t i = 0; i < payload.size(); ++i) {
    payload[i] = static_cast<char>((start + i * 7) % 256);
  }
  return payload;
}

}  // namespace sluice::storage::conformance
