#pragma once

#include <memory>

#include "common/base/environment.hpp"
#include "protocols/rest/application.hpp"
#include "protocols/spi/request_handler.hpp"

namespace sluice::rest {

/// What operators and their tools ask, GET only: /metrics (Prometheus text), /healthz, and as JSON
/// what a name server knows (docs/mapping/http.md, "The admin listener").
/// \param handler, environment  Outlive the application and every answer under way.
[[nodiscard]] std::unique_ptr<Application> make_admin_application(protocol::RequestHandler& handler,
                                                                  Environment& environment);

}  // namespace sluice::rest
