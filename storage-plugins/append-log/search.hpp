#pragma once

#include <optional>
#include <vector>

#include "storage-plugins/append-log/index_access.hpp"

namespace sluice::append_log {

/// What find() asks.
struct KeyQuery {
  Bytes key;
  UnixMillis first;
  UnixMillis last;  ///< Not included.
  std::uint32_t positions_max = 1;
  std::optional<storage::Position> before;
};

/// Positions of live records with the key, newest first (ReadView::find). Any thread; not under the
/// store's mutex.
[[nodiscard]] Lookup<std::vector<storage::Position>> find_records(Store& store,
                                                                  const KeyQuery& query,
                                                                  ReadMode mode);

}  // namespace sluice::append_log
