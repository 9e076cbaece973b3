#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "common/base/metrics.hpp"

namespace sluice {
namespace {

/// The lines of the text that mention `name`.
std::string lines_of(const std::string& name) {
  std::string lines;
  const std::string text = metrics::serialize();
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin) + 1;
    const std::string line = text.substr(begin, end - begin);
    if (line.find(name) != std::string::npos) lines += line;
    begin = end;
  }
  return lines;
}

// https://prometheus.io, "Exposition formats", text format 0.0.4.
TEST(Metrics, AreWrittenWithOneHelpAndOneTypeLineAFamily) {
  metrics::counter("test_requests_total", "code=\"b\"", "Requests.").add(3);
  metrics::counter("test_requests_total", "code=\"a\"", "Requests.").add();
  EXPECT_EQ(lines_of("test_requests_total"),
            "# HELP test_requests_total Requests.\n"
            "# TYPE test_requests_total counter\n"
            "test_requests_total{code=\"a\"} 1\n"
            "test_requests_total{code=\"b\"} 3\n");
}

TEST(Metrics, WithoutLabelsHaveNoBraces) {
  metrics::gauge("test_depth", "", "Depth.").set(-5);
  EXPECT_EQ(lines_of("test_depth"),
            "# HELP test_depth Depth.\n"
            "# TYPE test_depth gauge\n"
            "test_depth -5\n");
}

TEST(Metrics, OfOneNameAndLabelsAreTheSameObject) {
  auto& first = metrics::counter("test_same_total", "", "Same.");
  auto& second = metrics::counter("test_same_total", "", "Same.");
  EXPECT_EQ(&first, &second);
  EXPECT_NE(&first, &metrics::counter("test_same_total", "x=\"1\"", "Same."));
}

TEST(Metrics, GaugesGoUpAndDown) {
  auto& gauge = metrics::gauge("test_up_and_down", "", "Moves.");
  gauge.add(5);
  gauge.add(-7);
  EXPECT_EQ(gauge.value(), -2);
}

TEST(Metrics, LoseNoCountBetweenThreads) {
  auto& counter = metrics::counter("test_threads_total", "", "Threads.");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10'000; ++n) counter.add();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(counter.value(), 40'000U);
}

}  // namespace
}  // namespace sluice
