#include <gtest/gtest.h>

#include <set>
#include <string>

#include "common/base/error.hpp"

namespace sluice {
namespace {

constexpr Errc kAll[] = {
#define SLUICE_ERROR(name, number, retryable, http, grpc, mqtt, coap, remoting) Errc::name,
#include "common/base/errors.def"
#undef SLUICE_ERROR
};

TEST(ErrorTable, GivesEveryErrorItsOwnNumberAndName) {
  std::set<std::uint16_t> numbers;
  std::set<std::string_view> names;
  for (const Errc code : kAll) {
    EXPECT_NE(static_cast<std::uint16_t>(code), 0) << "0 is no error";
    EXPECT_TRUE(numbers.insert(static_cast<std::uint16_t>(code)).second) << row_of(code).name;
    EXPECT_TRUE(names.insert(row_of(code).name).second) << row_of(code).name;
    EXPECT_EQ(row_of(code).code, code);
  }
}

// HTTP: 4xx and 5xx. MQTT 5.0 §2.4: failures are 0x80 and above. CoAP: RFC 7252 §5.9, classes 4 and
// 5. gRPC: apache.rocketmq.v2 Code, five digits that begin with 4 or 5.
TEST(ErrorTable, SaysEveryErrorAsAFailureInEveryProtocol) {
  for (const Errc code : kAll) {
    const ErrorRow& row = row_of(code);
    EXPECT_TRUE(row.http >= 400 && row.http <= 599) << row.name;
    EXPECT_TRUE(row.coap >= 400 && row.coap <= 599) << row.name;
    EXPECT_GE(row.mqtt, 0x80) << row.name;
    EXPECT_TRUE(row.grpc >= 40'000 && row.grpc <= 59'999) << row.name;
    EXPECT_GT(row.remoting, 0) << row.name;
  }
}

// RocketMQ's ResponseCode: TOPIC_NOT_EXIST 17, PULL_OFFSET_MOVED 21, NO_PERMISSION 16,
// REQUEST_CODE_NOT_SUPPORTED 3.
TEST(ErrorTable, UsesTheCodesThatJavaClientsActOn) {
  EXPECT_EQ(row_of(Errc::topic_not_found).remoting, 17);
  EXPECT_EQ(row_of(Errc::offset_out_of_range).remoting, 21);
  EXPECT_EQ(row_of(Errc::permission_denied).remoting, 16);
  EXPECT_EQ(row_of(Errc::unsupported).remoting, 3);
}

TEST(Error, IsDescribedByNameAndText) {
  EXPECT_EQ(describe({.code = Errc::topic_not_found, .text = "no topic 'x'"}),
            "topic_not_found: no topic 'x'");
}

Result<int> fails() {
  return fail(Errc::conflict, "lost");
}

Result<std::string> passes_on(int* evaluations) {
  const auto evaluate = [&] {
    ++*evaluations;
    return fails();
  };
  SLUICE_TRY(evaluate());
  return "not reached";
}

Result<std::string> goes_on() {
  SLUICE_TRY(Result<int>(1));
  return "reached";
}

TEST(SluiceTry, ReturnsTheErrorAndEvaluatesOnce) {
  int evaluations = 0;
  const auto result = passes_on(&evaluations);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error(), (Error{.code = Errc::conflict, .text = "lost"}));
  EXPECT_EQ(evaluations, 1);
}

TEST(SluiceTry, GoesOnWithoutAnError) {
  EXPECT_EQ(goes_on(), "reached");
}

}  // namespace
}  // namespace sluice
