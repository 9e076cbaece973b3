#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>
#include <filesystem>
#include <string>
#include <vector>

#include "common/runtime/disk.hpp"
#include "tests/support/printers.hpp"
#include "tests/support/run_task.hpp"

namespace sluice {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SystemDiskTest : public testing::Test {
 protected:
  std::unique_ptr<DiskFile> file(const char* name) {
    return disk.open(path(name), OpenMode::create_or_open).value();
  }
  [[nodiscard]] std::filesystem::path path(const char* name) const {
    return directory.path() / name;
  }

  static std::string read(const DiskFile& file, std::uint64_t offset, std::size_t size) {
    std::vector<std::byte> bytes(size);
    const auto got = file.read_at(offset, bytes);
    return got ? std::string(as_text(bytes).substr(0, *got)) : describe(got.error());
  }

  test::TempDirectory directory;
  Disk& disk = system_disk();
};

TEST_F(SystemDiskTest, OpensByMode) {
  EXPECT_EQ(test::error_of(disk.open(path("f"), OpenMode::read)), Errc::not_found);
  EXPECT_EQ(test::error_of(disk.open(path("f"), OpenMode::read_write)), Errc::not_found);
  EXPECT_TRUE(disk.open(path("f"), OpenMode::create));
  EXPECT_EQ(test::error_of(disk.open(path("f"), OpenMode::create)), Errc::io_error);
  EXPECT_TRUE(disk.open(path("f"), OpenMode::create_or_open));
  EXPECT_TRUE(disk.open(path("f"), OpenMode::read_write));
  EXPECT_TRUE(disk.open(path("f"), OpenMode::read));
  EXPECT_TRUE(disk.open(path("g"), OpenMode::create_or_open));
}

TEST_F(SystemDiskTest, NamesThePathAndTheReasonInItsErrors) {
  const auto opened = disk.open(path("missing"), OpenMode::read);
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().text, HasSubstr(path("missing").string()));
  EXPECT_THAT(opened.error().text, HasSubstr("No such file"));
}

TEST_F(SystemDiskTest, ReadsWhatWasWrittenAndLessOnlyAtTheEnd) {
  const auto it = file("f");
  ASSERT_TRUE(it->write_at(0, as_bytes("hello")));
  ASSERT_TRUE(it->write_at(3, as_bytes("p me")));
  EXPECT_EQ(read(*it, 0, 100), "help me");
  EXPECT_EQ(read(*it, 2, 3), "lp ");
  EXPECT_EQ(read(*it, 5, 100), "me");
  EXPECT_EQ(read(*it, 7, 1), "");
  EXPECT_EQ(read(*it, 1000, 1), "");
  EXPECT_EQ(it->size(), 7U);
}

TEST_F(SystemDiskTest, FillsAGapWithZeros) {
  const auto it = file("f");
  ASSERT_TRUE(it->write_at(5000, as_bytes("x")));
  EXPECT_EQ(it->size(), 5001U);
  EXPECT_EQ(read(*it, 4998, 3), std::string("\0\0x", 3));
}

TEST_F(SystemDiskTest, ReadsFromMemoryWhatWasJustWritten) {
  const auto it = file("f");
  ASSERT_TRUE(it->write_at(0, as_bytes("cached")));
  std::byte bytes[6];
  const auto got = it->read_at_if_cached(0, bytes);
  ASSERT_TRUE(got) << describe(got.error());
  // A file system without RWF_NOWAIT has nothing to give, which is allowed.
  if (*got == 6) EXPECT_EQ(as_text(bytes), "cached");
}

TEST_F(SystemDiskTest, ResizeCutsAndExtendsWithZeros) {
  const auto it = file("f");
  ASSERT_TRUE(it->write_at(0, as_bytes("abcdef")));
  ASSERT_TRUE(it->resize(2));
  EXPECT_EQ(read(*it, 0, 10), "ab");
  ASSERT_TRUE(it->resize(4));
  EXPECT_EQ(read(*it, 0, 10), std::string("ab\0\0", 4));
}

