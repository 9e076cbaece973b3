#include "protocols/transport/stream.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "common/base/assert.hpp"

namespace sluice::transport {

namespace {

namespace asio = boost::asio;

}  // namespace

std::size_t Stream::read_decrypted(asio::mutable_buffer into, error_code& error) {
  // A peer may send records without plain text for ever; others have their turn in between.
  constexpr int kReadsMax = 8;
  std::array<std::byte, TlsEngine::kRecordBytes> ciphertext;
  error.clear();
  for (int reads = 0; reads < kReadsMax; ++reads) {
    const auto read = tls_->read({static_cast<std::byte*>(into.data()), into.size()});
    error_code ignored;  // A peer that cannot be written to will be noticed by the next write.
    flush_output(ignored);
    switch (read.outcome) {
      case TlsEngine::Outcome::done:
        return read.size;
      case TlsEngine::Outcome::ended:
        error = asio::error::eof;
        return 0;
      case TlsEngine::Outcome::failed:
        error = asio::error::connection_aborted;
        return 0;
      case TlsEngine::Outcome::wants_input:
        break;
    }
    const std::size_t size = socket_.read_some(asio::buffer(ciphertext), error);
    if (error) return 0;
    tls_->receive(std::span(ciphertext).first(size));
  }
  error = asio::error::would_block;
  return 0;
}

std::size_t Stream::write_encrypted(asio::const_buffer bytes, error_code& error) {
  BytesView rest(static_cast<const std::byte*>(bytes.data()), bytes.size());
  std::size_t taken = 0;
  while (true) {
    flush_output(error);
    if (error) break;
    taken += encrypted_;
    rest = rest.subspan(std::exchange(encrypted_, 0));
    if (rest.empty()) return taken;
    const std::size_t next = std::min(rest.size(), TlsEngine::kRecordBytes);
    if (!tls_->write(rest.first(next))) {
      error = asio::error::connection_aborted;
      return 0;
    }
    encrypted_ = next;
  }
  const bool is_blocked = error == asio::error::would_block;
  if (is_blocked && taken > 0) error.clear();
  return error ? 0 : taken;
}

void Stream::flush_output(error_code& error) {
  error.clear();
  while (!tls_->output().empty()) {
    const BytesView output = tls_->output();
    const std::size_t size = socket_.write_some(asio::buffer(output.data(), output.size()), error);
    if (error) return;
    tls_->consume_output(size);
  }
}

void Stream::shutdown_send(error_code& error) {
  if (tls_) {
    tls_->end();
    flush_output(error);
  }
  socket_.shutdown(TcpSocket::shutdown_send, error);
}

void Stream::cancel() noexcept {
  error_code ignored;
  socket_.cancel(ignored);
}

void Stream::close() noexcept {
  error_code ignored;
  socket_.close(ignored);
}

TcpSocket Stream::release_socket() && {
  SLUICE_ASSERT(!tls_, "encrypted bytes are of no use without their keys");
  return std::move(socket_);
}

}  // namespace sluice::transport
