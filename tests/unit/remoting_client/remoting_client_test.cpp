#include "protocols/remoting/client/remoting_client.hpp"

#include <sys/socket.h>

#include <atomic>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "protocols/remoting/client/name_server_client.hpp"
#include "protocols/remoting/client/remoting_client_pool.hpp"
#include "protocols/remoting/codec/bodies.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/codec/response_codes.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/remoting_client/tiny_server.hpp"

namespace sluice::remoting {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::run;
using test::TestRuntime;
using test::TinyServer;
using test::wait_until;

constexpr milliseconds kLong = seconds(60);

/// Answers with the request's own field and body.
void echo(const Header& header, BytesView body, TinyServer::Peer& peer) {
  const std::string value(header.fields.text_or("key", "none"));
  peer.answer(header, response_code::kSuccess, {{"key", value}}, as_text(body));
}

void say_nothing(const Header&, BytesView, TinyServer::Peer&) {}

/// A request with one field, on the client's loop.
Task<Response> ask(std::shared_ptr<RemotingClient> client, std::string value, std::string body,
                   milliseconds timeout) {
  auto write = [&](FrameWriter& writer) { writer.field("key", value); };
  auto response = co_await client->request(1, write, Slice::copy_of(body), timeout);
  co_return std::move(response);
}

class RemotingClientTest : public ::testing::Test {
 protected:
  std::shared_ptr<RemotingClient> connect_to(const std::string& address,
                                             RemotingClientOptions options = {}) {
    auto client = RemotingClient::make(*runtime_, runtime_->loop(0), address, std::move(options));
    clients_.push_back(client);
    return client;
  }

  Result<Response> ask_one(const std::shared_ptr<RemotingClient>& client, std::string value,
                           std::string body = {}, milliseconds timeout = kLong) {
    return run(*runtime_, ask(client, std::move(value), std::move(body), timeout));
  }

  std::future<Result<Response>> begin(const std::shared_ptr<RemotingClient>& client,
                                      std::string value, milliseconds timeout = kLong) {
    return test::start(runtime_->loop(0), ask(client, std::move(value), {}, timeout));
  }

  /// Runs `work` on the client's loop to its end.
  void on_loop(std::function<void()> work) {
    auto task = [](std::function<void()> inner) -> Task<> {
      inner();
      co_return Result<>{};
    };
    run(*runtime_, task(std::move(work)));
  }

  ~RemotingClientTest() override {
    for (auto& client : clients_) run(*runtime_, client->close());
  }

