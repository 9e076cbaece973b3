#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/crash/messages.hpp"

namespace sluice::crash {

/// Texts about what is wrong, for people. The first kProblemsMax are kept, the others counted.
class Problems {
 public:
  static constexpr std::size_t kProblemsMax = 20;

  void add(std::string text);
  void add_all(const Problems& others);

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::string to_string() const;

 private:
  std::vector<std::string> texts_;
  std::size_t count_ = 0;
};

struct StoredEntry {
  std::uint64_t number = 0;
  std::uint64_t position = 0;
};

/// One queue, without gaps: entries[i] stands at offset first + i.
struct QueueView {
  std::int64_t first = 0;
  std::int64_t next = 0;
  std::vector<StoredEntry> entries;
};

using GroupQueue = std::pair<std::string, std::int32_t>;

/// All that a store holds of kTopic.
struct StoreView {
  std::array<QueueView, kQueues> queues;  ///< Empty while there is no such topic.
  std::map<GroupQueue, std::int64_t> offsets;
  std::uint64_t payload_bytes = 0;
};

/// Opens the store in `directory` with the engine itself, which recovers it, reads all of it, and
/// closes it. Every record is compared with the message it must be and looked up by both of its
/// keys, which must find it alone; keys of messages with numbers in [1, issued] that are not stored
/// must find nothing.
[[nodiscard]] StoreView read_store(const std::filesystem::path& directory, std::uint64_t issued,
                                   Problems& problems);

}  // namespace sluice::crash
