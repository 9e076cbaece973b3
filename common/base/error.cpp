#include "common/base/error.hpp"

#include "common/base/assert.hpp"

namespace sluice {

namespace {

constexpr ErrorRow kRows[] = {
#define SLUICE_ERROR(name, number, retryable, http, grpc, mqtt, coap, remoting) \
  {Errc::name, #name, retryable, http, grpc, mqtt, coap, remoting},
#include "common/base/errors.def"
#undef SLUICE_ERROR
};

}  // namespace

const ErrorRow& row_of(Errc code) noexcept {
  for (const ErrorRow& row : kRows) {
    if (row.code == code) return row;
  }
  SLUICE_ASSERT(false, "every Errc has a row");
  return kRows[0];
}

std::string describe(const Error& error) {
  return std::string(row_of(error.code).name) + ": " + error.text;
}

}  // namespace sluice
