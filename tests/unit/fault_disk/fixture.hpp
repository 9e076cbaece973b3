#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "storage-plugins/fault-disk/fault_disk.hpp"
#include "tests/support/printers.hpp"

namespace sluice::fault_disk {

/// Short words for what tests do to a disk.
class FaultDiskTest : public testing::Test {
 protected:
  static constexpr std::size_t kPage = 4096;

  static std::unique_ptr<DiskFile> open(Disk& disk, const std::string& name,
                                        OpenMode mode = OpenMode::create_or_open) {
    auto opened = disk.open("/data/" + name, mode);
    if (!opened) throw std::runtime_error(describe(opened.error()));
    return *std::move(opened);
  }

  static void write(DiskFile& file, std::uint64_t offset, std::string_view text) {
    const auto written = file.write_at(offset, as_bytes(text));
    if (!written) throw std::runtime_error(describe(written.error()));
  }

  /// What is in the file; "missing" if there is none.
  static std::string content(Disk& disk, const std::string& name) {
    const auto file = disk.open("/data/" + name, OpenMode::read);
    if (!file) return "missing";
    std::vector<std::byte> bytes((*file)->size().value());
    const auto size = (*file)->read_at(0, bytes).value();
    return std::string(as_text(bytes).substr(0, size));
  }

  /// A file whose bytes, name and size are durable.
  std::unique_ptr<DiskFile> durable_file(const std::string& name, std::string_view text) {
    auto file = open(disk, name);
    write(*file, 0, text);
    EXPECT_TRUE(file->sync());
    EXPECT_TRUE(disk.sync_directory("/data"));
    return file;
  }

  FaultDisk disk{"/data"};
};

}  // namespace sluice::fault_disk
