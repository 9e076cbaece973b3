#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/types.hpp"
#include "storage-plugins/append-log/format.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

/// \file
/// Checkpoints as bytes (docs/formats/append-log.md, "Checkpoint"). Pure functions.

namespace sluice::append_log {

inline constexpr std::size_t kCheckpointHeaderBytes = 40;
inline constexpr std::size_t kChunkHeadBytes = 16;
/// More in one chunk is no checkpoint of ours.
inline constexpr std::size_t kChunkBytesMax = 16UL * 1024 * 1024;

struct CheckpointHeader {
  std::uint64_t start_segment = 0;  ///< Replay begins with it.
  storage::Sequence start{};        ///< S: the first sequence in it.
  UnixMillis created_at{};
  std::uint32_t salt = 0;

  friend bool operator==(const CheckpointHeader&, const CheckpointHeader&) = default;
};

/// A log as a checkpoint has it.
struct CheckpointLog {
  storage::LogId id{};
  storage::Offset floor{};
  storage::Offset next{};
  storage::Position live_from{};
  storage::Position last_position{};

  friend bool operator==(const CheckpointLog&, const CheckpointLog&) = default;
};

struct CheckpointEnd {
  storage::Sequence end{};  ///< E: the log is durable up to it.
  storage::Position drop_floor{};
  storage::Position last_position{};
  UnixMillis last_stored_at{};
  std::uint64_t key_count = 0;
  std::uint64_t log_count = 0;

  friend bool operator==(const CheckpointEnd&, const CheckpointEnd&) = default;
};

/// Makes the bytes of a checkpoint, piece by piece.
class CheckpointEncoder {
 public:
  [[nodiscard]] std::string header(const CheckpointHeader& header);
  [[nodiscard]] std::string keys(const std::vector<storage::KeyValue>& entries);
  [[nodiscard]] std::string logs(const std::vector<CheckpointLog>& logs);
  [[nodiscard]] std::string end(const CheckpointEnd& end);

 private:
  [[nodiscard]] std::string chunk(std::uint32_t kind, std::size_t count, const std::string& data);

  std::uint32_t header_crc_ = 0;
  std::uint32_t chunk_count_ = 0;
};

/// Reads a checkpoint, piece by piece.
class CheckpointDecoder {
 public:
  /// What a chunk holds goes here.
  struct Visitor {
    std::function<void(Bytes key, Bytes value)> on_key;
    std::function<void(const CheckpointLog&)> on_log;
  };

  /// \return nullopt if `bytes` do not begin with a header of a version this program knows.
  [[nodiscard]] std::optional<CheckpointHeader> header(BytesView bytes);

  /// Bytes of the chunk whose head is given. \return nullopt if that cannot be.
  [[nodiscard]] static std::optional<std::size_t> chunk_bytes(BytesView head);

  /// \return corrupt_record if the chunk is damaged.
  [[nodiscard]] Result<> chunk(BytesView bytes, const Visitor& visitor);

  /// Set once the last chunk was read and its counts were right.
  [[nodiscard]] const std::optional<CheckpointEnd>& end() const noexcept { return end_; }

 private:
  [[nodiscard]] bool read_keys(BytesView data, std::uint32_t count, const Visitor& visitor);
  [[nodiscard]] bool read_logs(BytesView data, std::uint32_t count, const Visitor& visitor);
  [[nodiscard]] bool read_end(BytesView data);

  std::uint32_t header_crc_ = 0;
  std::uint32_t chunk_count_ = 0;
  std::uint64_t key_count_ = 0;
  std::uint64_t log_count_ = 0;
  std::optional<CheckpointEnd> end_;
};

}  // namespace sluice::append_log
