#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/base/metrics.hpp"
#include "common/base/unique_function.hpp"
#include "protocols/remoting/session/session.hpp"

/// \file
/// What the source files of Session share.

namespace sluice::remoting {

/// Sends of one read, on the way into one call.
struct Session::Gathered {
  Identity identity;
  std::vector<model::Send> sends;
  SmallVector<AnswerTo, 16> answers;  ///< One a send.
};

/// A question of a broker that was passed on to the client.
struct Session::Asked {
  std::uint64_t number;
  std::string broker_name;
};

struct Session::Extras {
  std::unique_ptr<protocol::DeliveryStream> stream;  ///< Once a consumer has registered.
  bool is_forwarding = false;                        ///< A coroutine waits at the stream.
  UniqueFunction<void(bool)> resume_finish;          ///< Who waits for its end.
  ForwardedSessions forwarded;                       ///< Of a gateway.
  UniqueFunction<void(bool)> resume_writer;          ///< Who waits for unwritten() to shrink,
  std::size_t resume_at = 0;                         ///< to this.
  std::int32_t next_opaque = 0;                      ///< Of our own requests.
  std::map<std::int32_t, Asked> asked;               ///< Those the client has not answered.
};

struct Session::Metrics {
  metrics::Counter& malformed_frame;
  metrics::Counter& malformed_header;
  metrics::Counter& unfinished_frame;
  metrics::Counter& silent;
  metrics::Counter& no_memory;
  metrics::Counter& unsupported;
};

}  // namespace sluice::remoting
