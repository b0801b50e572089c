#include "libs/rpc/tls.h"

#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "libs/base/clock.h"
#include "libs/rpc/testing/identities.h"
#include "libs/rpc/testing/testing_server.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::rpc {
namespace {

using testing::HasSubstr;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

std::string Folder(const std::string& name) {
  const std::string folder = testing::TempDir() + "tls_test_" + std::to_string(getpid()) + "_" +
                             testing::UnitTest::GetInstance()->current_test_info()->name() + name;
  std::filesystem::remove_all(folder);
  return folder;
}

// Gives a service a certificate that ended an hour ago.
void Expire(const Identities& identities, const std::string& service) {
  const auto file = [](const std::string& path, const char* mode) {
    return std::unique_ptr<FILE, int (*)(FILE*)>(std::fopen(path.c_str(), mode), std::fclose);
  };
  const std::string path = identities.pem(service);
  const auto in = file(path, "r");
  X509* const certificate = PEM_read_X509(in.get(), nullptr, nullptr, nullptr);
  EVP_PKEY* const key = PEM_read_PrivateKey(in.get(), nullptr, nullptr, nullptr);
  const auto ca = file(identities.folder() + "/authority/key.pem", "r");
  EVP_PKEY* const ca_key = PEM_read_PrivateKey(ca.get(), nullptr, nullptr, nullptr);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -7'200);
  X509_gmtime_adj(X509_getm_notAfter(certificate), -3'600);
  TAROT_CHECK(X509_sign(certificate, ca_key, EVP_sha256()) > 0);
  {
    const auto out = file(path + ".new", "w");
    PEM_write_X509(out.get(), certificate);
    PEM_write_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  }
  ::chmod((path + ".new").c_str(), 0600);
  std::filesystem::rename(path + ".new", path);
  X509_free(certificate);
  EVP_PKEY_free(key);
  EVP_PKEY_free(ca_key);
}

class TlsTest : public testing::Test {
 protected:
  TlsTest() { identities_.Run("make", "rules bot"); }
  ~TlsTest() override { std::filesystem::remove_all(identities_.folder()); }

  static TransportSecurity Security(const TlsFiles& files) {
    return {.tls = Tls::Open(files).value()};
  }
  // Starts the server of the service rules.
  std::unique_ptr<TestingServer> Start() {
    return std::make_unique<TestingServer>(
        workers_, ServerOptions{.security = Security(identities_.Tls("rules"))});
  }
  // Makes a call through a new connection, which shows the certificate of `files`.
  static absl::Status Call(TestingServer& server, const TlsFiles& files,
                           const std::string& expected_service = "rules") {
    server.Disconnect();
    server.Use(MakeServiceChannel(expected_service, server.address(), Security(files)));
    return server.ListQueues();
  }

  // Calls until the result is as wanted, for at most 30 s.
  template <typename Try>
  static absl::Status Eventually(bool ok, Try&& attempt) {
    absl::Status status;
    for (const Stopwatch watch; watch.Elapsed() < absl::Seconds(30);) {
      status = attempt();
      if (status.ok() == ok) break;
    }
    return status;
  }

  ThreadWorkerPool workers_{1, 8};
  const Identities identities_{Folder("")};
};

TEST_F(TlsTest, AServerSeesTheServiceThatCalls) {
  const auto server = Start();
  std::optional<std::vector<std::string>> peers;
  server->service.on_call = [&](const Caller&, const std::string&) {
    grpc::CallbackServerContext* const context = server->service.last_context;
    if (context != nullptr) peers = PeerServices(*context);
    return absl::OkStatus();
  };
  identities_.Run("make", "gateway");
  EXPECT_THAT(Call(*server, identities_.Tls("gateway")), IsOk());
  const Caller player = TestingServer::Player();
  EXPECT_THAT(server->GetTicket(&player), IsOk());
  EXPECT_EQ(peers, std::vector<std::string>{"gateway"});
}

TEST_F(TlsTest, RefusesAClientWithoutACertificate) {
  const auto server = Start();
  server->Use(MakeChannel(server->address()));
  EXPECT_THAT(server->ListQueues(), StatusIs(absl::StatusCode::kUnavailable));
  std::ifstream in(identities_.ca());
  grpc::SslCredentialsOptions only_trust;
  only_trust.pem_root_certs.assign(std::istreambuf_iterator<char>(in), {});
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(IdentityName("rules"));
  server->Use(
      grpc::CreateCustomChannel(server->address(), grpc::SslCredentials(only_trust), arguments));
  EXPECT_THAT(server->ListQueues(), StatusIs(absl::StatusCode::kUnavailable));
}

TEST_F(TlsTest, RefusesCertificatesOfAnotherAuthority) {
  const auto server = Start();
  const Identities others(Folder("_others"));
  others.Run("make", "bot");
  TlsFiles files = others.Tls("bot");
  EXPECT_THAT(Call(*server, files), StatusIs(absl::StatusCode::kUnavailable))
      << "the client does not trust the server";
  files.ca = identities_.ca();
  EXPECT_THAT(Call(*server, files), StatusIs(absl::StatusCode::kUnavailable))
      << "the server does not trust the client";
  std::filesystem::remove_all(others.folder());
}

TEST_F(TlsTest, RefusesAServerOfAnotherService) {
  const auto server = Start();
  EXPECT_THAT(Call(*server, identities_.Tls("bot"), "matchmaking"),
              StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(Call(*server, identities_.Tls("bot"), "rules"), IsOk());
}

TEST_F(TlsTest, RefusesAnExpiredCertificate) {
  const auto server = Start();
  const TransportSecurity bot = Security(identities_.Tls("bot"));
  Expire(identities_, "bot");
  EXPECT_THAT(Tls::Open(identities_.Tls("bot")), HasReason("BAD_TLS_FILE"));
  EXPECT_LT(bot.tls->ExpireTime(), absl::Now());
  const absl::Status status = Eventually(false, [&] {
    server->Disconnect();
    server->Use(MakeServiceChannel("rules", server->address(), bot));
    return server->ListQueues();
  });
  EXPECT_THAT(status, StatusIs(absl::StatusCode::kUnavailable));
}

// Replaces the authority and all certificates while a client calls.
TEST_F(TlsTest, ReadsChangedFilesAgainAndLosesNoCall) {
  const auto server = Start();
  const TransportSecurity bot = Security(identities_.Tls("bot"));
  int failed = 0, calls = 0;
  // Each call has a new connection, so it uses the newest files that gRPC has read.
  const auto call_for = [&](absl::Duration span) {
    for (const Stopwatch watch; watch.Elapsed() < span; ++calls) {
      server->Disconnect();
      server->Use(MakeServiceChannel("rules", server->address(), bot));
      failed += !server->ListQueues().ok();
    }
  };
  call_for(absl::Milliseconds(100));
  identities_.Run("authority");
  call_for(absl::Seconds(3));
  identities_.Run("certificates", "bot");
  call_for(absl::Seconds(3));
  identities_.Run("certificates", "rules");
  call_for(absl::Seconds(3));
  identities_.Run("retire-authorities");
  call_for(absl::Seconds(3));
  EXPECT_EQ(failed, 0) << "of " << calls << " calls";
  EXPECT_GT(calls, 4) << "a busy machine makes few connections";
}

TEST_F(TlsTest, ErrorsNameTheFile) {
  const std::string pem = identities_.pem("bot");
  const auto why = [](const TlsFiles& files) {
    const absl::Status status = Tls::Open(files).status();
    EXPECT_THAT(status, HasReason("BAD_TLS_FILE"));
    return std::string(status.message());
  };
  TlsFiles files = identities_.Tls("bot");
  files.key = identities_.pem("rules");
  EXPECT_THAT(why(files), HasSubstr("rules/tls.pem: is not the key of the certificate"));
  files = identities_.Tls("bot");
  files.ca = "/nowhere/ca.pem";
  EXPECT_THAT(why(files), HasSubstr("/nowhere/ca.pem: cannot be read"));
  files = identities_.Tls("bot");
  files.cert = identities_.folder() + "/authority/key.pem";
  EXPECT_THAT(why(files), HasSubstr("key.pem: has no certificate"));
  ::chmod(pem.c_str(), 0444);
  EXPECT_THAT(why(identities_.Tls("bot")), HasSubstr("bot/tls.pem: users other than the owner"));
  ::chmod(pem.c_str(), 0440);
  EXPECT_THAT(Tls::Open(identities_.Tls("bot")), IsOk());
}

TEST_F(TlsTest, ListensInClearTextOnlyOnThisMachine) {
  const auto listens = [](const std::string& address, const TransportSecurity& security) {
    return ServerCredentialsFor(address, security);
  };
  for (const char* address : {"127.0.0.1:0", "[::1]:0", "localhost:7101", "unix:/tmp/x"}) {
    EXPECT_THAT(listens(address, {}), IsOk()) << address;
  }
  for (const char* address : {"0.0.0.0:7101", "[::]:7101", "10.0.0.7:7101", "rules:7101"}) {
    EXPECT_THAT(listens(address, {}), HasReason("PLAINTEXT_REFUSED")) << address;
    EXPECT_THAT(listens(address, {.allow_plaintext = true}), IsOk()) << address;
    EXPECT_THAT(listens(address, Security(identities_.Tls("rules"))), IsOk()) << address;
  }
  EXPECT_THAT(Server::Start({.address = "0.0.0.0:0"}, {}), HasReason("PLAINTEXT_REFUSED"));
}

TEST_F(TlsTest, ChecksTheHealthOfAService) {
  const auto server = Start();
  UseTransportSecurity(Security(identities_.Tls("rules")));
  EXPECT_THAT(CheckHealth(server->address(), kReadiness, absl::Seconds(10), "rules"), IsOk());
  EXPECT_FALSE(CheckHealth(server->address(), kReadiness, absl::Seconds(10), "bot").ok());
  UseTransportSecurity({});
}

}  // namespace
}  // namespace tarot::rpc
