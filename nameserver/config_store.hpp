#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>

#include "common/runtime/async_mutex.hpp"
#include "common/runtime/runtime.hpp"
#include "nameserver/kept_config.hpp"

namespace sluice::nameserver {

/// A KeptConfig and the file it is kept in. Members are safe from any loop.
class ConfigStore {
 public:
  /// Nothing is kept. `runtime` outlives the store.
  explicit ConfigStore(Runtime& runtime) : runtime_(runtime) {}

  /// Keeps the configuration in `directory`, which is made if there is none; takes what is there.
  /// Blocks. Before the store is shared.
  ///
  /// \return conflict if another process has the directory; corrupt_record or unsupported if the
  ///         file is not ours to read, with what to do; what the disk says.
  Result<> keep_in(const std::filesystem::path& directory);

  /// What holds now; it never changes.
  [[nodiscard]] std::shared_ptr<const KeptConfig> current() const;

  /// Applies `change` to a copy, which holds once it is on disk, safe from a loss of power. One
  /// change at a time, in the order of the calls.
  /// \return what `change` returns; what the disk says: then nothing has changed, but after the
  ///         next start either may hold.
  static Task<> change(std::shared_ptr<ConfigStore> self,
                       std::function<Result<>(KeptConfig&)> change);

 private:
  Result<> load();
  void publish(std::shared_ptr<const KeptConfig> config);

  Runtime& runtime_;
  std::filesystem::path directory_;  ///< Empty: nothing is kept.
  std::unique_ptr<DiskFile> lock_;
  AsyncMutex one_at_a_time_;
  mutable std::mutex mutex_;  ///< For current_.
  std::shared_ptr<const KeptConfig> current_ = std::make_shared<KeptConfig>();
};

}  // namespace sluice::nameserver
