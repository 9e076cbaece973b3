#include "storage-plugins/memory/batch_check.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/limits.hpp"

namespace sluice::memory_engine {

using storage::NewRecord;
using storage::WriteBatch;

namespace {

Result<> check_size(std::string_view what, std::size_t size, std::size_t size_max) {
  if (size <= size_max) return {};
  return fail(Errc::invalid_argument, std::string(what) + " of " + std::to_string(size) +
                                          " is over the limit of " + std::to_string(size_max));
}

Result<> check_key(const Bytes& key) {
  return check_size("a key with a size", key.size(), limits::kKeyBytesMax);
}

Result<> check_logs(const NewRecord& record) {
  if (record.logs.empty()) return fail(Errc::invalid_argument, "a record names no log");
  SLUICE_TRY(
      check_size("a record with a log count", record.logs.size(), limits::kLogsPerRecordMax));
  auto sorted = record.logs;
  std::ranges::sort(sorted);
  if (sorted.front().value == 0) return fail(Errc::invalid_argument, "a record names log 0");
  if (std::ranges::adjacent_find(sorted) != sorted.end()) {
    return fail(Errc::invalid_argument, "a record names one log twice");
  }
  return {};
}

Result<> check(const NewRecord& record) {
  if (record.place) return fail(Errc::unsupported, "records with a place are not built yet");
  if (record.offset_count > 1) return fail(Errc::unsupported, "stored batches are not built yet");
  if (record.offset_count == 0) {
    return fail(Errc::invalid_argument, "a record takes at least one offset");
  }
  SLUICE_TRY(check_logs(record));
  SLUICE_TRY(check_size("a record with a size", record.payload.size(), limits::kRecordBytesMax));
  for (const Bytes& key : record.index_keys) SLUICE_TRY(check_key(key));
  return {};
}

Result<> check(const WriteBatch::Append& append) {
  return check(append.record);
}

Result<> check(const WriteBatch::Put& put) {
  SLUICE_TRY(check_key(put.key));
  return check_size("a value with a size", put.value.size(), limits::kValueBytesMax);
}

Result<> check(const WriteBatch::Erase& erase) {
  return check_key(erase.key);
}

Result<> check(const WriteBatch::EraseRange& range) {
  SLUICE_TRY(check_key(range.first));
  return check_key(range.last);
}

Result<> check(const WriteBatch::Expect& expect) {
  return check_key(expect.key);
}

Result<> check(const WriteBatch::TruncateBefore&) {
  return {};
}

Result<> check(const WriteBatch::DropBefore&) {
  return {};
}

Result<> check(const WriteBatch::Forget&) {
  return fail(Errc::unsupported, "forget() is not built yet");
}

Result<> check(const WriteBatch::DropLog&) {
  return {};
}

std::size_t bytes_of(const WriteBatch::Operation& operation) {
  if (const auto* append = std::get_if<WriteBatch::Append>(&operation)) {
    std::size_t size = append->record.payload.size();
    for (const Bytes& key : append->record.index_keys) size += key.size();
    return size;
  }
  if (const auto* put = std::get_if<WriteBatch::Put>(&operation)) {
    return put->key.size() + put->value.size();
  }
  return 0;
}

bool is_change(const WriteBatch::Operation& operation) {
  return !std::holds_alternative<WriteBatch::Expect>(operation);
}

}  // namespace

Result<> check_batch(const WriteBatch& batch) {
  const auto operations = batch.operations();
  if (std::ranges::none_of(operations, is_change)) {
    return fail(Errc::invalid_argument, "the batch changes nothing");
  }
  SLUICE_TRY(check_size("a batch with an operation count", operations.size(),
                        limits::kOperationsPerBatchMax));
  std::size_t size = 0;
  for (const WriteBatch::Operation& operation : operations) {
    SLUICE_TRY(std::visit([](const auto& some) { return check(some); }, operation));
    size += bytes_of(operation);
  }
  return check_size("a batch with a size", size, limits::kBatchBytesMax);
}

}  // namespace sluice::memory_engine
