#include "protocols/remoting/codec/header.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "tests/support/printers.hpp"
#include "tests/unit/remoting_codec/wire.hpp"

namespace sluice::remoting {
namespace {

using sluice::test::error_of;
using test::hex;

class HeaderTest : public testing::Test {
 protected:
  Result<Header> json(std::string_view text) {
    return decoder_.decode(SerializeType::json, as_bytes(text));
  }
  Result<Header> binary(const std::string& wire) {
    wire_ = wire;  // binary headers are views of what they were decoded from
    return decoder_.decode(SerializeType::rocketmq, as_bytes(wire_));
  }
  /// The value of field "f" of a header whose extFields are `fields`.
  std::string field(std::string_view fields) {
    const auto header = json("{\"extFields\":" + std::string(fields) + "}");
    return header ? std::string(header->fields.text_or("f", "(absent)")) : "(error)";
  }

  HeaderDecoder decoder_;
  std::string wire_;
};

TEST_F(HeaderTest, JsonMembersAreRead) {
  const auto header =
      json(R"({"code":310,"extFields":{"a":"group","b":"topic"},"flag":2,"language":"GO",)"
           R"("opaque":-5,"remark":"why","serializeTypeCurrentRPC":"JSON","version":317})");
  ASSERT_TRUE(header) << describe(header.error());
  EXPECT_EQ(header->code, 310);
  EXPECT_EQ(header->flag, kOnewayFlag);
  EXPECT_TRUE(header->is_oneway());
  EXPECT_FALSE(header->is_response());
  EXPECT_EQ(header->language, LanguageCode::go);
  EXPECT_EQ(header->opaque, -5);
  EXPECT_EQ(header->remark, "why");
  EXPECT_EQ(header->version, 317);
  ASSERT_EQ(header->fields.size(), 2U);
  EXPECT_EQ(header->fields.text("a").value(), "group");
  EXPECT_EQ(header->fields.text("b").value(), "topic");
}

TEST_F(HeaderTest, JsonOrderOfMembersDoesNotMatter) {
  const auto header = json(R"({"version":1,"opaque":2,"flag":1,"extFields":{},"code":3})");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->code, 3);
  EXPECT_TRUE(header->is_response());
}

TEST_F(HeaderTest, JsonUnknownMembersOfAnyKindAreIgnored) {
  const auto header = json(R"({"x":[1,{"code":9}],"y":{"opaque":9,"z":[]},"w":"\u0001\"","code":4,)"
                           R"("cod":1,"codes":2,"opaque":5,"n":null,"t":true})");
  ASSERT_TRUE(header) << describe(header.error());
  EXPECT_EQ(header->code, 4);
  EXPECT_EQ(header->opaque, 5);
}

TEST_F(HeaderTest, JsonWhiteSpaceAroundTheObjectIsAllowed) {
  // The C++ client sends a line feed inside the header length.
  EXPECT_TRUE(json("{\"code\":1}\n"));
  EXPECT_TRUE(json(" \r\n\t{ \"code\" : 1 } \r\n\t "));
}

TEST_F(HeaderTest, JsonAbsentFieldsInEverySpelling) {
  for (const char* const text :
       {R"({"code":1})", R"({"code":1,"extFields":null})", R"({"code":1,"extFields":{}})",
        R"({"extFields":null,"code":1})"}) {
    const auto header = json(text);
    ASSERT_TRUE(header) << text;
    EXPECT_EQ(header->code, 1) << text;
    EXPECT_TRUE(header->fields.empty()) << text;
  }
}

TEST_F(HeaderTest, JsonNullMembersReadAsAbsent) {
  const auto header = json(R"({"remark":null,"language":null,"opaque":null,"code":7})");
  ASSERT_TRUE(header) << describe(header.error());
  EXPECT_EQ(header->remark, "");
  EXPECT_EQ(header->language, LanguageCode::other);
  EXPECT_EQ(header->opaque, 0);
  EXPECT_EQ(header->code, 7);
}

