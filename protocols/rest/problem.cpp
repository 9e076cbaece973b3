#include "protocols/rest/problem.hpp"

#include <boost/json/serialize.hpp>

#include "protocols/rest/encoding.hpp"

namespace sluice::rest {

std::string_view reason_of(unsigned status) noexcept {
  switch (status) {
    case 100:
      return "Continue";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 204:
      return "No Content";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Content Too Large";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return {};
  }
}

Response to_problem(const Error& error, unsigned status, boost::json::object members) {
  const ErrorRow& row = row_of(error.code);
  boost::json::object problem;
  problem["title"] = reason_of(status);
  problem["status"] = status;
  problem["detail"] = is_utf8(as_bytes(error.text)) ? error.text : percent_encode(error.text);
  problem["error"] = row.name;
  problem["error_number"] = static_cast<std::uint16_t>(row.code);
  problem["retryable"] = row.retryable;
  for (auto& member : members) problem[member.key()] = std::move(member.value());
  Response response{.status = status,
                    .content_type = "application/problem+json",
                    .body = boost::json::serialize(problem),
                    .fields = {}};
  // Seconds (RFC 9110 §10.2.3). What is full or busy now may not be then.
  const bool says_when = row.retryable && (status == 429 || status == 503);
  if (says_when) response.fields.emplace_back("Retry-After", "1");
  return response;
}

Response to_problem(const Error& error) {
  return to_problem(error, row_of(error.code).http, {});
}

}  // namespace sluice::rest
