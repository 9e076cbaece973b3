#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "broker/membership/client_key.hpp"
#include "common/base/limits.hpp"

namespace sluice::broker {

/// How many groups each connection has caused to be made, so that one client alone cannot use up
/// what a broker has room for. Not thread-safe; the broker guards it.
class MadeGroups {
 public:
  /// \return false at limits::kGroupsMadePerSessionMax.
  [[nodiscard]] bool add(ClientKey key) {
    std::size_t& made = made_[{key.via.value, key.session.value}];
    if (made >= limits::kGroupsMadePerSessionMax) return false;
    ++made;
    return true;
  }

  /// The connection is gone, and with it what came through it.
  void close(ClientKey key) {
    made_.erase({key.via.value, key.session.value});
    if (key.via.value != 0) return;
    made_.erase(made_.lower_bound({key.session.value, 0}),
                made_.lower_bound({key.session.value + 1, 0}));
  }

 private:
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> made_;  ///< By via and session.
};

}  // namespace sluice::broker
