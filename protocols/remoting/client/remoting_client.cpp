#include "protocols/remoting/client/remoting_client.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "common/base/log.hpp"
#include "common/base/metrics.hpp"
#include "common/runtime/one_shot.hpp"
#include "protocols/remoting/codec/response_codes.hpp"

namespace sluice::remoting {

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

template <int kLevel, int kName>
using IntegerOption = asio::detail::socket_option::integer<kLevel, kName>;

/// Makes the kernel notice that a peer is gone: no byte of ours acknowledged for so long, or no
/// sign of life on a silent connection. Failing to is no reason not to talk.
template <class Socket>
void set_options(Socket& socket) {
  constexpr auto kUnackedMax = std::chrono::milliseconds(limits::kClientUnackedAgeMax).count();
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  socket.set_option(IntegerOption<IPPROTO_TCP, TCP_KEEPIDLE>(30), ignored);
  socket.set_option(IntegerOption<IPPROTO_TCP, TCP_KEEPINTVL>(5), ignored);
  socket.set_option(IntegerOption<IPPROTO_TCP, TCP_KEEPCNT>(3), ignored);
  socket.set_option(IntegerOption<IPPROTO_TCP, TCP_USER_TIMEOUT>(static_cast<int>(kUnackedMax)),
                    ignored);
}

HeaderDecoder& header_decoder() {
  thread_local HeaderDecoder decoder;
  return decoder;
}

}  // namespace

std::shared_ptr<RemotingClient> RemotingClient::make(Runtime& runtime, Executor executor,
                                                     std::string address,
                                                     RemotingClientOptions options) {
  return std::shared_ptr<RemotingClient>(
      new RemotingClient(runtime, executor, std::move(address), std::move(options)));
}

RemotingClient::RemotingClient(Runtime& runtime, Executor executor, std::string address,
                               RemotingClientOptions options)
    : runtime_(runtime),
      executor_(executor),
      timers_(runtime.timers(executor)),
      address_(std::move(address)),
      options_(std::move(options)),
      socket_(executor) {}

RemotingClient::~RemotingClient() = default;

// --- requests --------------------------------------------------------------------------------

bool RemotingClient::has_room() const noexcept {
  return state_ != State::closed && pending_.size() < limits::kRemotingRequestsInFlightMax &&
         outbound_->size() < limits::kClientOutboundBytesMax;
}

bool RemotingClient::admit(OnResponse& on_response) {
  if (!has_room()) {
    count_refusal();
    const bool is_closed = state_ == State::closed;
    fail_soon(std::move(on_response),
              connection_error(is_closed ? "the client was closed" : "too many requests wait"));
    return false;
  }
  drop_if_idle_too_long();
  return true;
}

void RemotingClient::count_refusal() {
  static metrics::Counter& refused =
      metrics::counter("sluice_remoting_client_refused_total", "",
                       "Requests that were not sent: too many wait, or the frame is too large.");
  refused.add();
}

std::int32_t RemotingClient::add_pending(std::chrono::milliseconds timeout,
                                         OnResponse on_response) {
  std::int32_t opaque = next_opaque();
  while (pending_.contains(opaque)) opaque = next_opaque();
  Pending& pending = pending_[opaque];
  pending.on_response = std::move(on_response);
  pending.timer.on_fire([this, opaque] {
    fail_one(opaque, {Errc::deadline_exceeded, "\"" + address_ + "\" did not answer in time"});
  });
  last_used_ = runtime_.environment().steady_now();
  timers_.arm(pending.timer, last_used_ + timeout);
  return opaque;
}

void RemotingClient::fail_one(std::int32_t opaque, const Error& error) {
  const auto found = pending_.find(opaque);
  if (found == pending_.end()) return;
  OnResponse on_response = std::move(found->second.on_response);
  Error copy = error;
  pending_.erase(found);  // and with it the timer that may have called us
  fail_soon(std::move(on_response), std::move(copy));
}

void RemotingClient::fail_soon(OnResponse on_response, Error error) {
  asio::post(executor_, [on_response = std::move(on_response), error = std::move(error)]() mutable {
    on_response(fail(std::move(error)));
  });
}

