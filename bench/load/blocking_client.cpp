#include "bench/load/blocking_client.hpp"

#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <utility>

#include "bench/load/fail.hpp"

namespace sluice::bench {
namespace {

constexpr timeval kAnswerTimeMax{.tv_sec = 5, .tv_usec = 0};
constexpr std::size_t kReadBytes = std::size_t{64} << 10;

bool send_all(int socket_fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket_fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

BlockingClient::BlockingClient(int socket_fd) : socket_fd_(socket_fd) {
  setsockopt(socket_fd_, SOL_SOCKET, SO_RCVTIMEO, &kAnswerTimeMax, sizeof kAnswerTimeMax);
}

BlockingClient::BlockingClient(const Address& server) : BlockingClient(connect_to(server)) {}

BlockingClient::BlockingClient(BlockingClient&& other) noexcept
    : socket_fd_(std::exchange(other.socket_fd_, -1)),
      parser_(std::move(other.parser_)),
      input_(std::move(other.input_)) {}

BlockingClient::~BlockingClient() {
  if (socket_fd_ >= 0) close(socket_fd_);
}

std::optional<BlockingClient> BlockingClient::connect(const Address& server) {
  const int socket_fd = try_connect(server);
  if (socket_fd < 0) return std::nullopt;
  return BlockingClient(socket_fd);
}

std::optional<Response> BlockingClient::try_call(std::string_view request) {
  if (!send_all(socket_fd_, request)) return std::nullopt;
  input_.clear();
  while (true) {
    if (const auto size = complete_frame_size(input_)) {
      return parser_.parse(std::string_view(input_).substr(0, *size));
    }
    const std::size_t used = input_.size();
    input_.resize(used + kReadBytes);
    const ssize_t received = recv(socket_fd_, input_.data() + used, kReadBytes, 0);
    if (received <= 0) return std::nullopt;
    input_.resize(used + static_cast<std::size_t>(received));
  }
}

Response BlockingClient::call(std::string_view request) {
  auto response = try_call(request);
  if (!response) fail("the server closed the connection or did not answer");
  return *response;
}

}  // namespace sluice::bench
