#include "bench/load/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sluice::bench {
namespace {

constexpr double kNsPerMs = 1e6;

}  // namespace

void Histogram::record(std::int64_t ns) {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
  ++buckets_[bucket_of(std::min(value, std::uint64_t{1} << kValueBitsMax))];
  ++count_;
}

double Histogram::percentile_ms(double part) const {
  const auto rank = static_cast<std::uint64_t>(std::ceil(part * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= rank && seen > 0) return static_cast<double>(upper_end(i)) / kNsPerMs;
  }
  return 0;
}

// Values below 2^kPrecisionBits have a bucket each; above, every power of two has
// 2^kPrecisionBits buckets.
std::size_t Histogram::bucket_of(std::uint64_t ns) {
  const auto bits = static_cast<unsigned>(std::bit_width(ns));
  if (bits <= kPrecisionBits) return ns;
  const unsigned shift = bits - kPrecisionBits - 1;
  const std::uint64_t mantissa = (ns >> shift) - (std::uint64_t{1} << kPrecisionBits);
  return ((std::size_t{shift} + 1) << kPrecisionBits) + mantissa;
}

std::uint64_t Histogram::upper_end(std::size_t bucket) {
  const std::size_t power = bucket >> kPrecisionBits;
  if (power == 0) return bucket;
  const std::uint64_t mantissa = (bucket & ((1U << kPrecisionBits) - 1)) + (1U << kPrecisionBits);
  return ((mantissa + 1) << (power - 1)) - 1;
}

}  // namespace sluice::bench
