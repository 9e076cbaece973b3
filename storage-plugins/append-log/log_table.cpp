#include "storage-plugins/append-log/log_table.hpp"

#include "common/base/assert.hpp"

namespace sluice::append_log {

using storage::LogId;

LogState* LogTable::find(LogId id) noexcept {
  const auto found = by_id_.find(id.value);
  return found == by_id_.end() ? nullptr : found->second;
}

const LogState* LogTable::find(LogId id) const noexcept {
  const auto found = by_id_.find(id.value);
  return found == by_id_.end() ? nullptr : found->second;
}

LogState& LogTable::create(LogId id) {
  auto log = std::make_unique<LogState>();
  log->id = id;
  LogState* const made = log.get();
  if (free_slots_.empty()) {
    made->slot = static_cast<std::uint32_t>(slots_.size());
    slots_.push_back(std::move(log));
  } else {
    made->slot = free_slots_.back();
    free_slots_.pop_back();
    slots_[made->slot] = std::move(log);
  }
  const bool is_new = by_id_.emplace(id.value, made).second;
  SLUICE_ASSERT(is_new, "a log is created once");
  return *made;
}

void LogTable::erase(LogId id) {
  const auto found = by_id_.find(id.value);
  if (found == by_id_.end()) return;
  const std::uint32_t slot = found->second->slot;
  by_id_.erase(found);
  free_slots_.push_back(slot);
  slots_[slot].reset();
}

}  // namespace sluice::append_log
