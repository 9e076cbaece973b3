#include "common/model/stored_message.hpp"

#include <gtest/gtest.h>

#include <string>

#include "common/base/checksum.hpp"

namespace sluice::model {

namespace {

StoredMessageFields example() {
  StoredMessageFields fields;
  fields.queue = 3;
  fields.flag = 7;
  fields.system_flag = 1;
  fields.born_at_ms = 1'700'000'000'123;
  fields.born_host = parse_endpoint("10.1.2.3:4567").value();
  fields.reconsume_times = 2;
  fields.body = as_bytes("hello");
  fields.topic = "orders";
  fields.properties =
      "TAGS\x01"
      "a\x02";
  return fields;
}

std::string encoded(const StoredMessageFields& fields) {
  std::string bytes(stored_message_size(fields), '\0');
  encode_stored_message(fields, reinterpret_cast<std::byte*>(bytes.data()));
  return bytes;
}

TEST(StoredMessage, ReadsBackEveryField) {
  const std::string bytes = encoded(example());
  const auto view = StoredMessageView::parse(as_bytes(bytes)).value();
  EXPECT_EQ(view.queue(), 3);
  EXPECT_EQ(view.flag(), 7);
  EXPECT_EQ(view.system_flag(), 1);
  EXPECT_EQ(view.born_at_ms(), 1'700'000'000'123);
  EXPECT_EQ(to_string(view.born_host()), "10.1.2.3:4567");
  EXPECT_EQ(view.reconsume_times(), 2);
  EXPECT_EQ(as_text(view.body()), "hello");
  EXPECT_EQ(view.topic(), "orders");
  EXPECT_EQ(view.properties(),
            "TAGS\x01"
            "a\x02");
  EXPECT_EQ(view.body_crc(), static_cast<std::int32_t>(crc32(as_bytes("hello")) & 0x7FFFFFFF));
}

// RocketMQ's minimum for IPv4: 91 bytes, and topic, body and properties.
TEST(StoredMessage, HasTheSizeThatRocketMqGivesIt) {
  EXPECT_EQ(encoded(example()).size(), 91U + 6 + 5 + 7);
}

TEST(StoredMessage, IsCompletedInPlace) {
  std::string bytes = encoded(example());
  const auto host = parse_endpoint("127.0.0.1:10911").value();
  fill_in_stored_message(reinterpret_cast<std::byte*>(bytes.data()), 42, 4711, 99, host);
  const auto view = StoredMessageView::parse(as_bytes(bytes)).value();
  EXPECT_EQ(view.queue_offset(), 42);
  EXPECT_EQ(view.position(), 4711U);
  EXPECT_EQ(view.stored_at_ms(), 99);
  EXPECT_EQ(view.store_host(), host);
  EXPECT_EQ(as_text(view.body()), "hello");
}

TEST(StoredMessage, HoldsIpv6Hosts) {
  auto fields = example();
  fields.born_host = parse_endpoint("[2001:db8::1]:80").value();
  fields.store_host_is_v6 = true;
  std::string bytes = encoded(fields);
  const auto host = parse_endpoint("[::1]:10911").value();
  fill_in_stored_message(reinterpret_cast<std::byte*>(bytes.data()), 1, 2, 3, host);
  const auto view = StoredMessageView::parse(as_bytes(bytes)).value();
  EXPECT_EQ(to_string(view.born_host()), "[2001:db8::1]:80");
  EXPECT_EQ(view.store_host(), host);
  EXPECT_EQ(view.stored_at_ms(), 3);
  EXPECT_EQ(view.system_flag(), 1 | system_flag::kBornHostV6 | system_flag::kStoreHostV6);
}

TEST(StoredMessage, UsesTheSecondVersionForLongTopics) {
  auto fields = example();
  const std::string topic(128, 't');
  fields.topic = topic;
  const std::string bytes = encoded(fields);
  EXPECT_EQ(bytes.substr(4, 4), "\xDA\xA3\x20\xAB");
  EXPECT_EQ(StoredMessageView::parse(as_bytes(bytes))->topic(), topic);
}

TEST(StoredMessage, RefusesEveryPrefix) {
  const std::string bytes = encoded(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(StoredMessageView::parse(as_bytes(bytes.substr(0, size)))) << size;
    EXPECT_FALSE(StoredMessageView::parse_first(as_bytes(bytes.substr(0, size)))) << size;
  }
}

TEST(StoredMessage, FindsTheFirstOfSeveral) {
  const std::string bytes = encoded(example());
  const std::string two = bytes + bytes;
  EXPECT_EQ(StoredMessageView::parse_first(as_bytes(two))->size(), bytes.size());
}

}  // namespace

}  // namespace sluice::model
