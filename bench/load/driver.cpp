#include "bench/load/driver.hpp"

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <span>
#include <system_error>

#include "bench/load/clock.hpp"
#include "bench/load/fail.hpp"

namespace sluice::bench {
namespace {

constexpr double kDrainSecondsMax = 30;
constexpr std::size_t kEventsPerWait = 64;
constexpr std::int64_t kNsPerSecondInteger = 1'000'000'000;

timespec to_timespec(std::int64_t ns) {
  ns = std::max<std::int64_t>(ns, 0);
  return {.tv_sec = ns / kNsPerSecondInteger, .tv_nsec = ns % kNsPerSecondInteger};
}

}  // namespace

Driver::Driver(const Address& server) : server_(server), epoll_fd_(epoll_create1(EPOLL_CLOEXEC)) {
  if (epoll_fd_ < 0) fail("epoll_create1: {}", std::generic_category().message(errno));
  // The default lets timers be 50 microseconds late.
  prctl(PR_SET_TIMERSLACK, 1UL);
}

Driver::~Driver() {
  close(epoll_fd_);
}

void Driver::add_client(Workload& workload, std::size_t in_flight) {
  auto client = std::make_unique<Client>(server_, epoll_fd_, clients_.size(), in_flight);
  workload.start(*client, now_ns());
  client->flush();
  clients_.push_back(std::move(client));
}

void Driver::run(Workload& workload, Meter& meter, Timing timing) {
  serve_until(workload, now_ns() + to_ns(timing.warm_up_s));
  meter.open();
  serve_until(workload, now_ns() + to_ns(timing.measure_s));
  meter.close();
  workload.stop();
  serve_until(workload, now_ns() + to_ns(kDrainSecondsMax));
  if (!workload.is_drained()) fail("requests were not answered for {} s", kDrainSecondsMax);
}

void Driver::serve_until(Workload& workload, std::int64_t deadline_ns) {
  while (now_ns() < deadline_ns && !workload.is_drained()) wait_and_serve(workload, deadline_ns);
}

void Driver::wait_and_serve(Workload& workload, std::int64_t deadline_ns) {
  const std::int64_t due = std::min(workload.next_tick_ns(), deadline_ns);
  const timespec timeout = to_timespec(due - now_ns());
  std::array<epoll_event, kEventsPerWait> events;
  const int count =
      epoll_pwait2(epoll_fd_, events.data(), static_cast<int>(events.size()), &timeout, nullptr);
  if (count < 0 && errno != EINTR) fail("epoll: {}", std::generic_category().message(errno));
  const auto ready = std::span(events).first(static_cast<std::size_t>(std::max(count, 0)));
  for (const epoll_event& event : ready) {
    serve(*static_cast<Client*>(event.data.ptr), event.events, workload);
  }
  const std::int64_t now = now_ns();
  if (now >= workload.next_tick_ns()) workload.on_tick(now);
}

void Driver::serve(Client& client, std::uint32_t events, Workload& workload) {
  if ((events & ~std::uint32_t{EPOLLOUT}) != 0) {
    client.fill();
    const std::int64_t now = now_ns();
    while (const auto frame = client.next_frame()) {
      workload.on_response(client, parser_.parse(*frame), now);
    }
    client.compact();
  }
  client.flush();
}

}  // namespace sluice::bench
