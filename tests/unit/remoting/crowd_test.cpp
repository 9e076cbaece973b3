#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "common/base/limits.hpp"
#include "tests/unit/remoting/session_fixture.hpp"

namespace sluice::remoting {
namespace {

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr double kKibMax = 1000;  // Of the sanitizer.
#elif defined(NDEBUG)
constexpr double kKibMax = 2;
#else
constexpr double kKibMax = 4;  // Frames of coroutines are not optimized.
#endif

/// Anonymous memory of this process in KiB, without what was freed.
std::int64_t rss_anon_kib() {
  ::malloc_trim(0);
  std::ifstream status("/proc/self/status");
  std::string word;
  while (status >> word) {
    std::int64_t kib = 0;
    if (word == "RssAnon:" && status >> kib) return kib;
  }
  return 0;
}

/// As many connections as this process may have, up to `wanted`: each takes two descriptors.
std::size_t allowed_connections(std::size_t wanted) {
  constexpr std::size_t kOthers = limits::kReservedDescriptors + 200;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  rlimit raised{.rlim_cur = 2 * wanted + kOthers,
                .rlim_max = std::max<rlim_t>(limit.rlim_max, 2 * wanted + kOthers)};
  if (::setrlimit(RLIMIT_NOFILE, &raised) != 0) raised = limit;
  return std::min<std::size_t>(wanted, (raised.rlim_cur - kOthers) / 2);
}

// Everything is in one process: the kernel's memory is not counted, both ends' descriptors are.
TEST_F(SessionTest, HoldsLittleMemoryForACrowdThatSendsOneByteAndServesOthers) {
  const std::size_t count = allowed_connections(10'000);
  const std::int64_t before = rss_anon_kib();
  std::vector<Client> crowd;
  crowd.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    crowd.push_back(connect());
    ASSERT_TRUE(crowd.back().send(std::string("\0", 1)));
    if (i % 500 == 0) {
      ASSERT_TRUE(connect().is_served());
    }
  }
  Client other = connect();
  ASSERT_TRUE(other.is_served());
  const std::int64_t grown = rss_anon_kib() - before;
  const double kib_each = static_cast<double>(grown) / static_cast<double>(count);
  std::printf("%zu half-open connections: %.2f KiB each\n", count, kib_each);
  EXPECT_LT(kib_each, kKibMax);
}

// The same for connections that were served and then fell silent.
TEST_F(SessionTest, HoldsLittleMemoryForIdleConnections) {
  const std::size_t count = allowed_connections(10'000);
  ASSERT_TRUE(connect().is_served());
  const std::int64_t before = rss_anon_kib();
  std::vector<Client> crowd;
  crowd.reserve(count);
  for (std::size_t i = 0; i < count; ++i) crowd.push_back(connect());
  ASSERT_TRUE(connect().is_served());
  const std::int64_t grown = rss_anon_kib() - before;
  const double kib_each = static_cast<double>(grown) / static_cast<double>(count);
  std::printf("%zu idle connections: %.2f KiB each\n", count, kib_each);
  EXPECT_LT(kib_each, kKibMax);
}

}  // namespace
}  // namespace sluice::remoting
