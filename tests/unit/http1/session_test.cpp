#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include <boost/json/parse.hpp>

#include <gtest/gtest.h>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "common/model/properties.hpp"
#include "common/model/stored_message.hpp"
#include "common/runtime/one_shot.hpp"
#include "protocols/http1/plugin.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/http1/http_client.hpp"

namespace sluice::http1 {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kPublish =
    "POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\nSluice-Tag: red\r\n"
    "Content-Length: 5\r\n\r\nhello";
constexpr std::string_view kRead =
    "GET /v1/topics/t/queues/0/messages?offset=0 HTTP/1.1\r\nHost: h\r\n\r\n";
constexpr std::string_view kWait =
    "GET /v1/topics/t/queues/0/messages?offset=0&wait=60000 HTTP/1.1\r\nHost: h\r\n\r\n";

/// The machine's clock, which a test may put forward.
class SkippingEnvironment final : public Environment {
 public:
  [[nodiscard]] UnixMillis now() const noexcept override { return UnixMillis{1'700'000'000'000}; }
  [[nodiscard]] Instant steady_now() const noexcept override {
    return std::chrono::steady_clock::now() + std::chrono::milliseconds(skipped_ms_.load());
  }
  [[nodiscard]] std::uint64_t random() noexcept override { return 4; }

  void skip(std::chrono::milliseconds time) { skipped_ms_ += time.count(); }

 private:
  std::atomic<std::int64_t> skipped_ms_{0};
};

/// Keeps what it is sent and gives it back, or what a test told it to give.
class KeepingHandler final : public protocol::RequestHandler {
 public:
  Task<model::Reply> handle(model::CallContext, model::Command command) override {
    if (std::holds_alternative<model::QueryRoute>(command)) {
      model::RouteReply reply;
      reply.route.queues = {{"broker-a", 8, 8, 6, 0}};
      co_return reply;
    }
    const auto& pull = std::get<model::Pull>(command);
    if (pull.wait.count() > 0) {
      auto start = [this](UniqueFunction<void(bool)> complete) {
        const std::lock_guard lock(mutex_);
        waiting_.push_back(std::move(complete));
      };
      co_await wait_for_completion<bool>(start);
    }
    co_return read();
  }

  Task<std::vector<Result<model::SendReply>>> send(model::CallContext context,
                                                   std::vector<model::Send> sends) override {
    std::vector<Result<model::SendReply>> replies;
    const std::lock_guard lock(mutex_);
    for (const model::Send& send : sends) {
      if (fault_) {
        replies.emplace_back(tl::unexpect, *fault_);
        continue;
      }
      bodies_.emplace_back(as_text(send.messages[0].body));
      last_ = send;
      last_peer_ = context.session->peer;
      model::SendReply reply;
      reply.queue = send.queue;
      reply.offset = static_cast<std::int64_t>(bodies_.size()) - 1;
      reply.positions = {1};
      reply.unique_key = "key";
      replies.emplace_back(reply);
    }
    co_return replies;
  }

  std::unique_ptr<protocol::DeliveryStream> attach(model::CallContext) override { return nullptr; }
  Task<model::WatchReply> watch(model::CallContext, model::Watch) override {
    co_return model::WatchReply{};
  }
  model::SessionId next_session_id() noexcept override { return model::SessionId{++sessions_}; }
  void session_closed(model::SessionId, model::SessionId) noexcept override { ++closed_; }

  void set_fault(Error fault) {
    const std::lock_guard lock(mutex_);
    fault_ = std::move(fault);
  }
  [[nodiscard]] std::vector<std::string> bodies() {
    const std::lock_guard lock(mutex_);
    return bodies_;
  }
  [[nodiscard]] model::Send last() {
    const std::lock_guard lock(mutex_);
    return last_;
  }
  [[nodiscard]] model::Endpoint last_peer() {
    const std::lock_guard lock(mutex_);
    return last_peer_;
  }
  [[nodiscard]] std::size_t waiting() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }
  void release() {
    std::vector<UniqueFunction<void(bool)>> waiting;
    {
      const std::lock_guard lock(mutex_);
      waiting.swap(waiting_);
    }
    for (auto& complete : waiting) complete(true);
  }
  [[nodiscard]] int sessions_closed() const { return closed_; }

