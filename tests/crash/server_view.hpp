#pragma once

#include <cstdint>

#include "tests/crash/ledger.hpp"
#include "tests/crash/store_view.hpp"

namespace sluice::crash {

/// Asks a running server, to which nobody else sends, for all that a consumer can see, and compares
/// it with what the log holds: bounds, every message of every queue, and the progress of groups.
/// With Forgetting::by_size the server may have forgotten more of the beginning since.
void compare_with_server(const StoreView& log, std::uint16_t port, Forgetting forgetting,
                         Problems& problems);

}  // namespace sluice::crash
