// The signals that end a server, as a process manager and a closed terminal send them.

#include <csignal>
#include <string>

#include <gtest/gtest.h>

#include "tests/crash/server_process.hpp"
#include "tests/crash/work_directory.hpp"

namespace sluice::crash {
namespace {

TEST(Signals, EndTheServerWithoutAnError) {
  const WorkDirectory directory;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    ServerProcess server({.program = SLUICE_PROGRAM, .data = directory.data(), .settings = {}});
    ASSERT_TRUE(server.wait_until_ready()) << signal;
    EXPECT_EQ(server.end_by(signal), 0) << signal << directory.end_of_log();
  }
}

// nohup(1) starts its program so.
TEST(Signals, DoNotEndAServerThatIgnoresHangups) {
  const WorkDirectory directory;
  const auto before = std::signal(SIGHUP, SIG_IGN);
  ServerProcess server({.program = SLUICE_PROGRAM, .data = directory.data(), .settings = {}});
  std::signal(SIGHUP, before);
  ASSERT_TRUE(server.wait_until_ready());
  ::kill(server.pid(), SIGHUP);
  EXPECT_EQ(server.terminate(), 0);
  const std::string log = directory.end_of_log();
  EXPECT_NE(log.find("SIGTERM: draining"), std::string::npos) << log;
}

}  // namespace
}  // namespace sluice::crash
