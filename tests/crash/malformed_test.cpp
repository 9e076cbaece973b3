#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "common/base/byte_writer.hpp"
#include "common/base/limits.hpp"
#include "protocols/remoting/codec/request_codes.hpp"
#include "protocols/remoting/codec/response_codes.hpp"
#include "tests/crash/connection.hpp"
#include "tests/crash/messages.hpp"
#include "tests/crash/requests.hpp"
#include "tests/crash/server_process.hpp"
#include "tests/crash/work_directory.hpp"
#include "tests/support/run_task.hpp"

/// \file
/// The real server under input that no client sends. Each is answered with an error or a closed
/// connection, memory stays bounded, and a well-behaved client is served all the while.

namespace sluice::crash {
namespace {

namespace request_code = remoting::request_code;
namespace response_code = remoting::response_code;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::size_t kMebi = std::size_t{1024} * 1024;
/// An answer or a close that takes longer is none.
constexpr seconds kRefusalPatience{20};
/// What the well-behaved client puts up with.
constexpr seconds kServedPatience{5};

struct Offence {
  std::string what;
  std::string bytes;
};

std::string frame_of(std::int32_t length, std::uint32_t header_word, std::string_view rest = {}) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.write(length);
  writer.write(header_word);
  writer.write_text(rest);
  return bytes;
}

/// A frame around any header; only the header is wrong.
std::string frame_around(SerializeType serialize_type, std::string_view header,
                         std::string_view body = {}) {
  const auto type = static_cast<std::uint32_t>(serialize_type);
  std::string rest(header);
  rest += body;
  return frame_of(static_cast<std::int32_t>(rest.size() + 4),
                  type << 24U | static_cast<std::uint32_t>(header.size()), rest);
}

std::string json_frame(std::string_view header, std::string_view body = {}) {
  return frame_around(SerializeType::json, header, body);
}

/// The binary header up to its two lengths, and then `rest`.
std::string binary_frame(std::string_view rest) {
  std::string header;
  ByteWriter writer(header);
  writer.write(static_cast<std::int16_t>(request_code::kHeartBeat));
  writer.write(std::uint8_t{0});    // language
  writer.write(std::int16_t{401});  // version
  writer.write(std::int32_t{7});    // opaque
  writer.write(std::int32_t{0});    // flag
  writer.write_text(rest);
  return frame_around(SerializeType::rocketmq, header);
}

std::string int32_of(std::int32_t value) {
  std::string bytes;
  ByteWriter(bytes).write(value);
  return bytes;
}

std::string int16_of(std::int16_t value) {
  std::string bytes;
  ByteWriter(bytes).write(value);
  return bytes;
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::vector<Offence> wrong_lengths() {
  constexpr auto kFrameMax = static_cast<std::int32_t>(limits::kRemotingFrameBytesMax);
  constexpr auto kHeaderMax = static_cast<std::uint32_t>(limits::kRemotingHeaderBytesMax);
  return {
      {"length 0", int32_of(0)},
      {"length 3, too short for the header's length", int32_of(3)},
      {"length -1", int32_of(-1)},
      {"the smallest length", int32_of(std::numeric_limits<std::int32_t>::min())},
      {"length one over the limit", int32_of(kFrameMax - 3)},
      {"the largest length", int32_of(std::numeric_limits<std::int32_t>::max())},
      {"a header longer than its frame", frame_of(14, 100, "0123456789")},
      {"a header one longer than its frame", frame_of(14, 11, "0123456789")},
      {"a header over its limit", frame_of(kFrameMax - 4, kHeaderMax + 1)},
      {"serialization 2", frame_of(6, 2U << 24U | 2U, "{}")},
      {"serialization 255", frame_of(6, 255U << 24U | 2U, "{}")},
      {"HTTP", "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"},
      {"TLS that is none", std::string("\x16\x03\x01\x00\x05hello", 10)},
      {"PROXY that is none", "PROXY TCP9 what\r\n"},
  };
}

std::vector<Offence> wrong_json() {
  std::string many_fields = R"({"code":34,"opaque":1,"extFields":{"a":"b")";
  for (int i = 0; i < 5000; ++i) many_fields += fmt::format(R"(,"k{}":"v")", i);
  many_fields += "}}";
  return {
      {"words", json_frame("hello")},
      {"nothing", json_frame("")},
      {"zeros", json_frame(std::string(64, '\0'))},
      {"an array", json_frame("[]")},
      {"a number", json_frame("7")},
      {"an object cut off", json_frame(R"({"code":34,"opaque":1)")},
      {"a string cut off", json_frame(R"({"code":34,"opaque":1,"remark":"abc)")},
      {"an escape cut off", json_frame(R"({"code":34,"opaque":1,"remark":"\u00)")},
      {"a code that is text", json_frame(R"({"code":"send","opaque":1})")},
      {"a code over 32 bits", json_frame(R"({"code":99999999999,"opaque":1})")},
      {"an opaque over 64 bits", json_frame(R"({"code":34,"opaque":99999999999999999999999})")},
      {"fields that are no object", json_frame(R"({"code":34,"opaque":1,"extFields":[1,2]})")},
      {"a field that is an object", json_frame(R"({"code":34,"opaque":1,"extFields":{"a":{}}})")},
      {"too many fields", json_frame(many_fields)},
      {"brackets as deep as a header goes", json_frame(repeated("[", 1'000'000))},
      {"objects as deep as a header goes", json_frame(repeated(R"({"a":)", 200'000))},
  };
}

std::vector<Offence> lying_binary_headers() {
  const std::string no_remark = int32_of(0);
  return {
      {"nothing", frame_around(SerializeType::rocketmq, "")},
      {"a header of one byte", frame_around(SerializeType::rocketmq, "x")},
      {"no lengths", binary_frame("")},
      {"a remark longer than the header", binary_frame(int32_of(1000))},
      {"a negative remark", binary_frame(int32_of(-1))},
      {"the longest remark", binary_frame(int32_of(std::numeric_limits<std::int32_t>::max()))},
      {"no length of fields", binary_frame(no_remark)},
      {"fields longer than the header", binary_frame(no_remark + int32_of(1000))},
      {"a negative length of fields", binary_frame(no_remark + int32_of(-5))},
      {"a key longer than the fields",
       binary_frame(no_remark + int32_of(6) + int16_of(100) + "abcd")},
      {"a negative key", binary_frame(no_remark + int32_of(6) + int16_of(-1) + "abcd")},
      {"a key without a value", binary_frame(no_remark + int32_of(3) + int16_of(1) + "a")},
      {"a value longer than the fields",
       binary_frame(no_remark + int32_of(8) + int16_of(1) + "a" + int32_of(100) + "b")},
      {"a negative value",
       binary_frame(no_remark + int32_of(7) + int16_of(1) + "a" + int32_of(-100))},
  };
}

/// One message of a client batch whose numbers are as given.
std::string batch_message(std::int32_t size, std::int32_t body_size, std::int16_t properties_size) {
  std::string bytes;
  ByteWriter writer(bytes);
  writer.write(size);
  writer.write(std::int32_t{0});
  writer.write(std::int32_t{0});
  writer.write(std::int32_t{0});
  writer.write(body_size);
  writer.write_text("body");
  writer.write(properties_size);
  return bytes;
}

class Malformed : public testing::Test {
 protected:
  void SetUp() override {
    ServerOptions options;
    options.program = SLUICE_PROGRAM;
    options.data = directory_.data();
    options.settings = {"storage.durability=buffered", "log.level=warn"};
    server_ = std::make_unique<ServerProcess>(options);
    ASSERT_TRUE(server_->wait_until_ready());
    good_ = connect();
    ASSERT_TRUE(good_);
    expect_served();
  }

  void TearDown() override {
    EXPECT_TRUE(server_->is_running());
    expect_served();
    good_.reset();  // Or the server would wait for it to hang up.
    EXPECT_EQ(server_->terminate(), 0);
  }

  std::optional<Connection> connect() { return Connection::open(server_->port("remoting")); }

  /// The well-behaved client sends a message on the connection it has had all along.
  void expect_served() {
    ASSERT_TRUE(good_);
    ++opaque_;
    ASSERT_TRUE(good_->send(make_send({.opaque = opaque_}, 0, 1)));
    const auto answer = good_->receive(kServedPatience);
    ASSERT_TRUE(answer) << "the well-behaved client is not served";
    EXPECT_EQ(answer->opaque, opaque_);
    EXPECT_EQ(answer->code, response_code::kSuccess) << answer->remark;
  }

  /// The server closes, or answers with an error, without being told that this was all.
  void expect_refused(std::uint16_t port, const Offence& offence) {
    SCOPED_TRACE(offence.what);
    auto connection = Connection::open(port);
    ASSERT_TRUE(connection);
    if (!connection->send(offence.bytes)) return;  // Closed while we were still sending.
    const auto answer = connection->receive(kRefusalPatience);
    if (answer) {
      EXPECT_NE(answer->code, response_code::kSuccess);
    } else {
      EXPECT_TRUE(connection->is_closed()) << "neither answered nor closed";
    }
    expect_served();
  }

  /// By both listeners that take frames.
  void expect_all_refused(const std::vector<Offence>& offences) {
    for (const std::string_view listener : {"remoting", "nameserver"}) {
      SCOPED_TRACE(listener);
      for (const Offence& offence : offences) expect_refused(server_->port(listener), offence);
    }
  }

  /// An answer with an error; the connection goes on.
  Answer expect_error(const std::string& request) {
    auto connection = connect();
    if (!connection || !connection->send(request)) return {.code = -1};
    auto answer = connection->receive(kRefusalPatience);
    EXPECT_TRUE(answer) << "not answered";
    if (!answer) return {.code = -1};
    EXPECT_NE(answer->code, response_code::kSuccess);
    EXPECT_FALSE(answer->remark.empty()) << "an error without a word";
    const auto next = connection->call(make_send({.opaque = 77}, 1, 77));
    EXPECT_TRUE(next && next->code == response_code::kSuccess) << "the connection does not go on";
    return *answer;
  }

  WorkDirectory directory_;
  std::unique_ptr<ServerProcess> server_;
  std::optional<Connection> good_;
  std::int32_t opaque_ = 0;
};

TEST_F(Malformed, FramesWithWrongLengthsAreRefused) {
  expect_all_refused(wrong_lengths());
}

TEST_F(Malformed, HeadersThatAreNotJsonAreRefused) {
  expect_all_refused(wrong_json());
}

TEST_F(Malformed, BinaryHeadersWithLyingLengthsAreRefused) {
  expect_all_refused(lying_binary_headers());
}

TEST_F(Malformed, RequestsWithoutTheirFieldsAreAnsweredWithAnError) {
  const std::int32_t codes[] = {
      request_code::kSendMessage,
      request_code::kSendMessageV2,
      request_code::kSendBatchMessage,
      request_code::kPullMessage,
      request_code::kLitePullMessage,
      request_code::kQueryConsumerOffset,
      request_code::kUpdateConsumerOffset,
      request_code::kSearchOffsetByTimestamp,
      request_code::kGetMaxOffset,
      request_code::kGetMinOffset,
      request_code::kHeartBeat,
      request_code::kUnregisterClient,
      request_code::kUpdateAndCreateTopic,
      request_code::kGetConsumerListByGroup,
      request_code::kDeleteTopicInBroker,
      request_code::kGetRouteinfoByTopic,
  };
  for (const std::int32_t code : codes) {
    for (const auto type : {SerializeType::json, SerializeType::rocketmq}) {
      SCOPED_TRACE(code);
      expect_error(make_request({.opaque = 5, .serialize_type = type}, code, {}, {}, 0));
    }
  }
}

TEST_F(Malformed, NumbersThatAreNoneAreAnsweredWithAnError) {
  for (const std::string_view number : {"abc", "1e3", "99999999999999999999", "0x10", " 1"}) {
    SCOPED_TRACE(number);
    const remoting::Field fields[] = {
        {"consumerGroup", "g"}, {"topic", kTopic}, {"queueId", "0"}, {"commitOffset", number}};
    const auto answer =
        expect_error(make_request({}, request_code::kUpdateConsumerOffset, fields, {}, 0));
    EXPECT_NE(answer.remark.find("commitOffset"), std::string::npos) << answer.remark;
  }
}

TEST_F(Malformed, BodiesThatAreNotJsonAreAnsweredWithAnError) {
  const std::string bodies[] = {"{",
                                "[]",
                                "\"text\"",
                                std::string(100, '\0'),
                                "{\"clientID\":{}}",
                                repeated("[", 100'000),
                                repeated("{\"a\":", 100'000)};
  for (const std::string& body : bodies) {
    SCOPED_TRACE(body.substr(0, 20));
    expect_error(make_request({}, request_code::kHeartBeat, {}, body, 0));
  }
}

TEST_F(Malformed, BatchesWithLyingLengthsAreAnsweredWithAnError) {
  constexpr std::int32_t kTrueSize = 26;  // with the body "body" and no properties
  constexpr auto kLargest = std::numeric_limits<std::int32_t>::max();
  const std::string good = batch_message(kTrueSize, 4, 0);
  const std::string bodies[] = {
      "",
      "x",
      batch_message(0, 4, 0),
      batch_message(-1, 4, 0),
      batch_message(kLargest, 4, 0),
      batch_message(kTrueSize, 1000, 0),
      batch_message(kTrueSize, -4, 0),
      batch_message(kTrueSize, kLargest, 0),
      batch_message(kTrueSize, 4, 1000),
      batch_message(kTrueSize, 4, -1),
      good + batch_message(kTrueSize + 1, 4, 0),
      good + "tail",
  };
  for (std::size_t i = 0; i < std::size(bodies); ++i) {
    SCOPED_TRACE(fmt::format("body {}", i));
    expect_error(make_batch_of({}, 0, bodies[i]));
  }
}

TEST_F(Malformed, AMessageOverTheLimitIsRefusedWithTheLimitInTheText) {
  const std::string body(limits::kMessageBodyBytesMax + 1, 'x');
  const Answer answer = expect_error(make_send_of({}, 0, {}, body));
  EXPECT_EQ(answer.code, response_code::kMessageIllegal);
  EXPECT_NE(answer.remark.find(std::to_string(limits::kMessageBodyBytesMax)), std::string::npos)
      << answer.remark;
}

TEST_F(Malformed, UnknownRequestCodesAreAnsweredAsNotSupported) {
  for (const std::int32_t code : {0, 9, 999, 12'345, request_code::kPrivateLast, 32'767}) {
    SCOPED_TRACE(code);
    EXPECT_EQ(expect_error(make_request({}, code, {}, {}, 0)).code,
              response_code::kRequestCodeNotSupported);
  }
}

TEST_F(Malformed, OneWayRequestsAreNotAnsweredEvenIfTheyAreWrong) {
  auto connection = connect();
  ASSERT_TRUE(connection);
  for (const std::int32_t code : {request_code::kSendMessageV2, request_code::kPullMessage, 999}) {
    ASSERT_TRUE(
        connection->send(make_request({.opaque = 1}, code, {}, "x", remoting::kOnewayFlag)));
  }
  const auto answer = connection->call(make_send({.opaque = 2}, 0, 2));
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->opaque, 2);
}

TEST_F(Malformed, AFrameThatComesByteByByteIsServed) {
  auto connection = connect();
  ASSERT_TRUE(connection);
  for (const char byte : make_send({.opaque = 3}, 0, 3)) {
    ASSERT_TRUE(connection->send({&byte, 1}));
  }
  const auto answer = connection->receive(kRefusalPatience);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->code, response_code::kSuccess);
}

TEST_F(Malformed, RandomBytesHurtNobodyElse) {
  constexpr int kConnections = 500;
  constexpr std::size_t kBytesMax = 4096;
  std::mt19937_64 random(1);
  for (int i = 0; i < kConnections; ++i) {
    std::string bytes(1 + random() % kBytesMax, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    // Half of them begin as a frame does, or they would all end at the first length.
    if (i % 2 == 0) bytes = json_frame(bytes);
    auto connection = connect();
    ASSERT_TRUE(connection);
    if (!connection->send(bytes)) continue;
    connection->finish_sending();
    while (connection->receive(kRefusalPatience)) {
    }
    EXPECT_TRUE(connection->is_closed()) << "connection " << i;
  }
}

TEST_F(Malformed, DamagedRequestsHurtNobodyElse) {
  constexpr int kConnections = 1000;
  constexpr std::size_t kDamagesMax = 8;
  const std::string requests[] = {
      make_send({.opaque = 1}, 0, 1), make_send({1, SerializeType::rocketmq}, 0, 2),
      make_batch({.opaque = 1}, 0, 3, 4),
      make_pull({1, SerializeType::rocketmq}, {.group = "g", .queue = 0, .offset = 0}),
      make_update_offset({.opaque = 1}, "g", 0, 1)};
  std::mt19937_64 random(2);
  for (int i = 0; i < kConnections; ++i) {
    std::string bytes = requests[random() % std::size(requests)];
    for (std::size_t n = 1 + random() % kDamagesMax; n > 0; --n) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    auto connection = connect();
    ASSERT_TRUE(connection);
    if (!connection->send(bytes)) continue;
    connection->finish_sending();
    while (connection->receive(kRefusalPatience)) {
    }
    EXPECT_TRUE(connection->is_closed()) << "connection " << i;
  }
}

// --- memory ------------------------------------------------------------------------------------

/// The largest figure so far.
class Peak {
 public:
  explicit Peak(const ServerProcess& server) : server_(server), begin_(server.anonymous_bytes()) {}

  void look() { growth_ = std::max(growth_, server_.anonymous_bytes() - begin_); }
  [[nodiscard]] std::int64_t growth() const noexcept { return growth_; }

 private:
  const ServerProcess& server_;
  std::int64_t begin_;
  std::int64_t growth_ = 0;
};

TEST_F(Malformed, PromisesOfLargeFramesTakeNoMoreThanWhatCame) {
  // Together they promise 8 GiB. Each may hold one read buffer, as every active connection may.
  constexpr int kConnections = 500;
  constexpr auto kGrowthMax =
      static_cast<std::int64_t>(kConnections * limits::kSessionReadBytes + 8 * kMebi);
  constexpr auto kLength = static_cast<std::int32_t>(limits::kRemotingFrameBytesMax - 4);
  Peak peak(*server_);
  std::vector<Connection> offenders;
  for (int i = 0; i < kConnections; ++i) {
    auto connection = connect();
    ASSERT_TRUE(connection);
    ASSERT_TRUE(connection->send(frame_of(kLength, 1000, R"({"code":310,)")));
    offenders.push_back(*std::move(connection));
    expect_served();
    peak.look();
  }
  EXPECT_LT(peak.growth(), kGrowthMax);
}

TEST_F(Malformed, AnswersThatNobodyReadsAreNotPiledUp) {
  // The answers to these pulls have 2 GiB. What may wait is kSessionOutboundBytesMax, written and
  // being written, and one answer of a pull more.
  constexpr int kPulls = 2048;
  constexpr auto kGrowthMax = static_cast<std::int64_t>(4 * limits::kSessionOutboundBytesMax);
  const std::string body(kMebi, 'x');
  ASSERT_TRUE(good_->call(make_send_of({}, 1, {}, body)));
  Peak peak(*server_);
  auto connection = connect();
  ASSERT_TRUE(connection);
  int sent = 0;
  for (; sent < kPulls; ++sent) {
    const std::string pull = make_pull({.opaque = sent}, {.group = "g", .queue = 1, .offset = 0});
    const ssize_t written =
        ::send(connection->socket(), pull.data(), pull.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (written != static_cast<ssize_t>(pull.size())) break;  // The server has stopped reading.
    if (sent % 64 == 0) expect_served();
    peak.look();
  }
  for (int i = 0; i < 100; ++i) {
    expect_served();
    peak.look();
  }
  EXPECT_LT(peak.growth(), kGrowthMax) << "after " << sent << " pulls";
}

/// True if this process and its children may have `files` open.
bool allow_files(rlim_t files) {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return false;
  limit.rlim_max = std::max(limit.rlim_max, files);
  limit.rlim_cur = limit.rlim_max;
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

std::size_t open_files(pid_t pid) {
  std::error_code error;
  const std::filesystem::directory_iterator files(fmt::format("/proc/{}/fd", pid), error);
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

class Crowd : public Malformed {
 protected:
  static constexpr std::size_t kConnections = 10'000;
  /// What an idle connection may cost at most, and what the other clients of this test may.
  static constexpr std::int64_t kGrowthMax = kConnections * 7 * 1024 + 8 * kMebi;

  void SetUp() override {
    if (!allow_files(kConnections + 1000)) GTEST_SKIP() << "the system allows too few open files";
    Malformed::SetUp();
  }

  void TearDown() override {
    if (!IsSkipped()) Malformed::TearDown();
  }

  /// Connects all of them, each sending one byte.
  void gather() {
    for (std::size_t i = 0; i < kConnections; ++i) {
      auto connection = connect();
      ASSERT_TRUE(connection) << "after " << i << " connections";
      ASSERT_TRUE(connection->send(std::string_view("\0", 1)));
      polled_.push_back({.fd = connection->socket(), .events = POLLIN, .revents = 0});
      crowd_.push_back(*std::move(connection));
    }
    const auto all_are_accepted = [&] { return open_files(server_->pid()) >= kConnections; };
    ASSERT_TRUE(test::wait_until(all_are_accepted, kServerPatience));
  }

  /// How many the server has closed by now.
  std::size_t count_closed() {
    ::poll(polled_.data(), polled_.size(), 0);
    for (pollfd& one : polled_) {
      if (one.revents != 0) one.fd = -1;  // The server has nothing to say but the end.
    }
    return static_cast<std::size_t>(
        std::ranges::count_if(polled_, [](const pollfd& one) { return one.fd < 0; }));
  }

  std::vector<Connection> crowd_;
  std::vector<pollfd> polled_;
};

TEST_F(Crowd, OfConnectionsThatSendOneByteAndWaitIsClosedAndHurtsNobody) {
  Peak peak(*server_);
  gather();
  const auto all_are_closed = [&] {
    expect_served();
    peak.look();
    return HasFailure() || count_closed() == kConnections;
  };
  EXPECT_TRUE(test::wait_until(all_are_closed, limits::kPartialFrameAgeMax + kServerPatience));
  EXPECT_LT(peak.growth(), kGrowthMax);
  std::printf("%zu connections: at most %lld bytes of memory each\n", kConnections,
              static_cast<long long>(peak.growth() / static_cast<std::int64_t>(kConnections)));
}

}  // namespace
}  // namespace sluice::crash
