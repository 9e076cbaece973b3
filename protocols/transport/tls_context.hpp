#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include <openssl/types.h>

#include "common/base/error.hpp"
#include "protocols/transport/tls_engine.hpp"

namespace sluice::transport {

/// What a listener does with peers that begin with TLS, and with those that do not.
enum class TlsMode : std::uint8_t {
  disabled,    ///< TLS is refused.
  permissive,  ///< Both are served.
  enforcing    ///< Plain text is refused.
};

/// Whether peers have to show a certificate.
enum class ClientCertificates : std::uint8_t { none, optional, required };

struct TlsSettings {
  TlsMode mode = TlsMode::disabled;
  std::string certificate_file;  ///< PEM, the server's first, then its issuers'. Empty: a
                                 ///< certificate of our own, signed by itself.
  std::string key_file;          ///< PEM, without a password. Empty if certificate_file is.
  ClientCertificates clients = ClientCertificates::none;
  std::string client_ca_file;  ///< PEM: who may have issued the certificates of clients.
};

/// What the TLS connections of a listener have in common. Thread-safe.
class TlsContext {
 public:
  /// Reads the files.
  /// \return invalid_argument that names the setting and says what is wrong with it.
  [[nodiscard]] static Result<std::shared_ptr<TlsContext>> make(TlsSettings settings);

  /// \return internal if no certificate could be made.
  [[nodiscard]] Result<std::unique_ptr<TlsEngine>> accept();

  [[nodiscard]] const TlsSettings& settings() const noexcept { return settings_; }

 private:
  struct Free {
    void operator()(SSL_CTX* context) const noexcept;
  };

  explicit TlsContext(TlsSettings settings);
  Result<> load_files();
  Result<> load_clients_issuers();
  /// Made when the first peer asks for TLS: most servers never see one.
  Result<> make_certificate();

  TlsSettings settings_;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::mutex mutex_;
  bool has_certificate_ = false;  // under mutex_
};

}  // namespace sluice::transport
