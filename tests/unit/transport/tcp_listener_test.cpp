#include "protocols/transport/tcp_listener.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>

#include "common/base/metrics.hpp"
#include "tests/support/printers.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/transport/tcp_peer.hpp"

namespace sluice {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using test::TcpPeer;
using transport::Stream;
using transport::TcpListener;

/// What the sessions of a test did.
struct Log {
  std::atomic<int> alive{0};
  std::atomic<int> stopped{0};
  std::atomic<int> closed{0};
  std::mutex mutex;
  std::set<void*> loops;
};

enum class OnStop : std::uint8_t { end, ignore };

/// Sends back what comes.
class EchoSession final : public transport::Session {
 public:
  EchoSession(Stream stream, Log& log, OnStop on_stop)
      : stream_(std::move(stream)), log_(log), on_stop_(on_stop) {
    ++log_.alive;
    const std::lock_guard lock(log_.mutex);
    log_.loops.insert(&stream_.get_executor().context());
  }
  ~EchoSession() override { --log_.alive; }

  Task<> run() override {
    boost::system::error_code error;
    while (!error) {
      char byte{};
      co_await stream_.async_read_some(asio::buffer(&byte, 1), asio::redirect_error(kAwait, error));
      if (!error) {
        co_await stream_.async_write_some(asio::buffer(&byte, 1),
                                          asio::redirect_error(kAwait, error));
      }
    }
    co_return Result<>{};
  }

  void stop() noexcept override {
    ++log_.stopped;
    if (on_stop_ == OnStop::end) cut();
  }

  void close() noexcept override {
    ++log_.closed;
    cut();
  }

 private:
  void cut() { stream_.close(); }

  Stream stream_;
  Log& log_;
  OnStop on_stop_;
};

class TcpListenerTest : public testing::Test {
 protected:
  std::unique_ptr<TcpListener> make(protocol::ListenerOptions options = {},
                                    OnStop on_stop = OnStop::end, std::string name = "test") {
    return std::make_unique<TcpListener>(*runtime_, std::move(name), std::move(options),
                                         [this, on_stop](Stream stream, model::Endpoint) {
                                           return std::make_shared<EchoSession>(std::move(stream),
                                                                                log_, on_stop);
                                         });
  }

  std::unique_ptr<TcpListener> start(protocol::ListenerOptions options = {},
                                     OnStop on_stop = OnStop::end, std::string name = "test") {
    auto listener = make(std::move(options), on_stop, std::move(name));
    const auto started = listener->start();
    EXPECT_TRUE(started) << describe(started.error());
    return listener;
  }

  Result<> drain(TcpListener& listener, std::chrono::milliseconds grace) {
    return test::run(*runtime_, listener.drain(grace));
  }

  static bool is_served(TcpPeer& peer) { return peer.send("x") && peer.receive(1) == "x"; }

