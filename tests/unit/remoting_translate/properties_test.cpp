#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "protocols/remoting/translate/broker_bodies.hpp"
#include "tests/support/printers.hpp"

namespace sluice::remoting {
namespace {

using Settings = std::vector<model::NameValue>;

Settings read(std::string_view text) {
  const auto settings = decode_properties(as_bytes(text));
  EXPECT_TRUE(settings) << text;
  return settings.value_or(Settings{});
}

// What java.util.Properties reads of such lines.
TEST(Properties, AreReadAsJavaReadsThem) {
  const std::pair<std::string_view, Settings> rows[] = {
      {"", {}},
      {"a=b\n", {{"a", "b"}}},
      {"a=b", {{"a", "b"}}},
      {"a=b\r\nc=d\r\n", {{"a", "b"}, {"c", "d"}}},
      {"# comment\n! another\n \t\na=b\n", {{"a", "b"}}},
      {" a = b c \n", {{"a", "b c "}}},
      {"a:b\n", {{"a", "b"}}},
      {"a b\n", {{"a", "b"}}},
      {"a\n", {{"a", ""}}},
      {"a=b=c:d#e\n", {{"a", "b=c:d#e"}}},
      {"a\\=b\\:c=d\n", {{"a=b:c", "d"}}},
      {"a=\\t\\n\\r\\f\\\\\\q\n", {{"a", "\t\n\r\f\\q"}}},
      {"a=\\u0041\\u00e9\\u20ac\n", {{"a", "A\xC3\xA9\xE2\x82\xAC"}}},
      {"a=\\u00", {{"a", "u00"}}},
      {"a=\\", {{"a", ""}}},
  };
  for (const auto& [text, expected] : rows) EXPECT_EQ(read(text), expected) << text;
}

TEST(Properties, ReadTheSameOnceWritten) {
  const Settings settings = {{"plain", "value"},
                             {"address", "127.0.0.1:10911"},
                             {"a=b: c#!", " leading, and \\ and\nlines\r"},
                             {"empty", ""}};
  std::string text;
  append_properties(text, settings);
  EXPECT_EQ(read(text), settings);
}

TEST(Properties, AreWrittenPlainlyWhereNothingHasAMeaning) {
  std::string text;
  append_properties(text, {{"brokerIP1", "127.0.0.1"}, {"x", "a:b=c d"}});
  EXPECT_EQ(text, "brokerIP1=127.0.0.1\nx=a:b=c d\n");
}

TEST(Properties, HaveBounds) {
  std::string many;
  for (std::size_t i = 0; i <= limits::kSettingsPerRequestMax; ++i) many += "a=b\n";
  EXPECT_EQ(test::error_of(decode_properties(as_bytes(many))), Errc::malformed_packet);
  const std::string large = "a=" + std::string(limits::kSettingsBytesMax, 'x');
  EXPECT_EQ(test::error_of(decode_properties(as_bytes(large))), Errc::malformed_packet);
}

TEST(Properties, NeedNames) {
  EXPECT_EQ(test::error_of(decode_properties(as_bytes("=x\n"))), Errc::malformed_packet);
}

}  // namespace
}  // namespace sluice::remoting
