#include "nameserver/kept_config.hpp"

#include <string>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "tests/support/printers.hpp"

namespace sluice::nameserver {
namespace {

model::PutKv entry(std::string name_space, std::string key, std::string value) {
  return {.name_space = std::move(name_space), .key = std::move(key), .value = std::move(value)};
}

TEST(KeptConfig, HoldsWhatWasPut) {
  KeptConfig config;
  ASSERT_TRUE(config.put(entry("n", "k", "v")));
  ASSERT_NE(config.find("n", "k"), nullptr);
  EXPECT_EQ(*config.find("n", "k"), "v");
  ASSERT_TRUE(config.put(entry("n", "k", "w")));
  EXPECT_EQ(*config.find("n", "k"), "w");
  EXPECT_EQ(config.find("n", "other"), nullptr);
  EXPECT_EQ(config.find("m", "k"), nullptr);
}

TEST(KeptConfig, KeepsTheNamespaceOfADeletedKey) {
  KeptConfig config;
  ASSERT_TRUE(config.put(entry("n", "k", "v")));
  config.erase({.name_space = "n", .key = "k"});
  ASSERT_NE(config.find("n"), nullptr);
  EXPECT_TRUE(config.find("n")->empty());
  config.erase({.name_space = "m", .key = "k"});
  EXPECT_EQ(config.find("m"), nullptr);
}

TEST(KeptConfig, FindsTheKeysOfAValue) {
  KeptConfig config;
  for (const char* key : {"a", "b"}) ASSERT_TRUE(config.put(entry("n", key, "10.0.0.1")));
  ASSERT_TRUE(config.put(entry("n", "c", "10.0.0.2")));
  EXPECT_EQ(config.keys_of("n", "10.0.0.1"), "a;b");
  EXPECT_EQ(config.keys_of("n", "10.0.0.3"), "");
  EXPECT_EQ(config.keys_of("m", "10.0.0.1"), "");
}

TEST(KeptConfig, RefusesNamesAndValuesThatCannotBeKept) {
  KeptConfig config;
  const std::string long_name(limits::kKvNameBytesMax + 1, 'x');
  const std::string long_value(limits::kKvValueBytesMax + 1, 'x');
  for (const auto& bad : {entry("", "k", "v"), entry("n", "", "v"), entry(long_name, "k", "v"),
                          entry("n", long_name, "v"), entry("n", "k", long_value),
                          entry("n", "k", "\xff"), entry("\xc3", "k", "v")}) {
    EXPECT_EQ(test::error_of(config.put(bad)), Errc::invalid_argument);
  }
  EXPECT_TRUE(config.name_spaces().empty());
}

TEST(KeptConfig, TakesNamesThatAreNoFileNames) {
  KeptConfig config;
  ASSERT_TRUE(config.put(entry("../../etc", "pass/wd", std::string("a\0b", 3))));
  const auto again = KeptConfig::decode(config.encode());
  ASSERT_TRUE(again) << describe(again.error());
  ASSERT_NE(again->find("../../etc", "pass/wd"), nullptr);
  EXPECT_EQ(*again->find("../../etc", "pass/wd"), std::string("a\0b", 3));
}

TEST(KeptConfig, RefusesWhatGoesBeyondItsLimitAndFreesWhatWasDeleted) {
  KeptConfig config;
  const std::string value(limits::kKvValueBytesMax, 'x');
  std::size_t count = 0;
  while (config.put(entry("n", std::to_string(count), value))) ++count;
  EXPECT_GE(count, limits::kKvBytesMax / limits::kKvValueBytesMax - 1);
  EXPECT_EQ(test::error_of(config.put(entry("n", "more", value))), Errc::quota_exceeded);
  EXPECT_TRUE(config.put(entry("n", "0", value))) << "the same again takes no more";
  config.erase({.name_space = "n", .key = "0"});
  EXPECT_TRUE(config.put(entry("n", "9", value)));
}

TEST(KeptConfig, CountsTheSameAfterARestart) {
  KeptConfig config;
  const std::string value(limits::kKvValueBytesMax, 'x');
  std::size_t count = 0;
  while (config.put(entry("n", std::to_string(count), value))) ++count;
  auto again = KeptConfig::decode(config.encode());
  ASSERT_TRUE(again);
  EXPECT_EQ(test::error_of(again->put(entry("n", "more", value))), Errc::quota_exceeded);
}

TEST(KeptConfig, ReadsWhatItWrote) {
  KeptConfig config;
  ASSERT_TRUE(config.put(entry("ORDER_TOPIC_CONFIG", "orders", "broker-a:4")));
  ASSERT_TRUE(config.put(entry("n", "k", "\"\n東京")));
  ASSERT_TRUE(config.update({{"orderMessageEnable", "true"}}));
  const auto again = KeptConfig::decode(config.encode());
  ASSERT_TRUE(again) << describe(again.error());
  EXPECT_EQ(again->name_spaces(), config.name_spaces());
  EXPECT_EQ(*again->find("n", "k"), "\"\n東京");
  EXPECT_EQ(again->settings(), config.settings());
  EXPECT_TRUE(again->settings().order_messages);
}

TEST(KeptConfig, WritesTheDocumentedFormat) {
  KeptConfig config;
  ASSERT_TRUE(config.put(entry("n", "k", "v")));
  ASSERT_TRUE(config.update({{"supportActingMaster", "true"}}));
  EXPECT_EQ(config.encode(),
            R"({"format":1,"kv":{"n":{"k":"v"}},"settings":{"supportActingMaster":"true"}})"
            "\n");
}

TEST(KeptConfig, RefusesWhatItDidNotWrite) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"format":"1"})", R"({"format":1,"settings":{}})",
        R"({"format":1,"kv":{}})", R"({"format":1,"kv":[],"settings":{}})",
        R"({"format":1,"kv":{"n":1},"settings":{}})",
        R"({"format":1,"kv":{"n":{"k":1}},"settings":{}})",
        R"({"format":1,"kv":{},"settings":{"colour":"red"}})"}) {
    EXPECT_EQ(test::error_of(KeptConfig::decode(text)), Errc::corrupt_record) << text;
  }
  EXPECT_EQ(test::error_of(KeptConfig::decode(R"({"format":2,"kv":{},"settings":{}})")),
            Errc::unsupported);
}

