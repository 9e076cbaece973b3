#pragma once

#include <cstdint>
#include <optional>

#include "common/model/route.hpp"

namespace sluice::model {

/// Which part of a list, in the order of its names, is asked for.
struct Page {
  std::int32_t first = 0;
  std::int32_t count_max = 0;  ///< 0: all that follow.
  /// The list that earlier pages were of. If it has changed, the answer is its first page.
  std::optional<DataVersion> version;
};

/// Cuts `list`, which is at `version`, down to the page.
template <class List>
void keep_page(List& list, const Page& page, const DataVersion& version) {
  const auto size = static_cast<std::int64_t>(list.size());
  const bool has_changed = page.version && *page.version != version;
  const std::int64_t first = has_changed || page.first < 0 ? 0 : page.first;
  const std::int64_t begin = first < size ? first : size;
  const bool is_bounded = page.count_max > 0 && page.count_max < size - begin;
  const std::int64_t end = is_bounded ? begin + page.count_max : size;
  list.erase(list.begin() + end, list.end());
  list.erase(list.begin(), list.begin() + begin);
}

}  // namespace sluice::model
