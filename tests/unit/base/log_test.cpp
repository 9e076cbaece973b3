#include <gtest/gtest.h>

#include "common/base/log.hpp"

namespace sluice {
namespace {

TEST(Log, StartsAtEveryNamedLevel) {
  for (const char* level : {"trace", "debug", "info", "warn", "error", "off"}) {
    EXPECT_TRUE(log::start(level)) << level;
  }
}

TEST(Log, RefusesAWordThatIsNoLevelAndNamesIt) {
  const auto started = log::start("loud");
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Errc::invalid_argument);
  EXPECT_NE(started.error().text.find("'loud'"), std::string::npos);
}

}  // namespace
}  // namespace sluice
