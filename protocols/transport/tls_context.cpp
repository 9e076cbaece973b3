#include "protocols/transport/tls_context.hpp"

#include <utility>

#include <fmt/format.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace sluice::transport {

namespace {

struct FreeKey {
  void operator()(EVP_PKEY* key) const noexcept { EVP_PKEY_free(key); }
};
struct FreeCertificate {
  void operator()(X509* certificate) const noexcept { X509_free(certificate); }
};
using KeyPtr = std::unique_ptr<EVP_PKEY, FreeKey>;
using CertificatePtr = std::unique_ptr<X509, FreeCertificate>;

constexpr long kCertificateSeconds = 10L * 365 * 24 * 3600;

std::string why() {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  ERR_clear_error();
  return reason != nullptr ? reason : "unknown reason";
}

tl::unexpected<Error> unusable(std::string_view setting, const std::string& file) {
  return fail(Errc::invalid_argument,
              fmt::format("{}: \"{}\" cannot be used: {}", setting, file, why()));
}

/// Signed by `key` itself, for nobody in particular. nullptr if that failed.
CertificatePtr sign_by_itself(EVP_PKEY* key) {
  CertificatePtr certificate(X509_new());
  if (!certificate) return nullptr;
  std::uint64_t serial = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1) return nullptr;
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate.get()), serial >> 1);
  X509_set_version(certificate.get(), X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), 0);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), kCertificateSeconds);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  const auto* const common_name = reinterpret_cast<const unsigned char*>("Sluice");
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, common_name, -1, -1, 0);
  const bool is_signed = X509_set_issuer_name(certificate.get(), name) == 1 &&
                         X509_set_pubkey(certificate.get(), key) == 1 &&
                         X509_sign(certificate.get(), key, EVP_sha256()) > 0;
  return is_signed ? std::move(certificate) : nullptr;
}

int verify_mode(ClientCertificates clients) {
  switch (clients) {
    case ClientCertificates::none:
      return SSL_VERIFY_NONE;
    case ClientCertificates::optional:
      return SSL_VERIFY_PEER;
    case ClientCertificates::required:
      return SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
  }
  return SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT;
}

}  // namespace

void TlsContext::Free::operator()(SSL_CTX* context) const noexcept {
  SSL_CTX_free(context);
}

TlsContext::TlsContext(TlsSettings settings)
    : settings_(std::move(settings)), context_(SSL_CTX_new(TLS_server_method())) {}

Result<std::shared_ptr<TlsContext>> TlsContext::make(TlsSettings settings) {
  if (settings.certificate_file.empty() != settings.key_file.empty()) {
    return fail(Errc::invalid_argument, "tls_certificate and tls_key belong together: give both");
  }
  std::shared_ptr<TlsContext> made(new TlsContext(std::move(settings)));
  SSL_CTX* const context = made->context_.get();
  if (context == nullptr) return fail(Errc::internal, "TLS cannot be used: " + why());
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_verify(context, verify_mode(made->settings_.clients), nullptr);
  const auto loaded = made->load_files();
  SLUICE_TRY(loaded);
  const auto issuers = made->load_clients_issuers();
  SLUICE_TRY(issuers);
  return made;
}

Result<> TlsContext::load_files() {
  if (settings_.certificate_file.empty()) return {};
  SSL_CTX* const context = context_.get();
  if (SSL_CTX_use_certificate_chain_file(context, settings_.certificate_file.c_str()) != 1) {
    return unusable("tls_certificate", settings_.certificate_file);
  }
  if (SSL_CTX_use_PrivateKey_file(context, settings_.key_file.c_str(), SSL_FILETYPE_PEM) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return unusable("tls_key", settings_.key_file);
  }
  has_certificate_ = true;
  return {};
}

Result<> TlsContext::load_clients_issuers() {
  const std::string& file = settings_.client_ca_file;
  if (file.empty()) {
    if (settings_.clients == ClientCertificates::none) return {};
    return fail(
        Errc::invalid_argument,
        "tls_client_ca is missing: it says who may have issued the certificates of clients");
  }
  if (SSL_CTX_load_verify_locations(context_.get(), file.c_str(), nullptr) != 1) {
    return unusable("tls_client_ca", file);
  }
  SSL_CTX_set_client_CA_list(context_.get(), SSL_load_client_CA_file(file.c_str()));
  const std::string_view id = "sluice";
  SSL_CTX_set_session_id_context(context_.get(), reinterpret_cast<const unsigned char*>(id.data()),
                                 static_cast<unsigned>(id.size()));
  return {};
}

Result<> TlsContext::make_certificate() {
  const std::lock_guard lock(mutex_);
  if (has_certificate_) return {};
  const KeyPtr key(EVP_EC_gen("P-256"));
  const CertificatePtr certificate = key ? sign_by_itself(key.get()) : nullptr;
  const bool is_used = certificate &&
                       SSL_CTX_use_certificate(context_.get(), certificate.get()) == 1 &&
                       SSL_CTX_use_PrivateKey(context_.get(), key.get()) == 1;
  if (!is_used) return fail(Errc::internal, "no certificate could be made: " + why());
  has_certificate_ = true;
  return {};
}

Result<std::unique_ptr<TlsEngine>> TlsContext::accept() {
  const auto made = make_certificate();
  SLUICE_TRY(made);
  SSL* const ssl = SSL_new(context_.get());
  if (ssl == nullptr) return fail(Errc::internal, "no TLS connection: " + why());
  return std::make_unique<TlsEngine>(ssl);
}

}  // namespace sluice::transport
