#include "libs/rpc/service_keys.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "absl/strings/escaping.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/permissions.h"
#include "libs/rpc/testing/identities.h"
#include "libs/rpc/testing/testing_server.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::rpc {
namespace {

using testing::HasSubstr;
using testkit::HasReason;
using testkit::IsOk;

const Caller kAnna = TestingServer::Player();

std::string Folder() {
  const std::string folder = testing::TempDir() + "service_keys_test_" + std::to_string(getpid()) +
                             "_" + testing::UnitTest::GetInstance()->current_test_info()->name();
  std::filesystem::remove_all(folder);
  return folder;
}

class ServiceKeysTest : public testing::Test {
 protected:
  ServiceKeysTest() { identities_.Run("make", "gateway matchmaking rules bot"); }
  ~ServiceKeysTest() override { std::filesystem::remove_all(identities_.folder()); }

  std::shared_ptr<ServiceKeys> Keys(const std::string& service) {
    return ServiceKeys::Open(identities_.Keys(service)).value();
  }
  static std::string Why(const absl::Status& status) {
    return GetErrorDetails(status).metadata["why"];
  }
  // After this call, the keys look at their files again.
  void NextSecond() { time_.Advance(absl::Seconds(1)); }

  testkit::ManualTime time_;
  const Identities identities_{Folder()};
};

TEST_F(ServiceKeysTest, ATokenNamesTheServiceThatSignedIt) {
  const auto gateway = Keys("gateway"), rules = Keys("rules");
  const auto verified = rules->Verify(gateway->Sign(kAnna, time_.Now()), time_.Now());
  ASSERT_THAT(verified, IsOk());
  EXPECT_EQ(verified->caller.player, kAnna.player);
  EXPECT_EQ(verified->caller.display_name, "Anna");
  EXPECT_EQ(verified->issuer, "gateway");
}

TEST_F(ServiceKeysTest, UsesATokenAgainForAMinuteAndAcceptsItForFive) {
  const auto gateway = Keys("gateway"), rules = Keys("rules");
  const std::string token = gateway->Sign(kAnna, time_.Now());
  for (int second = 0; second < 299; ++second) {
    ASSERT_THAT(rules->Verify(token, time_.Now()), IsOk()) << second;
    EXPECT_EQ(gateway->Sign(kAnna, time_.Now()) == token, second < 60) << second;
    NextSecond();
  }
  NextSecond();
  EXPECT_EQ(Why(rules->Verify(token, time_.Now()).status()), "ended");
}

TEST_F(ServiceKeysTest, RefusesEveryChangedToken) {
  const auto gateway = Keys("gateway"), rules = Keys("rules");
  const std::string token = gateway->Sign(kAnna, time_.Now());
  for (std::size_t i = 0; i + 1 < token.size(); ++i) {
    std::string changed = token;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_THAT(rules->Verify(changed, time_.Now()), HasReason("BAD_TOKEN")) << i;
  }
}

TEST_F(ServiceKeysTest, PassesOnTheTokenOfThePlayerWhoCalled) {
  const auto gateway = Keys("gateway"), bot = Keys("bot"), rules = Keys("rules");
  const std::string token = gateway->Sign(kAnna, time_.Now());
  ASSERT_THAT(bot->Verify(token, time_.Now()), IsOk());
  EXPECT_EQ(bot->Sign(kAnna, time_.Now()), token);
  time_.Advance(absl::Minutes(5));
  const auto own = rules->Verify(bot->Sign(kAnna, time_.Now()), time_.Now());
  ASSERT_THAT(own, IsOk());
  EXPECT_EQ(own->issuer, "bot") << "the token of the gateway has ended";
}

TEST_F(ServiceKeysTest, KeysRotateWithoutARefusedToken) {
  const auto gateway = Keys("gateway"), rules = Keys("rules");
  const auto accepted = [&](const std::string& token) {
    return rules->Verify(token, time_.Now()).status();
  };
  const std::string old = gateway->Sign(kAnna, time_.Now());
  identities_.Run("signing-keys", "gateway");
  NextSecond();
  EXPECT_THAT(accepted(old), IsOk());
  identities_.Run("use-signing-keys", "gateway");
  NextSecond();
  const std::string fresh = gateway->Sign(kAnna, time_.Now());
  EXPECT_NE(fresh.substr(0, fresh.find('.')), old.substr(0, old.find('.')));
  EXPECT_THAT(accepted(old), IsOk());
  EXPECT_THAT(accepted(fresh), IsOk());
  identities_.Run("retire-signing-keys", "gateway");
  NextSecond();
  EXPECT_EQ(Why(accepted(old)), "of an unknown key");
  EXPECT_THAT(accepted(fresh), IsOk());
}

TEST_F(ServiceKeysTest, ABadNewFileChangesNothing) {
  const auto gateway = Keys("gateway"), rules = Keys("rules");
  const std::string file = identities_.folder() + "/public/service.keys";
  const std::string before = gateway->Sign(kAnna, time_.Now());
  std::ofstream(file) << "nonsense\n";
  NextSecond();
  EXPECT_THAT(rules->Verify(before, time_.Now()), IsOk());
}

TEST_F(ServiceKeysTest, RefusesBadFiles) {
  const auto why = [&](const ServiceKeyFiles& files) {
    const absl::Status status = ServiceKeys::Open(files).status();
    EXPECT_THAT(status, HasReason("BAD_KEY_FILE"));
    return std::string(status.message());
  };
  ServiceKeyFiles files = identities_.Keys("bot");
  files.signing = identities_.Keys("gateway").signing;
  EXPECT_THAT(why(files), HasSubstr("its first key is not a key of bot"));
  files = identities_.Keys("bot");
  files.services = "/nowhere/keys";
  EXPECT_THAT(why(files), HasSubstr("/nowhere/keys: cannot be read"));
  files = identities_.Keys("bot");
  files.signing = "";
  EXPECT_THAT(why(files), HasSubstr("cannot sign"));
  EXPECT_THAT(why({.service = "bot"}), HasSubstr("cannot be read"));
  ::chmod(identities_.Keys("bot").signing.c_str(), 0444);
  EXPECT_THAT(why(identities_.Keys("bot")), HasSubstr("chmod"));
  ::chmod(identities_.Keys("bot").signing.c_str(), 0440);
  EXPECT_THAT(ServiceKeys::Open(identities_.Keys("bot")), IsOk());
}

// Tests a change from the shared key ring to keys of the services, in three steps. First, all
// services get the public keys. Then each service gets its own private key. Then the shared ring is
// removed.
TEST_F(ServiceKeysTest, ReplacesTheSharedKeyRingStepByStep) {
  const std::string shared = identities_.folder() + "/internal.keys";
  std::ofstream(shared) << "k1:" << absl::Base64Escape(std::string(32, 'k')) << "\n";
  ::chmod(shared.c_str(), 0600);
  ServiceKeyFiles steps[4];
  steps[0] = {.service = "gateway", .shared = shared};
  steps[1] = {.service = "gateway",
              .shared = shared,
              .signing = "",
              .services = identities_.Keys("gateway").services};
  steps[2] = steps[1];
  steps[2].signing = identities_.Keys("gateway").signing;
  steps[3] = identities_.Keys("gateway");
  for (int step = 1; step < 4; ++step) {
    const auto before = ServiceKeys::Open(steps[step - 1]).value();
    const auto after = ServiceKeys::Open(steps[step]).value();
    EXPECT_THAT(after->Verify(before->Sign(kAnna, time_.Now()), time_.Now()), IsOk()) << step;
    EXPECT_THAT(before->Verify(after->Sign(kAnna, time_.Now()), time_.Now()), IsOk()) << step;
  }
}

// The server of matchmaking. In the test service, GetTicket is a method for players, and only rules
// may call DeleteTicket.
class PermissionTest : public ServiceKeysTest {
 protected:
  Authenticator Signer(const std::string& service) { return {Keys(service), clock_}; }
  absl::Status Release(const std::string& signer, const std::string& named) {
    return server_.DeleteTicket(Signer(signer), {.service = named});
  }

