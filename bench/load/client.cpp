#include "bench/load/client.hpp"

#include <fcntl.h>
#include <limits.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "bench/load/fail.hpp"
#include "bench/load/response.hpp"

namespace sluice::bench {
namespace {

constexpr std::size_t kInputBytesAtFirst = std::size_t{16} << 10;
constexpr std::size_t kFreeBytesMin = std::size_t{2} << 10;

std::string error_text() {
  return std::generic_category().message(errno);
}

}  // namespace

Client::Client(const Address& server, int epoll_fd, std::size_t number, std::size_t slots)
    : socket_fd_(connect_to(server)),
      epoll_fd_(epoll_fd),
      number_(number),
      input_(kInputBytesAtFirst) {
  if (!std::has_single_bit(slots)) fail("{} requests in flight: not a power of two", slots);
  for (std::size_t i = 0; i < slots; ++i) {
    const auto opaque = kOpaqueFirst + static_cast<std::uint32_t>(i);
    slots_.push_back({.opaque = opaque, .sent_ns = 0, .is_in_flight = false});
  }
  output_.reserve(slots);
  fcntl(socket_fd_, F_SETFL, fcntl(socket_fd_, F_GETFL) | O_NONBLOCK);
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.ptr = this;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_ADD, socket_fd_, &event) != 0) {
    fail("epoll_ctl: {}", error_text());
  }
}

Client::~Client() {
  close(socket_fd_);
}

std::uint32_t Client::begin(std::size_t slot_number, std::int64_t now) {
  Slot& slot = slots_[slot_number];
  if (slot.is_in_flight) fail("slot {} is in use", slot_number);
  const auto next = slot.opaque - kOpaqueFirst + static_cast<std::uint32_t>(slots_.size());
  slot = {.opaque = kOpaqueFirst + next % kOpaqueCount, .sent_ns = now, .is_in_flight = true};
  return slot.opaque;
}

Finished Client::finish(std::uint32_t opaque) {
  const std::size_t slot_number = (opaque - kOpaqueFirst) & (slots_.size() - 1);
  Slot& slot = slots_[slot_number];
  if (!slot.is_in_flight || slot.opaque != opaque) fail("an answer to nothing: opaque {}", opaque);
  slot.is_in_flight = false;
  return {.slot = slot_number, .sent_ns = slot.sent_ns};
}

void Client::submit(std::string_view frame) {
  output_.push_back({.iov_base = const_cast<char*>(frame.data()), .iov_len = frame.size()});
}

void Client::flush() {
  while (output_done_ < output_.size()) {
    const std::size_t count = std::min<std::size_t>(output_.size() - output_done_, IOV_MAX);
    msghdr message{};
    message.msg_iov = output_.data() + output_done_;
    message.msg_iovlen = count;
    const ssize_t sent = sendmsg(socket_fd_, &message, MSG_NOSIGNAL);
    if (sent < 0 && errno == EAGAIN) return wait_until_writable();
    if (sent < 0) fail("send: {}", error_text());
    auto rest = static_cast<std::size_t>(sent);
    while (rest > 0) {
      iovec& entry = output_[output_done_];
      const std::size_t taken = std::min(rest, entry.iov_len);
      entry.iov_base = static_cast<char*>(entry.iov_base) + taken;
      entry.iov_len -= taken;
      rest -= taken;
      if (entry.iov_len == 0) ++output_done_;
    }
  }
  output_.clear();
  output_done_ = 0;
  if (!is_waiting_to_write_) return;
  is_waiting_to_write_ = false;
  set_events(EPOLLIN);
}

void Client::wait_until_writable() {
  if (is_waiting_to_write_) return;
  is_waiting_to_write_ = true;
  set_events(EPOLLIN | EPOLLOUT);
}

void Client::set_events(std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.ptr = this;
  if (epoll_ctl(epoll_fd_, EPOLL_CTL_MOD, socket_fd_, &event) != 0) {
    fail("epoll_ctl: {}", error_text());
  }
}

void Client::fill() {
  make_room();
  const ssize_t received =
      recv(socket_fd_, input_.data() + input_end_, input_.size() - input_end_, 0);
  if (received < 0 && errno == EAGAIN) return;
  if (received < 0) fail("receive: {}", error_text());
  if (received == 0) fail("the server closed a connection");
  input_end_ += static_cast<std::size_t>(received);
}

// Room for the rest of the frame that has begun.
void Client::make_room() {
  const std::string_view held(input_.data() + input_begin_, input_end_ - input_begin_);
  const std::size_t frame_bytes = announced_frame_size(held).value_or(0);
  const std::size_t wanted = std::max(frame_bytes, held.size() + kFreeBytesMin);
  if (wanted > input_.size()) input_.resize(std::max(wanted, input_.size() * 2));
}

std::optional<std::string_view> Client::next_frame() {
  const std::string_view held(input_.data() + input_begin_, input_end_ - input_begin_);
  const auto size = complete_frame_size(held);
  if (!size) return std::nullopt;
  input_begin_ += *size;
  return held.substr(0, *size);
}

void Client::compact() {
  const std::size_t held = input_end_ - input_begin_;
  if (held > 0 && input_begin_ > 0) {
    std::memmove(input_.data(), input_.data() + input_begin_, held);
  }
  input_begin_ = 0;
  input_end_ = held;
}

}  // namespace sluice::bench
