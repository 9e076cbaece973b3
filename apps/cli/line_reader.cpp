#include "apps/cli/line_reader.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace sluice::cli {

namespace {
constexpr std::size_t kChunkBytes = 64U * 1024;
}  // namespace

ByteSource read_descriptor(int descriptor) {
  return [descriptor](std::span<char> into) -> Result<std::size_t> {
    while (true) {
      const ssize_t size = ::read(descriptor, into.data(), into.size());
      if (size >= 0) return static_cast<std::size_t>(size);
      if (errno == EINTR) continue;
      return fail(Errc::io_error, std::string("the input cannot be read: ") + std::strerror(errno));
    }
  };
}

bool LineReader::has_buffered_line() const noexcept {
  return buffer_.find('\n', position_) != std::string::npos;
}

Result<> LineReader::fill() {
  buffer_.erase(0, position_);
  position_ = 0;
  const std::size_t old_size = buffer_.size();
  buffer_.resize(old_size + kChunkBytes);
  const auto size = source_(std::span<char>(buffer_).subspan(old_size));
  buffer_.resize(old_size + size.value_or(0));
  SLUICE_TRY(size);
  is_at_end_ = *size == 0;
  return {};
}

Result<std::optional<std::string>> LineReader::next() {
  std::size_t searched = position_;
  while (true) {
    const std::size_t newline = buffer_.find('\n', searched);
    const bool is_whole = newline != std::string::npos;
    const std::size_t size = (is_whole ? newline : buffer_.size()) - position_;
    if (size > bytes_max_) {
      return fail(Errc::payload_too_large, "line " + std::to_string(lines_ + 1) +
                                               " has more than " + std::to_string(bytes_max_) +
                                               " bytes, the most a message may have");
    }
    if (is_whole || (is_at_end_ && size > 0)) {
      std::string line = buffer_.substr(position_, size);
      position_ += size + (is_whole ? 1 : 0);
      ++lines_;
      bytes_ += size + (is_whole ? 1 : 0);
      return line;
    }
    if (is_at_end_) return std::nullopt;
    searched = buffer_.size() - position_;
    const auto filled = fill();
    SLUICE_TRY(filled);
  }
}

}  // namespace sluice::cli
