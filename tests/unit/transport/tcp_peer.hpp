#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

/// \file
/// The other end of a connection, in a test: blocking, and nothing of ours in it.

namespace sluice::test {

/// A connection to 127.0.0.1. Closes when it goes.
class TcpPeer {
 public:
  struct Options {
    int receive_buffer_bytes = 0;  ///< 0: as the system likes.
  };

  explicit TcpPeer(std::uint16_t port) : TcpPeer(port, Options{}) {}
  TcpPeer(std::uint16_t port, Options options) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (options.receive_buffer_bytes > 0) {
      ::setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &options.receive_buffer_bytes, sizeof(int));
    }
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      std::perror("test: connect");
      std::abort();
    }
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  ~TcpPeer() { close(); }
  TcpPeer(TcpPeer&& other) noexcept : socket_(std::exchange(other.socket_, -1)) {}
  TcpPeer& operator=(TcpPeer&&) = delete;

  void close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

  /// \return false once the other end is gone.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  /// At most `size` bytes, as soon as there are any; empty at the end of the connection.
  std::string receive_some(std::size_t size = 64 * 1024) {
    std::string bytes(size, '\0');
    while (true) {
      const ssize_t received = ::recv(socket_, bytes.data(), size, 0);
      if (received < 0 && errno == EINTR) continue;
      bytes.resize(received > 0 ? static_cast<std::size_t>(received) : 0);
      return bytes;
    }
  }

  /// All of `size` bytes; fewer only at the end of the connection.
  std::string receive(std::size_t size) {
    std::string bytes;
    while (bytes.size() < size) {
      const std::string more = receive_some(size - bytes.size());
      if (more.empty()) break;
      bytes += more;
    }
    return bytes;
  }

  /// True if something can be received, or the end seen, within `duration`.
  [[nodiscard]] bool has_news(std::chrono::milliseconds duration) const {
    pollfd waiting{.fd = socket_, .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, static_cast<int>(duration.count())) == 1;
  }

  /// Reads to the end of the connection. \return what came before it.
  std::string receive_all() {
    std::string bytes;
    while (true) {
      const std::string more = receive_some();
      if (more.empty()) return bytes;
      bytes += more;
    }
  }

  [[nodiscard]] std::uint16_t local_port() const {
    sockaddr_in address{};
    socklen_t size = sizeof address;
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    return ntohs(address.sin_port);
  }

  [[nodiscard]] int native() const noexcept { return socket_; }

 private:
  int socket_;
};

}  // namespace sluice::test
