#include "protocols/remoting/client/response.hpp"

#include <algorithm>
#include <iterator>

#include "protocols/remoting/codec/response_codes.hpp"

namespace sluice::remoting {

namespace {

struct Line {
  Errc code;
  std::int32_t remoting;
};

constexpr Line kErrorTable[] = {
#define SLUICE_ERROR(name, number, retryable, http, grpc, mqtt, coap, remoting) \
  {Errc::name, remoting},
#include "common/base/errors.def"
#undef SLUICE_ERROR
};

Errc errc_of(std::int32_t response_code) noexcept {
  switch (response_code) {
    // Codes of several errors.
    case response_code::kSystemError:
      return Errc::internal;
    case response_code::kMessageIllegal:
      return Errc::message_illegal;
    case response_code::kServiceNotAvailable:
      return Errc::unavailable;
    case response_code::kNoPermission:
      return Errc::permission_denied;
    // Codes of none.
    case response_code::kNotLeaderForQueue:
      return Errc::unavailable;
    case response_code::kSubscriptionNotLatest:
      return Errc::subscription_missing;
    default:
      break;
  }
  const auto line = std::ranges::find(kErrorTable, response_code, &Line::remoting);
  return line == std::end(kErrorTable) ? Errc::internal : line->code;
}

}  // namespace

Response::Response(const ResponseView& view)
    : code_(view.header.code), remark_(view.header.remark), body_(view.body) {
  std::size_t size = 0;
  for (const Field& field : view.header.fields) size += field.key.size() + field.value.size();
  text_.reserve(size);
  const auto keep = [&](std::string_view text) {
    const std::size_t begin = text_.size();
    text_.insert(text_.end(), text.begin(), text.end());
    return std::string_view(text_.data() + begin, text.size());
  };
  views_.reserve(view.header.fields.size());
  for (const Field& field : view.header.fields) {
    const std::string_view key = keep(field.key);
    views_.push_back({key, keep(field.value)});
  }
}

Error error_of(std::int32_t response_code, std::string_view remark) {
  std::string text = "answered with code " + std::to_string(response_code);
  if (!remark.empty()) text = "\"" + std::string(remark) + "\" (" + text + ")";
  return {errc_of(response_code), std::move(text)};
}

}  // namespace sluice::remoting
