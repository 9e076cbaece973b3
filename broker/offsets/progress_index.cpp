#include "broker/offsets/progress_index.hpp"

namespace sluice::broker {

namespace {

using Probe = std::pair<keys::TopicNumber, std::string_view>;

}  // namespace

void ProgressIndex::add(keys::TopicNumber topic, std::string_view group) {
  const std::lock_guard lock(mutex_);
  if (by_topic_.contains(Probe(topic, group))) return;
  by_topic_.emplace(topic, group);
  by_group_.emplace(topic, group);
}

void ProgressIndex::remove(keys::TopicNumber topic, std::string_view group) {
  const std::lock_guard lock(mutex_);
  const auto entry = by_topic_.find(Probe(topic, group));
  if (entry == by_topic_.end()) return;
  by_topic_.erase(entry);
  by_group_.erase(by_group_.find(Probe(topic, group)));
}

void ProgressIndex::remove(keys::TopicNumber topic) {
  for (const std::string& group : groups_of(topic)) remove(topic, group);
}

std::vector<std::string> ProgressIndex::groups_of(keys::TopicNumber topic) const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> groups;
  for (auto entry = by_topic_.lower_bound(Probe(topic, {}));
       entry != by_topic_.end() && entry->first == topic; ++entry) {
    groups.push_back(entry->second);
  }
  return groups;
}

std::vector<keys::TopicNumber> ProgressIndex::topics_of(std::string_view group) const {
  const std::lock_guard lock(mutex_);
  std::vector<keys::TopicNumber> topics;
  for (auto entry = by_group_.lower_bound(Probe(keys::TopicNumber{0}, group));
       entry != by_group_.end() && entry->second == group; ++entry) {
    topics.push_back(entry->first);
  }
  return topics;
}

std::vector<std::pair<keys::TopicNumber, std::string>> ProgressIndex::all() const {
  const std::lock_guard lock(mutex_);
  return {by_topic_.begin(), by_topic_.end()};
}

}  // namespace sluice::broker
