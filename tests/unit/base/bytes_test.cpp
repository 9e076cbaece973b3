#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

#include "common/base/byte_reader.hpp"
#include "common/base/byte_writer.hpp"

namespace sluice {
namespace {

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text.push_back(static_cast<char>(value));
  return text;
}

TEST(ByteReader, ReadsNumbersInNetworkOrder) {
  const std::string wire = bytes(
      {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F});
  ByteReader reader(as_bytes(wire));
  EXPECT_EQ(reader.read<std::uint8_t>(), 0x01);
  EXPECT_EQ(reader.read<std::uint16_t>(), 0x0203);
  EXPECT_EQ(reader.read<std::uint32_t>(), 0x04050607U);
  EXPECT_EQ(reader.read<std::uint64_t>(), 0x08090A0B0C0D0E0FU);
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0U);
}

TEST(ByteReader, ReadsNegativeNumbers) {
  const std::string wire = bytes({0xFF, 0xFE, 0xFF, 0xFF, 0xFF, 0xFD});
  ByteReader reader(as_bytes(wire));
  EXPECT_EQ(reader.read<std::int16_t>(), -2);
  EXPECT_EQ(reader.read<std::int32_t>(), -3);
}

TEST(ByteReader, GivesZeroForANumberThatDoesNotFit) {
  for (std::size_t size = 0; size < sizeof(std::uint64_t); ++size) {
    const std::string wire(size, '\xFF');
    ByteReader reader(as_bytes(wire));
    EXPECT_EQ(reader.read<std::uint64_t>(), 0U) << size;
    EXPECT_FALSE(reader.ok());
  }
}

TEST(ByteReader, StaysFailedAfterTheFirstFailure) {
  const std::string wire = bytes({1, 2, 3});
  ByteReader reader(as_bytes(wire));
  EXPECT_EQ(reader.read<std::uint32_t>(), 0U);
  EXPECT_EQ(reader.read<std::uint8_t>(), 0) << "what is left must not be read as something else";
  EXPECT_TRUE(reader.read_bytes(1).empty());
  EXPECT_FALSE(reader.ok());
  EXPECT_EQ(reader.remaining(), 0U);
}

TEST(ByteReader, RefusesASizeThatIsNegativeOrTooLarge) {
  const std::string wire = bytes({1, 2, 3});
  for (const std::int64_t size :
       {std::int64_t{-1}, std::int64_t{4}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()}) {
    ByteReader reader(as_bytes(wire));
    EXPECT_TRUE(reader.read_bytes(size).empty()) << size;
    EXPECT_FALSE(reader.ok()) << size;
  }
}

TEST(ByteReader, ReadsNothingAtTheEndWithoutFailing) {
  ByteReader reader{BytesView{}};
  EXPECT_TRUE(reader.read_bytes(0).empty());
  EXPECT_TRUE(reader.read_text(0).empty());
  EXPECT_TRUE(reader.ok());
}

TEST(ByteReader, GivesViewsIntoItsInput) {
  const std::string wire = "abcdef";
  ByteReader reader(as_bytes(wire));
  EXPECT_EQ(reader.read_text(2), "ab");
  const BytesView part = reader.read_bytes(3);
  EXPECT_EQ(static_cast<const void*>(part.data()), wire.data() + 2);
  EXPECT_EQ(reader.position(), 5U);
  EXPECT_EQ(reader.remaining(), 1U);
}

TEST(ByteWriter, WritesNumbersInNetworkOrder) {
  std::string out = "kept";
  ByteWriter writer(out);
  writer.write<std::uint8_t>(0x01);
  writer.write<std::uint16_t>(0x0203);
  writer.write<std::int32_t>(-2);
  writer.write<std::uint64_t>(0x08090A0B0C0D0E0FU);
  writer.write_text("text");
  writer.write_bytes(as_bytes("\xFF"));
  EXPECT_EQ(out, "kept" +
                     bytes({0x01, 0x02, 0x03, 0xFF, 0xFF, 0xFF, 0xFE, 0x08, 0x09, 0x0A, 0x0B, 0x0C,
                            0x0D, 0x0E, 0x0F}) +
                     "text\xFF");
  EXPECT_EQ(writer.size(), out.size());
}

TEST(ByteWriter, PatchOverwritesInPlace) {
  std::string out;
  ByteWriter writer(out);
  writer.write<std::uint32_t>(0);
  writer.write_text("body");
  writer.patch<std::uint32_t>(0, 0x01020304);
  EXPECT_EQ(out, bytes({1, 2, 3, 4}) + "body");
}

TEST(Bytes, NumbersNeedNoAlignment) {
  alignas(8) std::byte memory[17]{};
  for (std::size_t shift = 0; shift < 8; ++shift) {
    store_big_endian<std::uint64_t>(memory + shift, 0x0102030405060708U);
    EXPECT_EQ(load_big_endian<std::uint64_t>(memory + shift), 0x0102030405060708U);
    EXPECT_EQ(memory[shift], std::byte{1});
    EXPECT_EQ(load_little_endian<std::uint64_t>(memory + shift), 0x0807060504030201U);
  }
}

}  // namespace
}  // namespace sluice
