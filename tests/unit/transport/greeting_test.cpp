#include "protocols/transport/greeting.hpp"

#include <ctime>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <gtest/gtest.h>
#include <boost/asio/buffer.hpp>
#include <boost/asio/redirect_error.hpp>

#include "protocols/transport/tcp_listener.hpp"
#include "tests/support/printers.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/transport/tcp_peer.hpp"
#include "tests/unit/transport/tls_peer.hpp"

namespace sluice {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using test::TcpPeer;
using test::TlsPeer;
using transport::Stream;
using transport::TcpListener;

/// Answers every line with the peer's address, a blank and the line. A line may be large: it is
/// answered as it comes.
class AddressSession final : public transport::Session {
 public:
  AddressSession(Stream stream, model::Endpoint peer) : stream_(std::move(stream)), peer_(peer) {}

  Task<> run() override {
    boost::system::error_code error;
    std::string out = model::to_string(peer_) + " ";
    std::string into(32U * 1024, '\0');
    while (!error) {
      co_await stream_.async_wait_readable(asio::redirect_error(kAwait, error));
      if (error) break;
      const std::size_t size = stream_.read_some(asio::buffer(into), error);
      if (error == asio::error::would_block) {
        error.clear();
        continue;
      }
      if (error) break;
      out.append(into, 0, size);
      while (!out.empty() && !error) {
        const std::size_t written = co_await stream_.async_write_some(
            asio::buffer(out), asio::redirect_error(kAwait, error));
        out.erase(0, written);
      }
    }
    boost::system::error_code ignored;
    stream_.shutdown_send(ignored);
    stream_.close();
    co_return Result<>{};
  }

  void stop() noexcept override { stream_.close(); }
  void close() noexcept override { stream_.close(); }

 private:
  Stream stream_;
  model::Endpoint peer_;
};

class GreetingTest : public testing::Test {
 protected:
  using Settings = decltype(protocol::ListenerOptions::settings);

  void start(Settings settings) {
    auto options = transport::take_greeting_options(settings);
    ASSERT_TRUE(options) << describe(options.error());
    ASSERT_TRUE(settings.empty());
    listener_ = std::make_unique<TcpListener>(
        *runtime_, "greeting", protocol::ListenerOptions{},
        [](Stream stream, model::Endpoint peer) {
          return std::make_shared<AddressSession>(std::move(stream), peer);
        },
        *std::move(options));
    const auto started = listener_->start();
    ASSERT_TRUE(started) << describe(started.error());
  }

  [[nodiscard]] std::uint16_t port() const { return listener_->port(); }

  static std::string own_address(const TcpPeer& peer) {
    return "127.0.0.1:" + std::to_string(peer.local_port());
  }

  /// What the peer is told about itself, or "" if it is cut off.
  static std::string answer(TcpPeer& peer, std::string_view address_and_line) {
    return peer.receive(address_and_line.size());
  }

