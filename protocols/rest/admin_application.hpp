#pragma once

#include <memory>

#include "protocols/rest/application.hpp"

namespace sluice::rest {

/// What operators and their tools ask: /metrics (Prometheus text) and /healthz.
[[nodiscard]] std::unique_ptr<Application> make_admin_application();

}  // namespace sluice::rest
