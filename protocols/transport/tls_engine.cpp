#include "protocols/transport/tls_engine.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include "common/base/assert.hpp"

namespace sluice::transport {

namespace {

int to_int(std::size_t size) {
  return static_cast<int>(std::min<std::size_t>(size, std::numeric_limits<int>::max()));
}

std::string last_error() {
  const unsigned long code = ERR_get_error();
  if (code == 0) return "the connection was cut";
  std::array<char, 256> text{};
  ERR_error_string_n(code, text.data(), text.size());
  return text.data();
}

}  // namespace

void TlsEngine::Free::operator()(SSL* ssl) const noexcept {
  SSL_free(ssl);
}

TlsEngine::TlsEngine(SSL* ssl)
    : ssl_(ssl), received_(BIO_new(BIO_s_mem())), written_(BIO_new(BIO_s_mem())) {
  SLUICE_ASSERT(received_ != nullptr && written_ != nullptr, "memory for two buffers");
  BIO_set_mem_eof_return(received_, -1);  // empty is not the end
  SSL_set_bio(ssl_.get(), received_, written_);
  SSL_set_accept_state(ssl_.get());
}

TlsEngine::~TlsEngine() = default;

void TlsEngine::receive(BytesView ciphertext) {
  const int taken = BIO_write(received_, ciphertext.data(), to_int(ciphertext.size()));
  SLUICE_ASSERT(taken == to_int(ciphertext.size()), "a buffer in memory takes everything");
}

TlsEngine::Outcome TlsEngine::handshake() {
  ERR_clear_error();
  return outcome_of(SSL_do_handshake(ssl_.get()));
}

TlsEngine::Read TlsEngine::read(std::span<std::byte> into) {
  ERR_clear_error();
  const int size = SSL_read(ssl_.get(), into.data(), to_int(into.size()));
  const Outcome outcome = outcome_of(size);
  return {.outcome = outcome,
          .size = outcome == Outcome::done ? static_cast<std::size_t>(size) : 0};
}

bool TlsEngine::has_input() const {
  // Not SSL_has_pending(): part of a record is no reason to try again before the rest comes.
  return SSL_pending(ssl_.get()) > 0 || BIO_pending(received_) > 0;
}

bool TlsEngine::write(BytesView plain) {
  SLUICE_ASSERT(plain.size() <= kRecordBytes, "one record at a time");
  if (plain.empty()) return true;
  ERR_clear_error();
  return outcome_of(SSL_write(ssl_.get(), plain.data(), to_int(plain.size()))) == Outcome::done;
}

void TlsEngine::end() {
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
  collect_output();
}

TlsEngine::Outcome TlsEngine::outcome_of(int result) {
  collect_output();
  switch (SSL_get_error(ssl_.get(), result)) {
    case SSL_ERROR_NONE:
      return Outcome::done;
    case SSL_ERROR_WANT_READ:
      return Outcome::wants_input;
    case SSL_ERROR_ZERO_RETURN:
      return Outcome::ended;
    default:
      problem_ = last_error();
      return Outcome::failed;
  }
}

void TlsEngine::collect_output() {
  char* data = nullptr;
  const long size = BIO_get_mem_data(written_, &data);
  if (size <= 0) return;
  output_.append(data, static_cast<std::size_t>(size));
  BIO_reset(written_);
}

BytesView TlsEngine::output() const {
  return as_bytes(std::string_view(output_).substr(output_begin_));
}

void TlsEngine::consume_output(std::size_t size) {
  output_begin_ += size;
  if (output_begin_ < output_.size()) return;
  output_.clear();
  output_begin_ = 0;
}

}  // namespace sluice::transport