TEST_F(HeaderTest, JsonFieldValuesOfAnyKindReadAsText) {
  EXPECT_EQ(field(R"({"f":"text"})"), "text");
  EXPECT_EQ(field(R"({"f":12})"), "12");
  EXPECT_EQ(field(R"({"f": -1.50 })"), "-1.50");
  EXPECT_EQ(field(R"({"f":9223372036854775807})"), "9223372036854775807");
  EXPECT_EQ(field(R"({"f":true})"), "true");
  EXPECT_EQ(field(R"({"f":false})"), "false");
  EXPECT_EQ(field(R"({"f":null})"), "(absent)");
  EXPECT_EQ(field(R"({"f":{"a":[1]}})"), R"({"a":[1]})");
  EXPECT_EQ(field(R"({"f":[1,"x"]})"), R"([1,"x"])");
  EXPECT_EQ(field(R"({"f":""})"), "");
}

TEST_F(HeaderTest, JsonEscapesAreUndone) {
  EXPECT_EQ(field(R"({"f":"KEYS\u0001a\u0002"})"),
            "KEYS\x01"
            "a\x02");
  EXPECT_EQ(field(R"({"f":"\"\\\/\b\f\n\r\t"})"), "\"\\/\b\f\n\r\t");
  EXPECT_EQ(field(R"({"f":"\u00e9\u4e16\ud83d\ude00"})"), "\xC3\xA9\xE4\xB8\x96\xF0\x9F\x98\x80");
  EXPECT_EQ(field(R"({"f":"é世"})"), "\xC3\xA9\xE4\xB8\x96");
  EXPECT_EQ(field(R"({"\u0066":"escaped key"})"), "escaped key");
}

TEST_F(HeaderTest, JsonLastOfTwoEqualKeysCounts) {
  EXPECT_EQ(field(R"({"f":"1","f":"2"})"), "2");
  const auto header = json(R"({"code":1,"extFields":{"a":"x"},"code":2,"extFields":{"b":"y"}})");
  ASSERT_TRUE(header);
  EXPECT_EQ(header->code, 2);
  EXPECT_EQ(header->fields.size(), 1U);
  EXPECT_EQ(header->fields.text("b").value(), "y");
}

TEST_F(HeaderTest, JsonLanguageMayBeANumberOrUnknown) {
  EXPECT_EQ(json(R"({"language":9})")->language, LanguageCode::go);
  EXPECT_EQ(json(R"({"language":"12"})")->language, LanguageCode::rust);
  EXPECT_EQ(json(R"({"language":"NODE_JS"})")->language, LanguageCode::node_js);
  EXPECT_EQ(json(R"({"language":"COBOL"})")->language, LanguageCode::other);
  EXPECT_EQ(json(R"({"language":-1})")->language, LanguageCode::other);
  EXPECT_EQ(json(R"({"language":99})")->language, LanguageCode::other);
}

TEST_F(HeaderTest, JsonNumbersMayBeTexts) {
  const auto header = json(R"({"code":"310","opaque":"-1","version":""})");
  EXPECT_EQ(error_of(header), Errc::malformed_packet);  // "" is no number
  const auto good = json(R"({"code":"310","opaque":"-1"})");
  ASSERT_TRUE(good) << describe(good.error());
  EXPECT_EQ(good->code, 310);
  EXPECT_EQ(good->opaque, -1);
}

TEST_F(HeaderTest, JsonBytesThatAreNotUtf8BecomeReplacementCharacters) {
  // "测试" in GBK, as old C++ clients on Windows send it.
  const auto header = json("{\"code\":1,\"extFields\":{\"f\":\"\xB2\xE2\xCA\xD4\"}}");
  ASSERT_TRUE(header) << describe(header.error());
  const std::string replacement = "\xEF\xBF\xBD";
  const std::string_view value = header->fields.text("f").value();
  EXPECT_TRUE(value.starts_with(replacement)) << value;
}

