#include "storage-plugins/spi/conformance/store.hpp"

#include <cstdlib>

#include "common/base/log.hpp"

namespace sluice::storage::conformance {

namespace {

/// Thousands of crashes on purpose would fill the screen; SLUICE_LOG=info shows them.
bool start_log() {
  const char* level = std::getenv("SLUICE_LOG");  // NOLINT(concurrency-mt-unsafe): only read
  return log::start(level == nullptr ? "off" : level).has_value();
}

}  // namespace

Store::Store(EngineFactory factory, Start start)
    : factory_(std::move(factory)),
      no_disk_("/"),
      disk_(std::make_unique<fault_disk::FaultDisk>(kDirectory)),
      runtime_({.loops = 2, .workers = 2, .environment = &clock_, .disk = &no_disk_}),
      plugin_(factory_.make_plugin()) {
  [[maybe_unused]] static const bool is_log_started = start_log();
  no_disk_.crash();
  if (start == Start::open) open();
}

Store::~Store() {
  if (is_open()) static_cast<void>(close());
}

EngineOptions Store::options() {
  return {.data_directory = kDirectory,
          .settings = factory_.settings,
          .runtime = &runtime_.get(),
          .positions = positions_.get(),
          .disk = disk_.get()};
}

Result<> Store::try_open() {
  // A new process counts from the start; what the engine holds is above that.
  positions_ = std::make_unique<PositionCounter>(kBrokerNumber);
  auto opened = run(plugin_->open(options()));
  SLUICE_TRY(opened);
  engine_ = *std::move(opened);
  return {};
}

Result<> Store::close() {
  auto closed = run(engine_->close());
  engine_.reset();
  return closed;
}

void Store::reopen() {
  must(close());
  open();
}

void Store::continue_on(std::unique_ptr<fault_disk::FaultDisk> disk) {
  // Its disk is dead, so that closing changes nothing; it ends the engine's threads.
  if (is_open()) static_cast<void>(close());
  disk_ = std::move(disk);
}

Result<CommitReceipt> Store::commit(WriteBatch batch, Durability durability) {
  return run(engine_->commit(std::move(batch), durability));
}

Result<ReadResult> Store::read(LogId log, Offset from, ReadLimits limits,
                               std::vector<std::uint64_t> tag_hashes) {
  return run(engine_->read(log, from, limits, std::move(tag_hashes)));
}

Result<Record> Store::read_at(Position position) {
  return run(engine_->read_at(position));
}

LogBounds Store::bounds(LogId log) {
  return must(run(engine_->bounds(log)));
}

Offset Store::offset_at(LogId log, UnixMillis time) {
  return must(run(engine_->offset_at(log, time)));
}

std::optional<Position> Store::position_at(UnixMillis time) {
  return must(run(engine_->position_at(time)));
}

std::optional<Position> Store::position_to_free(std::uint64_t bytes) {
  return must(run(engine_->position_to_free(bytes)));
}

std::vector<Position> Store::find(Bytes index_key, UnixMillis first, UnixMillis last,
                                  std::uint32_t positions_max, std::optional<Position> before) {
  return must(run(engine_->find(std::move(index_key), first, last, positions_max, before)));
}

std::optional<Bytes> Store::get(Bytes key) {
  return must(run(engine_->get(std::move(key))));
}

std::vector<KeyValue> Store::scan(Bytes first, Bytes last, std::uint32_t entries_max) {
  return must(run(engine_->scan(std::move(first), std::move(last), entries_max)));
}

Usage Store::usage() {
  return must(run(engine_->usage()));
}

}  // namespace sluice::storage::conformance
