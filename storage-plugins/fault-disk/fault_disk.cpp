#include "storage-plugins/fault-disk/fault_disk.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "common/base/assert.hpp"
#include "storage-plugins/fault-disk/name_table.hpp"

namespace sluice::fault_disk {

namespace {

using Path = std::filesystem::path;

std::size_t index_of(Call call) {
  return static_cast<std::size_t>(call);
}

Path normal(const Path& path) {
  Path result = path.lexically_normal();
  // "/a/" has an empty last part.
  return result.has_filename() ? result : result.parent_path();
}

tl::unexpected<Error> failure(const Error& error, const Path& path) {
  return fail(error.code, path.string() + ": " + error.text);
}

}  // namespace

/// All state, with the lock over it.
struct FaultDisk::Machine {
  explicit Machine(NameTable names_in) : names(std::move(names_in)) {}

  using Lock = std::unique_lock<std::mutex>;
  using Verdict = std::optional<FaultPlan::Verdict>;

  /// Counts a call and waits while calls of its kind are held. \return why it fails, if it does.
  Verdict begin(Call call, Lock& lock, const Path& path = {}) {
    ++waiting[index_of(call)];
    changed.wait(lock, [&] { return has_crashed || !held[index_of(call)]; });
    --waiting[index_of(call)];
    if (has_crashed) return crashed_verdict();
    Verdict verdict = plan.count(call, path.extension().native());
    if (verdict && verdict->is_crash) crash();
    return verdict;
  }

  static Verdict crashed_verdict() {
    return FaultPlan::Verdict{.error = {.code = Errc::io_error, .text = "the disk has crashed"},
                              .is_crash = false,
                              .percent_done = 0,
                              .bytes_done = 0};
  }

  void crash() {
    has_crashed = true;
    changed.notify_all();
  }

  /// Runs `perform` unless the plan says that the call fails.
  template <class Perform>
  Result<> change(Call call, const Path& path, Perform perform) {
    Lock lock(mutex);
    const Verdict verdict = begin(call, lock, path);
    if (!verdict) return perform();
    const bool happens_all_the_same = verdict->is_crash && verdict->percent_done >= 100;
    if (happens_all_the_same) static_cast<void>(perform());
    return failure(verdict->error, path);
  }

  [[nodiscard]] Result<> check_alive(const Path& path) const {
    if (has_crashed) return failure(crashed_verdict()->error, path);
    return {};
  }

  [[nodiscard]] std::uint64_t used_bytes() const {
    std::uint64_t used = 0;
    for (const auto& [path, file] : names.entries()) used += file ? file->used_bytes() : 0;
    return used;
  }

  [[nodiscard]] bool has_room_for(std::uint64_t bytes) const {
    return bytes == 0 || used_bytes() + bytes <= capacity;
  }

  std::mutex mutex;
  std::condition_variable changed;
  FaultPlan plan;
  NameTable names;
  bool has_crashed = false;
  std::uint64_t capacity = kUnlimited;
  Cache cache = Cache::warm;
  std::array<bool, kCallKinds> held{};
  std::array<std::uint64_t, kCallKinds> waiting{};
  std::set<Path> locked;
};

class FaultDisk::File final : public DiskFile {
 public:
  File(std::shared_ptr<Machine> machine, NameTable::FilePtr image, Path path, OpenMode mode)
      : machine_(std::move(machine)),
        image_(std::move(image)),
        path_(std::move(path)),
        mode_(mode) {}

