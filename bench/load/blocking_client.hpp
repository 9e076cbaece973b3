#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bench/load/response.hpp"
#include "bench/load/socket.hpp"

namespace sluice::bench {

/// One request at a time, for what is not measured: creating topics, asking for offsets.
class BlockingClient {
 public:
  /// Fails if nobody listens at `server`.
  explicit BlockingClient(const Address& server);
  ~BlockingClient();
  BlockingClient(const BlockingClient&) = delete;
  BlockingClient& operator=(const BlockingClient&) = delete;

  /// nullopt if nobody listens at `server`.
  static std::optional<BlockingClient> connect(const Address& server);
  BlockingClient(BlockingClient&& other) noexcept;

  /// The response is valid until the next call. nullopt if the server closed the connection or did
  /// not answer in 5 seconds.
  [[nodiscard]] std::optional<Response> try_call(std::string_view request);

  /// The same; fails instead of returning nullopt.
  [[nodiscard]] Response call(std::string_view request);

 private:
  explicit BlockingClient(int socket_fd);

  int socket_fd_;
  ResponseParser parser_;
  std::string input_;
};

}  // namespace sluice::bench