  test::TestRuntime runtime_{Runtime::Options{.loops = 2}};
  std::unique_ptr<TcpListener> listener_;
};

TEST_F(GreetingTest, APeerThatSaysNothingSpecialIsServed) {
  start({{"tls", "permissive"}, {"proxy_protocol", "optional"}});
  TcpPeer peer(port());
  ASSERT_TRUE(peer.send("x"));
  const std::string expected = own_address(peer) + " x";
  EXPECT_EQ(answer(peer, expected), expected);
}

TEST_F(GreetingTest, AProxyTellsWhoThePeerIs) {
  start({{"proxy_protocol", "optional"}});
  TcpPeer peer(port());
  ASSERT_TRUE(peer.send("PROXY TCP4 10.1.2.3 127.0.0.1 12345 10911\r\nx"));
  EXPECT_EQ(answer(peer, "10.1.2.3:12345 x"), "10.1.2.3:12345 x");
}

TEST_F(GreetingTest, AHeaderMayComeByteByByte) {
  start({{"proxy_protocol", "required"}, {"tls", "permissive"}});
  TcpPeer peer(port());
  for (const char c : std::string_view("PROXY TCP4 10.1.2.3 127.0.0.1 12345 10911\r\n")) {
    ASSERT_TRUE(peer.send({&c, 1}));
  }
  ASSERT_TRUE(peer.send("x"));
  EXPECT_EQ(answer(peer, "10.1.2.3:12345 x"), "10.1.2.3:12345 x");
}

TEST_F(GreetingTest, AHeaderThatIsNoneCutsThePeerOff) {
  start({{"proxy_protocol", "optional"}});
  TcpPeer peer(port());
  ASSERT_TRUE(peer.send("PROXY TCP9 what\r\n"));
  EXPECT_EQ(peer.receive_all(), "");
}

TEST_F(GreetingTest, AHeaderThatEndsEarlyCutsThePeerOff) {
  start({{"proxy_protocol", "optional"}});
  TcpPeer peer(port());
  ASSERT_TRUE(peer.send("PROXY TCP4 10."));
  ::shutdown(peer.native(), SHUT_WR);
  EXPECT_EQ(peer.receive_all(), "");
}

TEST_F(GreetingTest, AProxyThatIsRequiredMustSpeak) {
  start({{"proxy_protocol", "required"}});
  TcpPeer peer(port());
  ASSERT_TRUE(peer.send("x"));
  EXPECT_EQ(peer.receive_all(), "");
}

TEST_F(GreetingTest, TlsIsServedOnTheSamePort) {
  start({{"tls", "permissive"}});
  TlsPeer peer(port());
  ASSERT_TRUE(peer.shake_hands());
  ASSERT_TRUE(peer.send("hello"));
  const std::string expected = own_address(peer.tcp()) + " hello";
  EXPECT_EQ(peer.receive(expected.size()), expected);
}

TEST_F(GreetingTest, TlsComesAfterAProxysHeader) {
  start({{"tls", "enforcing"}, {"proxy_protocol", "optional"}});
  TlsPeer peer(port());
  ASSERT_TRUE(peer.tcp().send("PROXY TCP4 10.1.2.3 127.0.0.1 12345 10911\r\n"));
  ASSERT_TRUE(peer.shake_hands());
  ASSERT_TRUE(peer.send("x"));
  EXPECT_EQ(peer.receive(16), "10.1.2.3:12345 x");
}

TEST_F(GreetingTest, MoreThanASocketHoldsGoesThroughTls) {
  start({{"tls", "permissive"}});
  TlsPeer peer(port());
  ASSERT_TRUE(peer.shake_hands());
  std::string sent(4U * 1024 * 1024, '\0');
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<char>('a' + i * 7 % 26);
  const std::string expected = own_address(peer.tcp()) + " " + sent;
  const std::string received = peer.exchange(sent, expected.size());
  EXPECT_EQ(received.size(), expected.size());
  EXPECT_TRUE(received == expected);
}

// Part of a record must not make the server try again and again.
TEST_F(GreetingTest, PartOfARecordCostsNothingUntilTheRestComes) {
  start({{"tls", "permissive"}});
  TlsPeer peer(port());
  ASSERT_TRUE(peer.shake_hands());
  ASSERT_TRUE(peer.send("a"));
  const std::string first = own_address(peer.tcp()) + " a";
  ASSERT_EQ(peer.receive(first.size()), first);  // and with it what the handshake left over
  const std::string record = peer.encrypt("x");
  ASSERT_TRUE(peer.tcp().send(record.substr(0, 3)));
  const auto spent = [] {
    timespec time{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  };
  const auto before = spent();
  EXPECT_FALSE(peer.tcp().has_news(300ms));
  EXPECT_LT(spent() - before, 150ms);
  ASSERT_TRUE(peer.tcp().send(record.substr(3)));
  EXPECT_EQ(peer.receive(1), "x");
}

TEST_F(GreetingTest, ThePeersGoodbyeEndsTheConnection) {
  start({{"tls", "permissive"}});
  TlsPeer peer(port());
  ASSERT_TRUE(peer.shake_hands());
  peer.say_goodbye();
  EXPECT_TRUE(peer.is_ended_in_order());
}

TEST_F(GreetingTest, PlainTextIsRefusedWhereTlsIsEnforced) {
  start({{"tls", "enforcing"}});
  TcpPeer peer(port());
  ASSERT_TRUE(peer.send("x"));
  EXPECT_EQ(peer.receive_all(), "");
}

TEST_F(GreetingTest, WhatOnlyBeginsAsTlsIsCutOff) {
  start({{"tls", "permissive"}});
  TcpPeer peer(port());
  ASSERT_TRUE(peer.send(std::string("\x16\x03\x01\x00\x05hello", 10)));
  peer.receive_all();  // an alert, perhaps
  TcpPeer other(port());
  ASSERT_TRUE(other.send("x"));
  EXPECT_NE(other.receive(1), "");
}

TEST_F(GreetingTest, ADamagedRecordEndsTheConnection) {
  start({{"tls", "permissive"}});
  TlsPeer peer(port());
  ASSERT_TRUE(peer.shake_hands());
  ASSERT_TRUE(peer.tcp().send(std::string("\x17\x03\x03\x00\x20", 5) + std::string(32, 'x')));
  peer.tcp().receive_all();
}

TEST_F(GreetingTest, ASilentPeerIsLetGoWhenTheListenerDrains) {
  start({{"tls", "permissive"}});
  TcpPeer silent(port());
  TcpPeer half(port());
  ASSERT_TRUE(half.send("\x16"));
  const auto drained = test::run(*runtime_, listener_->drain(5s));
  EXPECT_TRUE(drained) << describe(drained.error());
  EXPECT_EQ(silent.receive_all(), "");
  EXPECT_EQ(half.receive_all(), "");
}

TEST_F(GreetingTest, FilesThatCannotBeUsedAreNamed) {
  const auto error_of = [](Settings settings) {
    const auto options = transport::take_greeting_options(settings);
    return options ? std::string("none") : options.error().text;
  };
  EXPECT_NE(error_of({{"tls", "permissive"}, {"tls_certificate", "/nowhere.pem"}})
                .find("belong together"),
            std::string::npos);
  EXPECT_NE(
      error_of(
          {{"tls", "permissive"}, {"tls_certificate", "/nowhere.pem"}, {"tls_key", "/nowhere.key"}})
          .find("tls_certificate: \"/nowhere.pem\""),
      std::string::npos);
  EXPECT_NE(error_of({{"tls", "enforcing"}, {"tls_client_auth", "required"}}).find("tls_client_ca"),
            std::string::npos);
  EXPECT_EQ(error_of({{"tls", "disabled"}, {"tls_client_auth", "required"}}), "none");
}

TEST_F(GreetingTest, AClientMayHaveToShowACertificate) {
  const test::CertificateFiles files;
  start({{"tls", "enforcing"},
         {"tls_certificate", files.certificate()},
         {"tls_key", files.key()},
         {"tls_client_auth", "required"},
         {"tls_client_ca", files.certificate()}});
  TlsPeer stranger(port());
  const bool is_admitted =
      stranger.shake_hands() && stranger.send("x") && !stranger.receive(1).empty();
  EXPECT_FALSE(is_admitted);
  TlsPeer known(port(), files);
  ASSERT_TRUE(known.shake_hands());
  ASSERT_TRUE(known.send("x"));
  EXPECT_EQ(known.receive(4), "127.");
}

}  // namespace
}  // namespace sluice
