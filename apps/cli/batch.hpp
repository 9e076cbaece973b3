#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/line_reader.hpp"
#include "common/base/environment.hpp"
#include "common/model/command.hpp"
#include "common/model/properties.hpp"

namespace sluice::cli {

/// What all messages of a command have beside their bodies.
struct MessageOptions {
  std::string topic;
  std::string tag;
  std::vector<std::string> keys;
  std::vector<std::string> properties;  ///< `name=value` each.
};

/// The properties of `options`, encoded.
/// \return invalid_argument for what is not name=value, reserved, or cannot be stored.
[[nodiscard]] Result<std::string> encode_properties(const MessageOptions& options);

/// Lines that are sent together.
struct LineBatch {
  std::vector<std::string> lines;
  bool is_last = false;  ///< Nothing follows.
};

inline constexpr std::size_t kBatchLinesMax = 1000;
inline constexpr std::size_t kBatchBytesMax = 1024U * 1024;

/// Gathers lines into batches: as many as are there, at most kBatchLinesMax lines and
/// kBatchBytesMax bytes; a longer line goes alone. Waits for one line only. So a fast file goes out
/// in large batches, and a slow pipe line by line.
class BatchReader {
 public:
  explicit BatchReader(LineReader reader) : reader_(std::move(reader)) {}

  /// \return no lines and is_last at the end; the errors of LineReader::next().
  [[nodiscard]] Result<LineBatch> next();

  [[nodiscard]] std::uint64_t bytes() const noexcept { return reader_.bytes(); }

 private:
  [[nodiscard]] Result<std::optional<std::string>> next_line();

  LineReader reader_;
  std::optional<std::string> held_;  ///< Did not fit into the batch before.
};

/// Gives `lines` to `hands` hands in turn, the first line to hand `first`; each keeps their order.
[[nodiscard]] std::vector<std::vector<std::string>> deal(std::vector<std::string> lines,
                                                         std::size_t hands, std::size_t first);

/// A Send of `lines`, each a message of its own with a unique key.
[[nodiscard]] model::Send to_send(const std::string& topic, const std::string& properties,
                                  std::vector<std::string> lines, Environment& environment);

}  // namespace sluice::cli
