#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/error.hpp"
#include "protocols/remoting/codec/frame_writer.hpp"
#include "protocols/remoting/codec/response_codes.hpp"
#include "protocols/remoting/handlers/request.hpp"

namespace sluice::remoting {

/// Appends one answer to the bytes that wait for a peer: fields first, then the body straight to
/// `out` after end_header(), then end(). Not for one-way requests.
class Answer {
 public:
  Answer(std::string& out, const AnswerTo& to, std::int32_t code, std::string_view remark = {});

  void field(std::string_view key, std::string_view value) { writer_.field(key, value); }
  void plain(std::string_view key, std::string_view value) { writer_.plain(key, value); }
  void number(std::string_view key, std::int64_t value) { writer_.number(key, value); }
  void end_header() { writer_.end_header(); }

  /// An answer that is over the frame limit becomes an error that says so.
  void end();

 private:
  std::string& out_;
  AnswerTo to_;
  FrameWriter writer_;
};

/// What the error table has for `code`.
[[nodiscard]] std::int32_t response_code_of(Errc code) noexcept;

/// What the peer's user is shown; never empty.
[[nodiscard]] std::string_view remark_of(const Error& error) noexcept;

/// A success without fields or body.
void answer_success(std::string& out, const AnswerTo& to);

void answer_error(std::string& out, const AnswerTo& to, const Error& error);

}  // namespace sluice::remoting
