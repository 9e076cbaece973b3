#include "protocols/remoting/codec/batch_body.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting_codec/wire.hpp"

namespace sluice::remoting {
namespace {

using test::hex;

// Of a Go client, whose batches carry no properties.
const std::string kWithoutProperties =
    hex("00 00 00 18"              // 24 bytes in all
        "00 00 00 00 00 00 00 00"  // magic, CRC
        "00 00 00 05"              // flag
        "00 00 00 02  6d 30"       // body: m0
        "00 00");                  // properties
const std::string kWithProperties =
    hex("00 00 00 1a"
        "00 00 00 00 00 00 00 00"
        "00 00 00 00"
        "00 00 00 00"           // no body
        "00 04  4b 01 76 02");  // K = v

Result<std::vector<BatchMessage>> read_all(std::string_view body) {
  BatchBodyReader reader(as_bytes(body));
  std::vector<BatchMessage> messages;
  while (true) {
    auto message = reader.next();
    SLUICE_TRY(message);
    if (!*message) return messages;
    messages.push_back(**message);
  }
}

TEST(BatchBody, GivesItsMessagesInOrder) {
  const std::string body = kWithoutProperties + kWithProperties;
  const auto messages = read_all(body);
  ASSERT_TRUE(messages) << describe(messages.error());
  ASSERT_EQ(messages->size(), 2U);
  EXPECT_EQ((*messages)[0].flag, 5);
  EXPECT_EQ(as_text((*messages)[0].body), "m0");
  EXPECT_EQ((*messages)[0].properties, "");
  EXPECT_TRUE((*messages)[1].body.empty());
  EXPECT_EQ((*messages)[1].properties, "K\x01v\x02");
}

TEST(BatchBody, OfNoBytesHasNoMessages) {
  const auto messages = read_all("");
  ASSERT_TRUE(messages);
  EXPECT_TRUE(messages->empty());
}

TEST(BatchBody, ThatEndsInsideAMessageIsRefused) {
  const std::string body = kWithProperties + kWithoutProperties;
  for (std::size_t size = 1; size < body.size(); ++size) {
    if (size == kWithProperties.size()) continue;
    EXPECT_EQ(sluice::test::error_of(read_all(body.substr(0, size))), Errc::malformed_packet)
        << size;
  }
}

TEST(BatchBody, WithALengthThatLiesIsRefused) {
  const std::string magic_crc_flag = hex("00 00 00 00 00 00 00 00 00 00 00 00");
  const std::pair<const char*, std::string> rows[] = {
      {"size too small", hex("00 00 00 17") + magic_crc_flag + hex("00 00 00 02 6d 30 00 00")},
      {"size too large", hex("00 00 00 19") + magic_crc_flag + hex("00 00 00 02 6d 30 00 00")},
      {"size 0", hex("00 00 00 00") + magic_crc_flag + hex("00 00 00 02 6d 30 00 00")},
      {"negative size", hex("ff ff ff ff") + magic_crc_flag + hex("00 00 00 02 6d 30 00 00")},
      {"negative body", hex("00 00 00 18") + magic_crc_flag + hex("ff ff ff fe 6d 30 00 00")},
      {"body over the end", hex("00 00 00 18") + magic_crc_flag + hex("7f ff ff ff 6d 30 00 00")},
      {"negative properties", hex("00 00 00 18") + magic_crc_flag + hex("00 00 00 02 6d 30 ff ff")},
      {"properties over the end",
       hex("00 00 00 18") + magic_crc_flag + hex("00 00 00 02 6d 30 00 01")},
  };
  for (const auto& [what, body] : rows) {
    EXPECT_EQ(sluice::test::error_of(read_all(body)), Errc::malformed_packet) << what;
  }
}

TEST(BatchBody, StopsAtTheLimitOfMessages) {
  std::string body;
  for (std::size_t i = 0; i < limits::kMessagesPerBatchMax; ++i) body += kWithoutProperties;
  const auto messages = read_all(body);
  ASSERT_TRUE(messages);
  EXPECT_EQ(messages->size(), limits::kMessagesPerBatchMax);
  EXPECT_EQ(sluice::test::error_of(read_all(body + kWithoutProperties)), Errc::message_illegal);
}

TEST(BatchBody, IsWrittenAsItIsRead) {
  std::string body;
  append_batch_message(body, {.flag = 5, .body = as_bytes("m0")});
  append_batch_message(body, {.properties = "K\x01v\x02"});
  EXPECT_EQ(body, kWithoutProperties + kWithProperties);
}

}  // namespace
}  // namespace sluice::remoting
