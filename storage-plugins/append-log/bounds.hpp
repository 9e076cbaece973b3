#pragma once

#include <cstddef>
#include <cstdint>

/// \file
/// Bounds of this engine that are no settings.

namespace sluice::append_log {

/// Retired segments that wait to be recycled. More are removed.
inline constexpr std::size_t kFreeSegmentsMax = 4;

/// The end of a segment that takes only commits that forget while no next segment is ready, so that
/// a full disk can be told what to forget: 1/16 of it, at most this much.
inline constexpr std::uint64_t kReserveShare = 16;
inline constexpr std::uint64_t kReserveBytesMax = 1024ULL * 1024;

/// Rounds of commits that a loop writes at a stretch; then its sockets and timers have their turn.
inline constexpr std::size_t kRoundsPerTurn = 8;

/// Entries that a snapshot copies while it holds the store's mutex.
inline constexpr std::size_t kSnapshotEntries = 256;
inline constexpr std::size_t kSnapshotBytes = 64ULL * 1024;

/// Records that a read looks at while it holds the store's mutex.
inline constexpr std::size_t kScanStep = 1024;

/// A read that saw things being forgotten under it begins again; so often, then it takes what it
/// has.
inline constexpr int kReadAttempts = 8;

/// Bytes read from a file at once: records nearer to one another than the gap are read together.
inline constexpr std::size_t kReadGapBytes = 4096;
inline constexpr std::size_t kReadBytesMax = 256UL * 1024;

/// Ranges of files in the read cache. Read whole if at least 1/16 of one is wanted.
inline constexpr std::size_t kRangeBytes = 128UL * 1024;
inline constexpr std::size_t kRangeShare = 16;

/// Bytes of a segment read at once by recovery, unless a frame is larger.
inline constexpr std::size_t kScanBytes = 4ULL * 1024 * 1024;

/// Sealed segments whose index stays in memory though it is written.
inline constexpr std::size_t kIndexesInMemoryMax = 1;

}  // namespace sluice::append_log
