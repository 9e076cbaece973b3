#include "nameserver/config_store.hpp"

#include <string>
#include <utility>

#include "common/base/limits.hpp"
#include "common/runtime/durable_directory.hpp"
#include "common/runtime/one_shot.hpp"

namespace sluice::nameserver {

namespace {

constexpr const char* kFileName = "config.json";
constexpr const char* kNewFileName = "config.json.new";
constexpr const char* kLockName = "LOCK";
// JSON writes a control character in six bytes.
constexpr std::uint64_t kFileBytesMax = 8 * limits::kKvBytesMax;

Error at_file(const std::filesystem::path& file, const Error& error) {
  return {error.code, file.string() + ": " + error.text +
                          ". Restore it from a copy, or move it away to start with none"};
}

Result<> save(Disk& disk, const std::filesystem::path& directory, const KeptConfig& config) {
  const std::filesystem::path new_path = directory / kNewFileName;
  const std::string text = config.encode();
  {
    const auto file = disk.open(new_path, OpenMode::create_or_open);
    SLUICE_TRY(file);
    SLUICE_TRY((*file)->resize(0));
    SLUICE_TRY((*file)->write_at(0, as_bytes(text)));
    SLUICE_TRY((*file)->sync());
  }
  SLUICE_TRY(disk.rename(new_path, directory / kFileName));
  return disk.sync_directory(directory);
}

}  // namespace

Result<> ConfigStore::keep_in(const std::filesystem::path& directory) {
  Disk& disk = runtime_.disk();
  SLUICE_TRY(make_durable_directory(disk, directory));
  auto lock = disk.lock(directory / kLockName);
  SLUICE_TRY(lock);
  lock_ = std::move(*lock);
  directory_ = directory;
  return load();
}

Result<> ConfigStore::load() {
  const std::filesystem::path path = directory_ / kFileName;
  const auto file = runtime_.disk().open(path, OpenMode::read);
  if (!file && file.error().code == Errc::not_found) return {};
  SLUICE_TRY(file);
  const auto size = (*file)->size();
  SLUICE_TRY(size);
  if (*size > kFileBytesMax) {
    return fail(at_file(path, {Errc::corrupt_record, "has " + std::to_string(*size) +
                                                         " bytes; none that was written "
                                                         "has more than " +
                                                         std::to_string(kFileBytesMax)}));
  }
  std::string text(*size, '\0');
  const auto read = (*file)->read_at(0, std::as_writable_bytes(std::span(text)));
  SLUICE_TRY(read);
  text.resize(*read);
  auto config = KeptConfig::decode(text);
  if (!config) return fail(at_file(path, config.error()));
  publish(std::make_shared<const KeptConfig>(std::move(*config)));
  return {};
}

void ConfigStore::publish(std::shared_ptr<const KeptConfig> config) {
  const std::lock_guard lock(mutex_);
  current_ = std::move(config);
}

std::shared_ptr<const KeptConfig> ConfigStore::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

Task<> ConfigStore::change(std::shared_ptr<ConfigStore> self,
                           std::function<Result<>(KeptConfig&)> change) {
  auto guard = co_await self->one_at_a_time_.lock();
  auto next = std::make_shared<KeptConfig>(*self->current());
  auto changed = change(*next);
  SLUICE_CO_TRY(changed);
  if (!self->directory_.empty()) {
    auto start = [self, next](UniqueFunction<void(Result<>)> complete) {
      // std::function wants to be copied.
      auto shared = std::make_shared<UniqueFunction<void(Result<>)>>(std::move(complete));
      // Not the store: its lock must not outlive its owners on a worker thread.
      Disk* const disk = &self->runtime_.disk();
      self->runtime_.run_blocking([disk, directory = self->directory_, next, shared] {
        (*shared)(save(*disk, directory, *next));
      });
    };
    auto saved = co_await wait_for_completion<Result<>>(start);
    SLUICE_CO_TRY(saved);
  }
  self->publish(std::move(next));
  co_return Result<>{};
}

}  // namespace sluice::nameserver
