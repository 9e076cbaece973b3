#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "storage-plugins/spi/write_batch.hpp"

/// \file
/// Short words for the batches of tests.

namespace sluice::storage::conformance {

inline constexpr LogId kLog{1};
inline constexpr LogId kOther{2};
inline constexpr LogId kThird{3};

[[nodiscard]] inline NewRecord record(std::initializer_list<LogId> logs, std::string_view payload,
                                      std::uint64_t tag_hash = 0,
                                      std::initializer_list<Bytes> index_keys = {}) {
  NewRecord it;
  it.logs = logs;
  it.tag_hash = tag_hash;
  it.index_keys = index_keys;
  it.payload = Slice::copy_of(payload);
  return it;
}

[[nodiscard]] inline WriteBatch appending(std::initializer_list<LogId> logs,
                                          std::string_view payload, std::uint64_t tag_hash = 0,
                                          std::initializer_list<Bytes> index_keys = {}) {
  WriteBatch batch;
  batch.append(record(logs, payload, tag_hash, index_keys));
  return batch;
}

[[nodiscard]] inline WriteBatch putting(Bytes key, Bytes value) {
  WriteBatch batch;
  batch.put(std::move(key), std::move(value));
  return batch;
}

[[nodiscard]] inline WriteBatch truncating(LogId log, Offset keep_from) {
  WriteBatch batch;
  batch.truncate_before(log, keep_from);
  return batch;
}

[[nodiscard]] inline WriteBatch dropping_before(Position position) {
  WriteBatch batch;
  batch.drop_before(position);
  return batch;
}

[[nodiscard]] inline WriteBatch dropping(LogId log) {
  WriteBatch batch;
  batch.drop_log(log);
  return batch;
}

}  // namespace sluice::storage::conformance
