#include "protocols/http1/request_check.hpp"

#include <algorithm>
#include <optional>

#include <boost/beast/http/error.hpp>

#include "common/base/limits.hpp"
#include "protocols/rest/problem.hpp"

namespace sluice::http1 {

namespace {

namespace http = boost::beast::http;

constexpr unsigned kHttp10 = 10;

std::string_view view_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

tl::unexpected<rest::Response> refuse(unsigned status, Errc code, std::string text) {
  return tl::unexpected(rest::to_problem({code, std::move(text)}, status, {}));
}

tl::unexpected<rest::Response> refuse(std::string text) {
  return refuse(400, Errc::malformed_packet, std::move(text));
}

/// Values of the fields that decide where a request ends, and how often each came.
struct Framing {
  std::size_t hosts = 0;
  std::size_t content_lengths = 0;
  std::string_view content_length;
  std::size_t transfer_encodings = 0;
  std::string_view transfer_encoding;
  std::optional<std::string_view> expect;
};

Framing framing_of(const http::fields& fields) {
  Framing framing;
  for (const auto& field : fields) {
    const std::string_view value = view_of(field.value());
    switch (field.name()) {
      case http::field::host:
        ++framing.hosts;
        break;
      case http::field::content_length:
        ++framing.content_lengths;
        framing.content_length = value;
        break;
      case http::field::transfer_encoding:
        ++framing.transfer_encodings;
        framing.transfer_encoding = value;
        break;
      case http::field::expect:
        framing.expect = value;
        break;
      default:
        break;
    }
  }
  return framing;
}

std::optional<tl::unexpected<rest::Response>> fault_of(const Framing& framing, unsigned version) {
  const bool is_http10 = version == kHttp10;
  if (framing.transfer_encodings > 0 && is_http10) {
    return refuse("HTTP/1.0 has no Transfer-Encoding");
  }
  if (framing.transfer_encodings > 0 && framing.content_lengths > 0) {
    return refuse("a request has a Content-Length or a Transfer-Encoding, not both");
  }
  if (framing.transfer_encodings > 1) return refuse("Transfer-Encoding is given twice");
  const bool is_other_coding = framing.transfer_encodings == 1 &&
                               !rest::equal_ignoring_case(framing.transfer_encoding, "chunked");
  if (is_other_coding) {
    return refuse(501, Errc::unsupported,
                  "Transfer-Encoding " + rest::quoted(framing.transfer_encoding) +
                      " is not served: chunked is");
  }
  const bool has_one_length =
      framing.content_lengths <= 1 && framing.content_length.find(',') == std::string_view::npos;
  if (!has_one_length) return refuse("Content-Length is given twice");
  if (framing.hosts > 1) return refuse("Host is given twice");
  if (framing.hosts == 0 && !is_http10) return refuse("HTTP/1.1 asks for a Host");
  if (framing.expect && !rest::equal_ignoring_case(*framing.expect, "100-continue")) {
    return refuse(417, Errc::unsupported, "Expect knows 100-continue only");
  }
  return std::nullopt;
}

// `http://host/path` means `/path` (RFC 9112 §3.2.2): we are no proxy, and serve one host.
std::string_view origin_form(std::string_view target) {
  constexpr std::string_view scheme = "http://";
  if (!rest::equal_ignoring_case(target.substr(0, scheme.size()), scheme)) return target;
  target.remove_prefix(scheme.size());
  const std::size_t path = target.find_first_of("/?");
  if (path == std::string_view::npos) return "/";
  return target.substr(path);
}

}  // namespace

void set_limits(Parser& parser) {
  parser.header_limit(static_cast<std::uint32_t>(limits::kHttpHeaderBytesMax));
  parser.body_limit(limits::kMessageBodyBytesMax);
}

tl::expected<rest::RequestHead, rest::Response> check_head(const Parser& parser) {
  const auto& request = parser.get();
  auto fault = fault_of(framing_of(request), request.version());
  if (fault) return std::move(*fault);
  rest::RequestHead head;
  head.method = view_of(request.method_string());
  head.target = origin_form(view_of(request.target()));
  for (const auto& field : request) {
    head.fields.push_back({view_of(field.name_string()), view_of(field.value())});
  }
  return head;
}

bool expects_continue(const Parser& parser) {
  const auto& request = parser.get();
  return request.version() > kHttp10 && request.find(http::field::expect) != request.end() &&
         !parser.is_done();
}

rest::Response answer_to(boost::system::error_code error) {
  const auto problem = [](unsigned status, Errc code, std::string text) {
    return rest::to_problem({code, std::move(text)}, status, {});
  };
  if (error == http::error::body_limit) {
    return problem(413, Errc::payload_too_large,
                   "the content has more than " + std::to_string(limits::kMessageBodyBytesMax) +
                       " bytes, the most a message may have");
  }
  if (error == http::error::header_limit || error == http::error::buffer_overflow) {
    return problem(
        431, Errc::malformed_packet,
        "the head has more than " + std::to_string(limits::kHttpHeaderBytesMax) + " bytes");
  }
  if (error == http::error::bad_version) {
    return problem(505, Errc::unsupported,
                   "HTTP/1.1 and HTTP/1.0 are served here, in lines that end with CR LF");
  }
  return problem(400, Errc::malformed_packet, "this is no HTTP/1.1 request: " + error.message());
}

}  // namespace sluice::http1
