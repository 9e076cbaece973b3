#include "common/config/value.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace sluice::config {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();

Key key_of(Type type, Range range = {0, kLargest}) {
  return {.name = "k",
          .type = type,
          .default_text = "",
          .range = range,
          .words = {},
          .roles = {Role::standalone},
          .doc = ""};
}

Result<Value> parsed(const Key& key, const std::string& text) {
  return parse_value(key, RawValue{{text}, false});
}

TEST(ConfigValue, ReadsSizesInEveryUnit) {
  const Key key = key_of(Type::bytes);
  EXPECT_EQ(parsed(key, "0"), Value(std::int64_t{0}));
  EXPECT_EQ(parsed(key, "512"), Value(std::int64_t{512}));
  EXPECT_EQ(parsed(key, "4KiB"), Value(std::int64_t{4096}));
  EXPECT_EQ(parsed(key, "4 MiB"), Value(std::int64_t{4} << 20));
  EXPECT_EQ(parsed(key, "3GiB"), Value(std::int64_t{3} << 30));
  EXPECT_EQ(parsed(key, "2TiB"), Value(std::int64_t{2} << 40));
}

TEST(ConfigValue, RefusesSizesItDoesNotUnderstand) {
  for (const char* text : {"", "KiB", "4kb", "4MB", "-1", "1.5GiB", "9999999999GiB",
                           "99999999999999999999", "1KiB x"}) {
    EXPECT_FALSE(parsed(key_of(Type::bytes), text).has_value()) << text;
  }
}

TEST(ConfigValue, ReadsTimesInEveryUnit) {
  const Key key = key_of(Type::duration);
  EXPECT_EQ(parsed(key, "0"), Value(std::int64_t{0}));
  EXPECT_EQ(parsed(key, "250ms"), Value(std::int64_t{250}));
  EXPECT_EQ(parsed(key, "2s"), Value(std::int64_t{2000}));
  EXPECT_EQ(parsed(key, "3m"), Value(std::int64_t{180'000}));
  EXPECT_EQ(parsed(key, "1h"), Value(std::int64_t{3'600'000}));
  EXPECT_EQ(parsed(key, "7d"), Value(std::int64_t{604'800'000}));
}

TEST(ConfigValue, RefusesATimeWithoutUnit) {
  const auto value = parsed(key_of(Type::duration), "30");
  ASSERT_FALSE(value.has_value());
  EXPECT_EQ(value.error().text, "'30' is not a time: write a number with ms, s, m, h or d");
}

TEST(ConfigValue, RefusesNumbersWithAnythingAroundThem) {
  for (const char* text : {"", " 1", "1 ", "+1", "0x10", "1e3", "1.0", "one"}) {
    EXPECT_FALSE(parsed(key_of(Type::integer), text).has_value()) << text;
  }
}

TEST(ConfigValue, TakesBothEndsOfARange) {
  const Key key = key_of(Type::integer, {1, 10});
  EXPECT_TRUE(parsed(key, "1").has_value());
  EXPECT_TRUE(parsed(key, "10").has_value());
  EXPECT_FALSE(parsed(key, "0").has_value());
  EXPECT_FALSE(parsed(key, "11").has_value());
}

TEST(ConfigValue, TakesIpAddressesOnly) {
  const Key key = key_of(Type::ip_address, {1, 64});
  EXPECT_TRUE(parsed(key, "10.0.0.1").has_value());
  EXPECT_TRUE(parsed(key, "::1").has_value());
  for (const char* text : {"", "localhost", "10.0.0", "10.0.0.1:80", "[::1]"}) {
    EXPECT_FALSE(parsed(key, text).has_value()) << text;
  }
}

TEST(ConfigValue, TakesHostsWithPorts) {
  const Key key = key_of(Type::host_ports, {1, 4});
  EXPECT_TRUE(parsed(key, "[::1]:9876,ns-1.example:1").has_value());
  for (const char* text : {"", "host", "host:", ":1", "host:0", "host:65536", "[host]:1", "a b:1",
                           "a:1,,b:1", "a:1,b:2,c:3,d:4,e:5"}) {
    EXPECT_FALSE(parsed(key, text).has_value()) << text;
  }
}

TEST(ConfigValue, RefusesControlCharactersInText) {
  EXPECT_FALSE(parsed(key_of(Type::text, {1, 10}), "a\nb").has_value());
}

TEST(ConfigValue, RefusesTextOverItsLength) {
  const auto value = parsed(key_of(Type::text, {1, 3}), "four");
  ASSERT_FALSE(value.has_value());
  EXPECT_EQ(value.error().text, "has 4 bytes; the limit is 3");
}

TEST(ConfigValue, DescribesRangesInUnits) {
  EXPECT_EQ(describe_allowed(key_of(Type::bytes, {1 << 20, std::int64_t{4} << 30})),
            "1MiB to 4GiB");
  EXPECT_EQ(describe_allowed(key_of(Type::duration, {100, 86'400'000})), "100ms to 1d");
  EXPECT_EQ(describe_allowed(key_of(Type::integer, {0, kLargest})), "at least 0");
}

}  // namespace
}  // namespace sluice::config
