#include "bench/load/histogram.hpp"

#include <gtest/gtest.h>

namespace sluice::bench {
namespace {

constexpr double kBucketWidth = 0.008;
constexpr std::int64_t kNsPerMs = 1'000'000;

TEST(Histogram, OfNothingHasPercentileZero) {
  EXPECT_EQ(Histogram().percentile_ms(0.99), 0);
}

TEST(Histogram, GivesAPercentileThatIsAtMostOneBucketAboveTheTrueOne) {
  Histogram histogram;
  for (std::int64_t ms = 1; ms <= 1000; ++ms) histogram.record(ms * kNsPerMs);
  for (const double part : {0.001, 0.25, 0.5, 0.99, 0.999, 1.0}) {
    const double truth = 1000 * part;
    EXPECT_GE(histogram.percentile_ms(part), truth * 0.999999) << part;
    EXPECT_LE(histogram.percentile_ms(part), truth * (1 + kBucketWidth)) << part;
  }
}

TEST(Histogram, CountsValuesOutsideItsRangeAtTheEnds) {
  Histogram histogram;
  histogram.record(-5);
  histogram.record(INT64_MAX);
  EXPECT_EQ(histogram.count(), 2U);
  EXPECT_EQ(histogram.percentile_ms(0.5), 0);
  EXPECT_GE(histogram.percentile_ms(1.0), 1'000'000);
}

}  // namespace
}  // namespace sluice::bench
