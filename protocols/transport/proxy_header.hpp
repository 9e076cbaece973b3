#pragma once

#include <cstddef>
#include <optional>

#include "common/base/error.hpp"
#include "common/base/types.hpp"
#include "common/model/endpoint.hpp"

namespace sluice::transport {

/// What a proxy says in front of a connection (HAProxy's PROXY protocol, versions 1 and 2).
struct ProxyHeader {
  std::size_t size = 0;  ///< Bytes it took.
  std::optional<model::Endpoint>
      source;  ///< Who connected to the proxy; absent if the proxy speaks
               ///< for itself, or of a peer without an IP address.
};

/// What stands at the front of a connection.
struct ProxyLook {
  /// Absent: no header, if `bytes_needed` is 0.
  std::optional<ProxyHeader> header;
  /// Not 0: these bytes may be the begin of a header; look again when there are so many.
  std::size_t bytes_needed = 0;
};

/// Looks at the first bytes of a connection, at least one.
///
/// Version 1 is a line, `PROXY TCP4 <source> <destination> <port> <port>\r\n`, TCP6 or UNKNOWN, of
/// at most 107 bytes. Version 2: 12 bytes of signature, version and command, family, length of the
/// rest (16 bits), addresses, then fields that are passed over.
///
/// \return malformed_packet if it begins as a header and is none, or is over
///         limits::kProxyHeaderBytesMax.
[[nodiscard]] Result<ProxyLook> look_for_proxy_header(BytesView bytes);

}  // namespace sluice::transport
