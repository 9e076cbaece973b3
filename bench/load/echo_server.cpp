#include "bench/load/echo_server.hpp"

#include <fmt/format.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/load/request.hpp"
#include "bench/load/response.hpp"
#include "bench/load/stored_messages.hpp"
#include "bench/load/wire.hpp"

namespace sluice::bench {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

constexpr std::size_t kInputBytes = std::size_t{64} << 10;
constexpr std::size_t kMessages = 32;  ///< Of a client batch, and of a pull.
constexpr std::size_t kBodyBytes = 1024;
constexpr std::string_view kMessageId = "7F00000100002A9F0000000000992B76";
constexpr std::string_view kBatchBegin = R"({"code":320,)";
constexpr std::string_view kPullBegin = R"({"code":11,)";

/// Replies made once, in the form and size of the Java broker's.
struct Replies {
  std::string send;
  std::string batch;
  std::string pull;
};

std::string make_send_reply(std::string_view message_ids) {
  const ExtField fields[] = {
      {"queueId", "0"},     {"transactionId", kMessageId},   {"msgId", message_ids},
      {"TRACE_ON", "true"}, {"MSG_REGION", "DefaultRegion"}, {"queueOffset", "1234567"},
  };
  return make_reply(fields);
}

std::string make_batch_reply() {
  std::string ids;
  for (std::size_t i = 0; i < kMessages; ++i) {
    if (i > 0) ids += ',';
    ids += kMessageId;
  }
  return make_send_reply(ids);
}

/// The first messages of a queue: who asks for more than those starts again.
std::string make_pull_reply() {
  const ExtField fields[] = {
      {"suggestWhichBrokerId", "0"}, {"groupSysFlag", "0"}, {"nextBeginOffset", "32"},
      {"maxOffset", "1234567"},      {"minOffset", "0"},    {"topicSysFlag", "0"},
  };
  static_assert(kMessages == 32, "nextBeginOffset says so");
  const std::string properties = fmt::format(
      "MSG_REGION\x01{}\x02UNIQ_KEY\x01{}\x02{}\x01{}\x02WAIT\x01true\x02TRACE_ON\x01true\x02",
      "DefaultRegion", kMessageId, "CLUSTER", "DefaultCluster");
  std::string records;
  for (std::size_t i = 0; i < kMessages; ++i) {
    records += make_stored_message(i, "bench", kBodyBytes, properties);
  }
  return make_reply(fields, records);
}

Replies make_replies() {
  return {
      .send = make_send_reply(kMessageId), .batch = make_batch_reply(), .pull = make_pull_reply()};
}

bool has_header(std::string_view frame, std::string_view begin) {
  return frame.substr(kFramePrefixBytes).starts_with(begin);
}

const std::string& reply_to(std::string_view frame, const Replies& replies) {
  if (has_header(frame, kBatchBegin)) return replies.batch;
  return has_header(frame, kPullBegin) ? replies.pull : replies.send;
}

/// Appends the reply to one request, with the request's opaque.
void append_reply(std::string& output, std::string_view frame, const Replies& replies) {
  const std::string& reply = reply_to(frame, replies);
  const std::size_t begin = output.size();
  output += reply;
  const std::string_view opaque = frame.substr(opaque_position(frame), kOpaqueDigits);
  output.replace(begin + opaque_position(reply), kOpaqueDigits, opaque);
}

class Connection {
 public:
  Connection(tcp::socket socket, const Replies* replies)
      : socket_(std::move(socket)), replies_(replies), input_(kInputBytes) {}

  asio::awaitable<void> serve() {
    boost::system::error_code error;
    while (!error) {
      const auto room = asio::buffer(input_) + used_;
      auto read = asio::redirect_error(asio::use_awaitable, error);
      const std::size_t size = co_await socket_.async_read_some(room, read);
      if (error) co_return;
      used_ += size;
      answer_complete_frames();
      if (output_.empty()) continue;
      auto write = asio::redirect_error(asio::use_awaitable, error);
      co_await asio::async_write(socket_, asio::buffer(output_), write);
    }
  }

 private:
  void answer_complete_frames() {
    output_.clear();
    std::string_view rest(input_.data(), used_);
    while (const auto size = complete_frame_size(rest)) {
      append_reply(output_, rest.substr(0, *size), *replies_);
      rest.remove_prefix(*size);
    }
    std::memmove(input_.data(), rest.data(), rest.size());
    used_ = rest.size();
    if (used_ == input_.size()) input_.resize(2 * input_.size());
  }

  tcp::socket socket_;
  const Replies* replies_;
  std::vector<char> input_;
  std::size_t used_ = 0;
  std::string output_;
};

asio::awaitable<void> serve(tcp::socket socket, const Replies* replies) {
  Connection connection(std::move(socket), replies);
  co_await connection.serve();
}

void rethrow(const std::exception_ptr& error) {
  if (error) std::rethrow_exception(error);
}

asio::awaitable<void> accept(tcp::acceptor* acceptor, const Replies* replies) {
  boost::system::error_code error;
  while (true) {
    auto token = asio::redirect_error(asio::use_awaitable, error);
    tcp::socket socket = co_await acceptor->async_accept(token);
    if (error) co_return;
    socket.set_option(tcp::no_delay(true));
    const auto executor = socket.get_executor();
    asio::co_spawn(executor, serve(std::move(socket), replies), rethrow);
  }
}

}  // namespace

void run_echo_server(std::uint16_t port) {
  asio::io_context context(1);
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), port});
  asio::signal_set signals(context, SIGTERM, SIGINT);
  signals.async_wait([&context](const boost::system::error_code&, int) { context.stop(); });
  const Replies replies = make_replies();
  asio::co_spawn(context, accept(&acceptor, &replies), rethrow);
  fmt::print("ready {{\"listeners\":{{\"remoting\":\"127.0.0.1:{}\"}}}}\n",
             acceptor.local_endpoint().port());
  std::fflush(stdout);
  context.run();
}

}  // namespace sluice::bench
