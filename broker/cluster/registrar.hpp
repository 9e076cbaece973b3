#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "broker/cluster/name_server_link.hpp"
#include "common/base/limits.hpp"
#include "common/runtime/periodic.hpp"
#include "common/runtime/runtime.hpp"

namespace sluice::broker {

struct RegistrarOptions {
  std::chrono::milliseconds interval = limits::kBrokerRegisterInterval;
  /// How soon a name server is tried again that was not reached, or lost its connection to us.
  std::chrono::milliseconds retry_interval = limits::kBrokerRegisterRetryInterval;
};

/// Keeps the name servers informed about this broker: at the start, in intervals, and whenever its
/// topics change. Before start() and after stop() it says nothing. Members other than the
/// constructor and destructor are safe from any loop.
class Registrar {
 public:
  /// \param current  What to register now, with all topics. Called on loop 0.
  Registrar(Runtime& runtime, std::vector<std::unique_ptr<NameServerLink>> links,
            std::function<model::RegisterBroker()> current, RegistrarOptions options = {});
  ~Registrar();
  Registrar(const Registrar&) = delete;
  Registrar& operator=(const Registrar&) = delete;

  /// Registers everywhere and begins to repeat it. Completes when every name server has answered
  /// or failed to: one that is down does not keep a broker from starting. Once.
  Task<> start();

  /// Registers soon. Calls that come together are one registration.
  void topics_changed();

  /// Registers what `current` says from now on, and completes when every name server that answered
  /// last time has done so again: then a route is visible. Those that did not are tried too, and
  /// not waited for. Calls that come together share registrations.
  ///
  /// Never fails: what a name server missed, the next interval brings.
  Task<> register_now();

  /// Unregisters everywhere, as far as name servers can be reached. No registration follows. Once.
  Task<> stop();

 private:
  class State;

  Runtime& runtime_;
  RegistrarOptions options_;
  std::shared_ptr<State> state_;
  std::unique_ptr<Periodic> repeat_;
  std::unique_ptr<Periodic> retry_;
};

}  // namespace sluice::broker
