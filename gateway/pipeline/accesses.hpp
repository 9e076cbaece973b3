#pragma once

#include <string_view>

#include "common/base/types.hpp"
#include "gateway/pipeline/authorizer.hpp"

namespace sluice::gateway {

/// What one request needs, all of it. Names are views of the request.
using Accesses = SmallVector<Access, 4>;

[[nodiscard]] inline Access to_topic(Action action, std::string_view topic) {
  return {.action = action, .kind = ResourceKind::topic, .name = topic};
}

[[nodiscard]] inline Access to_group(Action action, std::string_view group) {
  return {.action = action, .kind = ResourceKind::group, .name = group};
}

[[nodiscard]] inline Access to_cluster(Action action) {
  return {.action = action, .kind = ResourceKind::cluster, .name = {}};
}

}  // namespace sluice::gateway
