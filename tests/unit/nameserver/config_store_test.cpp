#include "nameserver/config_store.hpp"

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "storage-plugins/fault-disk/fault_disk.hpp"
#include "tests/support/printers.hpp"
#include "tests/support/run_task.hpp"

namespace sluice::nameserver {
namespace {

using fault_disk::Call;
using fault_disk::CrashPoint;
using fault_disk::FaultDisk;
using fault_disk::PowerLoss;
using test::run;
using test::TestRuntime;

constexpr const char* kDirectory = "/data/nameserver";

/// A name server's memory on one disk, for as long as one process lives.
class Life {
 public:
  explicit Life(Disk& disk)
      : runtime_({.disk = &disk}), store_(std::make_shared<ConfigStore>(*runtime_)) {}

  Result<> open() { return store_->keep_in(kDirectory); }

  Result<> put(std::string value) {
    auto change = [value](KeptConfig& config) {
      return config.put({.name_space = "n", .key = "k", .value = value});
    };
    return run(*runtime_, ConfigStore::change(store_, change));
  }

  /// Empty: nothing was put.
  std::string value() const {
    const auto config = store_->current();
    const std::string* const found = config->find("n", "k");
    return found == nullptr ? "" : *found;
  }

 private:
  TestRuntime runtime_;
  std::shared_ptr<ConfigStore> store_;
};

TEST(ConfigStore, StartsEmptyAndKeepsWhatWasChanged) {
  FaultDisk disk("/data");
  {
    Life life(disk);
    ASSERT_TRUE(life.open());
    EXPECT_EQ(life.value(), "");
    ASSERT_TRUE(life.put("v"));
    EXPECT_EQ(life.value(), "v");
  }
  Life life(disk);
  ASSERT_TRUE(life.open());
  EXPECT_EQ(life.value(), "v");
}

TEST(ConfigStore, LosesNothingToALossOfPowerOnceItIsAcknowledged) {
  FaultDisk disk("/data");
  {
    Life life(disk);
    ASSERT_TRUE(life.open());
    ASSERT_TRUE(life.put("v"));
  }
  const auto survived = disk.power_loss(1, PowerLoss::forget_unsynced);
  Life life(*survived);
  ASSERT_TRUE(life.open());
  EXPECT_EQ(life.value(), "v");
}

TEST(ConfigStore, IsTheOldOrTheNewOneWheneverThePowerIsLost) {
  constexpr std::uint64_t kCallsOfAChange = 6;
  for (std::uint64_t nth = 1; nth <= kCallsOfAChange; ++nth) {
    for (const std::uint32_t percent : {0U, 50U, 100U}) {
      for (const auto mode :
           {PowerLoss::forget_unsynced, PowerLoss::keep_some_pages, PowerLoss::keep_some_sectors}) {
        FaultDisk disk("/data");
        bool is_acknowledged = false;
        {
          Life life(disk);
          ASSERT_TRUE(life.open());
          ASSERT_TRUE(life.put("old"));
          disk.crash_at(CrashPoint{.call = std::nullopt, .nth = nth, .percent_done = percent});
          is_acknowledged = life.put("new").has_value();
        }
        const auto survived = disk.power_loss(nth * 100 + percent, mode);
        Life life(*survived);
        const auto opened = life.open();
        ASSERT_TRUE(opened) << describe(opened.error()) << " after call " << nth;
        if (is_acknowledged) {
          EXPECT_EQ(life.value(), "new");
        } else {
          EXPECT_TRUE(life.value() == "old" || life.value() == "new") << life.value();
        }
      }
    }
  }
}

TEST(ConfigStore, ChangesNothingIfTheDiskFails) {
  for (const Call call : {Call::open, Call::write, Call::sync, Call::rename}) {
    FaultDisk disk("/data");
    Life life(disk);
    ASSERT_TRUE(life.open());
    ASSERT_TRUE(life.put("old"));
    disk.inject({.call = call});
    EXPECT_FALSE(life.put("new"));
    EXPECT_EQ(life.value(), "old");
    ASSERT_TRUE(life.put("newer")) << "it goes on once the disk does";
    EXPECT_EQ(life.value(), "newer");
  }
}

TEST(ConfigStore, RefusesADamagedFileAndSaysWhichAndWhatToDo) {
  FaultDisk disk("/data");
  {
    Life life(disk);
    ASSERT_TRUE(life.open());
    ASSERT_TRUE(life.put("v"));
  }
  disk.flip_byte(std::string(kDirectory) + "/config.json", 0);
  Life life(disk);
  const auto opened = life.open();
  ASSERT_EQ(test::error_of(opened), Errc::corrupt_record);
  EXPECT_NE(opened.error().text.find("config.json"), std::string::npos);
  EXPECT_NE(opened.error().text.find("move it away"), std::string::npos);
}

TEST(ConfigStore, LetsNoTwoNameServersKeepTheSameDirectory) {
  FaultDisk disk("/data");
  Life first(disk);
  ASSERT_TRUE(first.open());
  Life second(disk);
  EXPECT_EQ(test::error_of(second.open()), Errc::conflict);
}

TEST(ConfigStore, MakesChangesOneAfterTheOther) {
  FaultDisk disk("/data");
  TestRuntime runtime({.loops = 2, .disk = &disk});
  auto store = std::make_shared<ConfigStore>(*runtime);
  ASSERT_TRUE(store->keep_in(kDirectory));
  std::vector<std::future<Result<>>> changes;
  constexpr int kCount = 50;
  for (int i = 0; i < kCount; ++i) {
    auto change = [i](KeptConfig& config) {
      return config.put({.name_space = "n", .key = std::to_string(i), .value = "v"});
    };
    changes.push_back(test::start(runtime->loop(static_cast<std::uint32_t>(i % 2)),
                                  ConfigStore::change(store, change)));
  }
  for (auto& change : changes) ASSERT_TRUE(test::wait_for_result(std::move(change)));
  EXPECT_EQ(store->current()->find("n")->size(), static_cast<std::size_t>(kCount));
}

}  // namespace
}  // namespace sluice::nameserver
