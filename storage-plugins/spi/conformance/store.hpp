#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "storage-plugins/fault-disk/fault_disk.hpp"
#include "storage-plugins/spi/conformance/engine_factory.hpp"
#include "storage-plugins/spi/storage_engine.hpp"
#include "tests/support/manual_environment.hpp"
#include "tests/support/printers.hpp"
#include "tests/support/run_task.hpp"

namespace sluice::storage::conformance {

/// The value, or the end of the test with the error's text.
template <class T>
T must(Result<T> result) {
  if (!result) throw std::runtime_error(describe(result.error()));
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}

/// One engine and all that it stands on: loops, a clock that the test moves, a disk that fails when
/// the test says so. Calls wait until the engine has answered. For one thread.
class Store {
 public:
  static constexpr const char* kDirectory = "/store/data";
  static constexpr std::uint16_t kBrokerNumber = 7;

  enum class Start : std::uint8_t { open, closed };

  /// On an empty disk.
  explicit Store(EngineFactory factory, Start start = Start::open);
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  // --- its life ---

  [[nodiscard]] Result<> try_open();
  void open() { must(try_open()); }
  Result<> close();
  void reopen();
  [[nodiscard]] bool is_open() const noexcept { return engine_ != nullptr; }

  /// Ends the engine as a crash would, then makes `disk` the one that the next open() sees.
  void continue_on(std::unique_ptr<fault_disk::FaultDisk> disk);

  /// kill -9, without opening again.
  void process_crash() { continue_on(disk_->process_crash()); }
  void power_loss(std::uint64_t seed, fault_disk::PowerLoss mode) {
    continue_on(disk_->power_loss(seed, mode));
  }

  // --- its parts ---

  [[nodiscard]] StorageEngine& engine() noexcept { return *engine_; }
  [[nodiscard]] Runtime& runtime() noexcept { return *runtime_; }
  [[nodiscard]] test::ManualEnvironment& clock() noexcept { return clock_; }
  [[nodiscard]] fault_disk::FaultDisk& disk() noexcept { return *disk_; }
  [[nodiscard]] PositionCounter& positions() noexcept { return *positions_; }
  [[nodiscard]] const EngineFactory& factory() const noexcept { return factory_; }

  /// What the plugin is given; a test may change it and open for itself.
  [[nodiscard]] EngineOptions options();

  template <class T>
  Result<T> run(Task<T> task) {
    return test::run(*runtime_, std::move(task));
  }

  // --- the members of the engine ---

  Result<CommitReceipt> commit(WriteBatch batch, Durability durability = Durability::buffered);
  Result<ReadResult> read(LogId log, Offset from, ReadLimits limits = {},
                          std::vector<std::uint64_t> tag_hashes = {});
  Result<Record> read_at(Position position);
  LogBounds bounds(LogId log);
  Offset offset_at(LogId log, UnixMillis time);
  std::optional<Position> position_at(UnixMillis time);
  std::optional<Position> position_to_free(std::uint64_t bytes);
  std::vector<Position> find(Bytes index_key, UnixMillis first = UnixMillis{INT64_MIN},
                             UnixMillis last = UnixMillis{INT64_MAX},
                             std::uint32_t positions_max = 1000,
                             std::optional<Position> before = std::nullopt);
  std::optional<Bytes> get(Bytes key);
  std::vector<KeyValue> scan(Bytes first = {}, Bytes last = {},
                             std::uint32_t entries_max = 100'000);
  Usage usage();
  [[nodiscard]] Sequence sequence() const { return engine_->sequence(); }

 private:
  EngineFactory factory_;
  test::ManualEnvironment clock_;
  fault_disk::FaultDisk no_disk_;  ///< The runtime's: an engine that uses it fails.
  std::unique_ptr<fault_disk::FaultDisk> disk_;
  std::unique_ptr<PositionCounter> positions_;
  test::TestRuntime runtime_;
  std::unique_ptr<StoragePlugin> plugin_;
  std::unique_ptr<StorageEngine> engine_;
};

}  // namespace sluice::storage::conformance
