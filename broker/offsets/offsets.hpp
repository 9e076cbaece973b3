#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "broker/metadata/keys.hpp"
#include "storage-plugins/spi/storage_engine.hpp"

namespace sluice::broker {

/// The progress of every group in every queue: answered from memory, kept in the engine. Safe from
/// any loop.
class Offsets {
 public:
  explicit Offsets(storage::StorageEngine& engine) : engine_(engine) {}

  /// Reads all of them. Once, before anything else.
  Task<> load();

  [[nodiscard]] std::optional<std::int64_t> find(keys::TopicNumber topic, std::int32_t queue,
                                                 std::string_view group) const;

  /// A plain overwrite, also backwards. Completes once it survives a crash of the process; one that
  /// changes nothing completes at once.
  Task<> store(keys::TopicNumber topic, std::int32_t queue, std::string group, std::int64_t offset);

  /// True if store() would change something.
  [[nodiscard]] bool would_change(keys::TopicNumber topic, std::int32_t queue,
                                  std::string_view group, std::int64_t offset) const {
    return find(topic, queue, group) != offset;
  }

  /// Forgets the topic's entries; the engine's are erased with the topic.
  void forget(keys::TopicNumber topic);

 private:
  static constexpr std::size_t kShards = 16;

  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  struct Shard {
    mutable std::mutex mutex;
    std::unordered_map<Bytes, std::int64_t, TextHash, std::equal_to<>> by_key;
  };

  [[nodiscard]] const Shard& shard_of(std::string_view key) const noexcept {
    return shards_[TextHash{}(key) % kShards];
  }
  [[nodiscard]] Shard& shard_of(std::string_view key) noexcept {
    return shards_[TextHash{}(key) % kShards];
  }

  storage::StorageEngine& engine_;
  std::array<Shard, kShards> shards_;
};

}  // namespace sluice::broker
