#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "common/base/error.hpp"

namespace sluice::cli {

/// Bytes as they come: waits for at least one, fills what it can. \return 0 at the end; io_error.
using ByteSource = std::function<Result<std::size_t>(std::span<char>)>;

/// Reads a file descriptor, which stays the caller's.
[[nodiscard]] ByteSource read_descriptor(int descriptor);

/// Splits a stream into lines: what is between newline bytes, whatever else it is. What follows the
/// last newline is a line too unless it is empty.
class LineReader {
 public:
  /// \param bytes_max  Of one line.
  LineReader(ByteSource source, std::size_t bytes_max)
      : source_(std::move(source)), bytes_max_(bytes_max) {}

  /// The next line without its newline; nullopt at the end.
  /// \return payload_too_large with the line's number; io_error.
  [[nodiscard]] Result<std::optional<std::string>> next();

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }  ///< Taken by them.

  /// True if next() need not wait for the stream.
  [[nodiscard]] bool has_buffered_line() const noexcept;

 private:
  [[nodiscard]] Result<> fill();

  ByteSource source_;
  std::size_t bytes_max_;
  std::string buffer_;
  std::size_t position_ = 0;
  bool is_at_end_ = false;
  std::uint64_t lines_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace sluice::cli
