#include "services/admin/app/audit_log.h"

#include <gmock/gmock.h>

#include <limits>

#include "libs/base/error.h"
#include "libs/testkit/status_matchers.h"
#include "services/admin/testing/fake_admin_store.h"

namespace tarot::admin_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

class AuditLogTest : public testing::Test {
 protected:
  static OperatorCall Call(const std::string& why = "reports") {
    return {.operator_name = "ada", .method = "BanPlayer", .subject = "players/1", .why = why};
  }
  std::vector<StoredCall> Calls() {
    return store_.ListCalls(std::numeric_limits<std::int64_t>::max(), 100).value();
  }

  FakeAdminStore store_;
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  AuditLog audit_{store_, metrics_};
};

TEST_F(AuditLogTest, StoresTheCallBeforeItActsAndThenTheOutcome) {
  EXPECT_THAT(audit_.Run(Call(),
                         [&] {
                           EXPECT_EQ(Calls().size(), 1u);
                           EXPECT_EQ(Calls()[0].outcome, "");
                           return absl::OkStatus();
                         }),
              IsOk());
  EXPECT_EQ(Calls()[0].call, Call());
  EXPECT_EQ(Calls()[0].outcome, "OK");
  EXPECT_EQ(metrics_.calls_done.Value(), 1);
}

TEST_F(AuditLogTest, StoresTheReasonOfARefusal) {
  const absl::Status refused =
      Error(absl::StatusCode::kNotFound, "QUEUE_NOT_FOUND", "There is no such queue.");
  EXPECT_EQ(audit_.Run(Call(), [&] { return refused; }), refused);
  EXPECT_EQ(Calls()[0].outcome, "QUEUE_NOT_FOUND");
  EXPECT_EQ(metrics_.calls_refused.Value(), 1);
}

TEST_F(AuditLogTest, DoesNothingWithoutAReason) {
  for (const std::string& why :
       {std::string(), std::string(1001, 'x'), std::string("two\nlines")}) {
    EXPECT_THAT(audit_.Run(Call(why),
                           [] {
                             ADD_FAILURE() << "it must not act";
                             return absl::OkStatus();
                           }),
                HasReason("BAD_REQUEST"));
  }
  EXPECT_TRUE(Calls().empty());
}

// A store that does not answer. If `away_at_begin` is false, the store still answers BeginCall.
class AwayStore final : public AdminStore {
 public:
  absl::StatusOr<std::int64_t> BeginCall(const OperatorCall&) override {
    if (away_at_begin) return Away();
    return 1;
  }
  absl::Status EndCall(std::int64_t, const std::string&) override { return Away(); }
  absl::StatusOr<std::vector<StoredCall>> ListCalls(std::int64_t, int) override { return Away(); }
  absl::StatusOr<bool> HasCall(const std::string&, const std::string&) override { return Away(); }
  absl::StatusOr<int> AddFlags(absl::Span<const Flag>) override { return Away(); }
  absl::StatusOr<std::vector<Flag>> ListFlags(const FlagQuery&) override { return Away(); }
  absl::StatusOr<std::optional<Flag>> GetFlag(std::int64_t) override { return Away(); }
  absl::StatusOr<bool> Judge(std::int64_t, const Judgement&) override { return Away(); }

  bool away_at_begin = true;

 private:
  static absl::Status Away() {
    return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "The database is away.");
  }
};

TEST_F(AuditLogTest, DoesNothingThatItCannotStore) {
  AwayStore store;
  AuditLog audit(store, metrics_);
  bool acted = false;
  const auto act = [&] {
    acted = true;
    return absl::OkStatus();
  };
  EXPECT_THAT(audit.Run(Call(), act), HasReason("STORAGE_AWAY"));
  EXPECT_FALSE(acted);
  EXPECT_EQ(metrics_.calls_unrecorded.Value(), 1);
  store.away_at_begin = false;
  EXPECT_THAT(audit.Run(Call(), act), IsOk()) << "the operator learns what has happened";
  EXPECT_TRUE(acted);
  EXPECT_EQ(metrics_.calls_unrecorded.Value(), 2);
}

}  // namespace
}  // namespace tarot::admin_service
