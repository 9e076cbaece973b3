#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "tests/unit/transport/tcp_peer.hpp"

namespace sluice::test {

/// A key and a certificate that it signed itself, in files that go with it.
class CertificateFiles {
 public:
  CertificateFiles() {
    std::string name = (std::filesystem::temp_directory_path() / "sluice-tls-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    directory_ = name;
    EVP_PKEY* const made = EVP_EC_gen("P-256");
    X509* const certificate = X509_new();
    X509_set_version(certificate, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
    X509_gmtime_adj(X509_getm_notBefore(certificate), -60);
    X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
    X509_NAME* const subject = X509_get_subject_name(certificate);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("test"), -1, -1, 0);
    X509_set_issuer_name(certificate, subject);
    X509_set_pubkey(certificate, made);
    X509_sign(certificate, made, EVP_sha256());
    write(this->certificate(), [&](FILE* file) { PEM_write_X509(file, certificate); });
    write(key(), [&](FILE* file) {
      PEM_write_PrivateKey(file, made, nullptr, nullptr, 0, nullptr, nullptr);
    });
    X509_free(certificate);
    EVP_PKEY_free(made);
  }
  ~CertificateFiles() { std::filesystem::remove_all(directory_); }
  CertificateFiles(const CertificateFiles&) = delete;
  CertificateFiles& operator=(const CertificateFiles&) = delete;

  [[nodiscard]] std::string certificate() const {
    return (directory_ / "certificate.pem").string();
  }
  [[nodiscard]] std::string key() const { return (directory_ / "key.pem").string(); }

 private:
  template <class Write>
  static void write(const std::string& name, Write write) {
    FILE* const file = std::fopen(name.c_str(), "w");
    if (file == nullptr) std::abort();
    write(file);
    std::fclose(file);
  }

  std::filesystem::path directory_;
};

/// The client's end of a TLS connection; trusts whoever answers.
class TlsPeer {
 public:
  explicit TlsPeer(std::uint16_t port) : tcp_(port), context_(SSL_CTX_new(TLS_client_method())) {
    make_ssl();
  }
  TlsPeer(std::uint16_t port, const CertificateFiles& files)
      : tcp_(port), context_(SSL_CTX_new(TLS_client_method())) {
    SSL_CTX_use_certificate_chain_file(context_.get(), files.certificate().c_str());
    SSL_CTX_use_PrivateKey_file(context_.get(), files.key().c_str(), SSL_FILETYPE_PEM);
    make_ssl();
  }

  bool shake_hands() { return SSL_connect(ssl_.get()) == 1; }

  bool send(std::string_view bytes) {
    return SSL_write(ssl_.get(), bytes.data(), static_cast<int>(bytes.size())) ==
           static_cast<int>(bytes.size());
  }

  /// All of `size` bytes; fewer only at the end of the connection.
  std::string receive(std::size_t size) {
    std::string bytes(size, '\0');
    std::size_t have = 0;
    while (have < size) {
      const int got = SSL_read(ssl_.get(), bytes.data() + have, static_cast<int>(size - have));
      if (got <= 0) break;
      have += static_cast<std::size_t>(got);
    }
    bytes.resize(have);
    return bytes;
  }

  /// Sends in small steps and reads in between, so that neither end waits for the other.
  std::string exchange(std::string_view bytes, std::size_t size) {
    constexpr std::size_t kStep = 64U * 1024;
    std::string received;
    while (!bytes.empty()) {
      if (!send(bytes.substr(0, kStep))) return received;
      const std::size_t sent = std::min(bytes.size(), kStep);
      bytes.remove_prefix(sent);
      received += receive(sent);
    }
    return received + receive(size - received.size());
  }

  /// What would be sent for `bytes`. Send it in one way or another before anything else.
  std::string encrypt(std::string_view bytes) {
    BIO* const sent = SSL_get_wbio(ssl_.get());
    BIO_up_ref(sent);
    BIO* const memory = BIO_new(BIO_s_mem());
    BIO_up_ref(memory);
    SSL_set0_wbio(ssl_.get(), memory);
    send(bytes);
    char* data = nullptr;
    const long size = BIO_get_mem_data(memory, &data);
    std::string record(data, static_cast<std::size_t>(size));
    SSL_set0_wbio(ssl_.get(), sent);
    BIO_free(memory);
    return record;
  }

  void say_goodbye() { SSL_shutdown(ssl_.get()); }

  /// Reads to the end. True if the other end said goodbye too.
  bool is_ended_in_order() {
    char byte{};
    const int got = SSL_read(ssl_.get(), &byte, 1);
    return SSL_get_error(ssl_.get(), got) == SSL_ERROR_ZERO_RETURN;
  }

  [[nodiscard]] TcpPeer& tcp() noexcept { return tcp_; }

 private:
  struct Free {
    void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
    void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
  };

  void make_ssl() {
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), tcp_.native());
  }

  TcpPeer tcp_;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> ssl_;
};

}  // namespace sluice::test
