#include "storage-plugins/memory/memory_engine.hpp"

#include "storage-plugins/spi/batch_check.hpp"

namespace sluice::memory_engine {

using storage::LogId;
using storage::Offset;
using storage::Position;

Task<storage::CommitReceipt> MemoryEngine::commit(storage::WriteBatch batch,
                                                  storage::Durability /*durability*/) {
  SLUICE_CO_TRY(check_batch(batch));
  const std::lock_guard lock(mutex_);
  co_return state_.apply(batch, environment_.now(), positions_);
}

Task<storage::ReadResult> MemoryEngine::read(LogId log, Offset from, storage::ReadLimits limits,
                                             std::vector<std::uint64_t> tag_hashes) {
  const std::lock_guard lock(mutex_);
  co_return state_.read(log, from, limits, tag_hashes);
}

Task<storage::Record> MemoryEngine::read_at(Position position) {
  const std::lock_guard lock(mutex_);
  co_return state_.read_at(position);
}

Task<storage::LogBounds> MemoryEngine::bounds(LogId log) {
  const std::lock_guard lock(mutex_);
  co_return state_.bounds(log);
}

Task<Offset> MemoryEngine::offset_at(LogId log, UnixMillis time) {
  const std::lock_guard lock(mutex_);
  co_return state_.offset_at(log, time);
}

Task<std::optional<Position>> MemoryEngine::position_at(UnixMillis time) {
  const std::lock_guard lock(mutex_);
  co_return state_.position_at(time);
}

Task<std::optional<Position>> MemoryEngine::position_to_free(std::uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  co_return state_.position_to_free(bytes);
}

Task<std::vector<Position>> MemoryEngine::find(Bytes index_key, UnixMillis first, UnixMillis last,
                                               std::uint32_t positions_max,
                                               std::optional<Position> before) {
  const std::lock_guard lock(mutex_);
  co_return state_.find(index_key, first, last, positions_max, before);
}

storage::Sequence MemoryEngine::sequence() const {
  const std::lock_guard lock(mutex_);
  return state_.sequence();
}

Task<std::optional<Bytes>> MemoryEngine::get(Bytes key) {
  const std::lock_guard lock(mutex_);
  co_return state_.get(key);
}

Task<std::vector<storage::KeyValue>> MemoryEngine::scan(Bytes first, Bytes last,
                                                        std::uint32_t entries_max) {
  const std::lock_guard lock(mutex_);
  co_return state_.scan(first, last, entries_max);
}

Task<storage::Usage> MemoryEngine::usage() {
  const std::lock_guard lock(mutex_);
  co_return state_.usage();
}

Task<> MemoryEngine::rewind(storage::Sequence /*last_kept*/) {
  co_return fail(Errc::unsupported, "rewind() is not built yet");
}

Task<std::unique_ptr<storage::ReadView>> MemoryEngine::snapshot() {
  co_return fail(Errc::unsupported, "snapshot() is not built yet");
}

Task<> MemoryEngine::checkpoint(std::filesystem::path /*directory*/) {
  co_return fail(Errc::unsupported, "checkpoint() is not built yet");
}

Task<> MemoryEngine::close() {
  co_return Result<>{};
}

}  // namespace sluice::memory_engine
