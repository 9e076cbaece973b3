#include "protocols/http1/plugin.hpp"

#include <string>
#include <utility>

#include "protocols/http1/session.hpp"
#include "protocols/rest/admin_application.hpp"
#include "protocols/rest/message_application.hpp"
#include "protocols/transport/tcp_listener.hpp"

namespace sluice::http1 {

namespace {

Result<std::unique_ptr<protocol::Listener>> listen_for(
    Runtime& runtime, std::string name, protocol::ListenerOptions options,
    protocol::RequestHandler& handler, std::shared_ptr<rest::Application> application) {
  if (!options.settings.empty()) {
    return fail(Errc::invalid_argument,
                "listener '" + name + "' has no setting '" + options.settings.begin()->first + "'");
  }
  // The listener's factory owns the application; each session shares it.
  auto make_session = [&runtime, &handler, application = std::move(application)](
                          transport::Stream stream, model::Endpoint) {
    return std::make_shared<Session>(runtime, std::move(stream).release_socket(), application,
                                     handler);
  };
  return std::make_unique<transport::TcpListener>(runtime, std::move(name), std::move(options),
                                                  std::move(make_session));
}

}  // namespace

Result<std::unique_ptr<protocol::Listener>> HttpPlugin::listen(Runtime& runtime,
                                                               protocol::ListenerOptions options,
                                                               protocol::RequestHandler& handler) {
  return listen_for(runtime, "http", std::move(options), handler,
                    rest::make_message_application(handler, runtime.environment()));
}

Result<std::unique_ptr<protocol::Listener>> AdminPlugin::listen(Runtime& runtime,
                                                                protocol::ListenerOptions options,
                                                                protocol::RequestHandler& handler) {
  return listen_for(runtime, "admin", std::move(options), handler,
                    rest::make_admin_application(handler, runtime.environment()));
}

}  // namespace sluice::http1