TEST_F(SystemDiskTest, AllocateSetsTheSizeAndKeepsWhatIsThere) {
  const auto it = file("f");
  ASSERT_TRUE(it->write_at(0, as_bytes("ab")));
  ASSERT_TRUE(it->allocate(100'000));
  EXPECT_EQ(it->size(), 100'000U);
  EXPECT_EQ(read(*it, 0, 3), std::string("ab\0", 3));
  ASSERT_TRUE(it->allocate(10)) << "less than there is";
  EXPECT_EQ(it->size(), 100'000U);
}

TEST_F(SystemDiskTest, SyncsFilesAndDirectories) {
  const auto it = file("f");
  ASSERT_TRUE(it->write_at(0, as_bytes("ab")));
  EXPECT_TRUE(it->sync());
  EXPECT_TRUE(disk.sync_directory(directory.path()));
  EXPECT_EQ(test::error_of(disk.sync_directory(path("missing"))), Errc::not_found);
  EXPECT_EQ(test::error_of(disk.sync_directory(path("f"))), Errc::io_error);
}

TEST_F(SystemDiskTest, AFileOpenForReadingCannotBeChanged) {
  ASSERT_TRUE(file("f")->write_at(0, as_bytes("ab")));
  const auto it = disk.open(path("f"), OpenMode::read).value();
  EXPECT_EQ(test::error_of(it->write_at(0, as_bytes("x"))), Errc::io_error);
  EXPECT_EQ(test::error_of(it->resize(0)), Errc::io_error);
  EXPECT_EQ(read(*it, 0, 10), "ab");
}

TEST_F(SystemDiskTest, RenameReplacesTheTarget) {
  ASSERT_TRUE(file("new")->write_at(0, as_bytes("new")));
  ASSERT_TRUE(file("old")->write_at(0, as_bytes("old")));
  ASSERT_TRUE(disk.rename(path("new"), path("old")));
  EXPECT_EQ(read(*file("old"), 0, 10), "new");
  EXPECT_EQ(test::error_of(disk.open(path("new"), OpenMode::read)), Errc::not_found);
  EXPECT_EQ(test::error_of(disk.rename(path("new"), path("old"))), Errc::not_found);
}

TEST_F(SystemDiskTest, ARemovedFileIsReadableUntilItIsClosed) {
  const auto it = file("f");
  ASSERT_TRUE(it->write_at(0, as_bytes("ab")));
  ASSERT_TRUE(disk.remove(path("f")));
  EXPECT_EQ(read(*it, 0, 2), "ab");
  EXPECT_EQ(test::error_of(disk.remove(path("f"))), Errc::not_found);
}

TEST_F(SystemDiskTest, ListsNamesInOrder) {
  file("b");
  file("a");
  ASSERT_TRUE(disk.create_directories(path("c") / "d"));
  EXPECT_THAT(disk.list(directory.path()).value(), ElementsAre("a", "b", "c"));
  EXPECT_THAT(disk.list(path("c")).value(), ElementsAre("d"));
  EXPECT_EQ(test::error_of(disk.list(path("missing"))), Errc::not_found);
}

TEST_F(SystemDiskTest, MakesDirectoriesThatMayExist) {
  EXPECT_TRUE(disk.create_directories(path("a") / "b" / "c"));
  EXPECT_TRUE(disk.create_directories(path("a") / "b" / "c"));
  file("f");
  EXPECT_FALSE(disk.create_directories(path("f") / "under a file"));
}

TEST_F(SystemDiskTest, TellsTheSpaceOfItsFileSystem) {
  const auto space = disk.space(directory.path());
  ASSERT_TRUE(space);
  EXPECT_GT(space->total_bytes, 0U);
  EXPECT_LE(space->free_bytes, space->total_bytes);
  EXPECT_EQ(test::error_of(disk.space(path("missing"))), Errc::not_found);
}

// /dev/full answers every write with ENOSPC (full(4)).
TEST_F(SystemDiskTest, SaysStorageFullWhenThereIsNoSpace) {
  const auto full = disk.open("/dev/full", OpenMode::read_write);
  ASSERT_TRUE(full) << describe(full.error());
  const auto written = (*full)->write_at(0, as_bytes("x"));
  ASSERT_EQ(test::error_of(written), Errc::storage_full);
  EXPECT_THAT(written.error().text, HasSubstr("free space"));
}

TEST_F(SystemDiskTest, LetsOneHolderLockAStore) {
  auto first = disk.lock(path("lock"));
  ASSERT_TRUE(first) << describe(first.error());
  const auto second = disk.lock(path("lock"));
  ASSERT_EQ(test::error_of(second), Errc::conflict);
  EXPECT_THAT(second.error().text, HasSubstr("process " + std::to_string(::getpid())));
  first->reset();
  EXPECT_TRUE(disk.lock(path("lock")));
}

}  // namespace
}  // namespace sluice
