#include "protocols/rest/admin/question.hpp"

namespace sluice::rest::admin {

Result<> expect_no_parameters(const Target& target) {
  if (target.parameters.empty()) return {};
  return fail(
      Errc::invalid_argument,
      "unknown parameter " + quoted(target.parameters.front().first) + ": this resource has none");
}

}  // namespace sluice::rest::admin
