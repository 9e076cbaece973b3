#include "apps/cli/version.hpp"

namespace sluice::cli {

std::string_view version() noexcept {
  return SLUICE_VERSION;
}

std::string_view commit() noexcept {
  return SLUICE_COMMIT;
}

}  // namespace sluice::cli