  ~File() override {
    if (!is_lock_) return;
    const std::lock_guard lock(machine_->mutex);
    machine_->locked.erase(path_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  void hold_lock() noexcept { is_lock_ = true; }

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    Machine::Lock lock(machine_->mutex);
    if (const auto verdict = machine_->begin(Call::read, lock, path_)) {
      return failure(verdict->error, path_);
    }
    return image_->read(offset, into);
  }

  Result<std::size_t> read_at_if_cached(std::uint64_t offset,
                                        std::span<std::byte> into) const override {
    {
      const std::lock_guard lock(machine_->mutex);
      SLUICE_TRY(machine_->check_alive(path_));
      if (machine_->cache == Cache::cold) return std::size_t{0};
    }
    return read_at(offset, into);
  }

  Result<> write_at(std::uint64_t offset, BytesView bytes) override {
    Machine::Lock lock(machine_->mutex);
    const auto verdict = machine_->begin(Call::write, lock, path_);
    SLUICE_TRY(check_writable());
    if (!verdict) return write_what_fits(offset, bytes);
    const std::size_t done = verdict->is_crash ? bytes.size() * verdict->percent_done / 100
                                               : std::min(verdict->bytes_done, bytes.size());
    image_->write(offset, bytes.first(done));
    return failure(verdict->error, path_);
  }

  Result<> sync() override {
    return machine_->change(Call::sync, path_, [this]() -> Result<> {
      image_->sync();
      return {};
    });
  }

  Result<> resize(std::uint64_t size) override {
    return machine_->change(Call::resize, path_, [this, size]() -> Result<> {
      SLUICE_TRY(check_writable());
      image_->resize(size);
      return {};
    });
  }

  Result<> allocate(std::uint64_t size) override {
    return machine_->change(Call::allocate, path_, [this, size]() -> Result<> {
      SLUICE_TRY(check_writable());
      if (!machine_->has_room_for(image_->missing_bytes(0, size))) return full();
      image_->allocate(size);
      return {};
    });
  }

  Result<std::uint64_t> size() const override {
    const std::lock_guard lock(machine_->mutex);
    SLUICE_TRY(machine_->check_alive(path_));
    return image_->size();
  }

  void advise_will_need(std::uint64_t /*offset*/, std::uint64_t /*size*/) const noexcept override {}

 private:
  [[nodiscard]] Result<> check_writable() const {
    if (mode_ != OpenMode::read) return {};
    return fail(Errc::io_error, path_.string() + ": is open for reading only");
  }

  [[nodiscard]] tl::unexpected<Error> full() const {
    return fail(Errc::storage_full, path_.string() + ": no space left; free space on this disk");
  }

  Result<> write_what_fits(std::uint64_t offset, BytesView bytes) {
    while (!bytes.empty()) {
      const std::uint64_t left_in_page = FileImage::kPageBytes - offset % FileImage::kPageBytes;
      const BytesView part = bytes.first(std::min<std::uint64_t>(left_in_page, bytes.size()));
      const bool is_all_there = machine_->has_room_for(image_->missing_bytes(offset, bytes.size()));
      if (is_all_there) {
        image_->write(offset, bytes);
        return {};
      }
      if (!machine_->has_room_for(image_->missing_bytes(offset, part.size()))) return full();
      image_->write(offset, part);
      offset += part.size();
      bytes = bytes.subspan(part.size());
    }
    return {};
  }

  std::shared_ptr<Machine> machine_;
  NameTable::FilePtr image_;  ///< Under the machine's mutex.
  Path path_;
  OpenMode mode_;
  bool is_lock_ = false;
};

FaultDisk::FaultDisk(const Path& directory)
    : machine_(std::make_shared<Machine>(NameTable(normal(directory)))) {
  SLUICE_ASSERT(directory.is_absolute(), "paths of a disk are absolute");
}

FaultDisk::FaultDisk(std::shared_ptr<Machine> machine) : machine_(std::move(machine)) {}

FaultDisk::~FaultDisk() = default;

// --- faults --------------------------------------------------------------------------------------

void FaultDisk::inject(Fault fault) {
  const std::lock_guard lock(machine_->mutex);
  machine_->plan.add(fault);
}

void FaultDisk::crash_at(CrashPoint point) {
  const std::lock_guard lock(machine_->mutex);
  machine_->plan.add(point);
}

void FaultDisk::clear_faults() {
  const std::lock_guard lock(machine_->mutex);
  machine_->plan.clear();
}

void FaultDisk::crash() {
  const std::lock_guard lock(machine_->mutex);
  machine_->crash();
}

bool FaultDisk::has_crashed() const {
  const std::lock_guard lock(machine_->mutex);
  return machine_->has_crashed;
}

void FaultDisk::hold(Call call) {
  const std::lock_guard lock(machine_->mutex);
  machine_->held[index_of(call)] = true;
}

void FaultDisk::release(Call call) {
  const std::lock_guard lock(machine_->mutex);
  machine_->held[index_of(call)] = false;
  machine_->changed.notify_all();
}

std::uint64_t FaultDisk::held_count(Call call) const {
  const std::lock_guard lock(machine_->mutex);
  return machine_->waiting[index_of(call)];
}

void FaultDisk::set_capacity(std::uint64_t bytes) {
  const std::lock_guard lock(machine_->mutex);
  machine_->capacity = bytes;
}

std::uint64_t FaultDisk::used_bytes() const {
  const std::lock_guard lock(machine_->mutex);
  return machine_->used_bytes();
}

void FaultDisk::set_cache(Cache cache) {
  const std::lock_guard lock(machine_->mutex);
  machine_->cache = cache;
}

void FaultDisk::flip_byte(const Path& path, std::uint64_t offset, std::byte mask) {
  const std::lock_guard lock(machine_->mutex);
  const auto file = machine_->names.file(normal(path));
  SLUICE_ASSERT(file && offset < file->size(), "the byte to flip exists");
  file->flip(offset, mask);
}

// --- afterwards ----------------------------------------------------------------------------------

std::unique_ptr<FaultDisk> FaultDisk::process_crash() {
  const std::lock_guard lock(machine_->mutex);
  machine_->crash();
  auto next = std::make_shared<Machine>(machine_->names);
  next->capacity = machine_->capacity;
  next->names.replace_files([](const FileImage& image) { return image; });
  return std::unique_ptr<FaultDisk>(new FaultDisk(std::move(next)));
}

std::unique_ptr<FaultDisk> FaultDisk::power_loss(std::uint64_t seed, PowerLoss mode) {
  const std::lock_guard lock(machine_->mutex);
  machine_->crash();
  Chance chance(seed);
  const bool forgets_all = mode == PowerLoss::forget_unsynced;
  auto next = std::make_shared<Machine>(forgets_all ? machine_->names.only_synced()
                                                    : machine_->names.partly_synced(chance));
  next->capacity = machine_->capacity;
  const std::size_t granule_bytes =
      mode == PowerLoss::keep_some_sectors ? FileImage::kSectorBytes : FileImage::kPageBytes;
  next->names.replace_files([&](const FileImage& image) {
    return forgets_all ? image.only_synced() : image.partly_synced(chance, granule_bytes);
  });
  return std::unique_ptr<FaultDisk>(new FaultDisk(std::move(next)));
}

// --- what happened -------------------------------------------------------------------------------

std::uint64_t FaultDisk::count_of(Call call) const {
  const std::lock_guard lock(machine_->mutex);
  return machine_->plan.count_of(call);
}

std::uint64_t FaultDisk::change_count() const {
  const std::lock_guard lock(machine_->mutex);
  return machine_->plan.change_count();
}

std::map<Path, std::uint64_t> FaultDisk::files() const {
  const std::lock_guard lock(machine_->mutex);
  std::map<Path, std::uint64_t> files;
  for (const auto& [path, file] : machine_->names.entries()) {
    if (file) files.emplace(path, file->size());
  }
  return files;
}

// --- Disk ----------------------------------------------------------------------------------------

Result<std::unique_ptr<DiskFile>> FaultDisk::open_file(const Path& path, OpenMode mode) {
  NameTable& names = machine_->names;
  auto image = names.file(path);
  const bool may_create = mode == OpenMode::create || mode == OpenMode::create_or_open;
  if (names.is_directory(path)) return fail(Errc::io_error, path.string() + ": is a directory");
  if (image && mode == OpenMode::create) {
    return fail(Errc::io_error, path.string() + ": exists");
  }
  const bool is_missing = !image && (!may_create || !names.is_directory(path.parent_path()));
  if (is_missing) return fail(Errc::not_found, path.string() + ": does not exist");
  if (!image) {
    image = std::make_shared<FileImage>();
    names.create_file(path, image);
  }
  return std::make_unique<File>(machine_, std::move(image), path, mode);
}

Result<std::unique_ptr<DiskFile>> FaultDisk::open(const Path& path, OpenMode mode) {
  const Path name = normal(path);
  std::unique_ptr<DiskFile> file;
  const auto perform = [&]() -> Result<> {
    auto opened = open_file(name, mode);
    SLUICE_TRY(opened);
    file = *std::move(opened);
    return {};
  };
  const auto done = machine_->change(Call::open, name, perform);
  SLUICE_TRY(done);
  return file;
}

Result<> FaultDisk::rename(const Path& from, const Path& to) {
  const Path old_name = normal(from);
  const Path new_name = normal(to);
  return machine_->change(Call::rename, old_name, [&]() -> Result<> {
    NameTable& names = machine_->names;
    const bool is_missing = !names.file(old_name) || !names.is_directory(new_name.parent_path());
    if (is_missing) return fail(Errc::not_found, old_name.string() + ": does not exist");
    if (names.is_directory(new_name)) {
      return fail(Errc::io_error, new_name.string() + ": is a directory");
    }
    names.rename(old_name, new_name);
    return {};
  });
}

Result<> FaultDisk::remove(const Path& path) {
  const Path name = normal(path);
  return machine_->change(Call::remove, name, [&]() -> Result<> {
    NameTable& names = machine_->names;
    if (names.is_directory(name)) return fail(Errc::io_error, name.string() + ": is a directory");
    if (!names.file(name)) return fail(Errc::not_found, name.string() + ": does not exist");
    names.remove(name);
    return {};
  });
}

Result<> FaultDisk::create_directories(const Path& path) {
  const Path name = normal(path);
  return machine_->change(Call::create_directories, name, [&]() -> Result<> {
    NameTable& names = machine_->names;
    std::vector<Path> missing;
    Path above = name;
    for (; !names.is_directory(above); above = above.parent_path()) {
      if (names.file(above)) return fail(Errc::io_error, above.string() + ": is a file");
      missing.push_back(above);
    }
    std::ranges::reverse(missing);
    for (const Path& directory : missing) names.create_directory(directory);
    return {};
  });
}

Result<> FaultDisk::sync_directory(const Path& directory) {
  const Path name = normal(directory);
  return machine_->change(Call::sync_directory, name, [&]() -> Result<> {
    if (!machine_->names.is_directory(name)) {
      return fail(Errc::not_found, name.string() + ": is no directory");
    }
    machine_->names.sync(name);
    return {};
  });
}

Result<std::vector<std::string>> FaultDisk::list(const Path& directory) {
  const Path name = normal(directory);
  const std::lock_guard lock(machine_->mutex);
  SLUICE_TRY(machine_->check_alive(name));
  if (!machine_->names.is_directory(name)) {
    return fail(Errc::not_found, name.string() + ": is no directory");
  }
  return machine_->names.names_in(name);
}

Result<DiskSpace> FaultDisk::space(const Path& directory) {
  const std::lock_guard lock(machine_->mutex);
  SLUICE_TRY(machine_->check_alive(directory));
  const std::uint64_t used = std::min(machine_->used_bytes(), machine_->capacity);
  return DiskSpace{.total_bytes = machine_->capacity, .free_bytes = machine_->capacity - used};
}

Result<std::unique_ptr<DiskFile>> FaultDisk::lock(const Path& path) {
  const Path name = normal(path);
  std::unique_ptr<DiskFile> file;
  const auto done = machine_->change(Call::open, name, [&]() -> Result<> {
    if (machine_->locked.contains(name)) {
      return fail(Errc::conflict, name.string() + ": is locked by another process");
    }
    auto opened = open_file(name, OpenMode::create_or_open);
    SLUICE_TRY(opened);
    machine_->locked.insert(name);
    static_cast<File&>(**opened).hold_lock();
    file = *std::move(opened);
    return {};
  });
  SLUICE_TRY(done);
  return file;
}

}  // namespace sluice::fault_disk
