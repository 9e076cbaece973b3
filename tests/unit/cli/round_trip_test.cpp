// The commands against a whole server in this process.

#include <fcntl.h>
#include <unistd.h>

#include <fstream>

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include "apps/wiring/process.hpp"
#include "common/base/limits.hpp"
#include "common/config/config.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/cli/command_line.hpp"

namespace sluice::cli {
namespace {

namespace json = boost::json;

class RoundTrip : public testing::Test {
 protected:
  void SetUp() override {
    const std::vector<std::string> overrides = {"storage.engine=memory",
                                                "listeners.nameserver.port=0",
                                                "listeners.remoting.port=0",
                                                "listeners.http.port=0",
                                                "listeners.admin.port=0",
                                                "broker.default_queues=4",
                                                "data=" + directory_.path().string()};
    auto config = config::load(std::nullopt, overrides, std::nullopt);
    ASSERT_TRUE(config.has_value()) << config.error().text;
    process_ = std::make_unique<apps::Process>(*runtime_, std::move(*config));
    const auto started = test::run(*runtime_, process_->start());
    ASSERT_TRUE(started.has_value()) << started.error().text;
    const auto listeners = json::parse(process_->describe_listeners());
    name_server_ = listeners.at("listeners").at("nameserver").as_string();
  }

  void TearDown() override {
    if (process_) static_cast<void>(test::run(*runtime_, process_->stop()));
    runtime_.stop();
  }

  Outcome sluice(std::vector<std::string> words, int input = -1) {
    words.insert(words.end(), {"--nameserver", name_server_});
    return run_sluice(std::move(words), nullptr, input);
  }

  std::string file_with(std::string_view text) {
    const auto path = directory_.path() / "lines";
    std::ofstream(path, std::ios::binary) << text;
    return path.string();
  }

  test::TempDirectory directory_;
  test::TestRuntime runtime_{{.loops = 2, .workers = 1}};
  std::unique_ptr<apps::Process> process_;
  std::string name_server_;
};

TEST_F(RoundTrip, GivesBackTheLinesOfAFileByteForByte) {
  std::string text;
  for (int i = 0; i < 5'000; ++i) text += "line " + std::to_string(i) + " \xFF\r\n";
  const Outcome produced = sluice({"produce", "--topic", "t", "--file", file_with(text)});
  EXPECT_EQ(produced.exit_code, kExitDone) << produced.err;
  EXPECT_NE(produced.out.find("5,000 messages"), std::string::npos) << produced.out;
  const Outcome consumed = sluice({"consume", "--topic", "t"});
  EXPECT_EQ(consumed.exit_code, kExitDone) << consumed.err;
  EXPECT_EQ(consumed.out, text);
}

TEST_F(RoundTrip, ReadsItsInputFromAPipe) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "one\ntwo", 7), 7);
  ::close(ends[1]);
  const Outcome produced = sluice({"produce", "--topic", "t", "--json"}, ends[0]);
  ::close(ends[0]);
  EXPECT_EQ(produced.exit_code, kExitDone) << produced.err;
  const auto result = json::parse(produced.out);
  EXPECT_EQ(result.at("messages"), 2);
  EXPECT_EQ(result.at("bytes"), 7);
  EXPECT_EQ(result.at("queues").at(0).at("queue"), 0);
  EXPECT_EQ(sluice({"consume", "--topic", "t"}).out, "one\ntwo\n");
}

TEST_F(RoundTrip, SpreadsMessagesOverAllQueuesInTurn) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += std::to_string(i) + "\n";
  const Outcome produced =
      sluice({"produce", "--topic", "t", "--spread", "--json", "--file", file_with(text)});
  ASSERT_EQ(produced.exit_code, kExitDone) << produced.err;
  const auto result = json::parse(produced.out);
  EXPECT_EQ(result.at("messages"), 10);
  std::vector<std::int64_t> counts;
  for (const auto& queue : result.at("queues").as_array()) {
    counts.push_back(queue.at("messages").to_number<std::int64_t>());
  }
  EXPECT_EQ(counts, (std::vector<std::int64_t>{3, 3, 2, 2}));
  EXPECT_EQ(sluice({"consume", "--topic", "t"}).out.size(), text.size());
}

