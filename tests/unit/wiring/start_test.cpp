#include <boost/asio/ip/tcp.hpp>

#include <gtest/gtest.h>

#include "apps/wiring/process.hpp"
#include "common/config/config.hpp"
#include "tests/support/run_task.hpp"

namespace sluice::apps {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

/// A port that somebody listens on.
class TakenPort {
 public:
  TakenPort() : acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {}

  [[nodiscard]] std::string text() const {
    return std::to_string(acceptor_.local_endpoint().port());
  }

 private:
  asio::io_context context_;
  tcp::acceptor acceptor_;
};

class Start : public testing::Test {
 protected:
  void TearDown() override { runtime_.stop(); }

  /// Starts a whole process, on free ports but for `settings`, and stops it.
  Result<> start(const std::vector<std::string>& settings) {
    std::vector<std::string> overrides = {"listeners.nameserver.port=0",
                                          "listeners.remoting.port=0", "listeners.http.port=0",
                                          "listeners.admin.port=0", "data=" + data().string()};
    overrides.insert(overrides.end(), settings.begin(), settings.end());
    auto config = config::load(std::nullopt, overrides, std::nullopt);
    SLUICE_TRY(config);
    Process process(*runtime_, std::move(*config));
    auto started = test::run(*runtime_, process.start());
    const auto stopped = test::run(*runtime_, process.stop());
    EXPECT_TRUE(stopped.has_value());
    return started;
  }

  [[nodiscard]] std::filesystem::path data() const { return directory_.path() / "data"; }

  test::TempDirectory directory_;
  test::TestRuntime runtime_{{.loops = 1, .workers = 1}};
};

TEST_F(Start, NamesTheListenerWhosePortIsTakenAndTheSettingToChange) {
  const TakenPort taken;
  for (const std::string listener : {"nameserver", "remoting", "http", "admin"}) {
    const auto started = start({"listeners." + listener + ".port=" + taken.text()});
    ASSERT_FALSE(started.has_value()) << listener;
    EXPECT_EQ(started.error().code, Errc::io_error);
    EXPECT_TRUE(started.error().text.starts_with("listeners." + listener +
                                                 ": cannot listen on 127.0.0.1:" + taken.text()))
        << started.error().text;
    EXPECT_NE(started.error().text.find("`--set listeners." + listener + ".port=N`"),
              std::string::npos)
        << started.error().text;
  }
}

TEST_F(Start, LeavesNothingOnTheDiskIfAPortIsTaken) {
  const TakenPort taken;
  ASSERT_FALSE(start({"listeners.admin.port=" + taken.text()}).has_value());
  EXPECT_FALSE(std::filesystem::exists(data()));
  EXPECT_TRUE(start({}).has_value());
  EXPECT_TRUE(std::filesystem::exists(data() / "store"));
}

}  // namespace
}  // namespace sluice::apps
