#pragma once

namespace sluice {

/// Prints the broken promise and ends the process: a broker that knows its state is wrong must not
/// write another byte.
[[noreturn]] void assertion_failed(const char* condition, const char* promise, const char* file,
                                   int line) noexcept;

}  // namespace sluice

/// Our own bugs. On in release too: it guards data.
#define SLUICE_ASSERT(condition, promise) \
  (static_cast<bool>(condition)           \
       ? static_cast<void>(0)             \
       : ::sluice::assertion_failed(#condition, promise, __FILE__, __LINE__))