  TestRuntime runtime_;
  std::vector<std::shared_ptr<RemotingClient>> clients_;
};

Errc code_of(const Result<Response>& response) {
  return response ? Errc{} : response.error().code;
}

TEST_F(RemotingClientTest, BringsFieldsAndBodyThereAndBack) {
  TinyServer server(echo);
  const auto client = connect_to(server.address());
  const auto response = ask_one(client, "value", "a body");
  ASSERT_TRUE(response);
  EXPECT_EQ(response->code(), response_code::kSuccess);
  EXPECT_EQ(response->fields().text_or("key", ""), "value");
  EXPECT_EQ(response->body().text(), "a body");
}

TEST_F(RemotingClientTest, WritesBothFormsOfHeaders) {
  for (const SerializeType type : {SerializeType::json, SerializeType::rocketmq}) {
    TinyServer server(echo);
    RemotingClientOptions options;
    options.serialize_type = type;
    const auto client = connect_to(server.address(), options);
    EXPECT_TRUE(ask_one(client, "value"));
    run(*runtime_, client->close());
  }
}

TEST_F(RemotingClientTest, MakesOneConnectionForManyRequests) {
  TinyServer server(echo);
  const auto client = connect_to(server.address());
  std::vector<std::future<Result<Response>>> responses;
  for (int i = 0; i < 1000; ++i) responses.push_back(begin(client, std::to_string(i)));
  for (int i = 0; i < 1000; ++i) {
    const auto response = test::wait_for_result(std::move(responses[static_cast<std::size_t>(i)]));
    ASSERT_TRUE(response);
    EXPECT_EQ(response->fields().text_or("key", ""), std::to_string(i));
  }
  EXPECT_EQ(server.connections(), 1U);
}

TEST_F(RemotingClientTest, GivesEachRequestItsAnswerInWhateverOrderTheyCome) {
  std::vector<std::pair<std::int32_t, std::string>> held;
  TinyServer server([&](const Header& header, BytesView, TinyServer::Peer& peer) {
    held.emplace_back(header.opaque, header.fields.text_or("key", ""));
    if (held.size() < 3) return;
    for (auto one = held.rbegin(); one != held.rend(); ++one) {
      Header request;
      request.opaque = one->first;
      peer.answer(request, response_code::kSuccess, {{"key", one->second}});
    }
  });
  const auto client = connect_to(server.address());
  auto first = begin(client, "1");
  auto second = begin(client, "2");
  auto third = begin(client, "3");
  EXPECT_EQ(test::wait_for_result(std::move(first))->fields().text_or("key", ""), "1");
  EXPECT_EQ(test::wait_for_result(std::move(second))->fields().text_or("key", ""), "2");
  EXPECT_EQ(test::wait_for_result(std::move(third))->fields().text_or("key", ""), "3");
}

TEST_F(RemotingClientTest, BringsBodiesOfManyMegabytesBothWays) {
  TinyServer server(echo);
  const auto client = connect_to(server.address());
  std::string body(6U * 1024 * 1024, '\0');
  for (std::size_t i = 0; i < body.size(); ++i) body[i] = static_cast<char>(i * 31 >> 3);
  const auto response = ask_one(client, "big", body);
  ASSERT_TRUE(response);
  EXPECT_TRUE(response->body().text() == body);
}

TEST_F(RemotingClientTest, LeavesABodyAsItIsWhileOthersCome) {
  TinyServer server(echo);
  const auto client = connect_to(server.address());
  const auto kept = ask_one(client, "1", std::string(2000, 'k'));
  for (int i = 0; i < 200; ++i) ASSERT_TRUE(ask_one(client, "2", std::string(2000, 'n')));
  EXPECT_EQ(kept->body().text(), std::string(2000, 'k'));
}

TEST_F(RemotingClientTest, RefusesAFrameOverTheLimitAndGoesOn) {
  TinyServer server(echo);
  const auto client = connect_to(server.address());
  const auto refused = ask_one(client, "1", std::string(limits::kRemotingFrameBytesMax, 'x'));
  EXPECT_EQ(code_of(refused), Errc::payload_too_large);
  EXPECT_TRUE(ask_one(client, "2"));
}

TEST_F(RemotingClientTest, FailsARequestThatIsNotAnsweredInTime) {
  TinyServer server(say_nothing);
  const auto client = connect_to(server.address());
  EXPECT_EQ(code_of(ask_one(client, "1", {}, milliseconds(20))), Errc::deadline_exceeded);
}

TEST_F(RemotingClientTest, DropsAnAnswerThatComesTooLate) {
  std::atomic<int> requests{0};
  TinyServer server([&](const Header& header, BytesView body, TinyServer::Peer& peer) {
    static std::int32_t late = 0;
    if (++requests == 1) {
      late = header.opaque;
      return;
    }
    Header first;
    first.opaque = late;
    peer.answer(first, response_code::kSystemError);
    echo(header, body, peer);
  });
  const auto client = connect_to(server.address());
  EXPECT_EQ(code_of(ask_one(client, "1", {}, milliseconds(20))), Errc::deadline_exceeded);
  const auto second = ask_one(client, "2");
  ASSERT_TRUE(second);
  EXPECT_EQ(second->fields().text_or("key", ""), "2");
}

TEST_F(RemotingClientTest, SaysUnavailableAndWhoIfNobodyListens) {
  const std::string address = "127.0.0.1:" + std::to_string(test::unused_port());
  const auto client = connect_to(address);
  const auto response = ask_one(client, "1");
  ASSERT_EQ(code_of(response), Errc::unavailable);
  EXPECT_NE(response.error().text.find(address), std::string::npos) << response.error().text;
}

TEST_F(RemotingClientTest, SaysWhatIsWrongWithAnAddressThatIsNone) {
  EXPECT_EQ(code_of(ask_one(connect_to("no port"), "1")), Errc::invalid_argument);
}

TEST_F(RemotingClientTest, FindsAServerByItsName) {
  TinyServer server(echo);
  const auto client = connect_to("localhost:" + std::to_string(server.port()));
  EXPECT_TRUE(ask_one(client, "1"));
}

// RFC 6761 §6.4: no name under invalid. exists.
TEST_F(RemotingClientTest, SaysUnavailableForANameThatNobodyKnows) {
  EXPECT_EQ(code_of(ask_one(connect_to("nobody.invalid:80"), "1")), Errc::unavailable);
}

TEST_F(RemotingClientTest, FailsWhatWaitsWhenTheServerCloses) {
  TinyServer server([](const Header&, BytesView, TinyServer::Peer& peer) { peer.close(); });
  const auto client = connect_to(server.address());
  EXPECT_EQ(code_of(ask_one(client, "1")), Errc::unavailable);
}

TEST_F(RemotingClientTest, ConnectsAnewAfterTheConnectionBroke) {
  std::atomic<bool> closes{true};
  TinyServer server([&](const Header& header, BytesView body, TinyServer::Peer& peer) {
    if (closes.exchange(false)) return peer.close();
    echo(header, body, peer);
  });
  const auto client = connect_to(server.address());
  EXPECT_FALSE(ask_one(client, "1"));
  EXPECT_TRUE(ask_one(client, "2"));
  EXPECT_EQ(server.connections(), 2U);
}

TEST_F(RemotingClientTest, EndsTheConnectionOverBytesThatAreNoFrame) {
  std::atomic<int> requests{0};
  TinyServer server([&](const Header& header, BytesView body, TinyServer::Peer& peer) {
    if (++requests == 1) return peer.write(std::string_view("\x00\x00\x00\x02zz", 6));
    echo(header, body, peer);
  });
  const auto client = connect_to(server.address());
  EXPECT_EQ(code_of(ask_one(client, "1")), Errc::unavailable);
  EXPECT_TRUE(ask_one(client, "2"));
}

TEST_F(RemotingClientTest, EndsTheConnectionOverAHeaderThatIsNone) {
  TinyServer server([](const Header&, BytesView, TinyServer::Peer& peer) {
    peer.write(std::string_view("\x00\x00\x00\x07\x00\x00\x00\x03xyz", 11));
  });
  EXPECT_EQ(code_of(ask_one(connect_to(server.address()), "1")), Errc::unavailable);
}

TEST_F(RemotingClientTest, SendsOnewayRequestsAsSuchAndExpectsNoAnswer) {
  std::atomic<bool> is_oneway{false};
  TinyServer server([&](const Header& header, BytesView, TinyServer::Peer&) {
    is_oneway = header.is_oneway() && header.fields.text_or("key", "") == "v";
  });
  const auto client = connect_to(server.address());
  on_loop(
      [&] { client->call_oneway(1, [](FrameWriter& writer) { writer.field("key", "v"); }, {}); });
  EXPECT_TRUE(wait_until([&] { return is_oneway.load(); }));
}

TEST_F(RemotingClientTest, WritesOutWhatWaitsBeforeItCloses) {
  TinyServer server(say_nothing);
  const auto client = connect_to(server.address());
  on_loop([&] {
    for (int i = 0; i < 100; ++i) client->call_oneway(1, [](FrameWriter&) {}, {});
  });
  ASSERT_TRUE(run(*runtime_, client->close()));
  EXPECT_TRUE(wait_until([&] { return server.requests() == 100; }));
}

TEST_F(RemotingClientTest, FailsWhatWaitsAndWhatComesWhenItIsClosed) {
  TinyServer server(say_nothing);
  const auto client = connect_to(server.address());
  auto waiting = begin(client, "1");
  ASSERT_TRUE(wait_until([&] { return server.requests() == 1; }));
  ASSERT_TRUE(run(*runtime_, client->close()));
  EXPECT_EQ(code_of(test::wait_for_result(std::move(waiting))), Errc::unavailable);
  EXPECT_EQ(code_of(ask_one(client, "2")), Errc::unavailable);
}

TEST_F(RemotingClientTest, GivesUpAConnectionThatIsNotMadeInTime) {
  // A listener that accepts nothing, with a full queue: the kernel drops what comes.
  boost::asio::io_context context;
  boost::asio::ip::tcp::acceptor full(context);
  full.open(boost::asio::ip::tcp::v4());
  full.bind({boost::asio::ip::address_v4::loopback(), 0});
  full.listen(0);
  std::vector<boost::asio::ip::tcp::socket> waiting;
  for (int i = 0; i < 4; ++i) {
    waiting.emplace_back(context);
    waiting.back().open(boost::asio::ip::tcp::v4());
    waiting.back().non_blocking(true);
    // Asio's own would wait for the end of it.
    const auto to = full.local_endpoint();
    static_cast<void>(
        ::connect(waiting.back().native_handle(), to.data(), static_cast<socklen_t>(to.size())));
  }
  RemotingClientOptions options;
  options.connect_timeout = milliseconds(50);
  const auto client =
      connect_to("127.0.0.1:" + std::to_string(full.local_endpoint().port()), options);
  EXPECT_EQ(code_of(ask_one(client, "1")), Errc::unavailable);
}

TEST_F(RemotingClientTest, RefusesOneRequestMoreThanMayBeUnderWay) {
  TinyServer server(say_nothing);
  const auto client = connect_to(server.address());
  std::atomic<std::size_t> refused{0};
  on_loop([&] {
    for (std::size_t i = 0; i < limits::kRemotingRequestsInFlightMax + 1; ++i) {
      client->call(
          1, [](FrameWriter&) {}, {}, kLong,
          [&](Result<ResponseView> response) {
            if (!response && response.error().code == Errc::unavailable) ++refused;
          });
    }
  });
  EXPECT_TRUE(wait_until([&] { return refused == 1; }));
  run(*runtime_, client->close());
  EXPECT_TRUE(wait_until([&] { return refused == limits::kRemotingRequestsInFlightMax + 1; }));
}

TEST_F(RemotingClientTest, HandsOverWhatTheServerAsks) {
  std::promise<std::string> asked;
  RemotingClientOptions options;
  options.on_request = [&](const Header& header, const Slice& body) {
    asked.set_value(std::to_string(header.code) + " " +
                    std::string(header.fields.text_or("consumerGroup", "")) + " " +
                    std::string(body.text()));
  };
  TinyServer server(echo);
  const auto client = connect_to(server.address(), options);
  ASSERT_TRUE(ask_one(client, "1"));
  server.with_last_peer([](TinyServer::Peer& peer) {
    std::string out;
    FrameHead head;
    head.code = request_code::kNotifyConsumerIdsChanged;
    head.flag = kOnewayFlag;
    const Field fields[] = {{"consumerGroup", "g"}};
    if (append_frame(out, SerializeType::json, head, fields, as_bytes("b"))) peer.write(out);
  });
  auto future = asked.get_future();
  ASSERT_EQ(future.wait_for(test::kPatience), std::future_status::ready);
  EXPECT_EQ(future.get(), "40 g b");
}

TEST_F(RemotingClientTest, AnswersNotSupportedToARequestOfTheServer) {
  std::promise<std::pair<std::int32_t, std::int32_t>> answered;
  TinyServer server([&](const Header& header, BytesView body, TinyServer::Peer& peer) {
    if (header.is_response()) return answered.set_value({header.code, header.opaque});
    echo(header, body, peer);
  });
  const auto client = connect_to(server.address());
  ASSERT_TRUE(ask_one(client, "1"));
  server.with_last_peer([](TinyServer::Peer& peer) {
    std::string out;
    FrameHead head;
    head.code = request_code::kGetConsumerRunningInfo;
    head.opaque = 77;
    if (append_frame(out, SerializeType::json, head, {}, {})) peer.write(out);
  });
  auto future = answered.get_future();
  ASSERT_EQ(future.wait_for(test::kPatience), std::future_status::ready);
  EXPECT_EQ(future.get(), std::make_pair(response_code::kRequestCodeNotSupported, 77));
}

class PoolTest : public ::testing::Test {
 protected:
  ~PoolTest() override { run(*runtime_, pool_.close()); }

