#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include <boost/beast/core/flat_buffer.hpp>

#include "common/base/unique_function.hpp"
#include "common/model/call_context.hpp"
#include "common/runtime/runtime.hpp"
#include "protocols/http1/request_check.hpp"
#include "protocols/http1/response_text.hpp"
#include "protocols/rest/application.hpp"
#include "protocols/spi/request_handler.hpp"
#include "protocols/transport/session.hpp"
#include "protocols/transport/tcp_socket.hpp"

namespace sluice::http1 {

/// One connection: reads a request, has it answered, writes the answer, and so on.
class Session final : public transport::Session, public std::enable_shared_from_this<Session> {
 public:
  /// `runtime` and `handler` outlive the session.
  Session(Runtime& runtime, transport::TcpSocket socket,
          std::shared_ptr<rest::Application> application, protocol::RequestHandler& handler);

  Task<> run() override;

  /// A request that waits for messages is answered 503; others are answered, and the connection
  /// ends with the answer.
  void stop() noexcept override;
  void close() noexcept override;

 private:
  enum class Goes : std::uint8_t { on, away };
  enum class Wait : std::uint8_t { answered, peer_left, stopping };
  struct PendingAnswer;

  Task<Goes> wait_for_request();
  Task<Goes> serve_one();
  Task<Goes> read_head(Parser* parser);
  Task<Goes> read_content(Parser* parser, std::size_t bytes_max);
  Task<Goes> send_continue();
  /// What a read came to; where it failed, the peer has been told.
  Task<Goes> check_read(boost::system::error_code error);
  Task<rest::Response> answer(std::shared_ptr<rest::Exchange> exchange, Slice body);
  Task<rest::Response> answer_watched(std::shared_ptr<rest::Exchange> exchange);
  Task<Goes> respond(rest::Response response, AfterResponse after);
  /// Responds to a request whose content was not read, and closes without losing the response.
  Task<Goes> refuse(rest::Response response);
  Task<> linger();

  void watch_peer(std::shared_ptr<PendingAnswer> pending);
  void arm(std::chrono::milliseconds age);
  void disarm();

  Runtime& runtime_;
  TimerWheel& timers_;
  transport::TcpSocket socket_;
  std::shared_ptr<rest::Application> application_;
  protocol::RequestHandler& handler_;
  std::shared_ptr<const model::Session> identity_;
  boost::beast::flat_buffer buffer_;
  TimerWheel::Timer timer_;
  std::shared_ptr<PendingAnswer> pending_;  ///< While a request waits.
  bool is_idle_ = false;                    ///< Between requests.
  bool is_stopping_ = false;
  bool has_timed_out_ = false;
  bool is_head_request_ = false;
};

}  // namespace sluice::http1