  RealClock clock_;
  ThreadWorkerPool workers_{1, 8};
  TestingServer server_{workers_, {}, Keys("matchmaking")};
};

TEST_F(PermissionTest, AServiceMayDoOnlyWhatItNeeds) {
  EXPECT_THAT(Release("rules", "rules"), IsOk());
  EXPECT_THAT(Release("bot", "bot"), HasReason("SERVICE_NOT_ALLOWED"));
  EXPECT_THAT(Release("bot", "rules"), HasReason("SERVICE_NOT_ALLOWED"))
      << "bot may not sign in the name of rules";
  EXPECT_THAT(Release("matchmaking", "rules"), IsOk()) << "replicas pass calls on";
}

TEST_F(PermissionTest, OnlyTheGatewaySignsForPlayers) {
  EXPECT_THAT(server_.GetTicket(Signer("gateway"), kAnna), IsOk());
  EXPECT_THAT(server_.GetTicket(Signer("bot"), kAnna), HasReason("SERVICE_NOT_ALLOWED"));
  EXPECT_THAT(server_.GetTicket(Signer("rules"), kAnna), HasReason("SERVICE_NOT_ALLOWED"));
}

TEST_F(PermissionTest, TheCertificateMustNameTheSignerOfTheToken) {
  server_.server->Shutdown();
  const auto security = [&](const std::string& service) {
    return TransportSecurity{.tls = Tls::Open(identities_.Tls(service)).value()};
  };
  server_.server = Server::Start({.security = security("matchmaking")}, {&server_.service}).value();
  const auto call_as = [&](const std::string& service) {
    server_.Use(MakeServiceChannel("matchmaking", server_.address(), security(service)));
  };
  call_as("rules");
  EXPECT_THAT(Release("rules", "rules"), IsOk());
  EXPECT_THAT(server_.GetTicket(Signer("gateway"), kAnna), HasReason("SERVICE_NOT_ALLOWED"))
      << "a stolen token of a player";
  EXPECT_THAT(server_.ListQueues(), IsOk());
  call_as("bot");
  EXPECT_THAT(Release("rules", "rules"), HasReason("SERVICE_NOT_ALLOWED")) << "a stolen token";
  call_as("gateway");
  EXPECT_THAT(server_.GetTicket(Signer("gateway"), kAnna), IsOk());
}

TEST(PermissionsTest, SomeServicesMayCallSomeMethods) {
  const std::string admin = "tarot.rules.v1.TableAdminService/";
  EXPECT_TRUE(ServiceMayCall("matchmaking", admin + "CreateTable"));
  EXPECT_FALSE(ServiceMayCall("admin", admin + "CreateTable"))
      << "its own row replaces the row of all";
  EXPECT_TRUE(ServiceMayCall("admin", admin + "VoidDeal"));
  for (const char* method : {"CreateTable", "BatchCreateTables", "VoidDeal", "GetTableLog"}) {
    EXPECT_FALSE(ServiceMayCall("bot", admin + method)) << method;
  }
  EXPECT_FALSE(ServiceMayCall("rules", "tarot.unknown.v1.Service/Method"));
  EXPECT_FALSE(ServiceMayCall("", admin + "VoidDeal"));
  EXPECT_TRUE(ServiceMayCallForPlayers("gateway", "tarot.rules.v1.TableService/SubmitAction"));
  EXPECT_FALSE(ServiceMayCallForPlayers("bot", "tarot.rules.v1.TableService/SubmitAction"));
  EXPECT_TRUE(ServiceMayCallForPlayers("bot", "tarot.rules.v1.RecordService/GetRecord"));
}

TEST(RecentMapTest, ForgetsTheOldestEntries) {
  RecentMap<int> map(2);
  for (int i = 0; i < 5; ++i) {
    map.Put(std::to_string(i), i);
    ASSERT_NE(map.Find("0"), nullptr) << "an entry in use stays";
  }
  EXPECT_EQ(map.Find("1"), nullptr);
  EXPECT_EQ(*map.Find("4"), 4);
  map.Clear();
  EXPECT_EQ(map.Find("4"), nullptr);
}

}  // namespace
}  // namespace tarot::rpc
