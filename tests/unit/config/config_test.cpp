#include "common/config/config.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace sluice::config {
namespace {

using namespace std::chrono_literals;

std::string error_of(const std::string& yaml, const std::vector<std::string>& overrides = {},
                     std::optional<Role> role = std::nullopt) {
  const auto config = load_text(yaml, "conf.yaml", overrides, role);
  return config ? "no error" : config.error().text;
}

Config loaded(const std::string& yaml, const std::vector<std::string>& overrides = {},
              std::optional<Role> role = std::nullopt) {
  auto config = load_text(yaml, "conf.yaml", overrides, role);
  EXPECT_TRUE(config.has_value()) << config.error().text;
  return config ? std::move(*config) : Config{};
}

TEST(Config, HasTheDefaultsOfStandaloneWithoutAFile) {
  const auto config = load(std::nullopt, {}, std::nullopt);
  ASSERT_TRUE(config.has_value()) << config.error().text;
  EXPECT_EQ(config->role(), Role::standalone);
  EXPECT_EQ(config->text("cluster.name"), "DefaultCluster");
  EXPECT_EQ(config->text("broker.name"), "broker-a");
  EXPECT_EQ(config->integer("listeners.remoting.port"), 10911);
  EXPECT_EQ(config->duration("retention.age"), 72h);
  EXPECT_EQ(config->bytes("retention.bytes"), 0U);
  EXPECT_TRUE(config->boolean("broker.auto_create_topics"));
  EXPECT_EQ(config->text("storage.durability"), "synced");
  EXPECT_EQ(config->advertised_host(), "127.0.0.1");
}

TEST(Config, RefusesAnUnknownKeyByNameAndLine) {
  EXPECT_EQ(error_of("log:\n  level: info\nlisteners:\n  http:\n    port: 80\n  remotng:\n"
                     "    port: 1\n"),
            "conf.yaml:6: unknown key 'listeners.remotng' (did you mean 'listeners.remoting'?)");
}

TEST(Config, SuggestsNothingForAKeyLikeNoOther) {
  EXPECT_EQ(error_of("\nzookeeper_quorum_servers: 3\n"),
            "conf.yaml:2: unknown key 'zookeeper_quorum_servers'");
}

TEST(Config, SuggestsTheFullNameOfAKeyInTheWrongPlace) {
  EXPECT_EQ(error_of("durability: synced\n"),
            "conf.yaml:1: unknown key 'durability' (did you mean 'storage.durability'?)");
}

TEST(Config, RefusesAnUnknownOverrideByName) {
  EXPECT_EQ(error_of("", {"listeners.htp.port=1"}),
            "--set listeners.htp.port=1: unknown key 'listeners.htp.port' (did you mean "
            "'listeners.http.port'?)");
}

TEST(Config, RefusesANumberOutOfRangeByLine) {
  EXPECT_EQ(error_of("listeners:\n  http:\n    port: 70000\n"),
            "conf.yaml:3: listeners.http.port: '70000' is out of range: 0 to 65535");
}

TEST(Config, RefusesAWrongTypeByLine) {
  EXPECT_EQ(error_of("broker:\n  auto_create_topics: maybe\n"),
            "conf.yaml:2: broker.auto_create_topics: 'maybe' is not true or false");
  EXPECT_EQ(error_of("broker:\n  number: [1, 2]\n"),
            "conf.yaml:2: broker.number: is one value, not a list");
  EXPECT_EQ(error_of("storage:\n  engine: rocks\n"),
            "conf.yaml:2: storage.engine: 'rocks' is not one of log, memory");
}

TEST(Config, RefusesAGroupWithAValue) {
  EXPECT_EQ(error_of("storage: log\n"),
            "conf.yaml:1: 'storage' is a group of settings, not a setting: indent its keys below "
            "it, such as storage.engine");
}

TEST(Config, RefusesASettingWithoutAValue) {
  EXPECT_EQ(error_of("log:\n  level:\n"),
            "conf.yaml:2: log.level: has no value; expected one of trace, debug, info, warn, "
            "error, off");
}

TEST(Config, RefusesAKeyGivenTwice) {
  EXPECT_EQ(error_of("log:\n  level: info\n  level: warn\n"),
            "conf.yaml:3: 'log.level' is given twice");
}

TEST(Config, RefusesAKeyOfAnotherRole) {
  EXPECT_EQ(error_of("role: gateway\nstorage:\n  engine: log\n"),
            "conf.yaml:3: 'storage.engine' is no setting of the role gateway, only of standalone, "
            "broker");
}

TEST(Config, RefusesTextThatIsNoYamlByLine) {
  const std::string error = error_of("log:\n  level: [info\n");
  EXPECT_TRUE(error.starts_with("conf.yaml:")) << error;
  EXPECT_EQ(error_of("just words\n"), "conf.yaml:1: expected settings, one 'name: value' a line");
}

TEST(Config, RefusesASecondDocument) {
  EXPECT_EQ(error_of("log:\n  level: info\n---\nlog:\n  level: warn\n"),
            "conf.yaml:3: the settings end before this line");
}

// yaml-cpp 0.7 takes this for documents without end.
TEST(Config, RefusesTextThatBeginsWithAComma) {
  EXPECT_EQ(error_of(",--\nlog:\n  level: info\n"),
            "conf.yaml:1: the settings end before this line");
}

TEST(Config, RefusesAnUnknownRole) {
  EXPECT_EQ(error_of("role: proxy\n"),
            "conf.yaml:1: role: 'proxy' is not one of standalone, gateway, broker, nameserver");
}

TEST(Config, TakesAFileWhoseGroupsAreEmpty) {
  EXPECT_EQ(loaded("log:\nstorage: {}\n").text("log.level"), "info");
}

TEST(Config, LetsTheCommandLineWinOverTheFileAndTheLaterOverTheEarlier) {
  const Config config = loaded("log:\n  level: warn\nlisteners:\n  http:\n    port: 80\n",
                               {"log.level=error", "log.level=debug"});
  EXPECT_EQ(config.text("log.level"), "debug");
  EXPECT_EQ(config.integer("listeners.http.port"), 80);
}

TEST(Config, LetsTheRoleOfTheCommandLineWin) {
  EXPECT_EQ(loaded("role: gateway\n", {}, Role::broker).role(), Role::broker);
  EXPECT_EQ(loaded("role: gateway\n", {"role=nameserver"}).role(), Role::nameserver);
  EXPECT_EQ(loaded("role: gateway\n", {}, Role::broker).text("role"), "broker");
}

TEST(Config, RefusesAnOverrideWithoutAValue) {
  EXPECT_EQ(error_of("", {"log.level"}),
            "--set 'log.level': write it as key=value, such as log.level=debug");
}

TEST(Config, RefusesAnOverrideOfAGroup) {
  EXPECT_EQ(error_of("", {"storage.log=1"}),
            "--set storage.log=1: 'storage.log' is a group of settings: name one, such as "
            "storage.log.segment_bytes");
}

TEST(Config, ReadsNameServersFromAListAndFromOneText) {
  const std::vector<std::string> both = {"10.0.0.1:9876", "ns.example:9877"};
  const std::string yaml =
      "role: broker\ncluster:\n  nameservers: [10.0.0.1:9876, ns.example:9877]";
  EXPECT_EQ(loaded(yaml).list("cluster.nameservers"), both);
  EXPECT_EQ(loaded("", {"cluster.nameservers=10.0.0.1:9876, ns.example:9877"}, Role::broker)
                .list("cluster.nameservers"),
            both);
  EXPECT_EQ(loaded("", {"cluster.nameservers=[10.0.0.1:9876,ns.example:9877]"}, Role::broker)
                .list("cluster.nameservers"),
            both);
  EXPECT_TRUE(error_of("", {"cluster.nameservers=[10.0.0.1:9876"}, Role::broker)
                  .starts_with("--set cluster.nameservers=[10.0.0.1:9876:1: "));
}

TEST(Config, SaysWhatUsuallyBreaksAFile) {
  for (const char* yaml : {"log:\n  level: info\n   x: 1", "log:\n\tlevel: info"}) {
    const std::string error = error_of(yaml);
    EXPECT_NE(error.find("a tab instead of blanks"), std::string::npos) << error;
  }
}

TEST(Config, HasNoSettingsOfOtherRoles) {
  const Config config = loaded("", {}, Role::nameserver);
  EXPECT_TRUE(config.has("listeners.nameserver.port"));
  EXPECT_FALSE(config.has("listeners.http.port"));
  EXPECT_FALSE(config.has("storage.engine"));
}

TEST(Config, ListsTheListenersOfEachRole) {
  const auto names = [](Role role) {
    std::vector<std::string> found;
    for (const ListenerConfig& listener : loaded("", {}, role).listeners()) {
      found.push_back(listener.name);
    }
    return found;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(Role::standalone), (Names{"nameserver", "remoting", "http", "admin"}));
  EXPECT_EQ(names(Role::gateway), (Names{"remoting", "http", "admin"}));
  EXPECT_EQ(names(Role::broker), (Names{"remoting", "admin"}));
  EXPECT_EQ(names(Role::nameserver), (Names{"nameserver", "admin"}));
}

TEST(Config, LeavesOutADisabledListener) {
  const Config config = loaded("listeners: {http: {enabled: false}, remoting: {port: 0}}");
  ASSERT_EQ(config.listeners().size(), 3U);
  EXPECT_EQ(config.listeners()[1].name, "remoting");
  EXPECT_EQ(config.listeners()[1].port, 0);
  EXPECT_EQ(config.listeners()[1].sessions_max, 100'000U);
  EXPECT_FALSE(config.listeners()[1].settings.contains("port"));
  EXPECT_EQ(config.listeners()[1].settings.find("tls")->second, "permissive");
}

TEST(Config, RefusesTwoListenersOnOnePort) {
  EXPECT_EQ(error_of("listeners:\n  admin:\n    port: 8081\n"),
            "conf.yaml:3: listeners.http and listeners.admin both want 127.0.0.1:8081: change one "
            "port, or disable one of them");
}

TEST(Config, AsksForAnAdvertisedHostWhenBoundToEveryAddress) {
  EXPECT_EQ(error_of("listeners:\n  remoting:\n    bind: 0.0.0.0\n"),
            "conf.yaml:3: no client can connect to 0.0.0.0: set broker.advertised_host to the "
            "address under which clients reach this machine");
  const Config config =
      loaded("listeners: {remoting: {bind: 0.0.0.0}}\nbroker: {advertised_host: 10.1.2.3}");
  EXPECT_EQ(config.advertised_host(), "10.1.2.3");
}

TEST(Config, GivesAPluginItsSettingsInOneSpelling) {
  const Config config = loaded("storage: {log: {segment_bytes: 2MiB, tail_cache_bytes: 1048576}}");
  const SettingMap settings = config.settings("storage.log");
  EXPECT_EQ(settings.at("segment_bytes"), "2097152");
  EXPECT_EQ(settings.at("tail_cache_bytes"), "1048576");
  EXPECT_EQ(settings.at("open_files_max"), "128");
  EXPECT_EQ(settings.size(), 5U);
}

TEST(Config, SurvivesAliasesThatGrowWithoutBound) {
  std::string yaml = "a0: &a0 {}\n";
  for (int i = 1; i < 64; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    yaml += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {x: " + before +
            ", y: " + before + "}\n";
  }
  EXPECT_EQ(error_of(yaml), "conf.yaml:1: unknown key 'a0'");
}

TEST(Config, NamesAFileThatDoesNotExist) {
  const auto config = load("/nonexistent/sluice.yaml", {}, std::nullopt);
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().text, "/nonexistent/sluice.yaml: No such file or directory");
}

TEST(Config, ReadsAFile) {
  const auto path = std::filesystem::path(testing::TempDir()) / "config_test_reads_a_file.yaml";
  std::ofstream(path) << "log:\n  level: warn\n";
  const auto config = load(path, {}, std::nullopt);
  std::filesystem::remove(path);
  ASSERT_TRUE(config.has_value()) << config.error().text;
  EXPECT_EQ(config->text("log.level"), "warn");
}

}  // namespace
}  // namespace sluice::config
