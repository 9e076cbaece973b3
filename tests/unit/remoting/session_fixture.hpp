#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "common/model/stored_message.hpp"
#include "protocols/remoting/plugin.hpp"
#include "tests/support/printers.hpp"
#include "tests/support/run_task.hpp"
#include "tests/unit/remoting/fake_handler.hpp"
#include "tests/unit/remoting/wire.hpp"
#include "tests/unit/transport/tcp_peer.hpp"

namespace sluice::remoting {

/// A client's end of a connection.
class Client : public test::TcpPeer {
 public:
  using TcpPeer::TcpPeer;

  /// The next frame; a default one at the end of the connection.
  Received receive_frame() {
    std::string bytes = receive(4);
    if (bytes.size() < 4) return {};
    const auto length = load_big_endian<std::uint32_t>(as_bytes(bytes).data());
    bytes += receive(length);
    return read_frame(bytes);
  }

  Received ask(std::string_view frame) {
    EXPECT_TRUE(send(frame));
    return receive_frame();
  }

  /// True if the other end answers, with whatever: it is served.
  bool is_served() {
    return ask(request_frame(request_code::kGetMaxOffset, {{"topic", "t"}, {"queueId", "0"}}))
               .flag == kResponseFlag;
  }
};

/// A listener on one loop, over a handler in memory.
class SessionTest : public testing::Test {
 protected:
  explicit SessionTest(Runtime::Options options = {}) : runtime_(options) {
    auto listener = Plugin().listen(*runtime_, {}, handler_);
    EXPECT_TRUE(listener);
    listener_ = *std::move(listener);
    EXPECT_TRUE(listener_->start());
    handler_.answer_with([](const model::Command& command) -> Result<model::Reply> {
      if (std::holds_alternative<model::QueryBounds>(command)) return model::BoundsReply{1, 9};
      return model::Acknowledged{};
    });
  }

  /// Whoever still waits in the handler goes before the handler does.
  ~SessionTest() override {
    handler_.release();
    handler_.release_sends();
    handler_.release_asks();
    handler_.answer_watch({});
    listener_.reset();
    runtime_.stop();
  }

  Client connect() { return Client(listener_->port()); }

  Result<> drain(std::chrono::milliseconds grace) {
    return test::run(*runtime_, listener_->drain(grace));
  }

  /// A stored message with this body.
  static std::string stored(std::string_view body) {
    model::StoredMessageFields fields;
    fields.topic = "t";
    fields.body = as_bytes(body);
    std::string bytes(model::stored_message_size(fields), '\0');
    model::encode_stored_message(fields, reinterpret_cast<std::byte*>(bytes.data()));
    return bytes;
  }

  /// The bodies of a pull answer.
  static std::vector<std::string> bodies_of(const Received& answer) {
    std::vector<std::string> bodies;
    BytesView rest = as_bytes(answer.body);
    while (!rest.empty()) {
      const auto message = model::StoredMessageView::parse_first(rest);
      if (!message) {
        ADD_FAILURE() << describe(message.error());
        break;
      }
      bodies.emplace_back(as_text(message->body()));
      rest = rest.subspan(message->size());
    }
    return bodies;
  }

  test::FakeHandler handler_;
  test::TestRuntime runtime_;
  std::unique_ptr<protocol::Listener> listener_;
};

}  // namespace sluice::remoting