TEST_F(RoundTrip, GoesOnWithTheNextQueueAfterABatch) {
  std::string text;
  for (int i = 0; i < 4'001; ++i) text += std::to_string(i) + "\n";
  const Outcome produced =
      sluice({"produce", "--topic", "t", "--spread", "--json", "--file", file_with(text)});
  ASSERT_EQ(produced.exit_code, kExitDone) << produced.err;
  const auto result = json::parse(produced.out);
  EXPECT_EQ(result.at("queues").at(0).at("messages"), 1'001);
  EXPECT_EQ(result.at("queues").at(3).at("messages"), 1'000);
  EXPECT_EQ(sluice({"consume", "--topic", "t"}).out.size(), text.size());
}

TEST_F(RoundTrip, WritesTheTimeAsAPlainNumber) {
  for (const std::vector<std::string>& what :
       {std::vector<std::string>{"--body", "x"}, {"--file", file_with("x\n")}}) {
    std::vector<std::string> words{"produce", "--topic", "t", "--json"};
    words.insert(words.end(), what.begin(), what.end());
    const std::string out = sluice(std::move(words)).out;
    const std::size_t at = out.find("\"seconds\":");
    ASSERT_NE(at, std::string::npos) << out;
    EXPECT_EQ(out.find_first_not_of("0123456789.", at + 10), out.rfind('}')) << out;
  }
}

TEST_F(RoundTrip, GivesBackTagKeysAndProperties) {
  const Outcome produced =
      sluice({"produce", "--topic", "t", "--body", "hello", "--tag", "red", "--key", "k1", "--key",
              "k2", "--property", "city=Bern", "--queue", "3", "--json"});
  ASSERT_EQ(produced.exit_code, kExitDone) << produced.err;
  const auto receipt = json::parse(produced.out);
  const Outcome consumed = sluice({"consume", "--topic", "t", "--json"});
  ASSERT_EQ(consumed.exit_code, kExitDone) << consumed.err;
  const auto message = json::parse(consumed.out);
  EXPECT_EQ(message.at("topic"), "t");
  EXPECT_EQ(message.at("queue"), 3);
  EXPECT_EQ(message.at("body"), "hello");
  EXPECT_EQ(message.at("tag"), "red");
  EXPECT_EQ(message.at("keys"), json::parse(R"(["k1","k2"])"));
  EXPECT_EQ(message.at("properties"), json::parse(R"([{"name":"city","value":"Bern"}])"));
  EXPECT_EQ(message.at("id"), receipt.at("id"));
  const std::string table = sluice({"consume", "--topic", "t", "--output", "table"}).out;
  EXPECT_NE(table.find("QUEUE"), std::string::npos);
  EXPECT_NE(table.find("k1 k2"), std::string::npos);
}

TEST_F(RoundTrip, KeepsTheProgressOfAGroup) {
  ASSERT_EQ(sluice({"produce", "--topic", "t", "--file", file_with("1\n2\n3\n")}).exit_code, 0);
  EXPECT_EQ(sluice({"consume", "--topic", "t", "--group", "g", "--max", "2"}).out, "1\n2\n");
  EXPECT_EQ(sluice({"consume", "--topic", "t", "--group", "g"}).out, "3\n");
  EXPECT_EQ(sluice({"consume", "--topic", "t", "--group", "g"}).out, "");
  EXPECT_EQ(sluice({"consume", "--topic", "t", "--group", "g", "--from", "first"}).out,
            "1\n2\n3\n");
}

TEST_F(RoundTrip, BeginsWhereItIsTold) {
  ASSERT_EQ(sluice({"produce", "--topic", "t", "--file", file_with("1\n2\n3\n")}).exit_code, 0);
  EXPECT_EQ(sluice({"consume", "--topic", "t", "--from", "1"}).out, "2\n3\n");
  EXPECT_EQ(sluice({"consume", "--topic", "t", "--from", "last"}).out, "");
}

TEST_F(RoundTrip, NamesATopicThatDoesNotExist) {
  const Outcome consumed = sluice({"consume", "--topic", "nothing"});
  EXPECT_EQ(consumed.exit_code, kExitFailed);
  EXPECT_EQ(consumed.err,
            "sluice: topic 'nothing' does not exist: `sluice topic list` shows those that do\n");
}

TEST_F(RoundTrip, CreatesListsShowsAndDeletesATopic) {
  const Outcome created = sluice({"topic", "create", "orders", "--queues", "3"});
  EXPECT_EQ(created.exit_code, kExitDone) << created.err;
  EXPECT_EQ(created.out, "topic orders has 3 queues on broker-a\n");
  EXPECT_EQ(sluice({"topic", "list"}).out,
            "TOPIC   QUEUES  MAY  BROKERS\norders       3  rw   broker-a\n");
  ASSERT_EQ(sluice({"produce", "--topic", "orders", "--body", "x"}).exit_code, kExitDone);
  const auto shown = json::parse(sluice({"topic", "show", "orders", "--json"}).out);
  EXPECT_EQ(shown.at("queues").as_array().size(), 3U);
  EXPECT_EQ(shown.at("queues").at(0).at("next_offset"), 1);
  EXPECT_NE(sluice({"topic", "show", "orders"}).out.find("BROKER"), std::string::npos);
  EXPECT_EQ(sluice({"topic", "delete", "orders"}).out, "topic orders is deleted on broker-a\n");
  EXPECT_EQ(sluice({"topic", "show", "orders"}).exit_code, kExitFailed);
  const auto left = json::parse(sluice({"topic", "list", "--json"}).out);
  EXPECT_TRUE(left.at("topics").as_array().empty());
}

TEST_F(RoundTrip, ChangesATopicOnlyWhenTold) {
  ASSERT_EQ(sluice({"topic", "create", "t", "--queues", "3"}).exit_code, kExitDone);
  EXPECT_EQ(sluice({"topic", "create", "t", "--queues", "3"}).exit_code, kExitDone);
  const Outcome refused = sluice({"topic", "create", "t", "--queues", "5"});
  EXPECT_EQ(refused.exit_code, kExitFailed);
  EXPECT_NE(refused.err.find("--update changes it"), std::string::npos) << refused.err;
  const Outcome changed = sluice({"topic", "create", "t", "--queues", "5", "--update", "--json"});
  EXPECT_EQ(changed.exit_code, kExitDone) << changed.err;
  EXPECT_EQ(json::parse(changed.out).at("queues"), 5);
}

TEST_F(RoundTrip, NamesTheFileThatIsNotThere) {
  const Outcome produced = sluice({"produce", "--topic", "t", "--file", "/nonexistent/lines"});
  EXPECT_EQ(produced.exit_code, kExitFailed);
  EXPECT_EQ(produced.err, "sluice: --file '/nonexistent/lines': No such file or directory\n");
}

TEST_F(RoundTrip, SaysWhatIsStoredBeforeALineThatIsTooLong) {
  const std::string text = "one\n" + std::string(limits::kMessageBodyBytesMax + 1, 'x') + "\n";
  const Outcome produced = sluice({"produce", "--topic", "t", "--file", file_with(text)});
  EXPECT_EQ(produced.exit_code, kExitFailed);
  EXPECT_NE(produced.err.find("line 2 has more than"), std::string::npos) << produced.err;
  EXPECT_NE(produced.err.find("1 line is stored before"), std::string::npos) << produced.err;
  EXPECT_EQ(sluice({"consume", "--topic", "t"}).out, "one\n");
}

TEST_F(RoundTrip, RefusesToReadATopicThatMayOnlyBeWritten) {
  ASSERT_EQ(sluice({"topic", "create", "t", "--may", "w"}).exit_code, kExitDone);
  const Outcome consumed = sluice({"consume", "--topic", "t"});
  EXPECT_EQ(consumed.exit_code, kExitFailed);
  EXPECT_NE(consumed.err.find("topic 't' may not be read"), std::string::npos) << consumed.err;
}

TEST_F(RoundTrip, SaysSoIfNoQueueReachesTheOffset) {
  ASSERT_EQ(sluice({"produce", "--topic", "t", "--file", file_with("1\n2\n")}).exit_code, 0);
  const Outcome consumed = sluice({"consume", "--topic", "t", "--from", "7"});
  EXPECT_EQ(consumed.exit_code, kExitDone);
  EXPECT_EQ(consumed.err,
            "sluice: --from 7: no queue of topic 't' reaches it; the last offset is 1\n");
  EXPECT_EQ(sluice({"consume", "--topic", "t", "--from", "1"}).err, "");
}

TEST_F(RoundTrip, MakesNoReservedTopic) {
  for (const char* name : {"%RETRY%g", "%DLQ%g", "TBW102"}) {
    const Outcome created = sluice({"topic", "create", name});
    EXPECT_EQ(created.exit_code, kExitFailed);
    EXPECT_NE(created.err.find("is reserved"), std::string::npos) << created.err;
  }
}

TEST_F(RoundTrip, RecognisesAPortThatSpeaksHttp) {
  const auto listeners = json::parse(process_->describe_listeners());
  const std::string http(listeners.at("listeners").at("http").as_string());
  const Outcome listed = run_sluice({"topic", "list", "--nameserver", http});
  EXPECT_EQ(listed.exit_code, kExitFailed);
  EXPECT_EQ(listed.err, "sluice: \"" + http + "\": this port speaks HTTP, not remoting\n");
}

/// A name server without a broker.
class WithoutBroker : public testing::Test {
 protected:
  void SetUp() override {
    auto config = config::load(std::nullopt,
                               {"listeners.nameserver.port=0", "listeners.admin.port=0",
                                "data=" + directory_.path().string()},
                               config::Role::nameserver);
    ASSERT_TRUE(config.has_value()) << config.error().text;
    process_ = std::make_unique<apps::Process>(*runtime_, std::move(*config));
    ASSERT_TRUE(test::run(*runtime_, process_->start()).has_value());
    name_server_ =
        json::parse(process_->describe_listeners()).at("listeners").at("nameserver").as_string();
  }

  void TearDown() override {
    static_cast<void>(test::run(*runtime_, process_->stop()));
    runtime_.stop();
  }

  test::TempDirectory directory_;
  test::TestRuntime runtime_{{.loops = 1, .workers = 1}};
  std::unique_ptr<apps::Process> process_;
  std::string name_server_;
};

TEST_F(WithoutBroker, EveryCommandSaysThatThereIsNone) {
  const std::vector<std::vector<std::string>> commands = {
      {"produce", "--topic", "t", "--body", "x"},
      {"consume", "--topic", "t"},
      {"topic", "list"},
      {"topic", "show", "t"},
      {"topic", "delete", "t"},
      {"topic", "create", "t"}};
  for (std::vector<std::string> words : commands) {
    words.insert(words.end(), {"--nameserver", name_server_});
    const Outcome outcome = run_sluice(words);
    EXPECT_EQ(outcome.exit_code, kExitFailed) << words[0];
    EXPECT_TRUE(outcome.err.starts_with("sluice: the name server knows no broker: "))
        << outcome.err;
    EXPECT_EQ(outcome.err.find("Is a server running"), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace sluice::cli
