#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/model/call_context.hpp"
#include "common/runtime/runtime.hpp"
#include "protocols/remoting/codec/header.hpp"
#include "protocols/remoting/handlers/gateways.hpp"
#include "protocols/remoting/handlers/table.hpp"
#include "protocols/remoting/session/receive_buffer.hpp"
#include "protocols/spi/request_handler.hpp"
#include "protocols/transport/session.hpp"
#include "protocols/transport/stream.hpp"

namespace sluice::remoting {

/// What the sessions of one loop share. Used on that loop only.
struct LoopServices {
  LoopServices(Runtime& runtime_in, Executor executor_in, protocol::RequestHandler& handler_in)
      : runtime(runtime_in),
        executor(executor_in),
        timers(runtime_in.timers(executor_in)),
        handler(handler_in) {}

  Runtime& runtime;
  Executor executor;
  TimerWheel& timers;
  protocol::RequestHandler& handler;
  HeaderDecoder decoder;
  BufferPool buffers;
  std::array<std::byte, 16U * 1024> discarded;  ///< Where bytes go that nobody will look at.
};

/// One connection. One coroutine reads and serves; what may wait long has one of its own and
/// appends its answer when it comes. Answers gather in one string and leave it with one write.
///
/// A connection that speaks seldom, or has sent nothing but the begin of a frame, is parked: it
/// owns no buffer, one slot in the timer wheel and one coroutine that waits for the socket.
class Session final : public transport::Session, public std::enable_shared_from_this<Session> {
 public:
  Session(std::shared_ptr<LoopServices> services, transport::Stream stream, model::Endpoint peer);
  ~Session() override;

  Task<> run() override;
  void stop() noexcept override;
  void close() noexcept override;

 private:
  using Identity = std::shared_ptr<const model::Session>;
  struct Gathered;
  struct Asked;
  struct Extras;
  struct Metrics;

  // Reading (session_read.cpp).
  [[nodiscard]] bool is_open() const noexcept { return !is_closed_ && !is_ending_; }
  /// \return bytes received; 0 if there are none, or the session has come to its end.
  std::size_t receive_now();
  Task<std::size_t> receive();
  std::size_t failed_to_receive(const boost::system::error_code& error);
  Result<std::span<std::byte>> room();
  void settle(std::size_t frames_served);
  void park();
  void unpark();
  Task<> linger();
  Task<> finish();
  void end(metrics::Counter& reason);

  // Time (session.cpp).
  void arm();
  void on_timer();
  [[nodiscard]] Environment::Instant now() const noexcept;

  // Serving (session_serve.cpp).
  /// \return frames taken.
  Task<std::size_t> serve();
  [[nodiscard]] Result<Request> decode(const Frame& frame);
  [[nodiscard]] Result<Identity> identity_of(const Fields& fields);
  /// False if what was gathered has to be sent first.
  bool gather(const Request& request, const SendRequest& kind, const Identity& identity,
              Gathered& gathered);
  Task<> send(Gathered gathered);
  Task<> serve_other(Request request, const TableRow* row, Identity identity, Frame frame);
  Task<> serve_command(AnswerTo to, Call call, Identity identity, Frame frame);
  void wait_for_messages(const Frame& frame, Identity identity);
  static Task<> answer_waiting_pull(std::shared_ptr<Session> self, AnswerTo to, model::Pull pull,
                                    Identity identity);
  static Task<> answer_waiting_watch(std::shared_ptr<Session> self, AnswerTo to);
  void ask_client(const Request& request, const AskingRequest& kind, Identity identity);
  static Task<> answer_asking(std::shared_ptr<Session> self, AnswerTo to, Call call,
                              Identity identity);
  void serve_closed_session(const Request& request, const AnswerTo& to);
  [[nodiscard]] bool may_wait(const AnswerTo& to);
  void refuse(const AnswerTo& to, const Error& error);
  void attach();

  // What the server tells and asks its client (session_notices.cpp).
  Task<> forward_notices();
  Task<> end_notices();
  void forward(const model::GroupChanged& changed);
  void forward(const model::ClientRequest& request);
  void take_response(const Request& response);
  static Task<> pass_on(std::shared_ptr<Session> self, model::AnswerClientRequest answer);

  // Writing (session_write.cpp).
  [[nodiscard]] std::size_t unwritten() const noexcept;
  [[nodiscard]] bool has_room() const noexcept;
  void flush();
  void flush_soon();
  void write_more();
  void on_written(const boost::system::error_code& error, std::size_t size);
  /// Completes when at most `bytes_max` bytes wait to be written, or the session is closed.
  Task<> wait_until_written(std::size_t bytes_max);
  void wake_waiting_writer();

  [[nodiscard]] Extras& extras();
  static const Metrics& metrics();

  std::shared_ptr<LoopServices> services_;
  transport::Stream stream_;
  Identity identity_;
  ReceiveBuffer received_;
  std::string outbound_;            ///< Answers that no write has taken yet.
  std::string writing_;             ///< What the write under way has taken.
  std::size_t written_ = 0;         ///< Bytes of writing_ that are gone.
  std::unique_ptr<Extras> extras_;  ///< What most connections never need.
  TimerWheel::Timer timer_;
  Environment::Instant frame_deadline_ = Environment::Instant::max();
  Environment::Instant last_progress_;
  std::uint32_t waiting_requests_ = 0;
  bool has_progressed_ = false;  ///< Since the timer last looked.
  bool is_parked_ = true;
  bool is_busy_ = false;  ///< Speaks more than once in limits::kSessionIdleBufferAge.
  bool is_receiving_ = false;
  bool is_writing_ = false;
  bool is_flush_posted_ = false;
  bool is_ending_ = false;  ///< No further request is taken.
  bool is_stopping_ = false;
  bool is_lingering_ = false;
  bool is_closed_ = false;
};

}  // namespace sluice::remoting
