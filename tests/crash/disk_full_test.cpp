#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

#include "protocols/remoting/codec/response_codes.hpp"
#include "tests/crash/connection.hpp"
#include "tests/crash/ledger.hpp"
#include "tests/crash/requests.hpp"
#include "tests/crash/server_process.hpp"
#include "tests/crash/server_view.hpp"
#include "tests/crash/settings.hpp"
#include "tests/crash/store_view.hpp"
#include "tests/crash/work_directory.hpp"
#include "tests/support/run_task.hpp"

/// \file
/// A store on a disk that fills up: a small tmpfs, seen by this process and its children only, so
/// that it goes with them.

namespace sluice::crash {
namespace {

namespace fs = std::filesystem;
namespace response_code = remoting::response_code;

constexpr std::uint64_t kMebi = std::uint64_t{1024} * 1024;
constexpr std::uint64_t kDiskBytes = 32 * kMebi;
/// Kept by somebody else on the same disk, and freed later.
constexpr std::uint64_t kFillerBytes = 16 * kMebi;
/// More than fits on the disk: a server that takes so many has not noticed.
constexpr std::uint64_t kMessagesMax = 2 * kDiskBytes / 1024;
/// Sends that must succeed once there is space again.
constexpr std::uint64_t kMessagesAfterwards = 1000;

/// A tmpfs in a mount namespace of its own.
class SmallDisk {
 public:
  explicit SmallDisk(fs::path path) : path_(std::move(path)) {}
  ~SmallDisk() {
    if (is_mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  /// \return false if the system does not let us.
  [[nodiscard]] bool mount() {
    fs::create_directories(path_);
    if (::unshare(CLONE_NEWNS) != 0) return false;
    if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
    const std::string size = fmt::format("size={}", kDiskBytes);
    is_mounted_ = ::mount("tmpfs", path_.c_str(), "tmpfs", 0, size.c_str()) == 0;
    return is_mounted_;
  }

 private:
  fs::path path_;
  bool is_mounted_ = false;
};

/// Takes `bytes` of the disk. \return false if there is no such space.
bool allocate(const fs::path& path, std::uint64_t bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool is_allocated = ::posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0;
  ::close(file);
  return is_allocated;
}

class DiskFull : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!disk_.mount()) GTEST_SKIP() << "mount is not permitted: " << std::strerror(errno);
    ASSERT_TRUE(allocate(filler(), kFillerBytes));
    start();
  }

  void TearDown() override {
    server_.reset();
    if (!HasFailure()) return;
    // The small disk goes with this process: evidence moves to a larger one.
    std::error_code ignored;
    fs::copy(disk_path(), directory_.path() / "disk", fs::copy_options::recursive, ignored);
  }

  void start() {
    ServerOptions options;
    options.program = SLUICE_PROGRAM;
    options.data = disk_path() / "data";
    options.settings = {"storage.durability=" + GetParam(),
                        fmt::format("storage.log.segment_bytes={}", kSegmentBytes)};
    server_ = std::make_unique<ServerProcess>(options);
    ASSERT_TRUE(server_->wait_until_ready());
    connection_ = Connection::open(server_->port("remoting"));
    ASSERT_TRUE(connection_);
  }

  /// One message, whose acknowledgement goes into the ledger. \return what was answered.
  Answer send_one() {
    const std::uint64_t number = ledger_.take_numbers(1);
    const auto queue = static_cast<std::int32_t>(number % kQueues);
    const auto answer = connection_->call(make_send({}, queue, number));
    if (!answer) {
      ADD_FAILURE() << "message " << number << " was not answered";
      return {.code = -1};
    }
    if (answer->code == response_code::kSuccess) {
      ledger_.know(Evidence::acknowledged, queue, answer->number("queueOffset"), {number, 0});
    }
    return *answer;
  }

  /// \return the answer that refused a message; one with kSuccess if none did.
  Answer send_until_refused() {
    Answer answer;
    for (std::uint64_t i = 0; i < kMessagesMax; ++i) {
      answer = send_one();
      if (answer.code != response_code::kSuccess) break;
    }
    return answer;
  }

  void expect_all_stored() {
    Problems problems;
    const StoreView view = read_store(disk_path() / "data" / "store", ledger_.issued(), problems);
    ledger_.compare(view, Forgetting::never, problems);
    EXPECT_TRUE(problems.empty()) << problems.to_string();
  }

  [[nodiscard]] fs::path disk_path() const { return directory_.path() / "disk.mount"; }
  [[nodiscard]] fs::path filler() const { return disk_path() / "filler"; }

  WorkDirectory directory_;
  SmallDisk disk_{disk_path()};
  Ledger ledger_;
  std::unique_ptr<ServerProcess> server_;
  std::optional<Connection> connection_;
};

TEST_P(DiskFull, IsAnsweredAsAnErrorThatProducersRetry) {
  const Answer refusal = send_until_refused();
  EXPECT_EQ(refusal.code, response_code::kServiceNotAvailable) << refusal.remark;
  EXPECT_FALSE(refusal.remark.empty());
  EXPECT_TRUE(server_->is_running());
}

TEST_P(DiskFull, LosesNothingAcknowledgedWhenKilledThen) {
  ASSERT_NE(send_until_refused().code, response_code::kSuccess);
  server_->kill();
  fs::remove(filler());  // To open a store takes a little space too.
  expect_all_stored();
}

TEST_P(DiskFull, StillServesWhatIsStored) {
  ASSERT_EQ(send_one().code, response_code::kSuccess);
  const std::string pull = make_pull({}, {.group = "reader", .queue = 1});
  ASSERT_TRUE(connection_->call(pull));  // The group is made by its first pull, which needs space.
  ASSERT_NE(send_until_refused().code, response_code::kSuccess);
  const auto answer = connection_->call(pull);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->code, response_code::kSuccess) << answer->remark;
  EXPECT_TRUE(identify(as_bytes(answer->body), 1));
}

TEST_P(DiskFull, EndsWithoutARestartOnceThereIsSpaceAgain) {
  ASSERT_NE(send_until_refused().code, response_code::kSuccess);
  fs::remove(filler());
  const bool resumed =
      test::wait_until([&] { return send_one().code == response_code::kSuccess; }, kServerPatience);
  ASSERT_TRUE(resumed);
  for (std::uint64_t i = 0; i < kMessagesAfterwards; ++i) {
    const Answer answer = send_one();
    ASSERT_EQ(answer.code, response_code::kSuccess) << answer.remark;
  }
  EXPECT_EQ(server_->terminate(), 0);
  expect_all_stored();
}

INSTANTIATE_TEST_SUITE_P(Durability, DiskFull, testing::Values("synced", "buffered"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace sluice::crash
