#include <gtest/gtest.h>

#include <string>

#include "common/model/endpoint.hpp"
#include "common/model/filter.hpp"
#include "common/model/message_id.hpp"
#include "common/model/names.hpp"
#include "common/model/properties.hpp"

namespace sluice::model {

namespace {

// The values are String.hashCode of Java.
TEST(TagHash, EqualsJavasHashCode) {
  EXPECT_EQ(tag_hash(""), 0U);
  EXPECT_EQ(tag_hash("a"), 97U);
  EXPECT_EQ(tag_hash("TagA"), 2598919U);
  EXPECT_EQ(static_cast<std::int64_t>(tag_hash("polygenelubricants")), -2147483648LL);
}

TEST(TagHash, CountsCodeUnitsOutsideAscii) {
  EXPECT_EQ(tag_hash("é"), 0xE9U);
  EXPECT_EQ(tag_hash("€"), 0x20ACU);
  EXPECT_EQ(tag_hash("😀"), 0xD83DU * 31 + 0xDE00U);
}

TEST(TagHash, TakesBytesThatAreNoUtf8) {
  EXPECT_EQ(tag_hash("\xFF"), 0xFFFDU);
  EXPECT_EQ(tag_hash("\xE2\x82"), tag_hash("\xFF") * 31 + tag_hash("\xFF"));
}

TEST(TagFilter, MeansEverythingForStarAndEmpty) {
  EXPECT_TRUE(tag_hashes_of({"*", "TAG"})->empty());
  EXPECT_TRUE(tag_hashes_of({"", "TAG"})->empty());
  EXPECT_TRUE(tag_hashes_of({" * ", ""})->empty());
}

TEST(TagFilter, SplitsAtBarsAndTrims) {
  const auto hashes = tag_hashes_of({" b || a||b ", "TAG"}).value();
  EXPECT_EQ(hashes, (std::vector<std::uint64_t>{97, 98}));
}

TEST(TagFilter, RefusesAnotherLanguage) {
  EXPECT_EQ(tag_hashes_of({"a > 1", "SQL92"}).error().code, Errc::subscription_invalid);
}

TEST(Properties, AreReadWithAndWithoutALastSeparator) {
  for (const std::string text : {"a\x01"
                                 "1\x02"
                                 "b\x01"
                                 "2",
                                 "a\x01"
                                 "1\x02"
                                 "b\x01"
                                 "2\x02"}) {
    EXPECT_EQ(find_property(text, "a"), "1");
    EXPECT_EQ(find_property(text, "b"), "2");
    EXPECT_EQ(find_property(text, "c"), std::nullopt);
  }
}

TEST(Properties, SkipEntriesWithoutNameOrValue) {
  PropertyCursor cursor(
      "\x01v\x02n\x01\x02\x02x\x02"
      "a\x01"
      "1");
  EXPECT_EQ(cursor.next()->name, "a");
  EXPECT_FALSE(cursor.next());
}

TEST(Properties, KeepAValueThatHoldsByteOne) {
  EXPECT_EQ(find_property("a\x01x\x01y\x02", "a"), "x\x01y");
}

TEST(Properties, AreAddedWithASeparatorWhereOneIsMissing) {
  std::string text =
      "a\x01"
      "1";
  ASSERT_TRUE(add_property(text, "b", "2"));
  EXPECT_EQ(text,
            "a\x01"
            "1\x02"
            "b\x01"
            "2\x02");
}

TEST(Properties, RefuseWhatTheFormCannotHold) {
  std::string text;
  EXPECT_FALSE(add_property(text, "", "v"));
  EXPECT_FALSE(add_property(text, "n", ""));
  EXPECT_FALSE(add_property(text, "n",
                            "a\x02"
                            "b"));
  EXPECT_FALSE(add_property(text, "n\x01", "v"));
  EXPECT_TRUE(text.empty());
}

TEST(Properties, KnowReservedNames) {
  EXPECT_TRUE(is_reserved_property("UNIQ_KEY"));
  EXPECT_TRUE(is_reserved_property("DELAY"));
  EXPECT_FALSE(is_reserved_property("color"));
}

TEST(Names, AllowWhatRocketMqAllows) {
  EXPECT_TRUE(check_topic_name("Orders_2026-a|b%"));
  EXPECT_TRUE(check_topic_name(std::string(127, 'a')));
  EXPECT_TRUE(check_topic_name("%RETRY%" + std::string(120, 'a')));
}

TEST(Names, AreQuotedWithoutControlBytesWhenTheyAreRefused) {
  const auto checked = check_topic_name("a/b\n");
  ASSERT_FALSE(checked);
  EXPECT_NE(checked.error().text.find("\"a/b?\""), std::string::npos) << checked.error().text;
}

TEST(Names, AreReservedForTheBrokerAndForRetriesAndDeadLetters) {
  for (const char* name : {"TBW102", "rmq_sys_x", "%RETRY%g", "%DLQ%g"}) {
    EXPECT_TRUE(is_reserved_topic(name)) << name;
  }
  EXPECT_FALSE(is_reserved_topic("orders"));
}

TEST(Names, RefusePathsSeparatorsAndLongNames) {
  const std::string bad[] = {
      "", "../etc", "a/b", "a.b", std::string("a\0b", 3), "ü", std::string(128, 'a')};
  for (const std::string& name : bad) {
    EXPECT_EQ(check_topic_name(name).error().code, Errc::invalid_argument) << name;
  }
  EXPECT_FALSE(check_group_name(std::string(121, 'g')));
}

TEST(Endpoint, ReadsBackWhatItWrites) {
  for (const std::string text : {"127.0.0.1:10911", "[::1]:80", "[2001:db8::7]:1"}) {
    EXPECT_EQ(to_string(parse_endpoint(text).value()), text);
  }
}

TEST(Endpoint, RefusesWhatIsNoAddress) {
  for (const char* text : {"", "1.2.3.4", "1.2.3.4:", "1.2.3.4:99999", "host:80", "1.2.3:80"}) {
    EXPECT_FALSE(parse_endpoint(text)) << text;
  }
}

TEST(MessageId, IsAddressPortAndPositionInHex) {
  std::string id;
  append_offset_message_id(id, parse_endpoint("127.0.0.1:10911").value(), 0x0102030405060708);
  EXPECT_EQ(id, "7F00000100002A9F0102030405060708");
}

}  // namespace

}  // namespace sluice::model
