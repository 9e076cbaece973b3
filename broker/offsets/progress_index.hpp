#pragma once

#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "broker/metadata/keys.hpp"

namespace sluice::broker {

/// Which groups have progress in which topics. Changed only when a group begins or ends to have
/// any, so that a commit of progress costs nothing here. Safe from any thread.
class ProgressIndex {
 public:
  void add(keys::TopicNumber topic, std::string_view group);
  void remove(keys::TopicNumber topic, std::string_view group);
  void remove(keys::TopicNumber topic);

  /// Sorted.
  [[nodiscard]] std::vector<std::string> groups_of(keys::TopicNumber topic) const;
  [[nodiscard]] std::vector<keys::TopicNumber> topics_of(std::string_view group) const;
  [[nodiscard]] std::vector<std::pair<keys::TopicNumber, std::string>> all() const;

 private:
  /// Compares without making a string.
  struct Less {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
      const std::string_view group_a = a.second;
      const std::string_view group_b = b.second;
      return std::pair(a.first.value, group_a) < std::pair(b.first.value, group_b);
    }
  };
  struct GroupFirst {
    using is_transparent = void;
    template <class A, class B>
    bool operator()(const A& a, const B& b) const noexcept {
      const std::string_view group_a = a.second;
      const std::string_view group_b = b.second;
      return std::pair(group_a, a.first.value) < std::pair(group_b, b.first.value);
    }
  };
  using Entry = std::pair<keys::TopicNumber, std::string>;

  mutable std::mutex mutex_;
  std::set<Entry, Less> by_topic_;
  std::set<Entry, GroupFirst> by_group_;
};

}  // namespace sluice::broker
