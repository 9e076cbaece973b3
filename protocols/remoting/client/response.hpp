#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/error.hpp"
#include "common/base/slice.hpp"
#include "protocols/remoting/codec/fields.hpp"
#include "protocols/remoting/codec/header.hpp"

namespace sluice::remoting {

/// An answer where it lies: for the length of one callback. `body` may be kept.
struct ResponseView {
  const Header& header;
  const Slice& body;
};

/// An answer with memory of its own.
class Response {
 public:
  Response() = default;
  explicit Response(const ResponseView& view);
  Response(Response&&) = default;
  Response& operator=(Response&&) = default;

  [[nodiscard]] std::int32_t code() const noexcept { return code_; }
  [[nodiscard]] std::string_view remark() const noexcept { return remark_; }
  /// As long as this object is not moved from.
  [[nodiscard]] Fields fields() const noexcept { return Fields(views_); }
  [[nodiscard]] const Slice& body() const noexcept { return body_; }

 private:
  std::int32_t code_ = 0;
  std::string remark_;
  std::vector<char> text_;  ///< What views_ points into; moves without moving its bytes.
  std::vector<Field> views_;
  Slice body_;
};

/// What an answer other than success means. The error table maps several errors to one code: of
/// those the most general is taken. The remark stands in the text, in quotation marks.
[[nodiscard]] Error error_of(std::int32_t response_code, std::string_view remark);

}  // namespace sluice::remoting
