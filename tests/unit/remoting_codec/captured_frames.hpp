#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "protocols/remoting/codec/frame.hpp"

namespace sluice::remoting::test {

/// What a header must decode to, by a decoder that is not ours.
struct ExpectedHeader {
  std::int64_t code = 0;
  std::string language;
  std::int64_t version = 0;
  std::int64_t opaque = 0;
  std::int64_t flag = 0;
  std::string remark;
  std::map<std::string, std::string, std::less<>> fields;  ///< Without those that are null.
  bool has_null_values = false;
};

/// One frame of tests/golden/remoting/frames.jsonl.
struct CapturedFrame {
  std::size_t line = 0;  ///< In the file, from 1.
  std::string client;
  std::string direction;
  std::int32_t code = 0;
  std::int32_t request_code = 0;  ///< Of answers.
  SerializeType serialize_type = SerializeType::json;
  ExpectedHeader header;  ///< Of JSON headers: read with Boost.JSON.
  std::string bytes;

  /// `line 12: java-5.5.0 request 310`, for failures.
  [[nodiscard]] std::string name() const;
  [[nodiscard]] std::string_view header_bytes() const;
  [[nodiscard]] std::string_view body() const;
};

/// All of them, read once. Ends the program if the file is missing.
const std::vector<CapturedFrame>& captured_frames();

/// Bodies of `direction` frames of `code`: the request code for both requests and answers; only
/// those with code 0 (success) among answers.
std::vector<const CapturedFrame*> captured(std::string_view direction, std::int32_t code);

}  // namespace sluice::remoting::test
