#include "protocols/remoting/codec/config_text.hpp"

#include <string>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "protocols/remoting/codec/kv_body.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/codec/route_body.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting_codec/captured_frames.hpp"

namespace sluice::remoting {
namespace {

using sluice::test::error_of;
using test::captured;

ConfigTexts read(std::string_view text) {
  const auto texts = decode_config_texts(as_bytes(text));
  EXPECT_TRUE(texts) << describe(texts.error());
  return texts.value_or(ConfigTexts{});
}

// java.util.Properties.load().
TEST(ConfigText, IsReadAsJavaReadsProperties) {
  EXPECT_EQ(read("a=1\nb = 2\r\nc:3\nd 4\n  e\t5\n"),
            (ConfigTexts{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}}));
  EXPECT_EQ(read("# a=1\n ! b=2\n\n\nc=3"), (ConfigTexts{{"c", "3"}}));
  EXPECT_EQ(read("a=1\\\n   2\\\r\n  3\n"), (ConfigTexts{{"a", "123"}}));
  EXPECT_EQ(read(R"(a\=b=c\:d\\e\u0041\u6771\n)"), (ConfigTexts{{"a=b", "c:d\\eA東\n"}}));
  EXPECT_EQ(read("a\nb="), (ConfigTexts{{"a", ""}, {"b", ""}}));
  EXPECT_EQ(read("a=x=y:z w"), (ConfigTexts{{"a", "x=y:z w"}}));
  EXPECT_EQ(read("a=1\na=2"), (ConfigTexts{{"a", "2"}}));
  EXPECT_EQ(read("=1"), (ConfigTexts{{"", "1"}}));
  EXPECT_EQ(read("a=1\\"), (ConfigTexts{{"a", "1"}}));
  EXPECT_TRUE(read("").empty());
}

TEST(ConfigText, WithAnEscapeThatIsNoneIsRefused) {
  for (const char* text : {"a=\\u", "a=\\u12", "a=\\u12g4", "\\u+123=1"}) {
    EXPECT_EQ(error_of(decode_config_texts(as_bytes(text))), Errc::malformed_packet) << text;
  }
}

TEST(ConfigText, OverItsLimitsIsRefused) {
  std::string many;
  for (std::size_t i = 0; i <= limits::kConfigTextEntriesMax; ++i) {
    many += std::to_string(i) + "=1\n";
  }
  EXPECT_EQ(error_of(decode_config_texts(as_bytes(many))), Errc::malformed_packet);
  const std::string large = "a=" + std::string(limits::kConfigTextBytesMax + 1, 'x');
  EXPECT_EQ(error_of(decode_config_texts(as_bytes(large))), Errc::malformed_packet);
}

TEST(ConfigText, ReadsTheSameOnceWritten) {
  const ConfigTexts texts = {{"plain", "x;y"},        {"a b:c=d", " leading"},
                             {"#note", "line\nline"}, {"back\\slash", "\\"},
                             {"", "no name"},         {"tab", "\t\t"}};
  std::string written;
  append_config_texts(written, texts);
  EXPECT_EQ(read(written), texts);
}

TEST(ConfigText, OfAJavaNameServerIsReadAndWrittenAgain) {
  const auto frames = captured("response", request_code::kGetNamesrvConfig);
  ASSERT_FALSE(frames.empty());
  for (const auto* const frame : frames) {
    const auto texts = decode_config_texts(as_bytes(frame->body()));
    ASSERT_TRUE(texts) << frame->name();
    EXPECT_EQ(texts->at("orderMessageEnable"), "false");
    EXPECT_EQ(texts->at("configBlackList"), "configBlackList;configStorePath;kvConfigPath");
    std::string written;
    append_config_texts(written, *texts);
    EXPECT_EQ(written, frame->body());
  }
}

TEST(ConfigText, OfMqadminIsRead) {
  const auto frames = captured("request", request_code::kUpdateNamesrvConfig);
  ASSERT_FALSE(frames.empty());
  for (const auto* const frame : frames) {
    EXPECT_EQ(read(frame->body()), (ConfigTexts{{"clusterTest", "false"}}));
  }
}

// --- tables of names and values --------------------------------------------------------------

TEST(KvTable, ReadsTheSameOnceWritten) {
  const KvTable table = {{"orders", "broker-a:4;broker-b:4"}, {"\"", "東京\n"}};
  std::string written;
  append_kv_table(written, table);
  const auto again = decode_kv_table(as_bytes(written));
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(*again, table);
}

TEST(KvTable, OfNoBodyIsEmpty) {
  ASSERT_TRUE(decode_kv_table({}));
  EXPECT_TRUE(decode_kv_table({})->empty());
}

TEST(KvTable, RefusesValuesThatAreNoTexts) {
  EXPECT_EQ(error_of(decode_kv_table(as_bytes(R"({"table":{"a":[]}})"))), Errc::malformed_packet);
  EXPECT_EQ(error_of(decode_kv_table(as_bytes(R"({"table":1})"))), Errc::malformed_packet);
}

TEST(BrokerMemberGroup, ReadsTheSameOnceWritten) {
  const BrokerMemberGroup group{
      .cluster = "c", .broker_name = "b", .broker_addrs = {{0, "10.0.0.1:1"}, {7, "10.0.0.2:1"}}};
  std::string written;
  append_broker_member_group(written, group);
  const auto again = decode_broker_member_group(as_bytes(written));
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(*again, group);
}

}  // namespace
}  // namespace sluice::remoting
