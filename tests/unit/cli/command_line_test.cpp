#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include "tests/unit/cli/command_line.hpp"

namespace sluice::cli {
namespace {

/// The options that `sluice serve words...` comes to.
ServeOptions served(std::vector<std::string> words) {
  words.insert(words.begin(), "serve");
  ServeOptions given;
  const Outcome outcome = run_sluice(std::move(words), [&](ServeOptions options) {
    given = std::move(options);
    return kExitDone;
  });
  EXPECT_EQ(outcome.exit_code, kExitDone) << outcome.err;
  return given;
}

TEST(Serve, NeedsNoOptions) {
  const ServeOptions options = served({});
  EXPECT_FALSE(options.role.has_value());
  EXPECT_FALSE(options.file.has_value());
  EXPECT_TRUE(options.overrides.empty());
  const auto config = load_config(options);
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->role(), config::Role::standalone);
}

TEST(Serve, TakesRoleFileDataAndSettings) {
  const ServeOptions options = served({"--role", "broker", "--config", "f.yaml", "--data", "/d",
                                       "--set", "log.level=debug", "--set", "broker.name=b"});
  EXPECT_EQ(options.role, config::Role::broker);
  EXPECT_EQ(options.file, "f.yaml");
  EXPECT_EQ(options.overrides,
            (std::vector<std::string>{"log.level=debug", "broker.name=b", "data=/d"}));
}

TEST(Serve, GivesBackTheExitCodeOfTheServer) {
  EXPECT_EQ(run_sluice({"serve"}, [](ServeOptions) { return 7; }).exit_code, 7);
}

TEST(CommandLine, AnswersWrongUsageWithTwo) {
  const std::vector<std::vector<std::string>> wrong = {
      {},
      {"fly"},
      {"serve", "--role", "king"},
      {"serve", "surplus"},
      {"serve", "--set"},
      {"produce"},
      {"produce", "--topic", "t", "--queue", "-1"},
      {"produce", "--topic", "t", "--queue", "1", "--spread"},
      {"produce", "--topic", "t", "--body", "b", "--file", "f"},
      {"consume", "--topic", "t", "--from", "middle"},
      {"consume", "--topic", "t", "--max", "0"},
      {"consume", "--topic", "t", "--output", "xml"},
      {"consume", "--topic", "t", "--output", "table", "--json"},
      {"topic"},
      {"topic", "create"},
      {"topic", "create", "t", "--queues", "0"},
      {"topic", "create", "t", "--queues", "4097"},
      {"topic", "create", "t", "--may", "x"}};
  for (const auto& words : wrong) {
    const Outcome outcome = run_sluice(words, [](ServeOptions) { return kExitDone; });
    EXPECT_EQ(outcome.exit_code, kExitUsage) << testing::PrintToString(words);
    EXPECT_NE(outcome.err, "") << testing::PrintToString(words);
    EXPECT_EQ(outcome.out, "") << testing::PrintToString(words);
  }
}

TEST(CommandLine, HelpsEverywhere) {
  for (const char* command : {"serve", "produce", "consume", "topic", "version"}) {
    const Outcome outcome = run_sluice({command, "--help"});
    EXPECT_EQ(outcome.exit_code, kExitDone);
    EXPECT_NE(outcome.out.find("--help"), std::string::npos);
  }
  EXPECT_EQ(run_sluice({"--help"}).exit_code, kExitDone);
}

TEST(CommandLine, NamesAnUnknownCommandAndTheOneThatIsMeant) {
  struct Row {
    std::vector<std::string> words;
    std::string err;
  };
  const Row rows[] = {
      {{"serv"}, "sluice: `sluice` has no command 'serv': did you mean `sluice serve`?\n"},
      {{"bogus-word"},
       "sluice: `sluice` has no command 'bogus-word': it has serve, produce, consume, topic, "
       "version, help\n"},
      {{"help", "prodcue"},
       "sluice: `sluice` has no command 'prodcue': did you mean `sluice produce`?\n"},
      {{"topic", "describe", "--help"},
       "sluice: `sluice topic` has no command 'describe': it has create, delete, list, show\n"}};
  for (const Row& row : rows) {
    const Outcome outcome = run_sluice(row.words);
    EXPECT_EQ(outcome.exit_code, kExitUsage);
    EXPECT_EQ(outcome.err, row.err);
  }
}

TEST(CommandLine, HelpsByWordToo) {
  EXPECT_EQ(run_sluice({"help"}).out, run_sluice({"--help"}).out);
  EXPECT_EQ(run_sluice({"help", "topic", "create"}).out,
            run_sluice({"topic", "create", "--help"}).out);
  EXPECT_EQ(run_sluice({"help"}).exit_code, kExitDone);
}

TEST(CommandLine, SaysWhatTheLeastNumberIs) {
  const Outcome outcome = run_sluice({"consume", "--topic", "t", "--max", "0"});
  EXPECT_NE(outcome.err.find("--max: '0' is no number of at least 1"), std::string::npos)
      << outcome.err;
}

TEST(Version, IsAnOptionToo) {
  const Outcome outcome = run_sluice({"--version"});
  EXPECT_EQ(outcome.exit_code, kExitDone);
  EXPECT_EQ(outcome.out, run_sluice({"version"}).out);
}

TEST(Version, IsPrintedForPeopleAndMachines) {
  EXPECT_TRUE(run_sluice({"version"}).out.starts_with("sluice 0."));
  const auto json = boost::json::parse(run_sluice({"version", "--json"}).out);
  EXPECT_TRUE(json.at("version").as_string().starts_with("0."));
  EXPECT_TRUE(json.at("commit").is_string());
}

// Port 1 is privileged, and nobody listens there.
TEST(CommandLine, SaysWhatToDoWithoutAServer) {
  const Outcome outcome = run_sluice({"topic", "list", "--nameserver", "127.0.0.1:1"});
  EXPECT_EQ(outcome.exit_code, kExitFailed);
  EXPECT_NE(outcome.err.find("127.0.0.1:1"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("`sluice serve` starts one"), std::string::npos) << outcome.err;
}

TEST(CommandLine, RefusesANameServerThatIsNoAddress) {
  const Outcome outcome = run_sluice({"topic", "list", "--nameserver", "nowhere"});
  EXPECT_NE(outcome.exit_code, kExitDone);
  EXPECT_NE(outcome.err.find("nowhere"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace sluice::cli
