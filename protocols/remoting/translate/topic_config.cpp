#include "protocols/remoting/translate/topic_config.hpp"

#include <utility>

namespace sluice::remoting {

model::TopicConfig to_model(TopicConfig&& config) {
  model::TopicConfig result;
  result.name = std::move(config.topic_name);
  result.read_queues = config.read_queue_nums;
  result.write_queues = config.write_queue_nums;
  result.permission = config.perm;
  result.system_flag = config.topic_sys_flag;
  result.is_ordered = config.order;
  result.filter_type = std::move(config.topic_filter_type);
  for (auto& [key, value] : config.attributes) result.attributes.emplace(key, std::move(value));
  return result;
}

TopicConfig to_wire(const model::TopicConfig& config) {
  return {.topic_name = config.name,
          .read_queue_nums = config.read_queues,
          .write_queue_nums = config.write_queues,
          .perm = config.permission,
          .topic_filter_type = config.filter_type,
          .topic_sys_flag = config.system_flag,
          .order = config.is_ordered,
          .attributes = {config.attributes.begin(), config.attributes.end()}};
}

}  // namespace sluice::remoting
