#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/ip/tcp.hpp>

#include "common/base/error.hpp"
#include "common/base/limits.hpp"
#include "common/base/slice.hpp"
#include "common/base/unique_function.hpp"
#include "common/runtime/one_shot.hpp"
#include "common/runtime/runtime.hpp"
#include "protocols/remoting/client/frame_buffer.hpp"
#include "protocols/remoting/client/resolve.hpp"
#include "protocols/remoting/client/response.hpp"
#include "protocols/remoting/codec/frame_writer.hpp"

namespace sluice::remoting {

struct RemotingClientOptions {
  std::chrono::milliseconds connect_timeout = limits::kClientConnectTimeout;
  /// How requests are written; answers are read in either form.
  SerializeType serialize_type = SerializeType::rocketmq;
  /// Requests that the server sends of its own accord, on the client's loop. Those that are not
  /// one-way are answered with "not supported". May be empty.
  std::function<void(const Header& header, const Slice& body)> on_request;
};

/// What a request says of itself beside its fields.
struct RequestHead {
  // NOLINTNEXTLINE(google-explicit-constructor): most requests are a code and nothing else
  RequestHead(std::int32_t code_in) noexcept : code(code_in) {}

  std::int32_t code;
  LanguageCode language = kOurLanguage;  ///< Of the client that is spoken for.
  std::int32_t version = kOurVersion;
};

/// One connection to one server, made when it is needed and made anew after it broke. Requests are
/// multiplexed by their opaque numbers; all that one round of the event loop asks goes out with one
/// write.
///
/// Belongs to one loop: every member is called there, the destructor too (or once the loop has
/// ended). Callbacks come on that loop, and never from inside the call that they belong to.
///
/// Bounds: limits::kRemotingRequestsInFlightMax, limits::kClientOutboundBytesMax: at either a
/// request fails at once with unavailable. Frames are bounded as the codec has it.
class RemotingClient : public std::enable_shared_from_this<RemotingClient> {
 public:
  using OnResponse = UniqueFunction<void(Result<ResponseView>)>;

  /// \param address  `host:port`. Checked when it is first needed: a wrong one fails every request
  ///                 with invalid_argument.
  [[nodiscard]] static std::shared_ptr<RemotingClient> make(Runtime& runtime, Executor executor,
                                                            std::string address,
                                                            RemotingClientOptions options = {});
  ~RemotingClient();
  RemotingClient(const RemotingClient&) = delete;
  RemotingClient& operator=(const RemotingClient&) = delete;

  /// Sends a request. `write_fields(FrameWriter&)` is called at once, to write the extension
  /// fields; `body` is copied.
  ///
  /// `on_response` is called once: with the answer, whatever its code; or with deadline_exceeded;
  /// or with unavailable if there is no connection, or it broke, in which case the server may have
  /// done what was asked.
  template <class WriteFields>
  void call(RequestHead request, WriteFields&& write_fields, BytesView body,
            std::chrono::milliseconds timeout, OnResponse on_response) {
    if (!admit(on_response)) return;
    const std::int32_t opaque = add_pending(timeout, std::move(on_response));
    const Result<> written =
        append(request, opaque, 0, std::forward<WriteFields>(write_fields), body);
    if (!written) fail_one(opaque, written.error());
    flush_soon();
  }

  /// Sends a request that is not answered. Nobody learns whether it arrived.
  template <class WriteFields>
  void call_oneway(RequestHead request, WriteFields&& write_fields, BytesView body) {
    if (!has_room()) return count_refusal();
    const Result<> written =
        append(request, next_opaque(), kOnewayFlag, std::forward<WriteFields>(write_fields), body);
    if (!written) return count_refusal();
    flush_soon();
  }

  /// The same as call(), as a coroutine, which must run on the client's loop. An answer other than
  /// success is no error here.
  template <class WriteFields>
  [[nodiscard]] Task<Response> request(RequestHead head, WriteFields write_fields, Slice body,
                                       std::chrono::milliseconds timeout);

  /// Writes what waits to be written (for at most limits::kClientCloseGrace), then closes. Requests
  /// without an answer yet, and later ones, fail with unavailable.
  Task<> close();

  /// The same without writing anything more.
  void close_now();

  [[nodiscard]] const std::string& address() const noexcept { return address_; }
  [[nodiscard]] Executor executor() const noexcept { return executor_; }