  Result<std::shared_ptr<RemotingClient>> get(std::uint32_t loop, std::string address) {
    auto task = [](RemotingClientPool* pool, Executor executor,
                   std::string to) -> Task<std::shared_ptr<RemotingClient>> {
      co_return pool->get(executor, to);
    };
    const Executor executor = runtime_->loop(loop);
    return test::wait_for_result(test::start(executor, task(&pool_, executor, std::move(address))));
  }

  TestRuntime runtime_{{.loops = 2}};
  RemotingClientPool pool_{*runtime_};
};

TEST_F(PoolTest, HasOneClientForEachLoopAndAddress) {
  const auto first = *get(0, "127.0.0.1:1");
  EXPECT_EQ(first, *get(0, "127.0.0.1:1"));
  EXPECT_NE(first, *get(0, "127.0.0.1:2"));
  EXPECT_NE(first, *get(1, "127.0.0.1:1"));
}

TEST_F(PoolTest, FailsRequestsOnClientsGotAfterItWasClosed) {
  TinyServer server(echo);
  run(*runtime_, pool_.close());
  const auto client = *get(0, server.address());
  EXPECT_EQ(code_of(run(*runtime_, ask(client, "1", {}, kLong))), Errc::unavailable);
}

/// A name server with one topic.
void answer_route(const Header& header, BytesView, TinyServer::Peer& peer) {
  if (header.fields.text_or("topic", "") != "orders") {
    return peer.answer(header, response_code::kTopicNotExist);
  }
  TopicRouteData route;
  route.queue_datas = {
      {.broker_name = "b", .read_queue_nums = 4, .write_queue_nums = 2, .perm = 6}};
  route.broker_datas = {{.cluster = "c", .broker_name = "b", .broker_addrs = {{0, "h:1"}}}};
  std::string body;
  append_topic_route(body, route, MapKeys::quoted);
  peer.answer(header, response_code::kSuccess, {}, body);
}

TEST_F(PoolTest, AsksTheNextNameServerIfOneIsDown) {
  TinyServer server(answer_route);
  NameServerClient client(pool_,
                          {"127.0.0.1:" + std::to_string(test::unused_port()), server.address()});
  const auto route = run(*runtime_, client.fetch_route("orders"));
  ASSERT_TRUE(route);
  const model::Route expected{
      .queues = {{.broker_name = "b", .read_queues = 4, .write_queues = 2, .permission = 6}},
      .brokers = {{.cluster = "c", .broker_name = "b", .addresses = {{0, "h:1"}}}}};
  EXPECT_EQ(*route, expected);
}

TEST_F(PoolTest, TakesTheWordOfTheNameServerThatAnswered) {
  std::atomic<int> asked{0};
  TinyServer other([&](const Header& header, BytesView body, TinyServer::Peer& peer) {
    ++asked;
    answer_route(header, body, peer);
  });
  TinyServer server(answer_route);
  NameServerClient client(pool_, {server.address(), other.address()});
  const auto route = run(*runtime_, client.fetch_route("no such topic"));
  ASSERT_FALSE(route);
  EXPECT_EQ(route.error().code, Errc::topic_not_found);
  EXPECT_EQ(asked, 0);
}

TEST_F(PoolTest, SaysUnavailableIfNoNameServerAnswersOrNoneIsConfigured) {
  NameServerClient down(pool_, {"127.0.0.1:" + std::to_string(test::unused_port())});
  EXPECT_EQ(run(*runtime_, down.fetch_cluster()).error().code, Errc::unavailable);
  NameServerClient none(pool_, {});
  EXPECT_EQ(run(*runtime_, none.fetch_cluster()).error().code, Errc::unavailable);
}

TEST_F(PoolTest, TellsANameServerAllOfABroker) {
  std::promise<std::string> told;
  TinyServer server([&](const Header& header, BytesView body, TinyServer::Peer& peer) {
    const auto decoded = decode_register_broker_body(body);
    std::string text = std::to_string(header.code);
    for (const char* key : {"brokerName", "brokerAddr", "clusterName", "brokerId",
                            "heartbeatTimeoutMillis", "sluiceReplacesTopics"}) {
      text += " " + std::string(header.fields.text_or(key, "-"));
    }
    if (decoded) text += " " + decoded->topic_configs.at(0).topic_name;
    told.set_value(text);
    peer.answer(header, response_code::kSuccess);
  });
  model::RegisterBroker registration;
  registration.cluster = "c";
  registration.broker_name = "b";
  registration.broker_id = 0;
  registration.address = "h:1";
  registration.expiry = seconds(5);
  registration.topics.emplace_back().name = "orders";
  registration.replaces_topics = true;
  const auto client = *get(0, server.address());
  ASSERT_TRUE(run(*runtime_, register_broker(client, registration)));
  EXPECT_EQ(told.get_future().get(), "103 b h:1 c 0 5000 true orders");
}

}  // namespace
}  // namespace sluice::remoting
