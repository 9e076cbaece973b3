#pragma once

#include <string>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "protocols/rest/request.hpp"

/// \file
/// How a request is read: by Beast's parser, and what of it is accepted. Stricter than Beast where
/// another program in front of us might see a different request in the same bytes (request
/// smuggling, RFC 9112 §11.2).

namespace sluice::http1 {

using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

/// Sets the limits of limits.hpp. Call before the first byte.
void set_limits(Parser& parser);

/// Checks a complete head, and gives it to the resources. The views lie in `parser`.
///
/// \return the answer to a head that is refused: a Transfer-Encoding other than one `chunked`, or
///         in HTTP/1.0; more than one Content-Length, or a list; no Host in HTTP/1.1, or more than
///         one; an Expect other than 100-continue. The connection must then be closed, since where
///         the request ends is not sure.
[[nodiscard]] tl::expected<rest::RequestHead, rest::Response> check_head(const Parser& parser);

/// True if the peer waits for `100 Continue` before it sends its content.
[[nodiscard]] bool expects_continue(const Parser& parser);

/// The answer to bytes that are no request, or one over a limit.
[[nodiscard]] rest::Response answer_to(boost::system::error_code error);

}  // namespace sluice::http1
