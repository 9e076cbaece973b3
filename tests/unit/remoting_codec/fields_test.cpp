#include "protocols/remoting/codec/fields.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "tests/support/printers.hpp"

namespace sluice::remoting {
namespace {

const std::vector<Field> kList = {{"topic", "first"},    {"queueId", "3"},   {"offset", "-7"},
                                  {"big", "2147483648"}, {"word", "three"},  {"empty", ""},
                                  {"yes", "TRUE"},       {"no", "anything"}, {"topic", "second"}};

class FieldsTest : public testing::Test {
 protected:
  Fields fields_{kList};
};

TEST_F(FieldsTest, LastOfTwoEqualKeysCounts) {
  EXPECT_EQ(fields_.text("topic").value(), "second");
}

TEST_F(FieldsTest, NumbersAreDecimalAndMayBeNegative) {
  EXPECT_EQ(fields_.int32("queueId").value(), 3);
  EXPECT_EQ(fields_.int64("offset").value(), -7);
  EXPECT_EQ(fields_.int64("big").value(), 2'147'483'648);
}

TEST_F(FieldsTest, MissingFieldIsNamed) {
  const auto value = fields_.int32("sysFlag");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error(), (Error{Errc::protocol_error, "field \"sysFlag\" is missing"}));
  EXPECT_EQ(fields_.text("group").error().text, "field \"group\" is missing");
}

TEST_F(FieldsTest, InvalidNumberIsNamedAndQuoted) {
  EXPECT_EQ(fields_.int32("word").error().text,
            "field \"word\" is not a 32-bit integer: \"three\"");
  EXPECT_EQ(fields_.int32("big").error().text,
            "field \"big\" is not a 32-bit integer: \"2147483648\"");
  EXPECT_EQ(fields_.int64_or("word", 1).error().text,
            "field \"word\" is not a 64-bit integer: \"three\"");
  EXPECT_FALSE(fields_.int32("empty"));
}

TEST_F(FieldsTest, QuotedValueIsCutShort) {
  const std::string long_value(1000, 'x');
  const std::vector<Field> list = {{"n", long_value}};
  EXPECT_LT(Fields(list).int32("n").error().text.size(), 150U);
}

TEST_F(FieldsTest, AbsentOptionalFieldHasTheFallback) {
  EXPECT_EQ(fields_.int32_or("none", 5).value(), 5);
  EXPECT_EQ(fields_.int64_or("empty", 6).value(), 6);
  EXPECT_EQ(fields_.text_or("none", "x"), "x");
  EXPECT_EQ(fields_.text_or("empty", "x"), "");
  EXPECT_TRUE(fields_.boolean_or("none", true));
}

TEST_F(FieldsTest, BooleansAreThoseOfJava) {
  EXPECT_TRUE(fields_.boolean_or("yes", false));
  EXPECT_FALSE(fields_.boolean_or("no", true));
  EXPECT_FALSE(fields_.boolean_or("empty", true));
}

TEST(ParseDecimal, ReadsWhatJavaReads) {
  EXPECT_EQ(parse_decimal<std::int32_t>("+12"), 12);
  EXPECT_EQ(parse_decimal<std::int32_t>("-2147483648"), -2'147'483'648);
  EXPECT_EQ(parse_decimal<std::int32_t>("007"), 7);
  for (const char* const text : {"", "+", "-", "+-1", "1 ", " 1", "1.0", "0x1", "2147483648"}) {
    EXPECT_FALSE(parse_decimal<std::int32_t>(text)) << text;
  }
}

}  // namespace
}  // namespace sluice::remoting
