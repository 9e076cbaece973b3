#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include <algorithm>
#include <filesystem>

#include "common/runtime/disk.hpp"

namespace sluice {

namespace {

tl::unexpected<Error> system_failure(std::string_view what, const std::string& path, int error) {
  std::string text = std::string(what) + " " + path + ": " + std::strerror(error);
  if (error == ENOSPC || error == EDQUOT) {
    return fail(Errc::storage_full, text + "; free space on this file system");
  }
  if (error == ENOENT) return fail(Errc::not_found, std::move(text));
  return fail(Errc::io_error, std::move(text));
}

class SystemFile final : public DiskFile {
 public:
  SystemFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}
  ~SystemFile() override { ::close(descriptor_); }
  SystemFile(const SystemFile&) = delete;
  SystemFile& operator=(const SystemFile&) = delete;

  Result<std::size_t> read_at(std::uint64_t offset, std::span<std::byte> into) const override {
    std::size_t done = 0;
    while (done < into.size()) {
      const ssize_t n = ::pread(descriptor_, into.data() + done, into.size() - done,
                                static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return system_failure("cannot read", path_, errno);
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }

  Result<std::size_t> read_at_if_cached(std::uint64_t offset,
                                        std::span<std::byte> into) const override {
    const iovec part{into.data(), into.size()};
    const ssize_t n = ::preadv2(descriptor_, &part, 1, static_cast<off_t>(offset), RWF_NOWAIT);
    if (n >= 0) return static_cast<std::size_t>(n);
    if (errno == EAGAIN || errno == EOPNOTSUPP || errno == EINTR) return std::size_t{0};
    return system_failure("cannot read", path_, errno);
  }

  Result<> write_at(std::uint64_t offset, BytesView bytes) override {
    while (!bytes.empty()) {
      const ssize_t n =
          ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return system_failure("cannot write", path_, errno);
      bytes = bytes.subspan(static_cast<std::size_t>(n));
      offset += static_cast<std::uint64_t>(n);
    }
    return {};
  }

  Result<> sync() override {
    if (::fdatasync(descriptor_) != 0) return system_failure("cannot sync", path_, errno);
    return {};
  }

  Result<> resize(std::uint64_t size) override {
    if (::ftruncate(descriptor_, static_cast<off_t>(size)) != 0) {
      return system_failure("cannot resize", path_, errno);
    }
    return {};
  }

  Result<> allocate(std::uint64_t size) override {
    const int error = ::posix_fallocate(descriptor_, 0, static_cast<off_t>(size));
    if (error != 0) return system_failure("cannot allocate", path_, error);
    return {};
  }

  Result<std::uint64_t> size() const override {
    struct stat status{};
    if (::fstat(descriptor_, &status) != 0) return system_failure("cannot stat", path_, errno);
    return static_cast<std::uint64_t>(status.st_size);
  }

  void advise_will_need(std::uint64_t offset, std::uint64_t size) const noexcept override {
    ::posix_fadvise(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(size),
                    POSIX_FADV_WILLNEED);
  }

  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

 private:
  int descriptor_;
  std::string path_;
};

int flags_of(OpenMode mode) noexcept {
  switch (mode) {
    case OpenMode::read:
      return O_RDONLY;
    case OpenMode::read_write:
      return O_RDWR;
    case OpenMode::create:
      return O_RDWR | O_CREAT | O_EXCL;
    case OpenMode::create_or_open:
      return O_RDWR | O_CREAT;
  }
  return O_RDONLY;
}

class SystemDisk final : public Disk {
 public:
  Result<std::unique_ptr<DiskFile>> open(const std::filesystem::path& path,
                                         OpenMode mode) override {
    const int descriptor = ::open(path.c_str(), flags_of(mode) | O_CLOEXEC, 0640);
    if (descriptor < 0) return system_failure("cannot open", path, errno);
    return std::make_unique<SystemFile>(descriptor, path);
  }

  Result<> rename(const std::filesystem::path& from, const std::filesystem::path& to) override {
    if (::rename(from.c_str(), to.c_str()) != 0) {
      return system_failure("cannot rename", from.string() + " to " + to.string(), errno);
    }
    return {};
  }

  Result<> remove(const std::filesystem::path& path) override {
    if (::unlink(path.c_str()) != 0) return system_failure("cannot remove", path, errno);
    return {};
  }

  Result<> create_directories(const std::filesystem::path& path) override {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return system_failure("cannot create", path, error.value());
    return {};
  }

  Result<> sync_directory(const std::filesystem::path& directory) override {
    const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return system_failure("cannot open", directory, errno);
    const int result = ::fsync(descriptor);
    const int error = errno;
    ::close(descriptor);
    if (result != 0) return system_failure("cannot sync", directory, error);
    return {};
  }

  Result<std::vector<std::string>> list(const std::filesystem::path& directory) override {
    std::vector<std::string> names;
    std::error_code error;
    for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
         it.increment(error)) {
      names.push_back(it->path().filename());
    }
    if (error) return system_failure("cannot list", directory, error.value());
    std::ranges::sort(names);
    return names;
  }

  Result<DiskSpace> space(const std::filesystem::path& directory) override {
    struct statvfs status{};
    if (::statvfs(directory.c_str(), &status) != 0) {
      return system_failure("cannot stat", directory, errno);
    }
    return DiskSpace{.total_bytes = status.f_blocks * status.f_frsize,
                     .free_bytes = status.f_bavail * status.f_frsize};
  }

  Result<std::unique_ptr<DiskFile>> lock(const std::filesystem::path& path) override {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640);
    if (descriptor < 0) return system_failure("cannot open", path, errno);
    auto file = std::make_unique<SystemFile>(descriptor, path);
    if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
      return fail(Errc::conflict, path.string() + " is locked by another process" +
                                      holder_of(*file) +
                                      "; stop it, or choose another data directory");
    }
    const std::string own_id = std::to_string(::getpid());
    SLUICE_TRY(file->resize(0));
    SLUICE_TRY(file->write_at(0, as_bytes(own_id)));
    return file;
  }

 private:
  static std::string holder_of(const SystemFile& file) {
    std::byte text[32];
    const auto size = file.read_at(0, text);
    if (!size || *size == 0) return {};
    return " (process " + std::string(as_text(BytesView(text, *size))) + ")";
  }
};

}  // namespace

Disk& system_disk() noexcept {
  static SystemDisk disk;
  return disk;
}

}  // namespace sluice