 private:
  model::PullReply read() {
    const std::lock_guard lock(mutex_);
    model::PullReply reply;
    for (const std::string& body : bodies_) {
      model::StoredMessageFields fields;
      fields.topic = "t";
      fields.body = as_bytes(body);
      std::string bytes(model::stored_message_size(fields), '\0');
      model::encode_stored_message(fields, reinterpret_cast<std::byte*>(bytes.data()));
      reply.records.push_back({reply.end_offset++, 1, 1, Slice::copy_of(bytes)});
    }
    reply.status = model::PullStatus::found;
    reply.next_offset = reply.end_offset;
    return reply;
  }

  std::mutex mutex_;
  std::optional<Error> fault_;
  std::vector<std::string> bodies_;
  model::Send last_;
  model::Endpoint last_peer_;
  std::vector<UniqueFunction<void(bool)>> waiting_;
  std::atomic<std::uint64_t> sessions_{0};
  std::atomic<int> closed_{0};
};

class Http1 : public testing::Test {
 protected:
  void SetUp() override { start({}); }

  void TearDown() override {
    // Waits that sessions gave up go on in the handler.
    handler_.release();
    if (listener_) static_cast<void>(drain(0ms));
    runtime_.stop();
  }

  void start(protocol::ListenerOptions options) {
    HttpPlugin plugin;
    auto listener = plugin.listen(*runtime_, std::move(options), handler_);
    ASSERT_TRUE(listener.has_value()) << listener.error().text;
    ASSERT_TRUE((*listener)->start().has_value());
    if (listener_) static_cast<void>(drain(0ms));
    listener_ = std::move(*listener);
  }

  Result<> drain(std::chrono::milliseconds grace) {
    return test::run(*runtime_, listener_->drain(grace));
  }

  [[nodiscard]] std::uint16_t port() const { return listener_->port(); }

  /// Puts the clock forward until the server closes `client`: whether it has begun to wait when the
  /// clock moves is its own business.
  void skip_until_closed(HttpClient& client, std::chrono::milliseconds step) {
    std::atomic<bool> is_closed{false};
    std::thread reader([&] { is_closed = client.is_closed_by_server(); });
    EXPECT_TRUE(test::wait_until([&] {
      environment_.skip(step);
      return is_closed.load();
    }));
    reader.join();
  }

  SkippingEnvironment environment_;
  test::TestRuntime runtime_{{.loops = 2, .workers = 1, .environment = &environment_}};
  KeepingHandler handler_;
  std::unique_ptr<protocol::Listener> listener_;
};

TEST_F(Http1, PublishesTheContentOfARequest) {
  HttpClient client(port());
  const Answer answer = client.ask(kPublish);
  EXPECT_EQ(answer.status, 201U);
  EXPECT_EQ(answer.fields.at("content-type"), "application/json");
  EXPECT_EQ(answer.fields.at("date"), "Tue, 14 Nov 2023 22:13:20 GMT");
  EXPECT_EQ(boost::json::parse(answer.body).at("id"), "key");
  EXPECT_EQ(handler_.bodies(), std::vector<std::string>{"hello"});
  EXPECT_EQ(handler_.last().messages[0].properties,
            "TAGS\x01"
            "red\x02");
  EXPECT_EQ(handler_.last_peer().address[0], 127);
  EXPECT_NE(handler_.last_peer().port, 0);
}

TEST_F(Http1, ReadsWhatWasPublished) {
  HttpClient client(port());
  client.ask(kPublish);
  const Answer answer = client.ask(kRead);
  EXPECT_EQ(answer.status, 200U);
  EXPECT_EQ(boost::json::parse(answer.body).at("messages").at(0).at("body"), "hello");
}

TEST_F(Http1, PublishesAnEmptyMessage) {
  HttpClient client(port());
  EXPECT_EQ(client.ask("POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\n\r\n").status, 201U);
  EXPECT_EQ(handler_.bodies(), std::vector<std::string>{""});
}

TEST_F(Http1, PublishesAChunkedContent) {
  HttpClient client(port());
  const Answer answer = client.ask(
      "POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n");
  EXPECT_EQ(answer.status, 201U);
  EXPECT_EQ(handler_.bodies(), std::vector<std::string>{"hello"});
}