Error RemotingClient::connection_error(std::string_view what) const {
  return {Errc::unavailable, "\"" + address_ + "\": " + std::string(what)};
}

// --- writing ---------------------------------------------------------------------------------

void RemotingClient::flush_soon() {
  if (state_ == State::idle) return connect();
  if (state_ != State::connected || is_writing_ || is_flush_posted_) return;
  is_flush_posted_ = true;
  asio::post(executor_, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->is_flush_posted_ = false;
    self->flush();
  });
}

void RemotingClient::flush() {
  if (state_ != State::connected || is_writing_ || outbound_->empty()) return;
  std::swap(outbound_, in_writing_);
  is_writing_ = true;
  asio::async_write(socket_, asio::buffer(*in_writing_),
                    [weak = weak_from_this(), bytes = in_writing_, generation = generation_](
                        const error_code& error, std::size_t) {
                      if (const auto self = weak.lock()) self->on_written(generation, error);
                    });
}

void RemotingClient::on_written(std::uint64_t generation, const error_code& error) {
  if (!is_current(generation)) return;
  is_writing_ = false;
  if (error) return disconnect(connection_error("cannot write: " + error.message()));
  const bool is_large = in_writing_->capacity() > limits::kClientKeptBytesMax;
  if (is_large) {
    in_writing_ = std::make_shared<std::string>();
  } else {
    in_writing_->clear();
  }
  flush();
  if (!is_writing_ && on_drained_) {
    auto drained = std::move(on_drained_);
    drained(true);
  }
}

// --- connecting ------------------------------------------------------------------------------

void RemotingClient::connect() {
  state_ = State::connecting;
  const std::uint64_t generation = ++generation_;
  connect_timer_.on_fire([this] { disconnect(connection_error("no connection in time")); });
  timers_.arm(connect_timer_, runtime_.environment().steady_now() + options_.connect_timeout);
  // Posted, so that nothing fails from inside the call that needs the connection.
  asio::post(executor_, [weak = weak_from_this(), generation] {
    const auto self = weak.lock();
    if (!self || !self->is_current(generation)) return;
    resolve(self->runtime_, self->executor_, self->address_,
            [weak, generation](Result<TcpEndpoints> found) {
              const auto client = weak.lock();
              if (!client || !client->is_current(generation)) return;
              if (!found) return client->disconnect(std::move(found).error());
              client->connect_to(std::make_shared<TcpEndpoints>(std::move(*found)), 0);
            });
  });
}

void RemotingClient::connect_to(std::shared_ptr<TcpEndpoints> endpoints, std::size_t index) {
  socket_ = Socket(executor_);
  const tcp::endpoint endpoint = (*endpoints)[index];
  socket_.async_connect(endpoint, [weak = weak_from_this(), generation = generation_, endpoints,
                                   index](const error_code& error) {
    const auto self = weak.lock();
    if (!self || !self->is_current(generation)) return;
    if (!error) return self->on_connected();
    if (index + 1 < endpoints->size()) return self->connect_to(endpoints, index + 1);
    self->disconnect(self->connection_error("cannot connect: " + error.message()));
  });
}

void RemotingClient::on_connected() {
  connect_timer_.cancel();
  set_options(socket_);
  state_ = State::connected;
  ++connections_;
  last_used_ = runtime_.environment().steady_now();
  received_ = FrameBuffer{};
  receive();
  flush();
}

void RemotingClient::drop_if_idle_too_long() {
  if (state_ != State::connected || !pending_.empty() || is_writing_ || !outbound_->empty()) return;
  // The server is about to close it, and would do so with our request on the way.
  const auto idle = runtime_.environment().steady_now() - last_used_;
  if (idle > limits::kClientIdleMax) disconnect(connection_error("idle"));
}

