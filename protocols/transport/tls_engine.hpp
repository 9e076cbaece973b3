#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <openssl/types.h>

#include "common/base/types.hpp"

namespace sluice::transport {

/// The server's side of one TLS connection: ciphertext in and out, plain text in and out, no
/// socket. Made by TlsContext. Not thread-safe.
///
/// Whatever is called may leave something in output(), which has to reach the peer in order.
class TlsEngine {
 public:
  enum class Outcome : std::uint8_t {
    done,
    wants_input,  ///< Go on after the next receive().
    ended,        ///< The peer has said goodbye.
    failed        ///< problem() says why; output() may hold an alert.
  };

  struct Read {
    Outcome outcome = Outcome::done;
    std::size_t size = 0;
  };

  explicit TlsEngine(SSL* ssl);
  ~TlsEngine();
  TlsEngine(const TlsEngine&) = delete;
  TlsEngine& operator=(const TlsEngine&) = delete;

  /// Takes ciphertext of the peer; all of it.
  void receive(BytesView ciphertext);

  /// To be called until it is done, before read() and write().
  [[nodiscard]] Outcome handshake();

  /// At most `into.size()` bytes of plain text.
  [[nodiscard]] Read read(std::span<std::byte> into);

  /// True if read() may have something without further input.
  [[nodiscard]] bool has_input() const;

  /// Encrypts `plain`, at most kRecordBytes. False if the connection has failed.
  [[nodiscard]] bool write(BytesView plain);

  /// Says goodbye.
  void end();

  [[nodiscard]] BytesView output() const;
  void consume_output(std::size_t size);

  [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

  /// Plain text of a TLS record at most (RFC 8446 §5.1).
  static constexpr std::size_t kRecordBytes = 16U * 1024;

 private:
  struct Free {
    void operator()(SSL* ssl) const noexcept;
  };

  Outcome outcome_of(int result);
  void collect_output();

  std::unique_ptr<SSL, Free> ssl_;
  BIO* received_ = nullptr;  // of ssl_
  BIO* written_ = nullptr;   // of ssl_
  std::string output_;
  std::size_t output_begin_ = 0;
  std::string problem_;
};

}  // namespace sluice::transport
