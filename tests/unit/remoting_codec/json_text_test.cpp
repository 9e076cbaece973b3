#include "protocols/remoting/codec/json_text.hpp"

#include <gtest/gtest.h>
#include <boost/json.hpp>

namespace sluice::remoting {
namespace {

std::string json_string(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  append_valid_utf8(out, text);
  return out;
}

const std::string kReplacement = "\xEF\xBF\xBD";

TEST(JsonText, EscapesWhatAStringCannotHold) {
  EXPECT_EQ(json_string(""), R"("")");
  EXPECT_EQ(json_string("plain text, longer than a word"), R"("plain text, longer than a word")");
  EXPECT_EQ(json_string("a\"b\\c/d"), R"("a\"b\\c/d")");
  EXPECT_EQ(json_string("\n\r\t\b\f"), R"("\n\r\t\u0008\u000c")");
  EXPECT_EQ(json_string(std::string_view("\0\x01\x1f\x7f", 4)), "\"\\u0000\\u0001\\u001f\x7f\"");
}

TEST(JsonText, EveryByteAtEveryPlaceComesBackFromAnotherParser) {
  for (int byte = 0; byte < 128; ++byte) {
    for (std::size_t place = 0; place < 20; ++place) {
      std::string text(20, 'x');
      text[place] = static_cast<char>(byte);
      EXPECT_EQ(boost::json::parse(json_string(text)).as_string(), text) << byte << " " << place;
    }
  }
}

TEST(JsonText, CharactersThatAreNotAsciiStayAsTheyAre) {
  const std::string text = "é 世界 😀 end";
  EXPECT_EQ(json_string(text), '"' + text + '"');
}

TEST(JsonText, BytesThatAreNotUtf8BecomeReplacementCharacters) {
  struct Row {
    const char* what;
    std::string text;
    std::size_t bad_bytes;
  };
  const Row rows[] = {
      {"lone continuation", "\x80", 1},
      {"cut short", "\xE4\xB8", 2},
      {"padded slash", "\xC0\xAF", 2},
      {"padded, three bytes", "\xE0\x80\xAF", 3},
      {"padded, four bytes", "\xF0\x80\x80\xAF", 4},
      {"surrogate", "\xED\xA0\x80", 3},
      {"over U+10FFFF", "\xF4\x90\x80\x80", 4},
      {"no such byte", "\xFF", 1},
      {"second byte is none", "\xC3x", 1},
  };
  for (const Row& row : rows) {
    std::string expected;
    for (std::size_t i = 0; i < row.bad_bytes; ++i) expected += kReplacement;
    if (row.text.ends_with('x')) expected += 'x';
    EXPECT_EQ(valid_utf8(row.text), expected) << row.what;
    EXPECT_EQ(json_string(row.text), '"' + expected + '"') << row.what;
  }
}

TEST(JsonText, FirstAndLastSequenceOfEverySizeIsUtf8) {
  for (const char* const text :
       {"\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80", "\xEF\xBF\xBF",
        "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"}) {
    EXPECT_EQ(valid_utf8(text), text);
  }
}

TEST(JsonWriter, WritesNestedValuesWithoutWhiteSpace) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.key("a");
  writer.begin_array();
  writer.number(-1);
  writer.text("t");
  writer.begin_object();
  writer.end_object();
  writer.end_array();
  writer.key("b\"");
  writer.boolean(true);
  writer.bare_key(7);
  writer.json("{\"x\":[]}");
  writer.key("c");
  writer.begin_array();
  writer.end_array();
  writer.end_object();
  EXPECT_EQ(out, R"({"a":[-1,"t",{}],"b\"":true,7:{"x":[]},"c":[]})");
}

TEST(JsonWriter, WritesObjectsAsKeys) {
  std::string out;
  JsonWriter writer(out);
  writer.begin_object();
  writer.bare_key(R"({"q":0})");
  writer.number(1);
  writer.bare_key(R"({"q":1})");
  writer.number(2);
  writer.end_object();
  EXPECT_EQ(out, R"({{"q":0}:1,{"q":1}:2})");
}

// Double.toString: never without a point or an exponent.
TEST(JsonWriter, WritesRealsAsJavaDoes) {
  const std::pair<double, const char*> rows[] = {{0, "0.0"},
                                                 {3, "3.0"},
                                                 {0.2, "0.2"},
                                                 {-1.5, "-1.5"},
                                                 {41.29174165166967, "41.29174165166967"},
                                                 {1e300, "1e+300"}};
  for (const auto& [value, text] : rows) {
    std::string out;
    JsonWriter(out).real(value);
    EXPECT_EQ(out, text);
  }
  for (const double value :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    std::string out;
    JsonWriter(out).real(value);
    EXPECT_EQ(out, "0.0");
  }
}

}  // namespace
}  // namespace sluice::remoting
