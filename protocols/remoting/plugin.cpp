#include "protocols/remoting/plugin.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "common/base/assert.hpp"
#include "protocols/remoting/session/session.hpp"
#include "protocols/transport/tcp_listener.hpp"

namespace sluice::remoting {

namespace {

/// Makes sessions; one set of services a loop.
class SessionFactory {
 public:
  SessionFactory(Runtime& runtime, protocol::RequestHandler& handler) {
    for (std::uint32_t i = 0; i < runtime.loop_count(); ++i) {
      services_.push_back(std::make_shared<LoopServices>(runtime, runtime.loop(i), handler));
    }
  }

  std::shared_ptr<transport::Session> operator()(transport::Stream stream,
                                                 model::Endpoint peer) const {
    const auto here = std::ranges::find(services_, stream.get_executor(), &LoopServices::executor);
    SLUICE_ASSERT(here != services_.end(), "sockets belong to loops of the runtime");
    return std::make_shared<Session>(*here, std::move(stream), peer);
  }

 private:
  std::vector<std::shared_ptr<LoopServices>> services_;
};

}  // namespace

Result<std::unique_ptr<protocol::Listener>> Plugin::listen(Runtime& runtime,
                                                           protocol::ListenerOptions options,
                                                           protocol::RequestHandler& handler) {
  auto greeting = transport::take_greeting_options(options.settings);
  if (!greeting) {
    return fail(greeting.error().code,
                fmt::format("listeners.{}: {}", name_, greeting.error().text));
  }
  if (!options.settings.empty()) {
    return fail(Errc::invalid_argument, fmt::format("listener \"{}\" has no setting \"{}\"", name_,
                                                    options.settings.begin()->first));
  }
  return std::make_unique<transport::TcpListener>(
      runtime, name_, std::move(options), SessionFactory(runtime, handler), *std::move(greeting));
}

}  // namespace sluice::remoting
