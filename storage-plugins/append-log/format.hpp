#pragma once

#include <cstddef>
#include <cstdint>

/// \file
/// The numbers of docs/formats/append-log.md.

namespace sluice::append_log {

inline constexpr std::uint32_t kFormatVersion = 1;

inline constexpr std::uint32_t kSegmentMagic = 0x534C5347;     ///< "SLSG"
inline constexpr std::uint32_t kFrameMagic = 0x534C4652;       ///< "SLFR"
inline constexpr std::uint32_t kIndexMagic = 0x534C4958;       ///< "SLIX"
inline constexpr std::uint32_t kCheckpointMagic = 0x534C4350;  ///< "SLCP"

inline constexpr std::size_t kPageBytes = 4096;
inline constexpr std::size_t kSegmentHeaderBytes = 4096;
inline constexpr std::size_t kFrameHeaderBytes = 64;
inline constexpr std::size_t kFrameAlignment = 8;
inline constexpr std::size_t kOperationHeadBytes = 8;
inline constexpr std::size_t kAppendHeadBytes = 52;
inline constexpr std::size_t kAppendLogBytes = 16;

/// The first byte of an operation.
enum class OperationCode : std::uint8_t {
  append = 1,
  put = 2,
  erase = 3,
  erase_range = 4,
  truncate_before = 5,
  drop_before = 6,
  drop_log = 7,
  forget = 8,  ///< Reserved.
  rewind = 9,  ///< Reserved.
};

[[nodiscard]] constexpr std::size_t round_up(std::size_t size, std::size_t multiple) noexcept {
  return (size + multiple - 1) / multiple * multiple;
}

}  // namespace sluice::append_log
