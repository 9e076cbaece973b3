#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "protocols/remoting/codec/header.hpp"

namespace sluice::crash {

/// One answer of the server, copied out of its frame.
struct Answer {
  std::int32_t code = 0;
  std::int32_t opaque = 0;
  std::string remark{};
  std::map<std::string, std::string, std::less<>> fields{};
  std::string body{};

  /// The field as a number; -1 if it is missing or not one.
  [[nodiscard]] std::int64_t number(std::string_view key) const;
  /// The field; empty if it is missing.
  [[nodiscard]] std::string_view text(std::string_view key) const;
};

/// A remoting client on one blocking socket. Not thread-safe.
class Connection {
 public:
  /// To 127.0.0.1. nullopt if nobody listens at `port`.
  [[nodiscard]] static std::optional<Connection> open(std::uint16_t port);
  ~Connection();
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&& other) noexcept;

  /// False if the server has closed the connection.
  [[nodiscard]] bool send(std::string_view bytes);

  /// The next answer. nullopt if the connection is closed, what came is not an answer, or nothing
  /// came within `patience`: is_closed() tells.
  [[nodiscard]] std::optional<Answer> receive(
      std::chrono::milliseconds patience = std::chrono::seconds{30});

  /// Sends one frame and waits for the next answer.
  [[nodiscard]] std::optional<Answer> call(std::string_view frame);

  /// Says that nothing more will be sent.
  void finish_sending() noexcept;

  /// True once receive() has met the end of the connection.
  [[nodiscard]] bool is_closed() const noexcept { return is_closed_; }
  [[nodiscard]] int socket() const noexcept { return socket_; }

 private:
  explicit Connection(int socket) : socket_(socket) {}

  [[nodiscard]] std::optional<Answer> take();
  [[nodiscard]] bool read_more(int timeout_ms);

  int socket_ = -1;
  bool is_closed_ = false;
  std::string input_;
  std::size_t taken_ = 0;
  remoting::HeaderDecoder decoder_;
};

}  // namespace sluice::crash
