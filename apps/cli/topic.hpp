#pragma once

#include <cstdint>
#include <string>

#include "apps/cli/console.hpp"
#include "common/model/route.hpp"

namespace sluice::cli {

struct TopicOptions {
  std::string name_servers;
  std::string topic;
  Format format = Format::text;
};

struct CreateTopicOptions : TopicOptions {
  std::int32_t queues = 8;
  std::int32_t permission = model::permission::kRead | model::permission::kWrite;
  std::string broker_name;  ///< Empty: on all brokers.
  bool updates = false;     ///< Changes a topic that exists.
};

struct ListTopicsOptions : TopicOptions {
  bool shows_system = false;
};

/// Each prints what it did or found.
/// \return the exit code.
[[nodiscard]] int create_topic(CreateTopicOptions options, const Console& console);
[[nodiscard]] int delete_topic(TopicOptions options, const Console& console);
[[nodiscard]] int list_topics(ListTopicsOptions options, const Console& console);
[[nodiscard]] int show_topic(TopicOptions options, const Console& console);

}  // namespace sluice::cli