TEST(Settings, AreRocketMqsByDefault) {
  const auto texts = Settings{}.to_texts();
  EXPECT_EQ(texts.at("orderMessageEnable"), "false");
  EXPECT_EQ(texts.at("returnOrderTopicConfigToBroker"), "true");
  EXPECT_EQ(texts.at("supportActingMaster"), "false");
  EXPECT_EQ(texts.at("deleteTopicWithBrokerRegistration"), "false");
  EXPECT_EQ(texts.at("enableAllTopicList"), "true");
  EXPECT_EQ(texts.at("enableTopicList"), "true");
  EXPECT_EQ(texts.at("configBlackList"), "configBlackList;configStorePath;kvConfigPath");
}

TEST(Settings, RefuseWhatIsOnTheBlackList) {
  for (const char* name : {"configBlackList", "configStorePath", "kvConfigPath"}) {
    Settings settings;
    EXPECT_EQ(test::error_of(settings.update({{name, "/etc/passwd"}})), Errc::permission_denied);
  }
}

TEST(Settings, ChangeAllOrNone) {
  Settings settings;
  for (const char* other : {"rocketmqHome", "listenPort", "$(reboot)", ""}) {
    const auto updated = settings.update({{"orderMessageEnable", "true"}, {other, "x"}});
    EXPECT_EQ(test::error_of(updated), Errc::protocol_error) << other;
  }
  EXPECT_EQ(test::error_of(settings.update({{"orderMessageEnable", "yes"}})), Errc::protocol_error);
  EXPECT_EQ(settings, Settings{});
}

}  // namespace
}  // namespace sluice::nameserver
