#include <gmock/gmock.h>

#include <set>

#include "tests/unit/fault_disk/fixture.hpp"

namespace sluice::fault_disk {
namespace {

using testing::UnorderedElementsAre;

constexpr std::uint64_t kSeeds = 300;

/// All that a file may hold after a loss of power, over many seeds.
template <class Ask>
std::set<std::string> outcomes(FaultDisk& disk, PowerLoss mode, Ask ask) {
  std::set<std::string> all;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const auto left = disk.power_loss(seed, mode);
    all.insert(ask(*left));
  }
  return all;
}

// --- kill -9 ---------------------------------------------------------------------------------

TEST_F(FaultDiskTest, ACrashOfTheProcessKeepsAllThatWasWritten) {
  const auto file = open(disk, "f");
  write(*file, 0, "abc");
  ASSERT_TRUE(disk.create_directories("/data/d"));
  const auto next = disk.process_crash();
  EXPECT_EQ(content(*next, "f"), "abc");
  EXPECT_TRUE(next->list("/data/d"));
  EXPECT_TRUE(disk.has_crashed());
  EXPECT_FALSE(next->has_crashed());
}

TEST_F(FaultDiskTest, WhatIsUnsyncedInACrashOfTheProcessIsStillUnsynced) {
  const auto file = durable_file("f", "abc");
  write(*file, 0, "xyz");
  const auto next = disk.process_crash();
  EXPECT_EQ(content(*next, "f"), "xyz");
  EXPECT_EQ(content(*next->power_loss(1, PowerLoss::forget_unsynced), "f"), "abc");
}

TEST_F(FaultDiskTest, ASyncAfterACrashOfTheProcessKeepsWhatWasWrittenBefore) {
  write(*durable_file("f", "abc"), 0, "xyz");
  const auto next = disk.process_crash();
  ASSERT_TRUE(open(*next, "f")->sync());
  EXPECT_EQ(content(*next->power_loss(1, PowerLoss::forget_unsynced), "f"), "xyz");
}

TEST_F(FaultDiskTest, ACrashOfTheProcessReleasesItsLocks) {
  const auto lock = disk.lock("/data/lock");
  ASSERT_TRUE(lock);
  EXPECT_TRUE(disk.process_crash()->lock("/data/lock"));
}

TEST_F(FaultDiskTest, TheNextDiskSharesNothingWithTheCrashedOne) {
  const auto file = durable_file("f", "abc");
  const auto one = disk.process_crash();
  const auto two = disk.process_crash();
  write(*open(*one, "f"), 0, "1");
  EXPECT_EQ(content(*two, "f"), "abc");
}

// --- bytes -----------------------------------------------------------------------------------

TEST_F(FaultDiskTest, ForgettingLeavesExactlyWhatWasSynced) {
  const auto file = durable_file("f", "abc");
  write(*file, 1, "xyz");
  ASSERT_TRUE(file->resize(100));
  EXPECT_EQ(content(*disk.power_loss(1, PowerLoss::forget_unsynced), "f"), "abc");
}

TEST_F(FaultDiskTest, SyncedBytesSurviveEveryLossOfPower) {
  const auto file = open(disk, "f");
  ASSERT_TRUE(disk.sync_directory("/data"));
  write(*file, 0, std::string(3 * kPage, 'a'));
  ASSERT_TRUE(file->resize(2 * kPage));
  write(*file, 100, "b");
  ASSERT_TRUE(file->sync());
  const std::string before = content(disk, "f");
  for (const auto mode :
       {PowerLoss::forget_unsynced, PowerLoss::keep_some_pages, PowerLoss::keep_some_sectors}) {
    EXPECT_THAT(outcomes(disk, mode, [](FaultDisk& left) { return content(left, "f"); }),
                UnorderedElementsAre(before));
  }
}

TEST_F(FaultDiskTest, UnsyncedPagesSurviveInAnyCombination) {
  const auto file = durable_file("f", std::string(3 * kPage, '-'));
  write(*file, 0, std::string(3 * kPage, 'x'));
  const auto all = outcomes(disk, PowerLoss::keep_some_pages, [](FaultDisk& left) {
    const std::string text = content(left, "f");
    EXPECT_EQ(text.size(), 3 * kPage);
    std::string pages;
    for (std::size_t page = 0; page < 3; ++page) {
      const std::string one = text.substr(page * kPage, kPage);
      EXPECT_EQ(one, std::string(kPage, one[0])) << "a torn page";
      pages.push_back(one[0]);
    }
    return pages;
  });
  EXPECT_EQ(all.size(), 8U);
}

TEST_F(FaultDiskTest, SectorsTearAPage) {
  const auto file = durable_file("f", std::string(kPage, '-'));
  write(*file, 0, std::string(kPage, 'x'));
  bool was_torn = false;
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const std::string text = content(*disk.power_loss(seed, PowerLoss::keep_some_sectors), "f");
    for (std::size_t at = 0; at < kPage; at += 512) {
      ASSERT_EQ(text.substr(at, 512), std::string(512, text[at])) << "a torn sector";
    }
    was_torn |= text.find('x') != std::string::npos && text.find('-') != std::string::npos;
  }
  EXPECT_TRUE(was_torn);
}

