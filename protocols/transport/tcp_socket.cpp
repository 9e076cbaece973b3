#include "protocols/transport/tcp_socket.hpp"

#include <algorithm>

namespace sluice::transport {

namespace ip = boost::asio::ip;

model::Endpoint to_endpoint(const ip::tcp::endpoint& endpoint) noexcept {
  model::Endpoint result;
  result.port = endpoint.port();
  const ip::address& address = endpoint.address();
  if (address.is_v6() && !address.to_v6().is_v4_mapped()) {
    result.is_v6 = true;
    std::ranges::copy(address.to_v6().to_bytes(), result.address.begin());
    return result;
  }
  const ip::address_v4 v4 =
      address.is_v4() ? address.to_v4() : ip::make_address_v4(ip::v4_mapped, address.to_v6());
  std::ranges::copy(v4.to_bytes(), result.address.begin());
  return result;
}

model::Endpoint peer_of(const TcpSocket& socket) noexcept {
  boost::system::error_code error;
  const auto endpoint = socket.remote_endpoint(error);
  return error ? model::Endpoint{} : to_endpoint(endpoint);
}

}  // namespace sluice::transport