  [[nodiscard]] bool is_connected() const noexcept { return state_ == State::connected; }

  /// Counts connections made: tells a caller that what it told the server before is forgotten.
  [[nodiscard]] std::uint64_t connections() const noexcept { return connections_; }

 private:
  using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Executor>;
  enum class State : std::uint8_t { idle, connecting, connected, closed };

  struct Pending {
    OnResponse on_response;
    TimerWheel::Timer timer;
  };

  RemotingClient(Runtime& runtime, Executor executor, std::string address,
                 RemotingClientOptions options);

  template <class WriteFields>
  Result<> append(RequestHead request, std::int32_t opaque, std::int32_t flag,
                  WriteFields&& write_fields, BytesView body) {
    FrameHead head;
    head.code = request.code;
    head.language = request.language;
    head.version = request.version;
    head.opaque = opaque;
    head.flag = flag;
    FrameWriter writer(*outbound_, options_.serialize_type, head);
    write_fields(writer);
    writer.end_header();
    outbound_->append(as_text(body));
    return writer.end_frame();
  }

  // Requests.
  [[nodiscard]] bool has_room() const noexcept;
  [[nodiscard]] bool admit(OnResponse& on_response);
  static void count_refusal();
  [[nodiscard]] std::int32_t next_opaque() noexcept { return ++last_opaque_; }
  [[nodiscard]] std::int32_t add_pending(std::chrono::milliseconds timeout, OnResponse on_response);
  void fail_one(std::int32_t opaque, const Error& error);
  void fail_soon(OnResponse on_response, Error error);

  // Writing.
  void flush_soon();
  void flush();
  void on_written(std::uint64_t generation, const boost::system::error_code& error);

  // Connecting.
  void connect();
  void connect_to(std::shared_ptr<TcpEndpoints> endpoints, std::size_t index);
  void on_connected();
  void drop_if_idle_too_long();

  /// Ends the connection, and every request on it with `error`. The next request connects anew.
  void disconnect(Error error);

  // Reading.
  void receive();
  void on_received(std::uint64_t generation, const boost::system::error_code& error,
                   std::size_t size);
  /// \return what is wrong with the bytes received: nothing after them can be trusted.
  Result<> take_frames();
  Result<> take_frame(const Frame& frame);
  void take_response(const Header& header, const Slice& body);
  void take_request(const Header& header, const Slice& body);

  /// True if the completion of an operation still means this connection.
  [[nodiscard]] bool is_current(std::uint64_t generation) const noexcept {
    return generation == generation_;
  }
  [[nodiscard]] Error connection_error(std::string_view what) const;

  Runtime& runtime_;
  Executor executor_;
  TimerWheel& timers_;
  std::string address_;
  RemotingClientOptions options_;

  State state_ = State::idle;
  std::uint64_t generation_ = 0;  ///< Grows with every connection begun or ended.
  std::uint64_t connections_ = 0;
  Socket socket_;
  TimerWheel::Timer connect_timer_;
  Environment::Instant last_used_{};

  std::int32_t last_opaque_ = 0;
  std::unordered_map<std::int32_t, Pending> pending_;

  FrameBuffer received_;
  /// What waits, and what is being written: shared with the operation, which may outlive us.
  std::shared_ptr<std::string> outbound_ = std::make_shared<std::string>();
  std::shared_ptr<std::string> in_writing_ = std::make_shared<std::string>();
  bool is_writing_ = false;
  bool is_flush_posted_ = false;
  UniqueFunction<void(bool)> on_drained_;  ///< close() waits for the last write.
  TimerWheel::Timer drain_timer_;
};

template <class WriteFields>
Task<Response> RemotingClient::request(RequestHead head, WriteFields write_fields, Slice body,
                                       std::chrono::milliseconds timeout) {
  const auto self = shared_from_this();
  auto start = [&](UniqueFunction<void(Result<Response>)> complete) {
    auto on_response = [complete = std::move(complete)](Result<ResponseView> view) mutable {
      if (view) {
        complete(Response(*view));
      } else {
        complete(fail(std::move(view).error()));
      }
    };
    call(head, write_fields, body.bytes(), timeout, std::move(on_response));
  };
  auto response = co_await wait_for_completion<Result<Response>>(start);
  co_return std::move(response);
}

}  // namespace sluice::remoting
