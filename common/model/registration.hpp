#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/model/filter.hpp"

/// \file
/// What a consumer says of itself.

namespace sluice::model {

enum class ConsumeType : std::uint8_t { pull, push, pop };
enum class MessageModel : std::uint8_t { broadcasting, clustering };

struct Subscription {
  std::string topic;
  FilterExpression filter;
  std::int64_t version = 0;

  friend bool operator==(const Subscription&, const Subscription&) = default;
};
struct ConsumerRegistration {
  std::string group;
  ConsumeType type = ConsumeType::push;
  MessageModel model = MessageModel::clustering;
  std::int32_t consume_from_where = 0;  ///< RocketMQ's ConsumeFromWhere ordinal.
  std::vector<Subscription> subscriptions;
};

}  // namespace sluice::model