TEST_F(Http1, PlacesAMessageGroupByTheRoute) {
  HttpClient client(port());
  // "b".hashCode() % 8.
  const Answer answer = client.ask(
      "POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\nSluice-Message-Group: b\r\n\r\n");
  EXPECT_EQ(answer.status, 201U);
  EXPECT_EQ(handler_.last().queue, 98 % 8);
  EXPECT_EQ(handler_.last().broker_name, "broker-a");
}

TEST_F(Http1, TakesARequestByteByByte) {
  HttpClient client(port());
  for (const char byte : kPublish) ASSERT_TRUE(client.send({&byte, 1}));
  EXPECT_EQ(client.receive().status, 201U);
  EXPECT_EQ(handler_.bodies(), std::vector<std::string>{"hello"});
}

TEST_F(Http1, AnswersPipelinedRequestsInTheirOrder) {
  HttpClient client(port());
  std::string all;
  for (int i = 0; i < 10; ++i) all.append(kPublish);
  client.send(all.append(kRead));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(boost::json::parse(client.receive().body).at("offset"), i);
  }
  EXPECT_EQ(client.receive().status, 200U);
}

TEST_F(Http1, TakesAMessageOfTheLargestSize) {
  HttpClient client(port());
  const std::string body(limits::kMessageBodyBytesMax, 'x');
  client.send("POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\nContent-Length: " +
              std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_EQ(client.ask(body).status, 201U);
  EXPECT_EQ(handler_.bodies().at(0).size(), body.size());
}

TEST_F(Http1, RefusesALongContentBeforeItComes) {
  HttpClient client(port());
  const Answer answer = client.ask(
      "POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\nContent-Length: 4194305\r\n\r\n");
  EXPECT_EQ(answer.status, 413U);
  EXPECT_NE(answer.body.find("4194304"), std::string::npos);
  EXPECT_EQ(answer.fields.at("connection"), "close");
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Http1, RefusesALongChunkedContentWhereItPassesTheLimit) {
  HttpClient client(port());
  client.send(
      "POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3fffff\r\n");
  client.send(std::string(0x3fffff, 'x'));
  EXPECT_EQ(client.ask("\r\n2\r\n").status, 413U);
  EXPECT_TRUE(handler_.bodies().empty());
}

TEST_F(Http1, RefusesALongHead) {
  HttpClient client(port());
  client.send("GET / HTTP/1.1\r\nHost: h\r\nX: ");
  client.send(std::string(limits::kHttpHeaderBytesMax, 'x'));
  EXPECT_EQ(client.receive().status, 431U);
}

TEST_F(Http1, DeliversARefusalToAPeerThatIsStillSending) {
  HttpClient client(port());
  client.send("POST /nothing HTTP/1.1\r\nHost: h\r\nContent-Length: 500000\r\n\r\n");
  client.send(std::string(500'000, 'x'));
  EXPECT_EQ(client.receive().status, 404U);
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Http1, TakesNoSmuggledRequest) {
  HttpClient client(port());
  client.send(
      "POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n"
      "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nX");
  client.send(kPublish);
  EXPECT_EQ(client.receive().status, 400U);
  EXPECT_TRUE(client.is_closed_by_server());
  EXPECT_TRUE(handler_.bodies().empty());
}

TEST_F(Http1, ContinuesAPeerThatAsks) {
  HttpClient client(port());
  const Answer first = client.ask(
      "POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
      "Content-Length: 2\r\n\r\n");
  EXPECT_EQ(first.status, 100U);
  EXPECT_EQ(client.ask("hi").status, 201U);
}

TEST_F(Http1, RefusesBeforeItContinuesAPeer) {
  HttpClient client(port());
  const Answer answer = client.ask(
      "POST /v1/topics/a.b/messages HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
      "Content-Length: 2\r\n\r\n");
  EXPECT_EQ(answer.status, 400U);
}

TEST_F(Http1, AnswersHeadWithTheLengthOnly) {
  HttpClient client(port());
  client.send("HEAD /v1/topics/t/queues/0/messages?offset=0 HTTP/1.1\r\nHost: h\r\n\r\n");
  const Answer answer = client.receive(false);
  EXPECT_EQ(answer.status, 200U);
  EXPECT_NE(answer.fields.at("content-length"), "0");
  EXPECT_EQ(client.ask(kRead).status, 200U);
}

TEST_F(Http1, KeepsTheConnectionAfterARefusalWithoutContent) {
  HttpClient client(port());
  EXPECT_EQ(client.ask("GET /nothing HTTP/1.1\r\nHost: h\r\n\r\n").status, 404U);
  const Answer answer = client.ask("DELETE /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(answer.status, 405U);
  EXPECT_EQ(answer.fields.at("allow"), "POST");
  EXPECT_EQ(client.ask(kRead).status, 200U);
}

TEST_F(Http1, RefusesContentWhereThereMustBeNone) {
  HttpClient client(port());
  const Answer answer = client.ask(
      "GET /v1/topics/t/queues/0/messages?offset=0 HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\n"
      "\r\nx");
  EXPECT_EQ(answer.status, 400U);
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Http1, ClosesWhenThePeerAsksForItAndInHttp10) {
  HttpClient polite(port());
  polite.ask("GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
  EXPECT_TRUE(polite.is_closed_by_server());
  HttpClient old(port());
  EXPECT_EQ(old.ask("GET / HTTP/1.0\r\n\r\n").fields.at("connection"), "close");
  EXPECT_TRUE(old.is_closed_by_server());
  HttpClient kept(port());
  const std::string_view request = "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
  EXPECT_EQ(kept.ask(request).fields.at("connection"), "keep-alive");
  EXPECT_EQ(kept.ask(request).status, 404U);
}

TEST_F(Http1, SaysEveryErrorAsAProblem) {
  HttpClient client(port());
  handler_.set_fault({Errc::storage_full, "no space left"});
  const Answer answer = client.ask(kPublish);
  EXPECT_EQ(answer.status, 507U);
  EXPECT_EQ(answer.fields.at("content-type"), "application/problem+json");
  EXPECT_EQ(boost::json::parse(answer.body).at("error"), "storage_full");
}

TEST_F(Http1, GivesAnUnfinishedHeadItsTimeAndNoMore) {
  HttpClient client(port());
  client.send("GET / HTTP/1.1\r\nHost: ");
  std::atomic<unsigned> status{0};
  std::thread reader([&] { status = client.receive().status; });
  EXPECT_TRUE(test::wait_until([&] {
    environment_.skip(limits::kHttpHeaderAgeMax / 4);
    return status.load() != 0;
  }));
  reader.join();
  EXPECT_EQ(status, 408U);
  skip_until_closed(client, limits::kHttpLingerAgeMax);
}

TEST_F(Http1, GivesAnUnfinishedContentItsTimeAndNoMore) {
  HttpClient client(port());
  client.send("POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhel");
  std::atomic<unsigned> status{0};
  std::thread reader([&] { status = client.receive().status; });
  EXPECT_TRUE(test::wait_until([&] {
    environment_.skip(limits::kHttpBodyAgeMax / 4);
    return status.load() != 0;
  }));
  reader.join();
  EXPECT_EQ(status, 408U);
}

TEST_F(Http1, ClosesAConnectionThatIsIdleForLong) {
  HttpClient silent(port());
  skip_until_closed(silent, limits::kHttpIdleMax);
  HttpClient served(port());
  served.ask(kRead);
  skip_until_closed(served, limits::kHttpIdleMax);
}

TEST_F(Http1, ServesOthersWhileManyPeersSendOneByteAndWait) {
  std::vector<std::unique_ptr<HttpClient>> slow;
  for (int i = 0; i < 300; ++i) {
    slow.push_back(std::make_unique<HttpClient>(port()));
    slow.back()->send("G");
  }
  HttpClient client(port());
  EXPECT_EQ(client.ask(kPublish).status, 201U);
}

TEST_F(Http1, RefusesLargeContentsWhileOthersTakeAllTheMemoryThereIs) {
  const std::string large = "POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\nContent-Length: " +
                            std::to_string(limits::kMessageBodyBytesMax) +
                            "\r\nExpect: 100-continue\r\n\r\n";
  constexpr std::size_t kFit = limits::kHttpLargeBytesMax / limits::kMessageBodyBytesMax;
  std::vector<std::unique_ptr<HttpClient>> uploads;
  for (std::size_t i = 0; i < kFit; ++i) {
    uploads.push_back(std::make_unique<HttpClient>(port()));
    EXPECT_EQ(uploads.back()->ask(large).status, 100U);
  }
  HttpClient late(port());
  const Answer refused = late.ask(large);
  EXPECT_EQ(refused.status, 503U);
  EXPECT_EQ(refused.fields.at("retry-after"), "1");
  HttpClient small(port());
  EXPECT_EQ(small.ask(kPublish).status, 201U);
  uploads.clear();
  EXPECT_TRUE(test::wait_until([&] { return HttpClient(port()).ask(large).status == 100U; }));
}

TEST_F(Http1, AnswersAReaderThatWaitsWhenItsMessageComes) {
  HttpClient client(port());
  client.send(kWait);
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting() == 1; }));
  handler_.release();
  EXPECT_EQ(client.receive().status, 200U);
  EXPECT_EQ(client.ask(kRead).status, 200U);
}

TEST_F(Http1, AnswersARequestSentBehindOneThatWaits) {
  HttpClient client(port());
  client.send(kWait);
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting() == 1; }));
  client.send(kRead);
  handler_.release();
  EXPECT_EQ(client.receive().status, 200U);
  EXPECT_EQ(client.receive().status, 200U);
}

