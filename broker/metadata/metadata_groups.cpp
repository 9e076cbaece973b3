#include <algorithm>
#include <mutex>
#include <set>

#include "broker/metadata/metadata.hpp"
#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "common/model/names.hpp"

namespace sluice::broker {

namespace {

constexpr std::uint32_t kScanPage = 1000;

Bytes after_prefix(char prefix) {
  return Bytes(1, static_cast<char>(prefix + 1));
}

tl::unexpected<Error> refuse_group(std::size_t max) {
  static metrics::Counter& refused = metrics::counter(
      "sluice_groups_refused_total", "", "Groups not made: the broker had its limit of groups");
  refused.add();
  return fail(Errc::quota_exceeded, "this broker has its limit of " + std::to_string(max) +
                                        " groups: delete some, or add a broker");
}

}  // namespace

Task<> Metadata::load_groups() {
  Bytes from(1, keys::kGroupPrefix);
  const Bytes end = after_prefix(keys::kGroupPrefix);
  while (true) {
    auto page = co_await engine_.scan(from, end, kScanPage);
    SLUICE_CO_TRY(page);
    for (const storage::KeyValue& entry : *page) {
      auto config = decode_group(std::string_view(entry.key).substr(1), entry.value);
      SLUICE_CO_TRY(config);
      auto group = std::make_shared<const model::GroupConfig>(std::move(*config));
      groups_[group->name] = group;
    }
    if (page->size() < kScanPage) co_return Result<>{};
    from = page->back().key + '\0';
  }
}

GroupPtr Metadata::find_group(std::string_view name) const {
  const std::shared_lock lock(mutex_);
  const auto found = groups_.find(name);
  return found == groups_.end() ? nullptr : found->second;
}

std::vector<GroupPtr> Metadata::groups() const {
  std::vector<GroupPtr> all;
  {
    const std::shared_lock lock(mutex_);
    all.reserve(groups_.size());
    for (const auto& [name, group] : groups_) all.push_back(group);
  }
  std::ranges::sort(all, {}, [](const GroupPtr& group) -> const auto& { return group->name; });
  return all;
}

model::DataVersion Metadata::group_version() const {
  const std::shared_lock lock(mutex_);
  return group_version_;
}

void Metadata::groups_changed() {
  group_version_.timestamp_ms = environment_.now().value;
  ++group_version_.counter;
}

Task<GroupPtr> Metadata::ensure_group(std::string name) {
  auto checked = model::check_group_name(name);
  SLUICE_CO_TRY(checked);
  auto guard = co_await changing_.lock();
  GroupPtr found = find_group(name);
  if (found) co_return found;
  {
    const std::shared_lock lock(mutex_);
    if (groups_.size() >= bounds_.groups_max) co_return refuse_group(bounds_.groups_max);
  }
  model::GroupConfig config;
  config.name = std::move(name);
  storage::WriteBatch batch;
  batch.put(keys::group(config.name), encode(config));
  auto committed = co_await engine_.commit(std::move(batch), storage::Durability::synced);
  SLUICE_CO_TRY(committed);
  auto group = std::make_shared<const model::GroupConfig>(std::move(config));
  const std::unique_lock lock(mutex_);
  groups_[group->name] = group;
  groups_changed();
  co_return group;
}

Task<> Metadata::put_groups(std::vector<model::GroupConfig> groups) {
  storage::WriteBatch batch;
  for (const model::GroupConfig& config : groups) {
    auto checked = model::check_group_name(config.name);
    SLUICE_CO_TRY(checked);
    batch.put(keys::group(config.name), encode(config));
  }
  if (batch.empty()) co_return Result<>{};
  auto guard = co_await changing_.lock();
  auto room = check_room(groups);
  SLUICE_CO_TRY(room);
  auto committed = co_await engine_.commit(std::move(batch), storage::Durability::synced);
  SLUICE_CO_TRY(committed);
  const std::unique_lock lock(mutex_);
  for (model::GroupConfig& config : groups) {
    auto group = std::make_shared<const model::GroupConfig>(std::move(config));
    groups_[group->name] = group;
  }
  groups_changed();
  co_return Result<>{};
}

Result<> Metadata::check_room(const std::vector<model::GroupConfig>& groups) const {
  const std::shared_lock lock(mutex_);
  std::set<std::string_view> added;
  for (const model::GroupConfig& config : groups) {
    if (!groups_.contains(config.name)) added.insert(config.name);
  }
  if (groups_.size() + added.size() > bounds_.groups_max) return refuse_group(bounds_.groups_max);
  return {};
}

Task<> Metadata::delete_group(std::string name) {
  auto guard = co_await changing_.lock();
  if (!find_group(name)) co_return Result<>{};
  storage::WriteBatch batch;
  batch.erase(keys::group(name));
  auto committed = co_await engine_.commit(std::move(batch), storage::Durability::synced);
  SLUICE_CO_TRY(committed);
  const std::unique_lock lock(mutex_);
  groups_.erase(name);
  groups_changed();
  co_return Result<>{};
}

}  // namespace sluice::broker
