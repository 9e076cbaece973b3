#include "protocols/http1/session.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/http/read.hpp>

#include "common/base/limits.hpp"
#include "common/base/metrics.hpp"
#include "common/runtime/one_shot.hpp"
#include "common/runtime/spawn.hpp"
#include "protocols/http1/large_memory.hpp"
#include "protocols/rest/problem.hpp"

namespace sluice::http1 {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kFirstReadBytes = 4096;
// The header limit, and the bytes of content that may have come with it.
constexpr std::size_t kBufferBytesMax = limits::kHttpHeaderBytesMax + limits::kSessionReadBytes;
// Over this, the buffer is given back when a request is done.
constexpr std::size_t kKeptBufferBytesMax = 16U * 1024;
// A cancelled operation may already have completed and begin its next step: cancel it again.
constexpr std::chrono::seconds kCancelAgain{1};

/// Shares the content of a request, read into a string.
class Content final : public SliceOwner {
 public:
  explicit Content(std::string text) : text_(std::move(text)) {}
  [[nodiscard]] BytesView bytes() const noexcept { return as_bytes(text_); }

 private:
  std::string text_;
};

Slice to_slice(std::string text) {
  if (text.empty()) return {};
  const boost::intrusive_ptr<const Content> content(new Content(std::move(text)));
  return {content->bytes(), content};
}

// As opposed to an error of the connection.
bool is_http_error(error_code error) {
  return error.category() == http::make_error_code(http::error::end_of_stream).category();
}

rest::Response draining() {
  return rest::to_problem({Errc::draining, "the server is stopping: ask another, or again"});
}

metrics::Counter& responses(unsigned status) {
  static constexpr std::string_view name = "sluice_http_responses_total";
  static constexpr std::string_view help = "Responses by class of status.";
  static metrics::Counter* classes[] = {&metrics::counter(name, "class=\"1xx\"", help),
                                        &metrics::counter(name, "class=\"2xx\"", help),
                                        &metrics::counter(name, "class=\"3xx\"", help),
                                        &metrics::counter(name, "class=\"4xx\"", help),
                                        &metrics::counter(name, "class=\"5xx\"", help)};
  return *classes[std::clamp(status / 100, 1U, 5U) - 1];
}

/// What the content of a request may take.
std::size_t content_bytes_of(const Parser& parser, std::size_t bytes_max) {
  if (parser.is_done()) return 0;
  const auto announced = parser.content_length();
  return announced ? std::min<std::uint64_t>(*announced, bytes_max) : bytes_max;
}

Error too_much_at_once() {
  return {Errc::unavailable,
          "large requests and answers take all the memory they may: try again later"};
}

metrics::Counter& time_outs() {
  static metrics::Counter& counter =
      metrics::counter("sluice_http_timeouts_total", "",
                       "Connections closed since their peer was too slow, idle ones left out.");
  return counter;
}

}  // namespace

/// An answer that a session waits for, along with the reasons to stop waiting.
struct Session::PendingAnswer {
  UniqueFunction<void(Wait)> resume;
  rest::Response response;

  void finish(Wait reason) {
    if (!resume) return;
    auto resume_once = std::move(resume);
    resume_once(reason);
  }

  /// Goes on without the session if that stops waiting: the effect cannot be called back.
  static Task<> run(std::shared_ptr<PendingAnswer> pending,
                    std::shared_ptr<rest::Exchange> exchange, model::CallContext context) {
    auto response = co_await exchange->answer(context, Slice{});
    pending->response = response ? std::move(*response) : rest::to_problem(response.error());
    pending->finish(Wait::answered);
    co_return Result<>{};
  }
};

Session::Session(Runtime& runtime, transport::TcpSocket socket,
                 std::shared_ptr<rest::Application> application, protocol::RequestHandler& handler)
    : runtime_(runtime),
      timers_(runtime.timers(socket.get_executor())),
      socket_(std::move(socket)),
      application_(std::move(application)),
      handler_(handler),
      identity_(std::make_shared<model::Session>(model::Session{.id = handler.next_session_id(),
                                                                .via = {},
                                                                .peer = transport::peer_of(socket_),
                                                                .protocol = "http"})),
      buffer_(kBufferBytesMax),
      timer_([this] {
        has_timed_out_ = true;
        error_code ignored;
        socket_.cancel(ignored);
        arm(kCancelAgain);
      }) {}

