// Tests accounts over real gRPC connections: how a guest makes an account, sign-in, recovery, and
// the limits of these calls.
#include <gmock/gmock.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/limits.h"
#include "services/gateway/testing/gateway_fixture.h"

namespace tarot::gateway_service {
namespace {

using absl::StatusCode;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

constexpr char kPassphrase[] = "correct horse battery";
constexpr char kRequest[] = "00000000-0000-4000-8000-000000000001";

class WireAccountTest : public testing::Test {
 protected:
  template <typename Response, typename Request, typename Method>
  absl::StatusOr<Response> Call(Method method, const Request& request,
                                const std::string& token = "") {
    grpc::ClientContext context;
    if (!token.empty()) AddToken(context, token);
    rpc::SetTimeout(context, absl::Seconds(10));
    Response response;
    const absl::Status status =
        status::FromGrpc((fixture_.sessions.get()->*method)(&context, request, &response));
    if (!status.ok()) return status;
    return response;
  }

  absl::StatusOr<v1::CreateAccountResponse> Create(const std::string& token,
                                                   const std::string& name,
                                                   const std::string& passphrase = kPassphrase) {
    v1::CreateAccountRequest request;
    request.set_display_name(name);
    request.set_passphrase(passphrase);
    return Call<v1::CreateAccountResponse>(&v1::SessionService::Stub::CreateAccount, request,
                                           token);
  }

  absl::StatusOr<v1::SignInResponse> SignIn(const std::string& name,
                                            const std::string& passphrase = kPassphrase) {
    v1::SignInRequest request;
    request.set_display_name(name);
    request.set_passphrase(passphrase);
    return Call<v1::SignInResponse>(&v1::SessionService::Stub::SignIn, request);
  }

  absl::StatusOr<v1::RecoverAccountResponse> Recover(const std::string& name,
                                                     const std::string& code,
                                                     const std::string& passphrase) {
    v1::RecoverAccountRequest request;
    request.set_display_name(name);
    request.set_recovery_code(code);
    request.set_new_passphrase(passphrase);
    request.set_request_id(kRequest);
    return Call<v1::RecoverAccountResponse>(&v1::SessionService::Stub::RecoverAccount, request);
  }

  std::string AccountOf(const std::string& token) {
    return Call<v1::GetAccountResponse>(&v1::SessionService::Stub::GetAccount,
                                        v1::GetAccountRequest(), token)
        ->account()
        .display_name();
  }

