#include "broker/settings/settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/manual_environment.hpp"
#include "tests/support/printers.hpp"

namespace sluice::broker {

namespace {

class SettingsTest : public testing::Test {
 protected:
  std::string value_of(std::string_view name) const {
    const auto all = settings_.list();
    const auto found = std::ranges::find(all, name, &model::NameValue::first);
    return found == all.end() ? "(absent)" : found->second;
  }

  test::ManualEnvironment environment_;
  BrokerOptions options_ = [] {
    BrokerOptions options;
    options.advertised = model::parse_endpoint("10.0.0.1:10911").value();
    options.retention_age = std::chrono::hours(72);
    return options;
  }();
  Settings settings_{options_, environment_};
};

TEST_F(SettingsTest, HaveTheNamesOfRocketMq) {
  EXPECT_EQ(value_of("autoCreateTopicEnable"), "true");
  EXPECT_EQ(value_of("autoCreateSubscriptionGroup"), "true");
  EXPECT_EQ(value_of("defaultTopicQueueNums"), "8");
  EXPECT_EQ(value_of("fileReservedTime"), "72");
  EXPECT_EQ(value_of("flushDiskType"), "SYNC_FLUSH");
  EXPECT_EQ(value_of("brokerClusterName"), "DefaultCluster");
  EXPECT_EQ(value_of("brokerId"), "0");
  EXPECT_EQ(value_of("listenPort"), "10911");
}

TEST_F(SettingsTest, ChangeTogether) {
  const auto before = settings_.version();
  environment_.advance(5);
  ASSERT_TRUE(settings_.change({{"autoCreateTopicEnable", "false"},
                                {"autoCreateSubscriptionGroup", "false"},
                                {"defaultTopicQueueNums", "4096"},
                                {"fileReservedTime", "1"},
                                {"flushDiskType", "ASYNC_FLUSH"}}));
  EXPECT_FALSE(settings_.creates_topics());
  EXPECT_FALSE(settings_.creates_groups());
  EXPECT_EQ(settings_.default_queues(), 4096);
  EXPECT_EQ(settings_.retention_age(), std::chrono::hours(1));
  EXPECT_EQ(settings_.durability(), storage::Durability::buffered);
  EXPECT_EQ(settings_.version().counter, before.counter + 1);
  EXPECT_EQ(settings_.version().timestamp_ms, before.timestamp_ms + 5);
}

TEST_F(SettingsTest, ChangeNotAtAllIfOneIsRefused) {
  EXPECT_EQ(test::error_of(settings_.change(
                {{"autoCreateTopicEnable", "false"}, {"defaultTopicQueueNums", "0"}})),
            Errc::invalid_argument);
  EXPECT_TRUE(settings_.creates_topics());
  EXPECT_EQ(settings_.version().counter, 0);
}

TEST_F(SettingsTest, OfTheStartMayOnlyBeWhatTheyAre) {
  EXPECT_TRUE(settings_.change({{"longPollingEnable", "true"}}));
  for (const auto& [name, value] : settings_.list()) {
    EXPECT_TRUE(settings_.change({{name, value}})) << name << " has the value it has";
  }
  EXPECT_EQ(test::error_of(settings_.change({{"brokerName", "b"}})), Errc::permission_denied);
  EXPECT_EQ(test::error_of(settings_.change({{"brokerIP1", "10.0.0.2"}})), Errc::permission_denied);
}

TEST_F(SettingsTest, RefuseAndQuoteANameThatIsNotKnown) {
  const auto refused = settings_.change({{"storePathRootDir", "/"}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::permission_denied);
  EXPECT_NE(refused.error().text.find("\"storePathRootDir\""), std::string::npos)
      << refused.error().text;
  const auto long_name = settings_.change({{std::string(100'000, 'x'), ""}});
  ASSERT_FALSE(long_name);
  EXPECT_LT(long_name.error().text.size(), 300U);
}

}  // namespace

}  // namespace sluice::broker
