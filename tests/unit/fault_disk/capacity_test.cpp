#include "tests/unit/fault_disk/fixture.hpp"

namespace sluice::fault_disk {
namespace {

TEST_F(FaultDiskTest, RefusesAWriteThatHasNoRoomAndLeavesItsBeginning) {
  const auto file = open(disk, "f");
  disk.set_capacity(2 * kPage);
  const std::string three_pages(3 * kPage, 'x');
  EXPECT_EQ(test::error_of(file->write_at(0, as_bytes(three_pages))), Errc::storage_full);
  EXPECT_EQ(content(disk, "f"), std::string(2 * kPage, 'x'));
}

TEST_F(FaultDiskTest, OverwritingTakesNoSpace) {
  const auto file = open(disk, "f");
  write(*file, 0, std::string(2 * kPage, 'a'));
  disk.set_capacity(2 * kPage);
  EXPECT_TRUE(file->write_at(10, as_bytes("bbb")));
  EXPECT_EQ(test::error_of(file->write_at(2 * kPage, as_bytes("c"))), Errc::storage_full);
}

TEST_F(FaultDiskTest, AnAllocationTakesSpaceOrChangesNothing) {
  const auto file = open(disk, "f");
  disk.set_capacity(2 * kPage);
  EXPECT_EQ(test::error_of(file->allocate(3 * kPage)), Errc::storage_full);
  EXPECT_EQ(file->size(), 0U);
  ASSERT_TRUE(file->allocate(2 * kPage));
  EXPECT_EQ(disk.used_bytes(), 2 * kPage);
  EXPECT_TRUE(file->write_at(0, as_bytes(std::string(2 * kPage, 'x'))));
  EXPECT_EQ(disk.space("/data")->free_bytes, 0U);
  EXPECT_EQ(disk.space("/data")->total_bytes, 2 * kPage);
}

TEST_F(FaultDiskTest, AHoleTakesSpaceWhenItIsWritten) {
  const auto file = open(disk, "f");
  disk.set_capacity(kPage);
  ASSERT_TRUE(file->resize(10 * kPage));
  EXPECT_EQ(disk.used_bytes(), 0U);
  EXPECT_TRUE(file->write_at(0, as_bytes("x")));
  EXPECT_EQ(test::error_of(file->write_at(5 * kPage, as_bytes("x"))), Errc::storage_full);
}

TEST_F(FaultDiskTest, RemovingAndCuttingGiveSpaceBack) {
  const auto file = open(disk, "f");
  write(*file, 0, std::string(4 * kPage, 'a'));
  open(disk, "g");
  ASSERT_TRUE(file->resize(kPage));
  EXPECT_EQ(disk.used_bytes(), kPage);
  ASSERT_TRUE(disk.remove("/data/f"));
  EXPECT_EQ(disk.used_bytes(), 0U);
}

TEST_F(FaultDiskTest, WorksAgainWhenTheLimitIsLifted) {
  const auto file = open(disk, "f");
  disk.set_capacity(0);
  EXPECT_EQ(test::error_of(file->write_at(0, as_bytes("x"))), Errc::storage_full);
  disk.set_capacity(FaultDisk::kUnlimited);
  EXPECT_TRUE(file->write_at(0, as_bytes("x")));
}

TEST_F(FaultDiskTest, TheLimitOutlivesACrash) {
  write(*durable_file("f", "a"), 0, "b");
  disk.set_capacity(kPage);
  const auto next = disk.process_crash();
  EXPECT_EQ(test::error_of(open(*next, "f")->write_at(kPage, as_bytes("x"))), Errc::storage_full);
}

}  // namespace
}  // namespace sluice::fault_disk