TEST_F(Http1, EndsTheSessionOfAReaderThatLeavesWhileItWaits) {
  HttpClient client(port());
  client.send(kWait);
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting() == 1; }));
  const int closed = handler_.sessions_closed();
  client.close();
  EXPECT_TRUE(test::wait_until([&] { return handler_.sessions_closed() == closed + 1; }));
}

TEST_F(Http1, TellsAReaderThatWaitsThatTheServerStops) {
  HttpClient client(port());
  client.send(kWait);
  ASSERT_TRUE(test::wait_until([&] { return handler_.waiting() == 1; }));
  EXPECT_TRUE(drain(10s).has_value());
  const Answer answer = client.receive();
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(boost::json::parse(answer.body).at("error"), "draining");
  EXPECT_EQ(answer.fields.at("retry-after"), "1");
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Http1, DrainsIdleConnectionsAtOnceAndTakesNoMore) {
  HttpClient idle(port());
  idle.ask(kRead);
  const std::uint16_t old_port = port();
  EXPECT_TRUE(drain(10s).has_value());
  EXPECT_TRUE(idle.is_closed_by_server());
  EXPECT_FALSE(HttpClient(old_port).is_connected());
}

TEST_F(Http1, CutsOffAnUnfinishedRequestWhenTheGraceIsOver) {
  HttpClient client(port());
  client.send(
      "POST /v1/topics/t/messages HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n"
      "Content-Length: 10\r\n\r\n");
  // It says that the request is being read: before, a drain would have nothing to do.
  ASSERT_EQ(client.receive().status, 100U);
  const auto drained = drain(50ms);
  ASSERT_FALSE(drained.has_value());
  EXPECT_EQ(drained.error().code, Errc::deadline_exceeded);
  EXPECT_TRUE(client.is_closed_by_server());
}

