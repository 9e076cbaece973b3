#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "common/base/environment.hpp"
#include "common/base/types.hpp"
#include "common/model/endpoint.hpp"

namespace sluice::model {

/// One connection, for as long as the process lives: never reused.
using SessionId = Strong<std::uint64_t, struct SessionIdTag>;

/// Who is asking. One per connection, shared by all its calls.
struct Session {
  SessionId id;
  /// The connection of the gateway that speaks for this session; 0 if the session is our own. The
  /// broker tells clients apart by both numbers.
  SessionId via;
  Endpoint peer;
  std::string_view protocol;  ///< "remoting", "http", …: a literal.
};

struct CallContext {
  std::shared_ptr<const Session> session;
  Environment::Instant deadline = Environment::Instant::max();
};

}  // namespace sluice::model
