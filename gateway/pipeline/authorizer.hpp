#pragma once

#include <cstdint>
#include <string_view>

#include "common/base/error.hpp"
#include "common/model/call_context.hpp"

namespace sluice::gateway {

enum class Action : std::uint8_t {
  publish,   ///< Store messages in a topic.
  consume,   ///< Read a topic, or take part in a group and move its progress.
  describe,  ///< See that a topic is there, where, and how long its queues are.
  manage     ///< Make, change, delete.
};

enum class ResourceKind : std::uint8_t { topic, group, cluster };

/// What a call wants to do, and to what.
struct Access {
  Action action = Action::describe;
  ResourceKind kind = ResourceKind::topic;
  std::string_view name;  ///< Empty for the cluster. Lives as long as the command.
};

/// The second stage: may they?
class Authorizer {
 public:
  virtual ~Authorizer() = default;

  /// Called once for each access that a call needs, on the caller's loop.
  /// \return permission_denied, naming the action and the resource.
  [[nodiscard]] virtual Result<> authorize(const model::CallContext& context,
                                           const Access& access) = 0;
};

}  // namespace sluice::gateway
