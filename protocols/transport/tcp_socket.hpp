#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/ip/tcp.hpp>

#include "common/model/endpoint.hpp"
#include "common/runtime/task.hpp"

namespace sluice::transport {

/// A connected TCP socket that belongs to one loop.
using TcpSocket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;

/// The address in the words of the model. An IPv4 peer of an IPv6 socket (::ffff:1.2.3.4) is IPv4.
[[nodiscard]] model::Endpoint to_endpoint(const boost::asio::ip::tcp::endpoint& endpoint) noexcept;

/// The peer's address; zeros if the peer is gone already.
[[nodiscard]] model::Endpoint peer_of(const TcpSocket& socket) noexcept;

}  // namespace sluice::transport
