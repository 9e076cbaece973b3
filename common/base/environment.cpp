#include "common/base/environment.hpp"

#include <random>

namespace sluice {

namespace {

class SystemEnvironment final : public Environment {
 public:
  UnixMillis now() const noexcept override {
    const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
    return UnixMillis{std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count()};
  }

  Instant steady_now() const noexcept override { return std::chrono::steady_clock::now(); }

  std::uint64_t random() noexcept override {
    thread_local std::mt19937_64 engine{std::random_device{}()};
    return engine();
  }
};

}  // namespace

Environment& system_environment() noexcept {
  static SystemEnvironment environment;
  return environment;
}

}  // namespace sluice
