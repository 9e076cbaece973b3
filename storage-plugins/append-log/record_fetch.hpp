#pragma once

#include <cstdint>
#include <vector>

#include "storage-plugins/append-log/store.hpp"

namespace sluice::append_log {

/// Reads records from segment files, near ones together, and verifies each.
class RecordFetch {
 public:
  explicit RecordFetch(Store& store) : store_(store) {}

  /// Asks for a record. `slot` comes back with it.
  void add(SegmentPtr segment, const RecordEntry& record, std::uint32_t slot);

  [[nodiscard]] bool empty() const noexcept { return wanted_.empty(); }

  struct Found {
    std::uint32_t slot = 0;
    Result<AppendView> append;  ///< corrupt_record if it does not match its checksum.
    Slice bytes;                ///< Of the whole append.

    [[nodiscard]] Slice payload() const {
      return bytes.part(bytes.size() - append->payload.size(), append->payload.size());
    }
  };

  /// All that was asked for, in no order.
  /// \return io_error if a file cannot be read.
  [[nodiscard]] Lookup<std::vector<Found>> run(ReadMode mode);

 private:
  struct Wanted {
    SegmentPtr segment;
    RecordEntry record;
    std::uint32_t slot;

    [[nodiscard]] std::uint64_t begin() const noexcept { return record.append_at; }
    [[nodiscard]] std::uint64_t end() const noexcept {
      return std::uint64_t{record.append_at} + record.append_bytes;
    }
  };
  /// Bytes [begin, begin + bytes.size()) of a file.
  struct Piece {
    std::uint64_t begin = 0;
    Slice bytes;
  };

  [[nodiscard]] std::size_t group_end(std::size_t first) const;
  [[nodiscard]] std::size_t range_end(std::size_t first) const;
  [[nodiscard]] Lookup<Piece> read_range_of(std::size_t first, ReadMode mode);
  [[nodiscard]] Lookup<Piece> read_piece(const Segment& segment, std::uint64_t begin,
                                         std::uint64_t end, ReadMode mode);
  void verify(const Wanted& wanted, const Piece& piece);

  Store& store_;
  std::vector<Wanted> wanted_;
  std::vector<Found> found_;
};

}  // namespace sluice::append_log
