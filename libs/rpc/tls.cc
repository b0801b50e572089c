#include "libs/rpc/tls.h"

#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <openssl/asn1.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <ctime>
#include <fstream>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/base/error.h"

namespace tarot::rpc {
namespace {

constexpr absl::string_view kDomain = ".tarot.internal";
// gRPC's name for the alternative names of the peer's certificate.
constexpr char kAlternativeName[] = "x509_subject_alternative_name";
constexpr unsigned int kReadAgainSeconds = 1;

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Certificate = std::unique_ptr<X509, Free>;
using PrivateKey = std::unique_ptr<EVP_PKEY, Free>;

absl::Status BadFile(const std::string& path, absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, "BAD_TLS_FILE",
               absl::StrCat("TLS file ", path, ": ", why));
}

std::unique_ptr<BIO, Free> Memory(const std::string& text) {
  return std::unique_ptr<BIO, Free>(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Returns the first certificate of the file.
absl::StatusOr<Certificate> ReadCertificate(const std::string& path) {
  std::ifstream in(path);
  if (!in) return BadFile(path, "cannot be read");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  Certificate certificate(PEM_read_bio_X509(Memory(text).get(), nullptr, nullptr, nullptr));
  if (certificate == nullptr) return BadFile(path, "has no certificate in PEM");
  return certificate;
}

absl::StatusOr<PrivateKey> ReadPrivateKey(const std::string& path) {
  struct stat info {};
  std::ifstream in(path);
  if (!in || ::stat(path.c_str(), &info) != 0) return BadFile(path, "cannot be read");
  // Orchestrators often let a program read its secrets through the group (mode 0440).
  if ((info.st_mode & S_IRWXO) != 0) {
    return BadFile(path, "users other than the owner and the group may use it; chmod 0440");
  }
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  // Without this empty password, OpenSSL would ask for one on the terminal.
  char no_password[] = "";
  PrivateKey key(PEM_read_bio_PrivateKey(Memory(text).get(), nullptr, nullptr, no_password));
  if (key == nullptr) return BadFile(path, "has no private key in PEM without a password");
  return key;
}

absl::Status Check(const TlsFiles& files) {
  TAROT_ASSIGN_OR_RETURN(const Certificate certificate, ReadCertificate(files.cert));
  TAROT_ASSIGN_OR_RETURN(const PrivateKey key, ReadPrivateKey(files.key));
  TAROT_RETURN_IF_ERROR(ReadCertificate(files.ca).status());
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return BadFile(files.key, absl::StrCat("is not the key of the certificate ", files.cert));
  }
  if (X509_cmp_current_time(X509_get0_notAfter(certificate.get())) < 0) {
    return BadFile(files.cert, "the certificate has expired");
  }
  if (X509_cmp_current_time(X509_get0_notBefore(certificate.get())) > 0) {
    return BadFile(files.cert, "the certificate is not valid yet; compare the clocks");
  }
  return absl::OkStatus();
}

TransportSecurity& Stored() {
  static auto* const stored = new TransportSecurity;
  return *stored;
}

}  // namespace

std::string IdentityName(absl::string_view service) { return absl::StrCat(service, kDomain); }

absl::StatusOr<std::shared_ptr<const Tls>> Tls::Open(const TlsFiles& files) {
  TAROT_RETURN_IF_ERROR(Check(files));
  return std::shared_ptr<const Tls>(new Tls(files));
}

Tls::Tls(const TlsFiles& files) : files_(files) {
  const auto provider = std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
      files.key, files.cert, files.ca, kReadAgainSeconds);
  grpc::experimental::TlsServerCredentialsOptions server(provider);
  server.watch_root_certs();
  server.watch_identity_key_cert_pairs();
  server.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  server_ = grpc::experimental::TlsServerCredentials(server);
  grpc::experimental::TlsChannelCredentialsOptions channel;
  channel.set_certificate_provider(provider);
  channel.watch_root_certs();
  channel.watch_identity_key_cert_pairs();
  channel_ = grpc::experimental::TlsCredentials(channel);
}

absl::Time Tls::ExpireTime() const {
  const absl::StatusOr<Certificate> certificate = ReadCertificate(files_.cert);
  std::tm end{};
  if (!certificate.ok() || ASN1_TIME_to_tm(X509_get0_notAfter(certificate->get()), &end) != 1) {
    return absl::InfinitePast();
  }
  return absl::FromTM(end, absl::UTCTimeZone());
}

void UseTransportSecurity(TransportSecurity security) { Stored() = std::move(security); }

const TransportSecurity& ProcessTransportSecurity() { return Stored(); }

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> ServerCredentialsFor(
    absl::string_view address, const TransportSecurity& security) {
  if (absl::StartsWith(address, "unix:")) return grpc::InsecureServerCredentials();
  if (security.tls != nullptr) return security.tls->server();
  if (security.allow_plaintext || IsLoopback(address)) return grpc::InsecureServerCredentials();
  return Error(absl::StatusCode::kFailedPrecondition, "PLAINTEXT_REFUSED",
               absl::StrCat("Cannot listen on ", address,
                            " without TLS, because other machines may reach it. Set "
                            "--tls_cert_file, --tls_key_file and --tls_ca_file."));
}

std::optional<std::vector<std::string>> PeerServices(const grpc::ServerContextBase& context) {
  const std::shared_ptr<const grpc::AuthContext> peer = context.auth_context();
  if (peer == nullptr || !peer->IsPeerAuthenticated()) return std::nullopt;
  std::vector<std::string> services;
  for (const grpc::string_ref& name : peer->FindPropertyValues(kAlternativeName)) {
    absl::string_view text(name.data(), name.size());
    if (absl::ConsumeSuffix(&text, kDomain)) services.emplace_back(text);
  }
  return services;
}

bool IsLoopback(absl::string_view address) {
  return absl::StartsWith(address, "127.") || absl::StartsWith(address, "localhost:") ||
         absl::StartsWith(address, "[::1]:");
}

}  // namespace tarot::rpc
