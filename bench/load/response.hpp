#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::bench {

inline constexpr int kSuccess = 0;
inline constexpr int kSystemBusy = 2;
inline constexpr int kPullNotFound = 19;

/// Views into the frame it was parsed from.
struct Response {
  int code = 0;
  std::uint32_t opaque = 0;
  std::string_view header;
  std::string_view body;

  /// The server's words, for a message about a failure.
  [[nodiscard]] std::string describe() const;
};

/// One numeric member of a JSON header, quoted or not. Looks first where the last header had it:
/// the headers of one server are alike.
///
/// A search for `"name":` cannot hit the text of a value, where a quote is written `\"`.
class HeaderNumber {
 public:
  explicit HeaderNumber(std::string_view name);

  [[nodiscard]] std::optional<std::int64_t> find(std::string_view header);

 private:
  std::string pattern_;
  std::size_t last_position_ = 0;
};

/// Parses the frames of one server.
class ResponseParser {
 public:
  /// `frame` begins with its length. Fails on what is no response with a JSON header.
  [[nodiscard]] Response parse(std::string_view frame);

 private:
  HeaderNumber code_{"code"};
  HeaderNumber opaque_{"opaque"};
};

/// The size of the frame that `bytes` begins with, its length field included; nullopt if `bytes`
/// does not hold all of it. Fails if the length is absurd.
[[nodiscard]] std::optional<std::size_t> complete_frame_size(std::string_view bytes);

/// The same from the length alone, for making room; nullopt if not even the length is there.
[[nodiscard]] std::optional<std::size_t> announced_frame_size(std::string_view bytes);

}  // namespace sluice::bench
