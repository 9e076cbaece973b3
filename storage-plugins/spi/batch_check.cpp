#include "storage-plugins/spi/batch_check.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

#include "common/base/limits.hpp"

namespace sluice::storage {

namespace {

tl::unexpected<Error> over_limit(std::string_view what, std::size_t size, std::size_t size_max) {
  return fail(Errc::invalid_argument, std::string(what) + " of " + std::to_string(size) +
                                          " is over the limit of " + std::to_string(size_max));
}

/// Adds up what the batch takes, and stops at the first thing that is wrong.
class BatchCheck {
 public:
  Result<> operator()(const WriteBatch::Append& append) { return check(append.record); }
  Result<> operator()(const WriteBatch::Put& put) {
    SLUICE_TRY(check_key(put.key));
    bytes_ += put.value.size();
    if (put.value.size() <= limits::kValueBytesMax) return {};
    return over_limit("a value with a size", put.value.size(), limits::kValueBytesMax);
  }
  Result<> operator()(const WriteBatch::Erase& erase) { return check_key(erase.key); }
  Result<> operator()(const WriteBatch::EraseRange& range) {
    SLUICE_TRY(check_key(range.first));
    return check_key(range.last);
  }
  Result<> operator()(const WriteBatch::Expect& expect) {
    --changes_;
    if (expect.key.size() <= limits::kKeyBytesMax) return {};
    return over_limit("a key with a size", expect.key.size(), limits::kKeyBytesMax);
  }
  Result<> operator()(const WriteBatch::TruncateBefore&) { return {}; }
  Result<> operator()(const WriteBatch::DropBefore&) { return {}; }
  Result<> operator()(const WriteBatch::DropLog&) { return {}; }
  Result<> operator()(const WriteBatch::Forget&) {
    return fail(Errc::unsupported, "forget() is not built yet");
  }

  Result<> check(const WriteBatch& batch) {
    const auto operations = batch.operations();
    if (operations.size() > limits::kOperationsPerBatchMax) {
      return over_limit("a batch with an operation count", operations.size(),
                        limits::kOperationsPerBatchMax);
    }
    changes_ = operations.size();
    for (const auto& operation : operations) SLUICE_TRY(std::visit(*this, operation));
    if (changes_ == 0) return fail(Errc::invalid_argument, "the batch changes nothing");
    if (bytes_ <= limits::kBatchBytesMax) return {};
    return over_limit("a batch with a size", bytes_, limits::kBatchBytesMax);
  }

 private:
  Result<> check_key(const Bytes& key) {
    bytes_ += key.size();
    if (key.size() <= limits::kKeyBytesMax) return {};
    return over_limit("a key with a size", key.size(), limits::kKeyBytesMax);
  }

  Result<> check(const NewRecord& record) {
    if (record.place) return fail(Errc::unsupported, "records with a place are not built yet");
    if (record.offset_count > 1) return fail(Errc::unsupported, "stored batches are not built yet");
    if (record.offset_count == 0) {
      return fail(Errc::invalid_argument, "a record takes at least one offset");
    }
    SLUICE_TRY(check_logs(record));
    bytes_ += record.payload.size();
    for (const Bytes& key : record.index_keys) SLUICE_TRY(check_key(key));
    if (record.payload.size() <= limits::kRecordBytesMax) return {};
    return over_limit("a record with a size", record.payload.size(), limits::kRecordBytesMax);
  }

  static Result<> check_logs(const NewRecord& record) {
    const auto& logs = record.logs;
    if (logs.empty()) return fail(Errc::invalid_argument, "a record names no log");
    if (logs.size() > limits::kLogsPerRecordMax) {
      return over_limit("a record with a log count", logs.size(), limits::kLogsPerRecordMax);
    }
    if (std::ranges::find(logs, LogId{0}) != logs.end()) {
      return fail(Errc::invalid_argument, "a record names log 0");
    }
    if (logs.size() == 1) return {};
    auto sorted = logs;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) == sorted.end()) return {};
    return fail(Errc::invalid_argument, "a record names one log twice");
  }

  std::size_t bytes_ = 0;
  std::size_t changes_ = 0;
};

}  // namespace

Result<> check_batch(const WriteBatch& batch) {
  return BatchCheck{}.check(batch);
}

}  // namespace sluice::storage