TEST_F(HeaderTest, JsonThatIsNoHeaderIsRefused) {
  for (const char* const text : {"",
                                 " ",
                                 "{",
                                 "}",
                                 "[]",
                                 "1",
                                 "\"x\"",
                                 "null",
                                 "{]",
                                 "{\"code\":1",
                                 "{\"code\":1}}",
                                 "{\"code\":1}{}",
                                 "{\"code\":1} x",
                                 "{\"code\":1,}",
                                 "{code:1}",
                                 "{'code':1}",
                                 "{\"code\"}",
                                 "{\"code\":}",
                                 "{\"code\" 1}",
                                 "{\"code\":1 \"flag\":1}",
                                 "{\"code\":1.5}",
                                 "{\"code\":01}",
                                 "{\"code\":true}",
                                 "{\"code\":[]}",
                                 "{\"code\":{}}",
                                 "{\"code\":nul}",
                                 "{\"code\":2147483648}",
                                 "{\"opaque\":99999999999999999999}",
                                 "{\"code\":\"x\"}",
                                 "{\"extFields\":[]}",
                                 "{\"extFields\":\"x\"}",
                                 "{\"extFields\":1}",
                                 "{\"extFields\":{",
                                 "{\"extFields\":{\"a\"}}",
                                 "{\"extFields\":{\"a\":}}",
                                 "{\"extFields\":{\"a\":nope}}",
                                 "{\"extFields\":{\"a\":1x}}",
                                 "{\"extFields\":{\"a\":\"\\x\"}}",
                                 "{\"extFields\":{\"a\":\"\\ud800\"}}",
                                 "{\"extFields\":{\"a\":\"\x01\"}}",
                                 "{\"remark\":\"unclosed}",
                                 "{\"extFields\":{\"a\":{\"b\":1}}"}) {
    const auto header = json(text);
    EXPECT_EQ(error_of(header), Errc::malformed_packet) << text;
    if (!header) EXPECT_FALSE(header.error().text.empty()) << text;
  }
}

TEST_F(HeaderTest, JsonNestedTooDeepIsRefused) {
  const std::string deep =
      "{\"x\":" + std::string(100'000, '[') + std::string(100'000, ']') + ",\"code\":1}";
  const auto header = json(deep);
  if (!header) EXPECT_EQ(header.error().code, Errc::malformed_packet);
  const std::string deep_field =
      "{\"extFields\":{\"f\":" + std::string(100'000, '[') + std::string(100'000, ']') + "}}";
  const auto with_field = json(deep_field);
  if (!with_field) EXPECT_EQ(with_field.error().code, Errc::malformed_packet);
}

std::string many_fields(std::size_t count) {
  std::string text = "{\"extFields\":{";
  for (std::size_t i = 0; i < count; ++i) {
    text += (i == 0 ? "\"k" : ",\"k") + std::to_string(i) + "\":\"v\"";
  }
  return text + "}}";
}

TEST_F(HeaderTest, JsonFieldsAreCounted) {
  const auto header = json(many_fields(limits::kRemotingFieldsMax));
  ASSERT_TRUE(header);
  EXPECT_EQ(header->fields.size(), limits::kRemotingFieldsMax);
  EXPECT_EQ(error_of(json(many_fields(limits::kRemotingFieldsMax + 1))), Errc::malformed_packet);
}

TEST_F(HeaderTest, JsonKeysHaveALengthThatTheBinaryFormCanHold) {
  const auto with_key = [](std::size_t size) {
    return "{\"extFields\":{\"" + std::string(size, 'k') + "\":\"v\"}}";
  };
  EXPECT_TRUE(json(with_key(limits::kRemotingKeyBytesMax)));
  EXPECT_EQ(error_of(json(with_key(limits::kRemotingKeyBytesMax + 1))), Errc::malformed_packet);
}

TEST_F(HeaderTest, ALargeHeaderAndThenSmallOnesDecode) {
  const std::string large =
      "{\"extFields\":{\"f\":\"" + std::string(limits::kRemotingHeaderBytesMax / 2, 'x') + "\"}}";
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(json(large));
    EXPECT_EQ(field(R"({"f":"small"})"), "small");
  }
}

TEST_F(HeaderTest, AnErrorLeavesNothingBehind) {
  ASSERT_FALSE(json(R"({"code":1,"extFields":{"f":"old"},"opaque":)"));
  const auto header = json(R"({"code":2})");
  ASSERT_TRUE(header);
  EXPECT_TRUE(header->fields.empty());
}

const std::string kBinary =
    hex("01 36"                        // code 310
        "09"                           // language GO
        "01 3d"                        // version 317
        "ff ff ff fb"                  // opaque -5
        "00 00 00 02"                  // flag: one-way
        "00 00 00 02  6f 6b"           // remark: ok
        "00 00 00 17"                  // fields of 9 + 7 + 7 bytes
        "00 01 61  00 00 00 02 67 31"  // a = g1
        "00 01 62  00 00 00 00"        // b = null
        "00 00     00 00 00 01 78");   // null = x

TEST_F(HeaderTest, BinaryPartsAreRead) {
  const auto header = binary(kBinary);
  ASSERT_TRUE(header) << describe(header.error());
  EXPECT_EQ(header->code, 310);
  EXPECT_EQ(header->language, LanguageCode::go);
  EXPECT_EQ(header->version, 317);
  EXPECT_EQ(header->opaque, -5);
  EXPECT_TRUE(header->is_oneway());
  EXPECT_EQ(header->remark, "ok");
  EXPECT_EQ(header->fields.text("a").value(), "g1");
}

TEST_F(HeaderTest, BinaryNullKeysAndValuesReadAsAbsent) {
  const auto header = binary(kBinary);
  ASSERT_TRUE(header);
  EXPECT_EQ(header->fields.size(), 1U);
}

TEST_F(HeaderTest, BinaryOfEveryProperPrefixIsRefused) {
  const std::string& whole = kBinary;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(error_of(binary(whole.substr(0, size))), Errc::malformed_packet) << size;
  }
}