  Log log_;  // Outlives the runtime, which destroys what sessions are left.
  test::TestRuntime runtime_{Runtime::Options{.loops = 2}};
};

TEST_F(TcpListenerTest, HasNoPortBeforeItStarts) {
  EXPECT_EQ(make()->port(), 0);
}

TEST_F(TcpListenerTest, BindsAFreePortIfAskedForNone) {
  const auto listener = start();
  EXPECT_NE(listener->port(), 0);
}

TEST_F(TcpListenerTest, ServesAPeer) {
  const auto listener = start();
  TcpPeer peer(listener->port());
  EXPECT_TRUE(is_served(peer));
}

TEST_F(TcpListenerTest, SpreadsPeersOverTheLoops) {
  const auto listener = start();
  std::vector<TcpPeer> peers;
  for (int i = 0; i < 4; ++i) {
    peers.emplace_back(listener->port());
    ASSERT_TRUE(is_served(peers.back()));
  }
  const std::lock_guard lock(log_.mutex);
  EXPECT_EQ(log_.loops.size(), 2);
}

TEST_F(TcpListenerTest, NamesAnAddressThatIsNone) {
  const auto started = make({.bind_address = "example", .settings = {}})->start();
  ASSERT_EQ(test::error_of(started), Errc::invalid_argument);
  EXPECT_NE(started.error().text.find("\"example\""), std::string::npos) << started.error().text;
}

TEST_F(TcpListenerTest, NamesAPortThatIsTaken) {
  const auto first = start();
  const auto started = make({.port = first->port(), .settings = {}})->start();
  ASSERT_EQ(test::error_of(started), Errc::io_error);
  EXPECT_NE(started.error().text.find(std::to_string(first->port())), std::string::npos)
      << started.error().text;
}

TEST_F(TcpListenerTest, CanBindItsPortAgainAtOnce) {
  auto listener = start();
  const std::uint16_t port = listener->port();
  {
    TcpPeer peer(port);
    ASSERT_TRUE(is_served(peer));
    ASSERT_TRUE(drain(*listener, 10s));  // Our end closes first, and lingers in TIME_WAIT.
    EXPECT_EQ(peer.receive_all(), "");
  }
  listener.reset();
  const auto again = make({.port = port, .settings = {}});
  EXPECT_TRUE(test::wait_until([&] { return again->start().has_value(); }));
}

TEST_F(TcpListenerTest, RefusesAndCountsAPeerOverTheCap) {
  auto& refused = metrics::counter("sluice_connections_refused_total", "listener=\"capped\"", "");
  const auto listener = start({.sessions_max = 1, .settings = {}}, OnStop::end, "capped");
  TcpPeer first(listener->port());
  ASSERT_TRUE(is_served(first));
  TcpPeer second(listener->port());
  EXPECT_EQ(second.receive_all(), "");
  EXPECT_EQ(refused.value(), 1);
  EXPECT_TRUE(is_served(first));
}

/// Gives the process so many descriptors, for the time of a test.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t count) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit few = before_;
    few.rlim_cur = count;
    ::setrlimit(RLIMIT_NOFILE, &few);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

TEST_F(TcpListenerTest, LeavesDescriptorsToOthers) {
  const int first_free = ::dup(0);
  ::close(first_free);
  const FewDescriptors few(static_cast<rlim_t>(first_free) * 2 + 64);
  auto& refused = metrics::counter("sluice_connections_refused_total", "listener=\"few\"", "");
  const auto listener = start({}, OnStop::end, "few");
  std::vector<TcpPeer> peers;
  // Each takes two descriptors here: its own end is in this process too.
  while (refused.value() == 0 && peers.size() < 32) {
    peers.emplace_back(listener->port());
    if (!is_served(peers.back())) break;
  }
  EXPECT_EQ(refused.value(), 1);
  EXPECT_GT(peers.size(), 8U);
  std::vector<int> files;
  for (int i = 0; i < 16; ++i) files.push_back(::dup(0));
  EXPECT_GE(files.back(), 0);
  for (const int file : files) ::close(file);
}

TEST_F(TcpListenerTest, HasRoomAgainOnceAPeerHasLeft) {
  const auto listener = start({.sessions_max = 1, .settings = {}});
  TcpPeer first(listener->port());
  ASSERT_TRUE(is_served(first));
  first.close();
  const auto is_next_served = [&] {
    TcpPeer next(listener->port());
    return is_served(next);
  };
  EXPECT_TRUE(test::wait_until(is_next_served));
}

TEST_F(TcpListenerTest, ForgetsASessionThatHasEnded) {
  const auto listener = start();
  {
    TcpPeer peer(listener->port());
    ASSERT_TRUE(is_served(peer));
  }
  EXPECT_TRUE(test::wait_until([&] { return log_.alive == 0; }));
}

TEST_F(TcpListenerTest, DrainStopsEverySession) {
  const auto listener = start();
  std::vector<TcpPeer> peers;
  for (int i = 0; i < 5; ++i) {
    peers.emplace_back(listener->port());
    ASSERT_TRUE(is_served(peers.back()));
  }
  EXPECT_TRUE(drain(*listener, 10s));
  EXPECT_EQ(log_.stopped, 5);
  EXPECT_EQ(log_.closed, 0);
  for (TcpPeer& peer : peers) EXPECT_EQ(peer.receive_all(), "");
}

TEST_F(TcpListenerTest, DrainCutsOffWhatDoesNotStopAndSaysSo) {
  const auto listener = start({}, OnStop::ignore);
  TcpPeer peer(listener->port());
  ASSERT_TRUE(is_served(peer));
  EXPECT_EQ(test::error_of(drain(*listener, 20ms)), Errc::deadline_exceeded);
  EXPECT_EQ(log_.closed, 1);
  EXPECT_EQ(peer.receive_all(), "");
}

TEST_F(TcpListenerTest, ServesNobodyOnceItDrains) {
  const auto listener = start();
  ASSERT_TRUE(drain(*listener, 10s));
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(listener->port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto is_refused = [&] {
    return ::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0;
  };
  EXPECT_TRUE(test::wait_until(is_refused));
  ::close(socket);
}

TEST_F(TcpListenerTest, LetsSessionsGoOnWhenItGoes) {
  auto listener = start();
  TcpPeer peer(listener->port());
  ASSERT_TRUE(is_served(peer));
  listener.reset();
  EXPECT_TRUE(is_served(peer));
}

TEST(TcpSocket, ShowsAMappedAddressAsIpv4) {
  const auto address = asio::ip::make_address("::ffff:10.1.2.3");
  EXPECT_EQ(model::to_string(transport::to_endpoint({address, 80})), "10.1.2.3:80");
}

TEST(TcpSocket, KeepsAnIpv6Address) {
  const auto address = asio::ip::make_address("2001:db8::1");
  EXPECT_EQ(model::to_string(transport::to_endpoint({address, 80})), "[2001:db8::1]:80");
}

}  // namespace
}  // namespace sluice
