#pragma once

#include <memory>

#include "common/base/environment.hpp"
#include "protocols/rest/application.hpp"
#include "protocols/spi/request_handler.hpp"

namespace sluice::rest {

/// The resources under /v1/topics (docs/mapping/http.md).
/// \param handler, environment  Outlive the application and every answer under way.
[[nodiscard]] std::unique_ptr<Application> make_message_application(
    protocol::RequestHandler& handler, Environment& environment);

}  // namespace sluice::rest