TEST_F(FaultDiskTest, APageSurvivesInAnyOfItsStatesSinceTheLastSync) {
  const auto file = durable_file("f", "0");
  write(*file, 0, "1");
  write(*file, 0, "2");
  write(*file, 0, "3");
  EXPECT_THAT(outcomes(disk, PowerLoss::keep_some_pages,
                       [](FaultDisk& left) { return content(left, "f"); }),
              UnorderedElementsAre("0", "1", "2", "3"));
}

TEST_F(FaultDiskTest, AnUnsyncedSizeIsLostOrKept) {
  const auto file = durable_file("f", "abc");
  ASSERT_TRUE(file->allocate(5));
  EXPECT_THAT(outcomes(disk, PowerLoss::keep_some_pages,
                       [](FaultDisk& left) { return content(left, "f"); }),
              UnorderedElementsAre("abc", std::string("abc\0\0", 5)));
}

TEST_F(FaultDiskTest, BytesThatWereCutOffDoNotComeBackWhenTheFileGrowsAgain) {
  const auto file = durable_file("f", "secret");
  ASSERT_TRUE(file->resize(0));
  ASSERT_TRUE(file->resize(6));
  EXPECT_THAT(outcomes(disk, PowerLoss::keep_some_pages,
                       [](FaultDisk& left) { return content(left, "f"); }),
              UnorderedElementsAre("secret", "", std::string(6, '\0')));
}

TEST_F(FaultDiskTest, TheSameSeedLeavesTheSame) {
  const auto file = durable_file("f", std::string(20 * kPage, '-'));
  for (std::size_t i = 0; i < 20; ++i) write(*file, i * kPage + 17, std::to_string(i));
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const auto mode : {PowerLoss::keep_some_pages, PowerLoss::keep_some_sectors}) {
      EXPECT_EQ(content(*disk.power_loss(seed, mode), "f"),
                content(*disk.power_loss(seed, mode), "f"));
    }
  }
}

// --- names -----------------------------------------------------------------------------------

TEST_F(FaultDiskTest, ANameIsLostUnlessItsDirectoryWasSynced) {
  const auto file = open(disk, "f");
  write(*file, 0, "abc");
  ASSERT_TRUE(file->sync()) << "the bytes are durable, the name is not";
  EXPECT_EQ(content(*disk.power_loss(1, PowerLoss::forget_unsynced), "f"), "missing");
  EXPECT_THAT(outcomes(disk, PowerLoss::keep_some_pages,
                       [](FaultDisk& left) { return content(left, "f"); }),
              UnorderedElementsAre("abc", "missing"));
}

TEST_F(FaultDiskTest, ASyncOfTheDirectoryKeepsItsNames) {
  const auto file = open(disk, "f");
  write(*file, 0, "abc");
  ASSERT_TRUE(disk.sync_directory("/data"));
  EXPECT_EQ(content(*disk.power_loss(1, PowerLoss::forget_unsynced), "f"), "")
      << "the name is durable, the bytes are not";
}

TEST_F(FaultDiskTest, ARenameIsLostOrKeptAsAWhole) {
  durable_file("old", "old");
  durable_file("new", "new");
  ASSERT_TRUE(disk.rename("/data/new", "/data/old"));
  const auto ask = [](FaultDisk& left) {
    return content(left, "old") + "," + content(left, "new");
  };
  EXPECT_EQ(ask(*disk.power_loss(1, PowerLoss::forget_unsynced)), "old,new");
  EXPECT_THAT(outcomes(disk, PowerLoss::keep_some_pages, ask),
              UnorderedElementsAre("old,new", "new,missing"));
}

