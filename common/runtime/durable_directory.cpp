#include "common/runtime/durable_directory.hpp"

#include <vector>

namespace sluice {

Result<> make_durable_directory(Disk& disk, const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> changed{directory};
  while (true) {
    const auto names = disk.list(changed.back());
    if (names) break;
    if (names.error().code != Errc::not_found) return fail(names.error());
    if (!changed.back().has_relative_path()) break;
    changed.push_back(changed.back().parent_path());
  }
  if (changed.size() == 1) return {};
  SLUICE_TRY(disk.create_directories(directory));
  for (auto it = changed.rbegin(); it != changed.rend(); ++it) {
    SLUICE_TRY(disk.sync_directory(it->empty() ? "." : *it));
  }
  return {};
}

}  // namespace sluice
