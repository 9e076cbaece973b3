#include "common/base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace sluice {

void assertion_failed(const char* condition, const char* promise, const char* file,
                      int line) noexcept {
  std::fprintf(stderr, "sluice: bug: %s (%s) at %s:%d\n", promise, condition, file, line);
  std::abort();
}

}  // namespace sluice
