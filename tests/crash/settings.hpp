#pragma once

#include <cstdint>

namespace sluice::crash {

/// The smallest that the configuration takes: segments are filled, sealed and retired all the time.
inline constexpr std::uint64_t kSegmentBytes = std::uint64_t{1024} * 1024;

}  // namespace sluice::crash
