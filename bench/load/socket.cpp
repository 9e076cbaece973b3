#include "bench/load/socket.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <system_error>

#include "bench/load/fail.hpp"

namespace sluice::bench {

Address parse_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) fail("{} is not host:port", text);
  Address address{.host = text.substr(0, colon), .port = 0};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, address.port);
  if (parsed.ec != std::errc{} || parsed.ptr != end) fail("{} has no port", text);
  return address;
}

int try_connect(const Address& address) {
  sockaddr_in peer{};
  peer.sin_family = AF_INET;
  peer.sin_port = htons(address.port);
  if (inet_pton(AF_INET, address.host.c_str(), &peer.sin_addr) != 1) {
    fail("{} is not a numeric IPv4 address", address.host);
  }
  const int socket_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket_fd < 0) return -1;
  const int on = 1;
  setsockopt(socket_fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(socket_fd, reinterpret_cast<const sockaddr*>(&peer), sizeof peer) == 0) {
    return socket_fd;
  }
  const int error = errno;
  close(socket_fd);
  errno = error;
  return -1;
}

int connect_to(const Address& address) {
  const int socket_fd = try_connect(address);
  if (socket_fd < 0) {
    fail("cannot connect to {}:{}: {}", address.host, address.port,
         std::generic_category().message(errno));
  }
  return socket_fd;
}

void raise_open_files_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace sluice::bench