TEST_F(Http1, RefusesASettingItDoesNotHave) {
  HttpPlugin plugin;
  protocol::ListenerOptions options;
  options.settings["colour"] = "red";
  const auto listener = plugin.listen(*runtime_, std::move(options), handler_);
  ASSERT_FALSE(listener.has_value());
  EXPECT_EQ(listener.error().text, "listener 'http' has no setting 'colour'");
}

TEST_F(Http1, ServesMetricsAndHealthToOperators) {
  AdminPlugin plugin;
  EXPECT_EQ(plugin.name(), "admin");
  auto listener = plugin.listen(*runtime_, {}, handler_);
  ASSERT_TRUE(listener.has_value());
  ASSERT_TRUE((*listener)->start().has_value());
  {
    HttpClient client((*listener)->port());
    const Answer health = client.ask("GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(health.status, 200U);
    EXPECT_EQ(health.body, R"({"status":"ok"})");
    const Answer metrics = client.ask("GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n");
    EXPECT_EQ(metrics.status, 200U);
    EXPECT_EQ(metrics.fields.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_NE(metrics.body.find("sluice_http_responses_total{class=\"2xx\"}"), std::string::npos);
    EXPECT_EQ(client.ask("GET /v1/nothing HTTP/1.1\r\nHost: h\r\n\r\n").status, 404U);
    EXPECT_EQ(client.ask("POST /metrics HTTP/1.1\r\nHost: h\r\n\r\n").status, 405U);
  }
  EXPECT_TRUE(test::run(*runtime_, (*listener)->drain(1s)).has_value());
}

}  // namespace
}  // namespace sluice::http1
