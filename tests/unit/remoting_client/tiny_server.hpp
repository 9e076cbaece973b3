#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>

#include "protocols/remoting/codec/frame.hpp"
#include "protocols/remoting/codec/frame_writer.hpp"
#include "protocols/remoting/codec/header.hpp"

namespace sluice::test {

/// A server of a few lines on a thread of its own: it takes frames apart and leaves the answers to
/// the test. The handler runs on the server's thread.
class TinyServer {
 public:
  using Tcp = boost::asio::ip::tcp;

  /// What one peer sends and is sent.
  class Peer : public std::enable_shared_from_this<Peer> {
   public:
    Peer(TinyServer& server, Tcp::socket socket) : server_(server), socket_(std::move(socket)) {}

    /// On the server's thread. Blocks until the kernel has taken it.
    void write(std::string_view bytes) {
      boost::system::error_code ignored;
      boost::asio::write(socket_, boost::asio::buffer(bytes.data(), bytes.size()), ignored);
    }

    /// An answer to `request`.
    void answer(const remoting::Header& request, std::int32_t code,
                std::vector<remoting::Field> fields = {}, std::string_view body = {}) {
      std::string out;
      const auto written =
          remoting::append_frame(out, remoting::SerializeType::json,
                                 remoting::answer_to(request, code), fields, as_bytes(body));
      if (written) write(out);
    }

    void close() {
      boost::system::error_code ignored;
      socket_.close(ignored);
    }

    void receive() {
      buffer_.resize(size_ + 64U * 1024);
      socket_.async_read_some(
          boost::asio::buffer(buffer_.data() + size_, buffer_.size() - size_),
          [self = shared_from_this()](const boost::system::error_code& error, std::size_t size) {
            if (error) return;
            self->size_ += size;
            self->take_frames();
            if (self->socket_.is_open()) self->receive();
          });
    }

   private:
    void take_frames() {
      std::size_t begin = 0;
      while (true) {
        const BytesView rest(buffer_.data() + begin, size_ - begin);
        const auto frame = remoting::next_frame(rest);
        if (!frame || !*frame) break;
        const auto header = decoder_.decode((*frame)->serialize_type, (*frame)->header);
        if (header) server_.take(*header, (*frame)->body, *this);
        begin += (*frame)->size;
      }
      buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin));
      size_ -= begin;
    }

    TinyServer& server_;
    Tcp::socket socket_;
    remoting::HeaderDecoder decoder_;
    std::vector<std::byte> buffer_;
    std::size_t size_ = 0;
  };

  using Handler = std::function<void(const remoting::Header&, BytesView body, Peer&)>;

  explicit TinyServer(Handler handler)
      : handler_(std::move(handler)),
        acceptor_(context_, Tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0)),
        port_(acceptor_.local_endpoint().port()) {
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }

  ~TinyServer() {
    context_.stop();
    thread_.join();
  }
  TinyServer(const TinyServer&) = delete;
  TinyServer& operator=(const TinyServer&) = delete;

  [[nodiscard]] std::string address() const { return "127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::uint16_t port() const { return port_; }
  [[nodiscard]] std::size_t connections() const { return connections_; }
  [[nodiscard]] std::size_t requests() const { return requests_; }

  /// Runs `work` on the server's thread, soon, with the peer that connected last.
  void with_last_peer(std::function<void(Peer&)> work) {
    boost::asio::post(context_, [this, work = std::move(work)] {
      if (last_) work(*last_);
    });
  }

 private:
  friend class Peer;

  void accept() {
    acceptor_.async_accept([this](const boost::system::error_code& error, Tcp::socket socket) {
      if (error) return;
      socket.set_option(Tcp::no_delay(true));
      last_ = std::make_shared<Peer>(*this, std::move(socket));
      last_->receive();
      ++connections_;
      accept();
    });
  }

  void take(const remoting::Header& header, BytesView body, Peer& peer) {
    ++requests_;
    handler_(header, body, peer);
  }

  Handler handler_;
  boost::asio::io_context context_;
  Tcp::acceptor acceptor_;
  std::uint16_t port_;
  std::shared_ptr<Peer> last_;
  std::atomic<std::size_t> connections_{0};
  std::atomic<std::size_t> requests_{0};
  std::thread thread_;
};

/// A port that nobody listens on.
inline std::uint16_t unused_port() {
  boost::asio::io_context context;
  boost::asio::ip::tcp::acceptor acceptor(
      context, boost::asio::ip::tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  return acceptor.local_endpoint().port();
}

}  // namespace sluice::test
