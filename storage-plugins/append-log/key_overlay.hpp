#pragma once

#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "storage-plugins/append-log/key_map.hpp"
#include "storage-plugins/spi/write_batch.hpp"

namespace sluice::append_log {

/// The keys as they will be when the commits of the current round are published. Costs nothing
/// unless a commit expects something.
class KeyOverlay {
 public:
  explicit KeyOverlay(const KeyMap& published) : published_(published) {}

  /// The next commit of the round. `batch` must stay until clear().
  void add(const storage::WriteBatch& batch) { batches_.push_back(&batch); }

  /// nullopt: absent.
  [[nodiscard]] std::optional<std::string_view> get(std::string_view key);

  void clear() noexcept;

 private:
  void apply(const storage::WriteBatch& batch);

  const KeyMap& published_;
  std::vector<const storage::WriteBatch*> batches_;
  std::size_t applied_ = 0;  ///< Batches that are in changes_.
  std::map<std::string_view, std::optional<std::string_view>> changes_;
};

}  // namespace sluice::append_log