TEST_F(HeaderTest, BinaryWithLyingLengthsIsRefused) {
  const std::string fixed = hex("00 22  00  01 99  00 00 00 01  00 00 00 00");
  const std::vector<std::pair<const char*, std::string>> rows = {
      {"remark longer than the header", hex("00 00 00 10  00 00 00 00")},
      {"negative remark", hex("ff ff ff ff  00 00 00 00")},
      {"fields longer than the header", hex("00 00 00 00  00 00 00 01")},
      {"negative fields", hex("00 00 00 00  80 00 00 00")},
      {"bytes after the fields", hex("00 00 00 00  00 00 00 00  00")},
      {"key longer than the fields", hex("00 00 00 00  00 00 00 08  00 09 61 00 00 00 01 62")},
      {"negative key", hex("00 00 00 00  00 00 00 08  ff ff 61 00 00 00 01 62")},
      {"value longer than the fields", hex("00 00 00 00  00 00 00 08  00 01 61 00 00 00 02 62")},
      {"negative value", hex("00 00 00 00  00 00 00 08  00 01 61 ff ff ff ff 62")},
      {"fields that end inside a length", hex("00 00 00 00  00 00 00 05  00 01 61 00 00")},
  };
  for (const auto& [what, tail] : rows) {
    EXPECT_EQ(error_of(binary(fixed + tail)), Errc::malformed_packet) << what;
  }
  EXPECT_TRUE(binary(fixed + hex("00 00 00 00  00 00 00 07  00 01 61 00 00 00 00")));
}

TEST_F(HeaderTest, BinaryFieldsAreCounted) {
  const auto with_fields = [](std::size_t count) {
    std::string fields;
    for (std::size_t i = 0; i < count; ++i) fields += hex("00 01 6b  00 00 00 01 76");
    std::string wire = hex("00 22  00  01 99  00 00 00 01  00 00 00 00  00 00 00 00");
    for (int shift = 24; shift >= 0; shift -= 8) {
      wire.push_back(static_cast<char>(fields.size() >> shift));
    }
    return wire + fields;
  };
  EXPECT_TRUE(binary(with_fields(limits::kRemotingFieldsMax)));
  EXPECT_EQ(error_of(binary(with_fields(limits::kRemotingFieldsMax + 1))), Errc::malformed_packet);
}

TEST_F(HeaderTest, BinaryUnknownLanguageIsOther) {
  const std::string tail = hex("01 99  00 00 00 01  00 00 00 00  00 00 00 00  00 00 00 00");
  EXPECT_EQ(binary(hex("00 22  0e") + tail)->language, LanguageCode::other);
  EXPECT_EQ(binary(hex("00 22  ff") + tail)->language, LanguageCode::other);
}

}  // namespace
}  // namespace sluice::remoting
