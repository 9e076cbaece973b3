#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace sluice::fault_disk {

/// Decides by seed what a power loss spares. The standard's distributions differ between libraries;
/// these do not, so a seed means the same everywhere.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : engine_(seed) {}

  /// 0 to `end` - 1; `end` is at least 1.
  [[nodiscard]] std::size_t below(std::size_t end) {
    return static_cast<std::size_t>(engine_() % end);
  }

  [[nodiscard]] bool in_eighths(std::size_t eighths) { return below(8) < eighths; }

  /// How likely things survive in one file or one directory, in eighths. Extremes are common: what
  /// breaks a store is often one page that is missing, or one that is there.
  [[nodiscard]] std::size_t eighths() {
    constexpr std::size_t kChoices[] = {0, 1, 4, 7, 8};
    return kChoices[below(std::size(kChoices))];
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace sluice::fault_disk
