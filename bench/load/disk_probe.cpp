#include "bench/load/disk_probe.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <vector>

#include "bench/load/clock.hpp"
#include "bench/load/fail.hpp"

namespace sluice::bench {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;
constexpr std::size_t kBlocks = 1024;

/// A file that is removed with this object.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& directory)
      : path_(fmt::format("{}/bench-probe.{}", directory, getpid())),
        file_(open(path_.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600)) {
    if (file_ < 0) fail("{}: {}", path_, std::generic_category().message(errno));
  }
  ~ScratchFile() {
    close(file_);
    unlink(path_.c_str());
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  void write_block(const std::vector<char>& block, std::size_t number) {
    const auto offset = static_cast<off_t>(number * kBlockBytes);
    const ssize_t written = pwrite(file_, block.data(), block.size(), offset);
    if (written != static_cast<ssize_t>(block.size())) {
      fail("{}: {}", path_, std::generic_category().message(errno));
    }
  }

  void sync() {
    if (fdatasync(file_) != 0) fail("{}: {}", path_, std::generic_category().message(errno));
  }

 private:
  std::string path_;
  int file_;
};

}  // namespace

DiskProbe probe_disk(const std::string& directory, double seconds) {
  ScratchFile file(directory);
  std::vector<char> block(kBlockBytes, 'a');
  for (std::size_t i = 0; i < kBlocks; ++i) file.write_block(block, i);
  file.sync();
  const std::int64_t begin = now_ns();
  const std::int64_t deadline = begin + to_ns(seconds);
  std::uint64_t writes = 0;
  while (now_ns() < deadline) {
    block[0] = static_cast<char>(writes);
    file.write_block(block, writes % kBlocks);
    file.sync();
    ++writes;
  }
  const double spent_s = static_cast<double>(now_ns() - begin) / kNsPerSecond;
  return {.block_bytes = kBlockBytes,
          .writes = writes,
          .mean_s = spent_s / static_cast<double>(writes)};
}

}  // namespace sluice::bench
