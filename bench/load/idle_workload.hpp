#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "bench/load/admin.hpp"
#include "bench/load/workload.hpp"

namespace sluice::bench {

/// What a connection has done before it idles.
enum class IdleRequest { send, heartbeat, route };

/// Every client asks once; then its connection only has to stay open.
class IdleWorkload : public Workload {
 public:
  IdleWorkload(IdleRequest request, TopicInfo topic);

  void start(Client& client, std::int64_t now) override;
  void on_response(Client& client, const Response& response, std::int64_t now) override;

  /// Once every answer is there; false while it is said to wait, so that the driver goes on and
  /// notices a connection that the server closes.
  [[nodiscard]] bool is_drained() const override;
  void begin_to_wait() { is_waiting_ = true; }
  void end_to_wait() { is_waiting_ = false; }

  /// Fails if an answer is missing.
  void expect_all_answered() const;

 private:
  [[nodiscard]] std::string make_first_request(std::size_t client_number) const;

  IdleRequest request_;
  TopicInfo topic_;
  std::deque<std::string> requests_;  ///< By client.
  std::uint64_t answers_ = 0;
  bool is_waiting_ = false;
};

}  // namespace sluice::bench
