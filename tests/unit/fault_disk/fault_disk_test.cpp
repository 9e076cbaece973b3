#include <gmock/gmock.h>

#include <thread>

#include "tests/unit/fault_disk/fixture.hpp"

namespace sluice::fault_disk {
namespace {

using testing::ElementsAre;

// --- as a disk -------------------------------------------------------------------------------

TEST_F(FaultDiskTest, ReadsWhatWasWrittenAndLessOnlyAtTheEnd) {
  const auto file = open(disk, "f");
  write(*file, 0, "hello");
  write(*file, 3, "p me");
  EXPECT_EQ(content(disk, "f"), "help me");
  std::byte bytes[10];
  EXPECT_EQ(file->read_at(5, bytes), 2U);
  EXPECT_EQ(file->read_at(7, bytes), 0U);
  EXPECT_EQ(file->read_at(1000, bytes), 0U);
}

TEST_F(FaultDiskTest, OpensByMode) {
  EXPECT_EQ(test::error_of(disk.open("/data/f", OpenMode::read)), Errc::not_found);
  EXPECT_EQ(test::error_of(disk.open("/data/f", OpenMode::read_write)), Errc::not_found);
  EXPECT_TRUE(disk.open("/data/f", OpenMode::create));
  EXPECT_EQ(test::error_of(disk.open("/data/f", OpenMode::create)), Errc::io_error);
  EXPECT_TRUE(disk.open("/data/f", OpenMode::create_or_open));
  EXPECT_TRUE(disk.open("/data/f", OpenMode::read_write));
  EXPECT_EQ(test::error_of(disk.open("/data/missing/f", OpenMode::create)), Errc::not_found);
  EXPECT_EQ(test::error_of(disk.open("/data", OpenMode::read)), Errc::io_error);
}

TEST_F(FaultDiskTest, AFileOpenForReadingCannotBeChanged) {
  open(disk, "f");
  const auto file = open(disk, "f", OpenMode::read);
  EXPECT_EQ(test::error_of(file->write_at(0, as_bytes("x"))), Errc::io_error);
  EXPECT_EQ(test::error_of(file->resize(1)), Errc::io_error);
  EXPECT_EQ(test::error_of(file->allocate(1)), Errc::io_error);
}

TEST_F(FaultDiskTest, ResizesAllocatesAndRenames) {
  const auto file = open(disk, "f");
  write(*file, 0, "abc");
  ASSERT_TRUE(file->resize(2));
  ASSERT_TRUE(file->allocate(4));
  EXPECT_EQ(content(disk, "f"), std::string("ab\0\0", 4));
  ASSERT_TRUE(file->allocate(1));
  EXPECT_EQ(file->size(), 4U);
  open(disk, "g");
  ASSERT_TRUE(disk.rename("/data/f", "/data/g"));
  EXPECT_EQ(content(disk, "g"), std::string("ab\0\0", 4));
  EXPECT_EQ(content(disk, "f"), "missing");
  EXPECT_EQ(test::error_of(disk.rename("/data/f", "/data/g")), Errc::not_found);
}

TEST_F(FaultDiskTest, ListsNamesInOrderAndMakesDirectories) {
  open(disk, "b");
  open(disk, "a");
  ASSERT_TRUE(disk.create_directories("/data/c/d"));
  ASSERT_TRUE(disk.create_directories("/data/c/d/"));
  EXPECT_THAT(disk.list("/data").value(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(disk.list("/data/c").value(), ElementsAre("d"));
  EXPECT_EQ(test::error_of(disk.list("/data/x")), Errc::not_found);
  EXPECT_EQ(test::error_of(disk.sync_directory("/data/x")), Errc::not_found);
  EXPECT_FALSE(disk.create_directories("/data/a/under a file"));
}

TEST_F(FaultDiskTest, ARemovedFileIsReadableUntilItIsClosed) {
  const auto file = open(disk, "f");
  write(*file, 0, "ab");
  ASSERT_TRUE(disk.remove("/data/f"));
  std::byte bytes[2];
  EXPECT_EQ(file->read_at(0, bytes), 2U);
  EXPECT_EQ(test::error_of(disk.remove("/data/f")), Errc::not_found);
}

TEST_F(FaultDiskTest, LetsOneHolderLockAStore) {
  auto first = disk.lock("/data/lock");
  ASSERT_TRUE(first);
  EXPECT_EQ(test::error_of(disk.lock("/data/lock")), Errc::conflict);
  first->reset();
  EXPECT_TRUE(disk.lock("/data/lock"));
}

TEST_F(FaultDiskTest, FindsNothingInAColdCache) {
  const auto file = durable_file("f", "abc");
  std::byte bytes[3];
  EXPECT_EQ(file->read_at_if_cached(0, bytes), 3U);
  disk.set_cache(Cache::cold);
  EXPECT_EQ(file->read_at_if_cached(0, bytes), 0U);
  EXPECT_EQ(file->read_at(0, bytes), 3U);
}

// --- faults ----------------------------------------------------------------------------------

TEST_F(FaultDiskTest, FailsTheNthCallOfAKindWithTheErrorAsked) {
  const auto file = open(disk, "f");
  disk.inject({.call = Call::write, .nth = 2, .times = 2, .error = Errc::storage_full});
  EXPECT_TRUE(file->write_at(0, as_bytes("1")));
  EXPECT_TRUE(file->sync());
  EXPECT_EQ(test::error_of(file->write_at(1, as_bytes("2"))), Errc::storage_full);
  EXPECT_EQ(test::error_of(file->write_at(1, as_bytes("3"))), Errc::storage_full);
  EXPECT_TRUE(file->write_at(1, as_bytes("4")));
  EXPECT_EQ(content(disk, "f"), "14");
}

TEST_F(FaultDiskTest, FailsOnlyCallsOnFilesWithTheExtensionAsked) {
  const auto log = open(disk, "f.seg");
  const auto index = open(disk, "f.idx");
  disk.inject({.call = Call::write, .nth = 2, .extension = ".seg"});
  EXPECT_TRUE(log->write_at(0, as_bytes("1")));
  EXPECT_TRUE(index->write_at(0, as_bytes("1")));
  EXPECT_TRUE(index->write_at(1, as_bytes("2")));
  EXPECT_EQ(test::error_of(log->write_at(1, as_bytes("2"))), Errc::io_error);
  EXPECT_TRUE(log->write_at(1, as_bytes("3")));
}

TEST_F(FaultDiskTest, CountsFaultsFromWhenTheyAreInjected) {
  const auto file = open(disk, "f");
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(file->sync());
  disk.inject({.call = Call::sync, .nth = 1});
  EXPECT_EQ(test::error_of(file->sync()), Errc::io_error);
  EXPECT_TRUE(file->sync());
}

TEST_F(FaultDiskTest, AFailedWriteMayLeaveItsBeginning) {
  const auto file = open(disk, "f");
  disk.inject({.call = Call::write, .nth = 1, .bytes_done = 3});
  EXPECT_EQ(test::error_of(file->write_at(0, as_bytes("abcdef"))), Errc::io_error);
  EXPECT_EQ(content(disk, "f"), "abc");
}

TEST_F(FaultDiskTest, FailsCallsOfEveryKind) {
  const auto file = durable_file("f", "abc");
  std::byte byte[1];
  const std::pair<Call, std::function<std::optional<Errc>()>> calls[] = {
      {Call::read, [&] { return test::error_of(file->read_at(0, byte)); }},
      {Call::write, [&] { return test::error_of(file->write_at(0, as_bytes("x"))); }},
      {Call::sync, [&] { return test::error_of(file->sync()); }},
      {Call::resize, [&] { return test::error_of(file->resize(1)); }},
      {Call::allocate, [&] { return test::error_of(file->allocate(10)); }},
      {Call::open, [&] { return test::error_of(disk.open("/data/f", OpenMode::read)); }},
      {Call::open, [&] { return test::error_of(disk.lock("/data/lock")); }},
      {Call::rename, [&] { return test::error_of(disk.rename("/data/f", "/data/g")); }},
      {Call::remove, [&] { return test::error_of(disk.remove("/data/f")); }},
      {Call::create_directories,
       [&] { return test::error_of(disk.create_directories("/data/d")); }},
      {Call::sync_directory, [&] { return test::error_of(disk.sync_directory("/data")); }},
  };
  for (const auto& [kind, call] : calls) {
    const std::uint64_t count = disk.count_of(kind);
    disk.inject({.call = kind, .nth = 1});
    EXPECT_EQ(call(), Errc::io_error) << static_cast<int>(kind);
    EXPECT_EQ(disk.count_of(kind), count + 1) << static_cast<int>(kind);
  }
  EXPECT_EQ(content(disk, "f"), "abc") << "a call that failed changed something";
}

TEST_F(FaultDiskTest, NothingWorksAfterACrash) {
  const auto file = durable_file("f", "abc");
  disk.crash_at({.call = Call::write, .nth = 2});
  EXPECT_TRUE(file->write_at(0, as_bytes("1")));
  EXPECT_FALSE(disk.has_crashed());
  EXPECT_EQ(test::error_of(file->write_at(1, as_bytes("2"))), Errc::io_error);
  EXPECT_TRUE(disk.has_crashed());
  std::byte byte[1];
  EXPECT_EQ(test::error_of(file->read_at(0, byte)), Errc::io_error);
  EXPECT_EQ(test::error_of(file->read_at_if_cached(0, byte)), Errc::io_error);
  EXPECT_EQ(test::error_of(file->size()), Errc::io_error);
  EXPECT_EQ(test::error_of(file->sync()), Errc::io_error);
  EXPECT_EQ(test::error_of(disk.list("/data")), Errc::io_error);
  EXPECT_EQ(test::error_of(disk.space("/data")), Errc::io_error);
  EXPECT_EQ(test::error_of(disk.open("/data/f", OpenMode::read)), Errc::io_error);
}

TEST_F(FaultDiskTest, ACrashMayComeInAnyPartOfAWrite) {
  for (const auto& [percent, left] : {std::pair<std::uint32_t, const char*>{0, "----------"},
                                      {30, "abc-------"},
                                      {100, "abcdefghij"}}) {
    FaultDisk one("/data");
    const auto file = open(one, "f");
    write(*file, 0, "----------");
    one.crash_at({.call = Call::write, .nth = 1, .percent_done = percent});
    EXPECT_EQ(test::error_of(file->write_at(0, as_bytes("abcdefghij"))), Errc::io_error);
    EXPECT_EQ(content(*one.process_crash(), "f"), left);
  }
}

TEST_F(FaultDiskTest, ACrashMayComeBeforeOrAfterASync) {
  for (const std::uint32_t percent : {0U, 100U}) {
    FaultDisk one("/data");
    const auto file = open(one, "f");
    ASSERT_TRUE(one.sync_directory("/data"));
    write(*file, 0, "abc");
    one.crash_at({.call = Call::sync, .nth = 1, .percent_done = percent});
    EXPECT_EQ(test::error_of(file->sync()), Errc::io_error);
    const auto left = one.power_loss(1, PowerLoss::forget_unsynced);
    EXPECT_EQ(content(*left, "f"), percent == 0 ? "" : "abc");
  }
}

TEST_F(FaultDiskTest, ACrashAtAnyChangeCountsChangesOfAllKinds) {
  disk.crash_at({.call = std::nullopt, .nth = 3});
  const auto file = open(disk, "f");
  std::byte byte[1];
  EXPECT_TRUE(file->read_at(0, byte));
  EXPECT_TRUE(file->write_at(0, as_bytes("x")));
  EXPECT_EQ(test::error_of(file->sync()), Errc::io_error);
  EXPECT_EQ(disk.change_count(), 3U);
}

TEST_F(FaultDiskTest, HeldCallsWaitUntilTheyAreReleased) {
  const auto file = open(disk, "f");
  disk.hold(Call::sync);
  std::thread syncing([&] { EXPECT_TRUE(file->sync()); });
  while (disk.held_count(Call::sync) == 0) std::this_thread::yield();
  EXPECT_TRUE(file->write_at(0, as_bytes("x"))) << "calls of another kind are held too";
  disk.release(Call::sync);
  syncing.join();
  EXPECT_EQ(disk.held_count(Call::sync), 0U);
}

TEST_F(FaultDiskTest, HeldCallsFailInACrash) {
  const auto file = open(disk, "f");
  disk.hold(Call::sync);
  std::thread syncing([&] { EXPECT_EQ(test::error_of(file->sync()), Errc::io_error); });
  while (disk.held_count(Call::sync) == 0) std::this_thread::yield();
  disk.crash();
  syncing.join();
}

TEST_F(FaultDiskTest, AFlippedByteIsFlippedForGood) {
  const auto file = durable_file("f", "abc");
  write(*file, 3, "def");
  disk.flip_byte("/data/f", 1, std::byte{0x20});
  disk.flip_byte("/data/f", 4, std::byte{0x20});
  EXPECT_EQ(content(disk, "f"), "aBcdEf");
  ASSERT_TRUE(file->sync());
  EXPECT_EQ(content(*disk.power_loss(1, PowerLoss::forget_unsynced), "f"), "aBcdEf");
}

TEST_F(FaultDiskTest, ListsItsFilesWithTheirSizes) {
  write(*open(disk, "f"), 0, "abc");
  ASSERT_TRUE(disk.create_directories("/data/d"));
  EXPECT_THAT(disk.files(),
              ElementsAre(std::pair<const std::filesystem::path, std::uint64_t>("/data/f", 3)));
}

TEST_F(FaultDiskTest, MayBeUsedFromManyThreads) {
  const auto file = open(disk, "f");
  std::vector<std::thread> threads;
  for (std::uint64_t id = 0; id < 4; ++id) {
    threads.emplace_back([&, id] {
      for (int i = 0; i < 200; ++i) {
        EXPECT_TRUE(file->write_at(id * 10, as_bytes("0123456789")));
        EXPECT_TRUE(file->sync());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(disk.count_of(Call::write), 800U);
  EXPECT_EQ(content(disk, "f").size(), 40U);
}

}  // namespace
}  // namespace sluice::fault_disk
