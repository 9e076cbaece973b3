#pragma once

#include <cstdint>

#include "common/base/types.hpp"

namespace sluice {

/// CRC-32C (RFC 3720 §12.1, polynomial 0x1EDC6F41), continuing from `seed`: crc32c(ab) equals
/// crc32c(b, crc32c(a)). By instruction where the processor has it, by table elsewhere.
[[nodiscard]] std::uint32_t crc32c(BytesView bytes, std::uint32_t seed = 0) noexcept;

/// CRC-32 of zlib and of RocketMQ's bodyCRC (which masks it with 0x7FFFFFFF).
[[nodiscard]] std::uint32_t crc32(BytesView bytes) noexcept;

}  // namespace sluice
