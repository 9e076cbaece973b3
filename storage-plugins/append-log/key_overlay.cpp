#include "storage-plugins/append-log/key_overlay.hpp"

#include <algorithm>
#include <variant>

namespace sluice::append_log {

using storage::WriteBatch;

std::optional<std::string_view> KeyOverlay::get(std::string_view key) {
  for (; applied_ < batches_.size(); ++applied_) apply(*batches_[applied_]);
  const auto changed = changes_.find(key);
  if (changed != changes_.end()) return changed->second;
  const Bytes* const published = published_.get(key);
  if (published == nullptr) return std::nullopt;
  return std::string_view(*published);
}

void KeyOverlay::apply(const WriteBatch& batch) {
  for (const auto& operation : batch.operations()) {
    if (const auto* put = std::get_if<WriteBatch::Put>(&operation)) {
      changes_[put->key] = std::string_view(put->value);
    }
    if (const auto* erase = std::get_if<WriteBatch::Erase>(&operation)) {
      changes_[erase->key] = std::nullopt;
    }
    const auto* range = std::get_if<WriteBatch::EraseRange>(&operation);
    if (range == nullptr) continue;
    const auto end = range->last.empty()
                         ? changes_.end()
                         : changes_.lower_bound(std::max(range->first, range->last));
    for (auto it = changes_.lower_bound(range->first); it != end; ++it) it->second = std::nullopt;
    published_.visit_range(range->first, range->last,
                           [this](const Bytes& key) { changes_[key] = std::nullopt; });
  }
}

void KeyOverlay::clear() noexcept {
  batches_.clear();
  applied_ = 0;
  changes_.clear();
}

}  // namespace sluice::append_log
