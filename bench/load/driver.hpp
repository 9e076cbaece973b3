#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bench/load/client.hpp"
#include "bench/load/meter.hpp"
#include "bench/load/response.hpp"
#include "bench/load/workload.hpp"

namespace sluice::bench {

struct Timing {
  double warm_up_s;
  double measure_s;
};

/// One thread and one epoll carry the whole load, so that it takes little from the server with
/// which it shares the cores.
class Driver {
 public:
  explicit Driver(const Address& server);
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  /// Connects one more client and lets the workload begin with it.
  /// \param in_flight its request slots: a power of two.
  void add_client(Workload& workload, std::size_t in_flight);

  /// Serves the clients: warm-up, measurement, then until the workload is drained. Fails if that
  /// takes longer than 30 seconds.
  void run(Workload& workload, Meter& meter, Timing timing);

  /// Serves the clients until `deadline_ns`, or until the workload is drained.
  void serve_until(Workload& workload, std::int64_t deadline_ns);

 private:
  void wait_and_serve(Workload& workload, std::int64_t deadline_ns);
  void serve(Client& client, std::uint32_t events, Workload& workload);

  Address server_;
  int epoll_fd_;
  ResponseParser parser_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace sluice::bench
