#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "bench/load/request.hpp"
#include "bench/load/socket.hpp"

namespace sluice::bench {

/// A request that came back: which of the client's slots it was, and when it left.
struct Finished {
  std::size_t slot;
  std::int64_t sent_ns;
};

/// One connection of the load: non-blocking, with a fixed number of request slots. A slot is free
/// or has one request in flight; its number is the low part of the request's opaque. Nothing is
/// allocated once the buffers are as large as the frames.
class Client {
 public:
  /// Connects and joins `epoll_fd`, with itself as the event's pointer.
  /// \param number its place among the clients of a load, from 0.
  /// \param slots requests in flight at most: a power of two.
  Client(const Address& server, int epoll_fd, std::size_t number, std::size_t slots);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] std::size_t number() const { return number_; }
  [[nodiscard]] std::size_t slot_count() const { return slots_.size(); }

  /// Takes a free slot and returns the opaque of the request that uses it.
  [[nodiscard]] std::uint32_t begin(std::size_t slot, std::int64_t now);

  /// Frees the slot that an answer's opaque names. Fails if that request is not in flight: an
  /// answer twice, or one that nobody asked for.
  [[nodiscard]] Finished finish(std::uint32_t opaque);

  /// Adds a frame to what flush() writes. Its bytes stay as they are until its answer came.
  void submit(std::string_view frame);

  /// Writes what was submitted; what the socket does not take goes when epoll says it can.
  void flush();

  /// Reads what has come; next_frame() then returns the complete frames, one by one, and compact()
  /// keeps the rest. Fails if the server closed the connection.
  void fill();
  [[nodiscard]] std::optional<std::string_view> next_frame();
  void compact();

 private:
  struct Slot {
    std::uint32_t opaque;
    std::int64_t sent_ns;
    bool is_in_flight;
  };

  void wait_until_writable();
  void set_events(std::uint32_t events);
  void make_room();

  int socket_fd_;
  int epoll_fd_;
  std::size_t number_;
  bool is_waiting_to_write_ = false;
  std::vector<Slot> slots_;
  std::vector<iovec> output_;
  std::size_t output_done_ = 0;  ///< Entries of output_ that are written.
  std::vector<char> input_;
  std::size_t input_begin_ = 0, input_end_ = 0;
};

}  // namespace sluice::bench