void RemotingClient::disconnect(Error error) {
  if (state_ == State::closed) return;
  ++generation_;
  state_ = State::idle;
  connect_timer_.cancel();
  is_writing_ = false;
  outbound_ = std::make_shared<std::string>();
  in_writing_ = std::make_shared<std::string>();
  error_code ignored;
  socket_.close(ignored);
  auto pending = std::exchange(pending_, {});
  for (auto& [opaque, one] : pending) {
    one.timer.cancel();
    fail_soon(std::move(one.on_response), error);
  }
  if (on_drained_) {
    auto drained = std::move(on_drained_);
    drained(true);
  }
}

Task<> RemotingClient::close() {
  const auto self = shared_from_this();
  const bool has_bytes_left = is_writing_ || !outbound_->empty();
  const bool can_write = state_ == State::connected || state_ == State::connecting;
  if (has_bytes_left && can_write && !on_drained_) {
    auto start = [this](UniqueFunction<void(bool)> drained) {
      on_drained_ = std::move(drained);
      drain_timer_.on_fire([this] { disconnect(connection_error("the client was closed")); });
      timers_.arm(drain_timer_, runtime_.environment().steady_now() + limits::kClientCloseGrace);
    };
    co_await wait_for_completion<bool>(start);
    drain_timer_.cancel();
  }
  close_now();
  co_return Result<>{};
}

void RemotingClient::close_now() {
  disconnect(connection_error("the client was closed"));
  state_ = State::closed;
}

// --- reading ---------------------------------------------------------------------------------

void RemotingClient::receive() {
  const auto needed = frame_bytes_needed(received_.unread());
  if (!needed) return disconnect(connection_error(needed.error().text));
  const std::span<std::byte> room = received_.room(needed->value_or(0));
  socket_.async_read_some(asio::buffer(room.data(), room.size()),
                          [weak = weak_from_this(), memory = received_.owner(),
                           generation = generation_](const error_code& error, std::size_t size) {
                            const auto self = weak.lock();
                            if (self) self->on_received(generation, error, size);
                          });
}

void RemotingClient::on_received(std::uint64_t generation, const error_code& error,
                                 std::size_t size) {
  if (!is_current(generation)) return;
  if (error == asio::error::eof) return disconnect(connection_error("the connection was closed"));
  if (error) return disconnect(connection_error("cannot read: " + error.message()));
  last_used_ = runtime_.environment().steady_now();
  received_.add(size);
  const auto taken = take_frames();
  if (!is_current(generation)) return;
  if (!taken) return disconnect(connection_error(taken.error().text));
  receive();
}

Result<> RemotingClient::take_frames() {
  const std::uint64_t generation = generation_;
  while (is_current(generation)) {
    const auto frame = next_frame(received_.unread());
    SLUICE_TRY(frame);
    if (!*frame) break;
    const auto taken = take_frame(**frame);
    SLUICE_TRY(taken);
  }
  return {};
}

Result<> RemotingClient::take_frame(const Frame& frame) {
  const Slice body = received_.share(frame.body);
  // Not overwritten before the next receive, though consumed: a callback that ends this connection
  // must find it in order.
  const SliceOwnerPtr memory = received_.owner();
  received_.consume(frame.size);
  const auto header = header_decoder().decode(frame.serialize_type, frame.header);
  SLUICE_TRY(header);
  if (header->is_response()) {
    take_response(*header, body);
  } else {
    take_request(*header, body);
  }
  return {};
}

void RemotingClient::take_response(const Header& header, const Slice& body) {
  const auto found = pending_.find(header.opaque);
  if (found == pending_.end()) return;  // it came too late
  OnResponse on_response = std::move(found->second.on_response);
  pending_.erase(found);
  on_response(ResponseView{.header = header, .body = body});
}

void RemotingClient::take_request(const Header& header, const Slice& body) {
  if (!header.is_oneway() && has_room()) {
    const FrameHead head = answer_to(header, response_code::kRequestCodeNotSupported,
                                     "this client does not serve the request");
    const auto written = append_frame(*outbound_, SerializeType::json, head, {}, {});
    if (written) flush_soon();
  }
  if (options_.on_request) options_.on_request(header, body);
}

}  // namespace sluice::remoting
