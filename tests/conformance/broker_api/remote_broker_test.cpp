// What a broker in another process adds: connections that break.

#include <set>
#include <string>
#include <variant>

#include "tests/conformance/broker_api/broker_api_fixture.hpp"

namespace sluice {
namespace {

using std::chrono::seconds;

class RemoteBrokerTest : public BrokerApiTest {
 protected:
  /// Ends every connection to the broker and takes new ones at the same port.
  void restart_listener() {
    const std::uint16_t port = listener_->port();
    static_cast<void>(run(listener_->drain(std::chrono::milliseconds(0))));
    listener_.reset();
    protocol::ListenerOptions options;
    options.port = port;
    listener_ = remoting_.listen(*runtime_, options, *gateway_).value();
    ASSERT_TRUE(listener_->start());
  }

  std::vector<std::string> members_of(std::string group) {
    model::ListMembers query;
    query.group = std::move(group);
    auto members = run(broker_->list_members(caller(), query));
    return members ? std::move(members->client_ids) : std::vector<std::string>{};
  }

  /// Asks for notices until one for `session` comes, as a hub does: again after a failure.
  bool hears(std::uint64_t session) {
    return test::wait_until([&] {
      const auto reply = run(api_->watch({}, {}));
      if (!reply) return false;
      for (const model::Notice& notice : reply->notices) {
        if (notice.session.value == session) return true;
      }
      return false;
    });
  }
};

using Members = std::vector<std::string>;

TEST_P(RemoteBrokerTest, ServesAgainAfterItsConnectionsBroke) {
  ASSERT_TRUE(send(message("orders", "x")));
  restart_listener();
  EXPECT_TRUE(test::wait_until([&] { return send(message("orders", "x")).has_value(); }));
}

TEST_P(RemoteBrokerTest, RegistersItsSessionsAgainAfterTheConnectionBroke) {
  ASSERT_TRUE(run(api_->register_client(caller(11), consumer("c1", "g", "orders"))));
  ASSERT_TRUE(run(api_->register_client(caller(12), consumer("c2", "g", "orders"))));
  auto watching = test::start(runtime_->loop(0), [](BrokerApi* api) -> Task<> {
    while (true) {
      auto reply = co_await api->watch({}, {});
      const bool is_over = !reply && reply.error().code == Errc::cancelled;
      if (is_over) co_return Result<>{};
    }
  }(api_));
  restart_listener();
  EXPECT_TRUE(test::wait_until([&] { return members_of("g") == Members{"c1", "c2"}; }));
  remote_->stop();
  EXPECT_TRUE(test::wait_for_result(std::move(watching)));
}

TEST_P(RemoteBrokerTest, HearsOfItsSessionsAfterTheConnectionBroke) {
  ASSERT_TRUE(run(api_->register_client(caller(11), consumer("c1", "g", "orders"))));
  ASSERT_TRUE(hears(11));
  auto watching = test::start(runtime_->loop(0), api_->watch({}, {}));
  restart_listener();
  EXPECT_FALSE(test::wait_for_result(std::move(watching)));
  EXPECT_TRUE(hears(11)) << "it was registered again, and so its group changed";
}

TEST_P(RemoteBrokerTest, DoesNotBringBackASessionThatIsGone) {
  ASSERT_TRUE(run(api_->register_client(caller(11), consumer("c1", "g", "orders"))));
  ASSERT_TRUE(run(api_->register_client(caller(12), consumer("c2", "g", "orders"))));
  auto watching = test::start(runtime_->loop(0), api_->watch({}, {}));
  api_->session_closed(model::SessionId{11}, model::SessionId{});
  EXPECT_TRUE(test::wait_until([&] { return members_of("g") == Members{"c2"}; }));
  restart_listener();
  static_cast<void>(test::wait_for_result(std::move(watching)));
  ASSERT_TRUE(hears(12));
  EXPECT_EQ(members_of("g"), Members{"c2"});
}

TEST_P(RemoteBrokerTest, DoesNotBringBackAGroupThatAClientLeft) {
  ASSERT_TRUE(run(api_->register_client(caller(11), consumer("c1", "left", "orders"))));
  ASSERT_TRUE(run(api_->register_client(caller(12), consumer("c2", "g", "orders"))));
  model::UnregisterClient goodbye;
  goodbye.client_id = "c1";
  goodbye.consumer_group = "left";
  ASSERT_TRUE(run(api_->unregister_client(caller(11), goodbye)));
  auto watching = test::start(runtime_->loop(0), api_->watch({}, {}));
  restart_listener();
  static_cast<void>(test::wait_for_result(std::move(watching)));
  ASSERT_TRUE(hears(12));
  EXPECT_EQ(members_of("left"), Members{});
}

TEST_P(RemoteBrokerTest, EndsAWaitingWatchWhenItStops) {
  auto watching = test::start(runtime_->loop(0), api_->watch({}, {}));
  EXPECT_EQ(watching.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  remote_->stop();
  const auto reply = test::wait_for_result(std::move(watching));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::cancelled);
  EXPECT_EQ(run(api_->watch({}, {})).error().code, Errc::cancelled);
}

TEST_P(RemoteBrokerTest, SaysUnavailableWhileNobodyListens) {
  static_cast<void>(run(listener_->drain(std::chrono::milliseconds(0))));
  const auto reply = send(message("orders", "x"));
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().code, Errc::unavailable);
}

INSTANTIATE_TEST_SUITE_P(Remote, RemoteBrokerTest, testing::Values(Form::remote));

}  // namespace
}  // namespace sluice
