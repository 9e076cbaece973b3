#include "protocols/remoting/handlers/answer.hpp"

#include "common/base/assert.hpp"

namespace sluice::remoting {

namespace {

FrameHead head(const AnswerTo& to, std::int32_t code, std::string_view remark) noexcept {
  return {.code = code, .opaque = to.opaque, .flag = kResponseFlag, .remark = remark};
}

}  // namespace

Answer::Answer(std::string& out, const AnswerTo& to, std::int32_t code, std::string_view remark)
    : out_(out), to_(to), writer_(out, to.serialize_type, head(to, code, remark)) {
  SLUICE_ASSERT(!to.is_oneway, "one-way requests are never answered");
}

void Answer::end() {
  const auto written = writer_.end_frame();
  if (!written) answer_error(out_, to_, written.error());
}

std::int32_t response_code_of(Errc code) noexcept {
  return row_of(code).remoting;
}

std::string_view remark_of(const Error& error) noexcept {
  return error.text.empty() ? row_of(error.code).name : std::string_view(error.text);
}

void answer_success(std::string& out, const AnswerTo& to) {
  Answer(out, to, response_code::kSuccess).end();
}

void answer_error(std::string& out, const AnswerTo& to, const Error& error) {
  Answer(out, to, response_code_of(error.code), remark_of(error)).end();
}

}  // namespace sluice::remoting
