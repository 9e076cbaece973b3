#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include <boost/asio/append.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/compose.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>

#include "protocols/transport/tcp_socket.hpp"
#include "protocols/transport/tls_engine.hpp"

namespace sluice::transport {

/// A connection that belongs to one loop, in plain text or in TLS. Errors are those of the socket;
/// asio::error::eof when the peer has ended, connection_aborted when its TLS is wrong. Not
/// thread-safe. One read and one write may be under way at the same time.
class Stream {
 public:
  using executor_type = Executor;
  using error_code = boost::system::error_code;

  /// `socket` does not block. `tls` has done its handshake; nullptr: plain text.
  explicit Stream(TcpSocket socket, std::unique_ptr<TlsEngine> tls = nullptr)
      : socket_(std::move(socket)), tls_(std::move(tls)) {}

  [[nodiscard]] executor_type get_executor() noexcept { return socket_.get_executor(); }

  /// What there is now. \return 0 with an error: would_block if there is nothing.
  std::size_t read_some(boost::asio::mutable_buffer into, error_code& error) {
    return tls_ ? read_decrypted(into, error) : socket_.read_some(into, error);
  }

  /// What there is room for now. What it does not take must come again, in front of whatever
  /// follows: part of it may be encrypted already. \return 0 with an error: would_block if there is
  /// no room.
  std::size_t write_some(boost::asio::const_buffer bytes, error_code& error) {
    return tls_ ? write_encrypted(bytes, error) : socket_.write_some(bytes, error);
  }

  /// Completes with (error, bytes read) when there is something.
  template <class Token>
  auto async_read_some(boost::asio::mutable_buffer into, Token&& token) {
    return boost::asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this](auto handler, boost::asio::mutable_buffer buffer) {
          if (tls_) {
            retry<TcpSocket::wait_read>(
                [this, buffer](error_code& error) { return read_decrypted(buffer, error); },
                std::move(handler));
          } else {
            socket_.async_read_some(buffer, std::move(handler));
          }
        },
        token, into);
  }

  /// Completes with (error, bytes taken) when something was taken; see write_some().
  template <class Token>
  auto async_write_some(boost::asio::const_buffer bytes, Token&& token) {
    return boost::asio::async_initiate<Token, void(error_code, std::size_t)>(
        [this](auto handler, boost::asio::const_buffer buffer) {
          if (tls_) {
            retry<TcpSocket::wait_write>(
                [this, buffer](error_code& error) { return write_encrypted(buffer, error); },
                std::move(handler));
          } else {
            socket_.async_write_some(buffer, std::move(handler));
          }
        },
        token, bytes);
  }

  /// Completes with (error) when read_some() is worth a try.
  template <class Token>
  auto async_wait_readable(Token&& token) {
    return boost::asio::async_initiate<Token, void(error_code)>(
        [this](auto handler) {
          if (tls_ && tls_->has_input()) {
            boost::asio::post(socket_.get_executor(),
                              boost::asio::append(std::move(handler), error_code{}));
          } else {
            socket_.async_wait(TcpSocket::wait_read, std::move(handler));
          }
        },
        token);
  }

  /// Tells the peer that nothing follows, as far as there is room for that.
  void shutdown_send(error_code& error);
  /// What is under way completes with operation_aborted.
  void cancel() noexcept;
  void close() noexcept;

  /// Of a stream in plain text, which is gone then.
  [[nodiscard]] TcpSocket release_socket() &&;

 private:
  std::size_t read_decrypted(boost::asio::mutable_buffer into, error_code& error);
  std::size_t write_encrypted(boost::asio::const_buffer bytes, error_code& error);
  void flush_output(error_code& error);

  /// Calls `attempt` until it does not answer would_block, waiting for the socket in between.
  template <TcpSocket::wait_type wait, class Attempt, class Handler>
  void retry(Attempt attempt, Handler handler) {
    boost::asio::async_compose<Handler, void(error_code, std::size_t)>(
        [this, attempt = std::move(attempt), size = std::size_t{0}, is_begun = false,
         is_complete = false](auto& self, error_code error = {}) mutable {
          if (is_complete) return self.complete(error, size);
          if (!error) size = attempt(error);
          if (error == boost::asio::error::would_block) {
            is_begun = true;
            return socket_.async_wait(wait, std::move(self));
          }
          if (is_begun) return self.complete(error, size);
          is_complete = true;  // never inside the call that begins it
          boost::asio::post(socket_.get_executor(), boost::asio::append(std::move(self), error));
        },
        handler, socket_);
  }

  TcpSocket socket_;
  std::unique_ptr<TlsEngine> tls_;
  std::size_t encrypted_ = 0;  // bytes at the front of the next write that are in tls_->output()
};

}  // namespace sluice::transport
