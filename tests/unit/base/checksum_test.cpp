#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "common/base/checksum.hpp"

namespace sluice {
namespace {

std::string counting(int first, int step) {
  std::string text;
  for (int i = 0; i < 32; ++i) text.push_back(static_cast<char>(first + i * step));
  return text;
}

// RFC 3720 §B.4; the RFC prints the four bytes in the order they are sent, lowest first.
TEST(Crc32c, GivesTheExamplesOfRfc3720) {
  EXPECT_EQ(crc32c(as_bytes(std::string(32, '\0'))), 0x8A9136AAU);
  EXPECT_EQ(crc32c(as_bytes(std::string(32, '\xFF'))), 0x62A8AB43U);
  EXPECT_EQ(crc32c(as_bytes(counting(0, 1))), 0x46DD794EU);
  EXPECT_EQ(crc32c(as_bytes(counting(31, -1))), 0x113FDB5CU);
}

// RFC 3720 §B.4, "An iSCSI - SCSI Read (10) Command PDU".
TEST(Crc32c, GivesTheExampleOfAnIscsiCommand) {
  const std::uint8_t command[48] = {0x01, 0xC0, 0, 0,    0,    0, 0, 0,    0,    0, 0, 0,  //
                                    0,    0,    0, 0,    0x14, 0, 0, 0,    0,    0, 4, 0,  //
                                    0,    0,    0, 0x14, 0,    0, 0, 0x18, 0x28, 0, 0, 0,  //
                                    0,    0,    0, 0,    2,    0, 0, 0,    0,    0, 0, 0};
  EXPECT_EQ(crc32c(std::as_bytes(std::span(command))), 0xD9963A56U);
}

TEST(Crc32c, OfNothingIsZero) {
  EXPECT_EQ(crc32c({}), 0U);
}

TEST(Crc32c, ContinuesFromAnEarlierPartAtAnySplit) {
  const std::string text = "123456789 and some more, long enough for eight bytes at once";
  const std::uint32_t whole = crc32c(as_bytes(text));
  for (std::size_t split = 0; split <= text.size(); ++split) {
    const std::uint32_t first = crc32c(as_bytes(text).first(split));
    EXPECT_EQ(crc32c(as_bytes(text).subspan(split), first), whole) << split;
  }
}

TEST(Crc32c, DoesNotDependOnAlignment) {
  const std::string text = "123456789";
  for (std::size_t shift = 0; shift < 8; ++shift) {
    const std::string shifted = std::string(shift, 'x') + text;
    EXPECT_EQ(crc32c(as_bytes(shifted).subspan(shift)), 0xE3069283U) << shift;
  }
}

/// One bit after the other, as RFC 3720 §12.1 describes it: slow and plain.
std::uint32_t add_byte(std::uint32_t crc, char byte) {
  crc ^= static_cast<std::uint8_t>(byte);
  for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1U) != 0 ? 0x82F63B78U : 0U);
  return crc;
}

TEST(Crc32c, AgreesWithTheBitwiseDefinitionAtEveryLength) {
  std::string text(40'000, '\0');
  std::uint32_t number = 1;
  for (char& byte : text) {
    number = number * 1'664'525U + 1'013'904'223U;
    byte = static_cast<char>(number >> 24U);
  }
  std::uint32_t expected = ~0U;
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const bool is_asked = size < 4096 || size % 101 == 0;
    if (is_asked) ASSERT_EQ(crc32c(as_bytes(text).first(size)), ~expected) << size;
    if (size < text.size()) expected = add_byte(expected, text[size]);
  }
}

TEST(Crc32c, ChangesWithEveryBit) {
  std::string text(70, 'a');
  const std::uint32_t before = crc32c(as_bytes(text));
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      text[i] = static_cast<char>(text[i] ^ (1 << bit));
      EXPECT_NE(crc32c(as_bytes(text)), before);
      text[i] = static_cast<char>(text[i] ^ (1 << bit));
    }
  }
}

// The check value of CRC-32/ISO-HDLC, which zlib and RocketMQ's bodyCRC use.
TEST(Crc32, GivesTheCheckValue) {
  EXPECT_EQ(crc32(as_bytes("123456789")), 0xCBF43926U);
  EXPECT_EQ(crc32({}), 0U);
}

}  // namespace
}  // namespace sluice