TEST_F(FaultDiskTest, ASyncedRenameSurvives) {
  durable_file("old", "old");
  durable_file("new", "new");
  ASSERT_TRUE(disk.rename("/data/new", "/data/old"));
  ASSERT_TRUE(disk.sync_directory("/data"));
  const auto left = disk.power_loss(1, PowerLoss::forget_unsynced);
  EXPECT_EQ(content(*left, "old"), "new");
  EXPECT_EQ(content(*left, "new"), "missing");
}

TEST_F(FaultDiskTest, ARenameBetweenDirectoriesTakesASyncOfBoth) {
  ASSERT_TRUE(disk.create_directories("/data/d"));
  durable_file("f", "abc");
  ASSERT_TRUE(disk.rename("/data/f", "/data/d/f"));
  ASSERT_TRUE(disk.sync_directory("/data/d"));
  EXPECT_EQ(content(*disk.power_loss(1, PowerLoss::forget_unsynced), "f"), "abc");
  FaultDisk other("/data");
  ASSERT_TRUE(other.create_directories("/data/d"));
  write(*open(other, "f"), 0, "abc");
  ASSERT_TRUE(open(other, "f")->sync());
  ASSERT_TRUE(other.rename("/data/f", "/data/d/f"));
  ASSERT_TRUE(other.sync_directory("/data/d"));
  ASSERT_TRUE(other.sync_directory("/data"));
  EXPECT_EQ(content(*other.power_loss(1, PowerLoss::forget_unsynced), "d/f"), "abc");
}

TEST_F(FaultDiskTest, ARemovalIsLostOrKept) {
  durable_file("f", "abc");
  ASSERT_TRUE(disk.remove("/data/f"));
  EXPECT_EQ(content(*disk.power_loss(1, PowerLoss::forget_unsynced), "f"), "abc");
  EXPECT_THAT(outcomes(disk, PowerLoss::keep_some_pages,
                       [](FaultDisk& left) { return content(left, "f"); }),
              UnorderedElementsAre("abc", "missing"));
}

TEST_F(FaultDiskTest, ChangesOfDifferentNamesAreLostInAnyOrder) {
  open(disk, "first");
  open(disk, "second");
  EXPECT_THAT(outcomes(disk, PowerLoss::keep_some_pages,
                       [](FaultDisk& left) {
                         return content(left, "first") + "," + content(left, "second");
                       }),
              UnorderedElementsAre(",", "missing,", ",missing", "missing,missing"));
}

TEST_F(FaultDiskTest, AChangeIsNotKeptWithoutTheOneItBuildsUpon) {
  write(*open(disk, "tmp"), 0, "abc");
  ASSERT_TRUE(open(disk, "tmp")->sync());
  ASSERT_TRUE(disk.rename("/data/tmp", "/data/final"));
  EXPECT_THAT(
      outcomes(disk, PowerLoss::keep_some_pages,
               [](FaultDisk& left) { return content(left, "tmp") + "," + content(left, "final"); }),
      UnorderedElementsAre("missing,missing", "abc,missing", "missing,abc"));
}

TEST_F(FaultDiskTest, AnUnsyncedDirectoryTakesItsFilesAlong) {
  ASSERT_TRUE(disk.create_directories("/data/d/e"));
  write(*open(disk, "d/e/f"), 0, "abc");
  ASSERT_TRUE(open(disk, "d/e/f")->sync());
  ASSERT_TRUE(disk.sync_directory("/data/d/e"));
  ASSERT_TRUE(disk.sync_directory("/data/d"));
  EXPECT_EQ(content(*disk.power_loss(1, PowerLoss::forget_unsynced), "d/e/f"), "missing");
  EXPECT_THAT(outcomes(disk, PowerLoss::keep_some_pages,
                       [](FaultDisk& left) { return content(left, "d/e/f"); }),
              UnorderedElementsAre("abc", "missing"));
}

TEST_F(FaultDiskTest, ADirectoryIsDurableOnceTheOneAboveIsSynced) {
  ASSERT_TRUE(disk.create_directories("/data/d"));
  write(*open(disk, "d/f"), 0, "abc");
  ASSERT_TRUE(open(disk, "d/f")->sync());
  ASSERT_TRUE(disk.sync_directory("/data/d"));
  ASSERT_TRUE(disk.sync_directory("/data"));
  EXPECT_EQ(content(*disk.power_loss(1, PowerLoss::forget_unsynced), "d/f"), "abc");
}

}  // namespace
}  // namespace sluice::fault_disk
