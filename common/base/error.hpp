#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

/// \file
/// What went wrong, as a value: anything that a peer, a disk or a configuration can cause.
/// Our own bugs are SLUICE_ASSERTs (assert.hpp).

namespace sluice {

enum class Errc : std::uint16_t {
#define SLUICE_ERROR(name, number, retryable, http, grpc, mqtt, coap, remoting) name = number,
#include "common/base/errors.def"
#undef SLUICE_ERROR
};

/// One row of the table: how each protocol says this error.
struct ErrorRow {
  Errc code;
  std::string_view name;
  bool retryable;
  std::uint16_t http;
  std::uint32_t grpc;
  std::uint8_t mqtt;
  std::uint16_t coap;
  std::int16_t remoting;
};

[[nodiscard]] const ErrorRow& row_of(Errc code) noexcept;

/// A code for programs, a text for people. The text says what to do; it never holds a peer's text
/// without quotation marks around it.
struct Error {
  Errc code = Errc::internal;
  std::string text;

  friend bool operator==(const Error&, const Error&) = default;
};

template <class T = void>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(Errc code, std::string text) {
  return tl::unexpected<Error>(Error{code, std::move(text)});
}

[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
  return tl::unexpected<Error>(std::move(error));
}

/// True if the other side said nothing: somebody else may answer, or the same one later.
[[nodiscard]] inline bool is_out_of_reach(const Error& error) noexcept {
  return error.code == Errc::unavailable || error.code == Errc::deadline_exceeded;
}

/// `name: text`, for logs and terminals.
[[nodiscard]] std::string describe(const Error& error);

}  // namespace sluice

/// Returns the error of `result` from this function, if it holds one. Evaluates `result` once.
#define SLUICE_TRY(result)                           \
  if (auto&& sluice_tried = (result); !sluice_tried) \
  return ::sluice::fail(std::move(sluice_tried).error())

/// The same in a coroutine.
#define SLUICE_CO_TRY(result)                        \
  if (auto&& sluice_tried = (result); !sluice_tried) \
  co_return ::sluice::fail(std::move(sluice_tried).error())
