#include "tests/crash/connection.hpp"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/frame.hpp"

namespace sluice::crash {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kReadBytes = std::size_t{64} * 1024;

Answer copy_of(const remoting::Header& header, BytesView body) {
  Answer answer;
  answer.code = header.code;
  answer.opaque = header.opaque;
  answer.remark = header.remark;
  for (const remoting::Field& field : header.fields) {
    answer.fields.emplace(field.key, field.value);
  }
  answer.body = as_text(body);
  return answer;
}

}  // namespace

std::int64_t Answer::number(std::string_view key) const {
  return remoting::parse_decimal<std::int64_t>(text(key)).value_or(-1);
}

std::string_view Answer::text(std::string_view key) const {
  const auto found = fields.find(key);
  return found == fields.end() ? std::string_view{} : std::string_view(found->second);
}

std::optional<Connection> Connection::open(std::uint16_t port) {
  Connection connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  if (::connect(connection.socket_, generic, sizeof address) != 0) return std::nullopt;
  const int enabled = 1;
  ::setsockopt(connection.socket_, IPPROTO_TCP, TCP_NODELAY, &enabled, sizeof enabled);
  return connection;
}

Connection::~Connection() {
  if (socket_ >= 0) ::close(socket_);
}

Connection::Connection(Connection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)),
      is_closed_(other.is_closed_),
      input_(std::move(other.input_)),
      taken_(other.taken_),
      decoder_(std::move(other.decoder_)) {}

Connection& Connection::operator=(Connection&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(is_closed_, other.is_closed_);
  std::swap(input_, other.input_);
  std::swap(taken_, other.taken_);
  std::swap(decoder_, other.decoder_);
  return *this;
}

bool Connection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

std::optional<Answer> Connection::receive(std::chrono::milliseconds patience) {
  const auto deadline = Clock::now() + patience;
  while (true) {
    if (auto answer = take()) return answer;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (is_closed_ || left.count() < 0) return std::nullopt;
    if (!read_more(static_cast<int>(left.count()))) return std::nullopt;
  }
}

std::optional<Answer> Connection::call(std::string_view frame) {
  if (!send(frame)) return std::nullopt;
  return receive();
}

void Connection::finish_sending() noexcept {
  ::shutdown(socket_, SHUT_WR);
}

std::optional<Answer> Connection::take() {
  const BytesView unread = as_bytes(std::string_view(input_).substr(taken_));
  const auto frame = remoting::next_frame(unread);
  if (!frame) is_closed_ = true;  // No server of ours sends that.
  if (!frame || !*frame) return std::nullopt;
  const auto header = decoder_.decode((*frame)->serialize_type, (*frame)->header);
  if (!header) {
    is_closed_ = true;
    return std::nullopt;
  }
  Answer answer = copy_of(*header, (*frame)->body);
  taken_ += (*frame)->size;
  if (taken_ == input_.size()) {
    input_.clear();
    taken_ = 0;
  }
  return answer;
}

bool Connection::read_more(int timeout_ms) {
  pollfd readable{.fd = socket_, .events = POLLIN, .revents = 0};
  const int ready = ::poll(&readable, 1, timeout_ms);
  if (ready < 0 && errno == EINTR) return true;
  if (ready <= 0) return false;
  input_.erase(0, std::exchange(taken_, 0));
  const std::size_t used = input_.size();
  input_.resize(used + kReadBytes);
  const ssize_t received = ::recv(socket_, input_.data() + used, kReadBytes, 0);
  input_.resize(used + static_cast<std::size_t>(std::max<ssize_t>(received, 0)));
  if (received > 0) return true;
  is_closed_ = true;
  return false;
}

}  // namespace sluice::crash