Task<> Session::run() {
  const auto self = shared_from_this();
  while (!is_stopping_) {
    const auto awaited = co_await wait_for_request();
    if (!awaited || *awaited == Goes::away) break;
    const auto served = co_await serve_one();
    if (!served || *served == Goes::away) break;
  }
  close();
  handler_.session_closed(identity_->id, identity_->via);
  co_return Result<>{};
}

void Session::stop() noexcept {
  is_stopping_ = true;
  error_code ignored;
  if (is_idle_) socket_.cancel(ignored);
  if (pending_) pending_->finish(Wait::stopping);
}

void Session::close() noexcept {
  is_stopping_ = true;
  disarm();
  error_code ignored;
  socket_.close(ignored);
  if (pending_) pending_->finish(Wait::stopping);
}

void Session::arm(std::chrono::milliseconds age) {
  timers_.arm(timer_, runtime_.environment().steady_now() + age);
}

void Session::disarm() {
  timer_.cancel();
  has_timed_out_ = false;
}

Task<Session::Goes> Session::wait_for_request() {
  if (buffer_.size() > 0) co_return Goes::on;
  if (buffer_.capacity() > kKeptBufferBytesMax) {
    buffer_ = boost::beast::flat_buffer(kBufferBytesMax);
  }
  is_idle_ = true;
  arm(limits::kHttpIdleMax);
  error_code error;
  const std::size_t size = co_await socket_.async_read_some(buffer_.prepare(kFirstReadBytes),
                                                            asio::redirect_error(kAwait, error));
  is_idle_ = false;
  disarm();
  if (error) co_return Goes::away;
  buffer_.commit(size);
  co_return Goes::on;
}

Task<Session::Goes> Session::serve_one() {
  is_head_request_ = false;
  Parser parser;
  set_limits(parser);
  const auto head_read = co_await read_head(&parser);
  if (!head_read || *head_read == Goes::away) co_return Goes::away;
  auto head = check_head(parser);
  if (!head) {
    auto refused = co_await refuse(std::move(head.error()));
    co_return refused;
  }
  is_head_request_ = head->method == "HEAD";
  const AfterResponse after =
      parser.get().keep_alive() ? AfterResponse::keep_alive : AfterResponse::close;
  auto begun = application_->begin(*head);
  if (!begun && !parser.is_done()) {
    auto refused = co_await refuse(std::move(begun.error()));
    co_return refused;
  }
  if (!begun) {
    auto responded = co_await respond(std::move(begun.error()), after);
    co_return responded;
  }
  const std::shared_ptr<rest::Exchange> exchange = std::move(*begun);
  const std::size_t content_bytes = content_bytes_of(parser, exchange->body_bytes_max());
  const auto memory = LargeMemory::take(content_bytes);
  if (!memory) {
    auto refused = co_await refuse(rest::to_problem(too_much_at_once()));
    co_return refused;
  }
  if (!parser.is_done()) {
    const auto content_read = co_await read_content(&parser, exchange->body_bytes_max());
    if (!content_read || *content_read == Goes::away) co_return Goes::away;
  }
  Slice body = to_slice(std::move(parser.get().body()));
  auto response = co_await answer(exchange, std::move(body));
  if (!response) co_return Goes::away;
  auto responded = co_await respond(std::move(*response), after);
  co_return responded;
}

Task<Session::Goes> Session::read_head(Parser* parser) {
  arm(limits::kHttpHeaderAgeMax);
  error_code error;
  co_await http::async_read_header(socket_, buffer_, *parser, asio::redirect_error(kAwait, error));
  auto checked = co_await check_read(error);
  co_return checked;
}

Task<Session::Goes> Session::read_content(Parser* parser, std::size_t bytes_max) {
  if (bytes_max == 0) {
    rest::Response refusal =
        rest::to_problem({Errc::invalid_argument, "this request must come without content"});
    auto refused = co_await refuse(std::move(refusal));
    co_return refused;
  }
  if (expects_continue(*parser) && buffer_.size() == 0) {
    const auto sent = co_await send_continue();
    if (!sent || *sent == Goes::away) co_return Goes::away;
  }
  arm(limits::kHttpBodyAgeMax);
  error_code error;
  co_await http::async_read(socket_, buffer_, *parser, asio::redirect_error(kAwait, error));
  auto checked = co_await check_read(error);
  co_return checked;
}

