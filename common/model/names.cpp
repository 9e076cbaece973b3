#include "common/model/names.hpp"

#include <algorithm>
#include <array>

#include "common/base/limits.hpp"

namespace sluice::model {

namespace {

constexpr std::array<std::string_view, 6> kClosedToSenders = {
    "SCHEDULE_TOPIC_XXXX",        "RMQ_SYS_TRANS_HALF_TOPIC", "RMQ_SYS_TRANS_OP_HALF_TOPIC",
    "TRANS_CHECK_MAX_TIME_TOPIC", "SELF_TEST_TOPIC",          "OFFSET_MOVED_EVENT"};

constexpr std::array<std::string_view, 4> kOtherSystemTopics = {
    kAutoCreateTopic, "BenchmarkTest", "RMQ_SYS_TRACE_TOPIC", "CHECKPOINT_TOPIC"};

bool is_name_character(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '%' || c == '|';
}

bool is_derived(std::string_view topic) noexcept {
  return topic.starts_with(kRetryPrefix) || topic.starts_with(kDeadLetterPrefix);
}

/// `name` in quotes, with what is no printable ASCII replaced: it goes into texts for people.
std::string quote(std::string_view name) {
  std::string quoted = "\"";
  for (const char c : name) quoted.push_back(c >= ' ' && c <= '~' ? c : '?');
  return quoted.append("\"");
}

Result<> check_name(std::string_view what, std::string_view name, std::size_t bytes_max) {
  if (name.empty()) return fail(Errc::invalid_argument, std::string(what) + " name is empty");
  if (name.size() > bytes_max) {
    return fail(Errc::invalid_argument, std::string(what) + " name has " +
                                            std::to_string(name.size()) + " bytes; the limit is " +
                                            std::to_string(bytes_max));
  }
  if (!std::ranges::all_of(name, is_name_character)) {
    return fail(Errc::invalid_argument, std::string(what) + " name " + quote(name) +
                                            " may hold only letters, digits and % | _ -");
  }
  return {};
}

}  // namespace

Result<> check_topic_name(std::string_view topic) {
  return check_name(
      "topic", topic,
      is_derived(topic) ? limits::kSystemTopicNameBytesMax : limits::kTopicNameBytesMax);
}

Result<> check_group_name(std::string_view group) {
  return check_name("group", group, limits::kGroupNameBytesMax);
}

bool is_closed_to_senders(std::string_view topic) noexcept {
  return std::ranges::find(kClosedToSenders, topic) != kClosedToSenders.end();
}

bool is_system_topic(std::string_view topic) noexcept {
  return topic.starts_with("rmq_sys_") || is_closed_to_senders(topic) ||
         std::ranges::find(kOtherSystemTopics, topic) != kOtherSystemTopics.end();
}

std::vector<std::string> system_topics() {
  std::vector<std::string> names(kClosedToSenders.begin(), kClosedToSenders.end());
  names.insert(names.end(), kOtherSystemTopics.begin(), kOtherSystemTopics.end());
  std::ranges::sort(names);
  return names;
}

bool is_reserved_topic(std::string_view topic) noexcept {
  return is_system_topic(topic) || is_derived(topic);
}

std::string retry_topic_of(std::string_view group) {
  return std::string(kRetryPrefix).append(group);
}

}  // namespace sluice::model
