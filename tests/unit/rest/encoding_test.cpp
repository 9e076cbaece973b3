#include "protocols/rest/encoding.hpp"

#include <gtest/gtest.h>

#include "protocols/rest/problem.hpp"
#include "protocols/rest/request.hpp"

namespace sluice::rest {
namespace {

TEST(PercentDecode, ReadsEveryByte) {
  EXPECT_EQ(percent_decode("a%2Fb%c3%BC"), "a/b\xC3\xBC");
  EXPECT_EQ(percent_decode("a+b"), "a+b");
  EXPECT_EQ(percent_decode("%00"), std::string(1, '\0'));
}

TEST(PercentDecode, RefusesBrokenEscapesAndRawBytes) {
  for (const char* text : {"%", "%1", "a%", "a%2", "%zz", "%2g", "\xC3\xBC", "a\tb"}) {
    EXPECT_FALSE(percent_decode(text).has_value()) << text;
  }
}

TEST(PercentEncode, IsUndoneByDecode) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  EXPECT_EQ(percent_decode(percent_encode(all)), all);
  EXPECT_EQ(percent_encode("%RETRY%g|x"), "%25RETRY%25g%7Cx");
}

TEST(Target, IsTakenApart) {
  const auto target = parse_target("/v1/a%2Fb/c?x=1&y=%20z&flag");
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->segments, (std::vector<std::string>{"v1", "a/b", "c"}));
  using Parameters = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(target->parameters, (Parameters{{"x", "1"}, {"y", " z"}, {"flag", ""}}));
}

TEST(Target, OfTheRootHasOneEmptySegment) {
  const auto target = parse_target("/?x=1");
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->segments, std::vector<std::string>{""});
  EXPECT_EQ(target->parameters.size(), 1U);
}

TEST(Target, RefusesAParameterGivenTwice) {
  EXPECT_FALSE(parse_target("/a?x=1&x=2").has_value());
}

TEST(Target, RefusesWhatIsNoPath) {
  for (const char* text : {"", "*", "host:80", "v1/topics"}) {
    EXPECT_FALSE(parse_target(text).has_value()) << text;
  }
}

TEST(Number, IsWholeAndInRange) {
  EXPECT_EQ(parse_number("n", "7", 0, 10), 7);
  for (const char* text : {"", "-1", "11", "7 ", " 7", "0x7", "7.0", "99999999999999999999"}) {
    EXPECT_FALSE(parse_number("n", text, 0, 10).has_value()) << text;
  }
}

TEST(Quoted, LeavesOutWhatIsNotPrintableAndCutsWhatIsLong) {
  EXPECT_EQ(quoted("a\r\nb\xFF"), "'a??b?'");
  EXPECT_EQ(rest::quoted(std::string(1'000, 'x')).size(), 80U + 5U);
}

TEST(Problem, HasTheMembersOfTheErrorTable) {
  const Response response = to_problem({Errc::quota_exceeded, "slow down"});
  EXPECT_EQ(response.status, 429U);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_EQ(response.body, R"({"title":"Too Many Requests","status":429,"detail":"slow down",)"
                           R"("error":"quota_exceeded","error_number":6,"retryable":true})");
  ASSERT_EQ(response.fields.size(), 1U);
  EXPECT_EQ(response.fields[0].first, "Retry-After");
}

TEST(Problem, HasAReasonForEveryStatusOfTheErrorTable) {
  for (int number = 1; number <= 26; ++number) {
    const auto status = row_of(static_cast<Errc>(number)).http;
    EXPECT_NE(reason_of(status), "") << status;
  }
}

}  // namespace
}  // namespace sluice::rest