Task<Session::Goes> Session::check_read(error_code error) {
  const bool is_late = has_timed_out_;
  disarm();
  if (is_late) {
    time_outs().add();
    rest::Response late =
        rest::to_problem({Errc::deadline_exceeded, "the request did not come in time"}, 408, {});
    auto refused = co_await refuse(std::move(late));
    co_return refused;
  }
  if (!error) co_return Goes::on;
  const bool is_gone = error == http::error::end_of_stream || error == http::error::partial_message;
  if (is_gone || !is_http_error(error)) co_return Goes::away;
  rest::Response broken = answer_to(error);
  auto refused = co_await refuse(std::move(broken));
  co_return refused;
}

Task<Session::Goes> Session::send_continue() {
  static constexpr std::string_view text = "HTTP/1.1 100 Continue\r\n\r\n";
  arm(limits::kHttpWriteAgeMax);
  error_code error;
  co_await asio::async_write(socket_, asio::buffer(text), asio::redirect_error(kAwait, error));
  disarm();
  co_return error ? Goes::away : Goes::on;
}

Task<rest::Response> Session::answer(std::shared_ptr<rest::Exchange> exchange, Slice body) {
  if (exchange->waits()) {
    auto watched = co_await answer_watched(std::move(exchange));
    co_return watched;
  }
  model::CallContext context{.session = identity_};
  auto response = co_await exchange->answer(std::move(context), std::move(body));
  if (!response) co_return rest::to_problem(response.error());
  co_return response;
}

Task<rest::Response> Session::answer_watched(std::shared_ptr<rest::Exchange> exchange) {
  if (is_stopping_) co_return draining();
  const auto pending = std::make_shared<PendingAnswer>();
  pending_ = pending;
  auto start = [&](UniqueFunction<void(Wait)> resume) {
    pending->resume = std::move(resume);
    watch_peer(pending);
    // Last: it may resume the waiting coroutine, in whose frame this lambda's captures lie.
    model::CallContext context{.session = identity_};
    spawn(socket_.get_executor(), PendingAnswer::run(pending, exchange, std::move(context)));
  };
  const Wait reason = co_await wait_for_completion<Wait>(start);
  pending_.reset();
  error_code ignored;
  socket_.cancel(ignored);
  switch (reason) {
    case Wait::answered:
      co_return std::move(pending->response);
    case Wait::stopping:
      co_return draining();
    case Wait::peer_left:
      break;
  }
  co_return fail(Errc::cancelled, "the peer has left");
}

// A peer that sends its next request meanwhile is not watched any longer: it reads the answer.
void Session::watch_peer(std::shared_ptr<PendingAnswer> pending) {
  if (buffer_.size() > 0) return;
  auto look = [self = shared_from_this(), pending = std::move(pending)](error_code error) {
    if (error) return;
    char byte = 0;
    const auto got = ::recv(self->socket_.native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    const bool has_left = got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR);
    if (has_left) pending->finish(Wait::peer_left);
  };
  socket_.async_wait(transport::TcpSocket::wait_read, std::move(look));
}

Task<Session::Goes> Session::respond(rest::Response response, AfterResponse after) {
  if (is_stopping_) after = AfterResponse::close;
  const auto memory = LargeMemory::take(is_head_request_ ? 0 : response.body.size());
  if (!memory) response = rest::to_problem(too_much_at_once());
  responses(response.status).add();
  const std::string head = response_head(response, runtime_.environment().now(), after);
  const std::array<asio::const_buffer, 2> parts = {
      asio::buffer(head),
      asio::buffer(response.body.data(), is_head_request_ ? 0 : response.body.size())};
  arm(limits::kHttpWriteAgeMax);
  error_code error;
  co_await asio::async_write(socket_, parts, asio::redirect_error(kAwait, error));
  if (has_timed_out_) time_outs().add();
  disarm();
  co_return error || after == AfterResponse::close ? Goes::away : Goes::on;
}

Task<Session::Goes> Session::refuse(rest::Response response) {
  disarm();
  const auto sent = co_await respond(std::move(response), AfterResponse::close);
  static_cast<void>(sent);  // Away, either way.
  const auto lingered = co_await linger();
  static_cast<void>(lingered);
  co_return Goes::away;
}

Task<> Session::linger() {
  error_code error;
  socket_.shutdown(transport::TcpSocket::shutdown_send, error);
  buffer_.clear();
  std::size_t taken = 0;
  arm(limits::kHttpLingerAgeMax);
  while (!error && !has_timed_out_ && taken < limits::kHttpLingerBytesMax) {
    const std::size_t size = co_await socket_.async_read_some(
        buffer_.prepare(limits::kSessionReadBytes), asio::redirect_error(kAwait, error));
    taken += size;
  }
  disarm();
  co_return Result<>{};
}

}  // namespace sluice::http1
