#pragma once

#include <boost/intrusive/list_hook.hpp>

#include "common/runtime/task.hpp"

namespace sluice::transport {

/// One peer of a TcpListener. Made, called and destroyed on the loop of its socket, so its members
/// need no locks. Held by shared pointers: the listener has one while run() runs.
class Session : public boost::intrusive::list_base_hook<
                    boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
 public:
  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  virtual ~Session() = default;

  /// Serves the peer until it leaves, misbehaves, or stop() or close() is called. Called once. What
  /// a peer does wrong is answered on the wire and is no error here.
  virtual Task<> run() = 0;

  /// Says goodbye in the protocol's own words, takes no new request, and lets run() return when the
  /// last one is answered. Idempotent.
  virtual void stop() noexcept = 0;

  /// Cuts the peer off and lets run() return soon, whatever is unanswered. Idempotent.
  virtual void close() noexcept = 0;
};

}  // namespace sluice::transport
