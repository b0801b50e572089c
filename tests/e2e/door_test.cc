// Players play through the door (HAProxy) while gateways behind the door die and stop. Play must go
// on, every watch must continue, and no acknowledged action may be lost.
#include <gtest/gtest.h>
#include <signal.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/rpc/call.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"

namespace tarot::e2e {
namespace {

// Players choose their moves from the views of their watches. So play goes on only if the watches
// continue.
void ExpectPlayGoesOn(Matches& matches) {
  const std::size_t before = matches.Acknowledged();
  EXPECT_TRUE(Eventually(absl::Seconds(30), [&] {
    return matches.AllFinished() || matches.Acknowledged() >= before + 12;
  })) << "play does not go on";
}

// Calls GetTable for `table` again and again, in eight threads. The client does not retry.
class OneAttemptCaller {
 public:
  OneAttemptCaller(Cluster& cluster, const std::string& table)
      : client_(rpc::MakeChannel(cluster.AddressOf("gateway")),
                client::Options{.call_timeout = absl::Seconds(20), .retry = {.attempts_max = 1}},
                scheduler_, entropy_) {
    client_.set_session(cluster.SignIn("Caller")->session());
    request_.set_name(absl::StrCat("tables/", table));
    for (std::thread& thread : threads_) {
      thread = std::thread([this] {
        while (!stopping_) {
          Note(client_.Call(&client::Tables::GetTable, request_).status());
          std::this_thread::sleep_for(std::chrono::milliseconds(15));  // The door limits the rate.
        }
      });
    }
  }
  ~OneAttemptCaller() { Stop().IgnoreError(); }

  int calls() const { return calls_; }
  // Ends all calls. Returns the first error, or OK.
  absl::Status Stop() {
    stopping_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    return first_error_;
  }

 private:
  void Note(const absl::Status& status) {
    ++calls_;
    const std::lock_guard lock(mutex_);
    first_error_.Update(status);
  }

  RealScheduler scheduler_;
  OsEntropy entropy_;
  client::Client client_;
  rules::v1::GetTableRequest request_;
  std::atomic<bool> stopping_ = false;
  std::atomic<int> calls_ = 0;
  std::mutex mutex_;
  absl::Status first_error_;
  std::array<std::thread, 8> threads_;
};

TEST(DoorTest, SpeaksTlsWithACertificate) {
  const std::string folder = testing::TempDir() + "door_tls";
  const std::string pem = folder + "/both.pem";
  ASSERT_TRUE(MakeCertificate(folder));
  setenv("TAROT_DOOR_CERTIFICATE", pem.c_str(), 1);
  setenv("SSL_CERT_FILE", (folder + "/cert.pem").c_str(), 1);
  Cluster cluster({.population = 0, .door = true, .fsync = false});
  unsetenv("TAROT_DOOR_CERTIFICATE");
  const std::string address = absl::StrCat("localhost:", cluster.port("gateway"));
  const auto ada = cluster.SignInAt("https://" + address, "Ada");
  unsetenv("SSL_CERT_FILE");
  EXPECT_TRUE(ada->Call(&client::Matchmaking::ListQueues, {}).ok());

  RealScheduler scheduler;
  OsEntropy entropy;
  for (const std::string& bad : {address, "https://" + address}) {
    // Two clients try to make a call, and both must fail. The first client uses no TLS. The second
    // client trusts only the certificate authorities of the system, which have not signed HAProxy's
    // certificate.
    client::Client stranger(rpc::MakeChannel(bad),
                            {.call_timeout = absl::Seconds(5), .retry = {.attempts_max = 1}},
                            scheduler, entropy);
    EXPECT_FALSE(stranger.SignInAsGuest("Eve").ok()) << bad;
  }
}

// Returns whether a connection to the port is half closed: the client has closed its side, and the
// door (HAProxy) has not.
bool HasHalfClosedConnection(int port) {
  const std::string local = absl::StrFormat(":%04X", port);
  std::ifstream table("/proc/net/tcp");
  std::string slot, address, peer, state, rest;
  while (table >> slot >> address >> peer >> state && std::getline(table, rest)) {
    if (state == "08" && absl::EndsWith(address, local)) return true;  // CLOSE_WAIT
  }
  return false;
}

// The killed client watched a room that does not change, so the door (HAProxy) has nothing to write
// to this client. But the door must close the connection.
TEST(DoorTest, ClosesTheQuietWatchOfAKilledClient) {
  Cluster cluster({.population = 0, .door = true, .fsync = false});
  const int port = cluster.port("gateway");
  const std::string file = testing::TempDir() + "door_killed_client";
  const std::string command = absl::StrCat(
      "export TAROT_TOKEN_FILE=", file, ".token; rm -f ", file, "*; ", TAROT_BIN_DIR,
      "/tarotctl open --name Eve --gateway 127.0.0.1:", port, " </dev/zero >", file, " 2>&1 & ",
      "for i in $(seq 300); do grep -q 'seats are free' ", file, " && break; sleep 0.1; done; ",
      "sleep 1; kill -KILL $!; grep -q 'seats are free' ", file);
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_TRUE(Eventually(absl::Seconds(15), [&] { return !HasHalfClosedConnection(port); }));
}

TEST(DoorTest, PlayGoesOnAfterTheOnlyGatewayDied) {
  Cluster cluster({.population = 0, .door = true});
  Matches matches(cluster);
  ASSERT_TRUE(matches.Start(1));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(matches.KeepPlaying(1));
    cluster.Kill("gateway", SIGKILL);
    cluster.Start("gateway");
    ExpectPlayGoesOn(matches);
  }
  ASSERT_TRUE(matches.Finish(absl::Seconds(150)));
  matches.CheckPromises();
}

TEST(DoorTest, PlayGoesOnWhileOneOfTwoGatewaysStopsOrDies) {
  Cluster cluster({.population = 0,
                   .gateway_flags = {"--calls_per_second=100000", "--call_burst=100000",
                                     "--address_calls_per_second=100000"},
                   .replicas = {{"gateway", 2}},
                   .door = true,
                   .one_door = true});
  Matches matches(cluster);
  ASSERT_TRUE(matches.Start(2));
  for (const char* gateway : {"gateway", "gateway.2"}) {
    SCOPED_TRACE(gateway);
    ASSERT_TRUE(matches.KeepPlaying(2));
    // When a gateway stops, no call fails, not even the call of a client that does not retry.
    OneAttemptCaller caller(cluster, matches.tables().front());
    ASSERT_TRUE(Eventually(absl::Seconds(20), [&] { return caller.calls() > 200; }));
    EXPECT_EQ(cluster.Kill(gateway, SIGTERM), 0) << cluster.LogOf(gateway);
    ExpectPlayGoesOn(matches);
    EXPECT_TRUE(caller.Stop().ok()) << caller.Stop() << "\n" << cluster.LogOf("door");
    cluster.Start(gateway);
    ExpectPlayGoesOn(matches);
    ASSERT_TRUE(matches.KeepPlaying(2));
    cluster.Kill(gateway, SIGKILL);
    ExpectPlayGoesOn(matches);
    cluster.Start(gateway);
    ExpectPlayGoesOn(matches);
  }
  // The gateway gets SIGTERM and is then killed.
  ASSERT_TRUE(matches.KeepPlaying(2));
  cluster.Signal("gateway", SIGTERM);
  ExpectPlayGoesOn(matches);
  cluster.Kill("gateway", SIGKILL);
  ExpectPlayGoesOn(matches);
  ASSERT_TRUE(matches.Finish(absl::Seconds(150)));
  matches.CheckPromises();
}

}  // namespace
}  // namespace tarot::e2e