  GatewayFixture fixture_;
};

TEST_F(WireAccountTest, KeepsThePlayerOfAGuestAndSignsInOnASecondDevice) {
  const std::string guest = fixture_.SignIn("Anna");
  EXPECT_EQ(AccountOf(guest), "");
  const auto made = Create(guest, "Anna Karenina");
  ASSERT_THAT(made, IsOk());
  EXPECT_EQ(made->session().display_name(), "Anna Karenina");
  EXPECT_EQ(AccountOf(guest), "Anna Karenina");
  const auto second = SignIn("ANNA karenina");
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ(second->session().player(), made->session().player());
  EXPECT_EQ(second->session().display_name(), "Anna Karenina");
  EXPECT_THAT(fixture_.GetTable(second->session().token()), IsOk());
  EXPECT_EQ(fixture_.Metric("tarot_gateway_sign_ins_total", "new_account"), 1);
  EXPECT_EQ(fixture_.Metric("tarot_gateway_sign_ins_total", "passphrase"), 1);
}

TEST_F(WireAccountTest, SignsInAgainAfterASignOutEverywhere) {
  const std::string guest = fixture_.SignIn("Anna");
  ASSERT_THAT(Create(guest, "Anna"), IsOk());
  v1::SignOutRequest everywhere;
  everywhere.set_everywhere(true);
  ASSERT_THAT(Call<v1::SignOutResponse>(&v1::SessionService::Stub::SignOut, everywhere, guest),
              IsOk());
  EXPECT_THAT(fixture_.GetTable(guest), HasReason("BAD_TOKEN"));
  // The clock has not moved. The new sign-in must still have a later time than the revoked ones.
  const auto again = SignIn("Anna");
  ASSERT_THAT(again, IsOk());
  EXPECT_THAT(fixture_.GetTable(again->session().token()), IsOk());
}

TEST_F(WireAccountTest, WrongNamesAndWrongPassphrasesGetTheSameAnswer) {
  ASSERT_THAT(Create(fixture_.SignIn("Anna"), "Anna"), IsOk());
  const absl::Status passphrase = SignIn("Anna", "not the passphrase").status();
  const absl::Status name = SignIn("Boris", kPassphrase).status();
  EXPECT_THAT(passphrase,
              AllOf(StatusIs(StatusCode::kUnauthenticated), HasReason("BAD_CREDENTIALS")));
  EXPECT_EQ(passphrase, name);
  EXPECT_THAT(std::string(passphrase.message()), Not(HasSubstr("not the passphrase")));
}

TEST_F(WireAccountTest, RefusesBadNamesAndBadPassphrases) {
  const std::string guest = fixture_.SignIn("Anna");
  EXPECT_THAT(Create(guest, "bot Anna").status(), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Create(guest, "Anna", "short").status(), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Create(guest, "Anna Karenina", "anna KARENINA").status(), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Create("", "Anna").status(), HasReason("BAD_TOKEN"));
  EXPECT_THAT(SignIn("", kPassphrase).status(), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Recover("Anna", "", kPassphrase).status(), HasReason("BAD_REQUEST"));
  ASSERT_THAT(Create(guest, "Anna"), IsOk());
  EXPECT_THAT(Create(guest, "Anna", "another passphrase").status(), HasReason("ACCOUNT_EXISTS"));
  const absl::Status taken = Create(fixture_.SignIn("Boris"), "Anna").status();
  EXPECT_THAT(taken, HasReason("NAME_TAKEN"));
  EXPECT_THAT(GetErrorDetails(taken).metadata.at("suggestion"), HasSubstr("Anna "));
}

TEST_F(WireAccountTest, NoGuestGetsTheNameOfAnAccount) {
  ASSERT_THAT(Create(fixture_.SignIn("Anna"), "Anna Karenina"), IsOk());
  v1::CreateGuestSessionRequest guest;
  guest.set_display_name("anna karenina");
  EXPECT_TRUE(fixture_.Eventually([&] {  // The gateway may not know the new name yet.
    fixture_.time.Advance(kRankedNamesInterval);
    return GetErrorDetails(Call<v1::CreateGuestSessionResponse>(
                               &v1::SessionService::Stub::CreateGuestSession, guest)
                               .status())
               .reason == "NAME_TAKEN";
  }));
}

TEST_F(WireAccountTest, RecoveryRevokesTheOldTokens) {
  const std::string guest = fixture_.SignIn("Anna");
  const auto made = Create(guest, "Anna");
  ASSERT_THAT(made, IsOk());
  EXPECT_THAT(Recover("Anna", "wrong code", "a new passphrase").status(),
              HasReason("BAD_CREDENTIALS"));
  const auto recovered = Recover("Anna", made->recovery_code(), "a new passphrase");
  ASSERT_THAT(recovered, IsOk());
  EXPECT_NE(recovered->recovery_code(), made->recovery_code());
  EXPECT_THAT(fixture_.GetTable(guest), HasReason("BAD_TOKEN"));
  EXPECT_THAT(fixture_.GetTable(recovered->session().token()), IsOk());
  EXPECT_THAT(SignIn("Anna", "a new passphrase"), IsOk());
}

TEST_F(WireAccountTest, LimitsTheGuessesOfOneName) {
  const auto made = Create(fixture_.SignIn("Anna"), "Anna");
  ASSERT_THAT(made, IsOk());
  for (int i = 0; i < static_cast<int>(kNameGuessBurst); ++i) {
    EXPECT_THAT(SignIn("Anna", "a wrong guess").status(), HasReason("BAD_CREDENTIALS"));
  }
  EXPECT_THAT(SignIn("ANNA").status(), HasReason("RATE_LIMITED"));
  EXPECT_THAT(SignIn("Boris").status(), HasReason("BAD_CREDENTIALS"))
      << "each name has its own limit, also one without an account";
  EXPECT_EQ(fixture_.Metric("tarot_gateway_rate_limited_total", "secrets"), 1);
  EXPECT_THAT(Recover("Anna", made->recovery_code(), "a new passphrase"), IsOk())
      << "the person gets in while others guess";
  fixture_.time.Advance(absl::Seconds(1 / kNameGuessesPerSecond));
  EXPECT_THAT(SignIn("Anna", "a new passphrase"), IsOk());
}

TEST_F(WireAccountTest, RightPassphrasesDoNotCountForTheName) {
  ASSERT_THAT(Create(fixture_.SignIn("Anna"), "Anna"), IsOk());
  for (int i = 0; i < static_cast<int>(kNameGuessBurst) + 5; ++i) {
    ASSERT_THAT(SignIn("Anna"), IsOk()) << i;
  }
}

TEST_F(WireAccountTest, LimitsTheCallsOfOneAddress) {
  for (int i = 0; i < static_cast<int>(Options().secret_burst); ++i) {
    EXPECT_THAT(SignIn(absl::StrCat("Player ", i)).status(), HasReason("BAD_CREDENTIALS"));
  }
  EXPECT_THAT(SignIn("Another").status(), HasReason("RATE_LIMITED"));
  EXPECT_THAT(Recover("Another", "code", kPassphrase).status(), HasReason("RATE_LIMITED"));
}

TEST_F(WireAccountTest, WaitsForNoRatingsServiceThatIsAway) {
  const std::string guest = fixture_.SignIn("Anna");
  fixture_.rules.Stop();
  EXPECT_THAT(SignIn("Anna").status(), HasReason("SERVICE_AWAY"));
  EXPECT_THAT(Create(guest, "Anna").status(), HasReason("SERVICE_AWAY"));
}

}  // namespace
}  // namespace tarot::gateway_service
