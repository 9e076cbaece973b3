#pragma once

#include <boost/json/object.hpp>

#include "common/base/error.hpp"
#include "protocols/rest/request.hpp"

namespace sluice::rest {

/// An error as a problem detail (RFC 9457): `title` is the phrase of the status, `detail` says what
/// to do, and our own members `error`, `error_number` and `retryable` are for programs.
[[nodiscard]] Response to_problem(const Error& error);

/// The same with a status that the error table does not have for this error, and members that only
/// this kind of answer has.
[[nodiscard]] Response to_problem(const Error& error, unsigned status, boost::json::object members);

/// The phrase of a status (RFC 9110 §15); empty for one we do not send.
[[nodiscard]] std::string_view reason_of(unsigned status) noexcept;

}  // namespace sluice::rest
