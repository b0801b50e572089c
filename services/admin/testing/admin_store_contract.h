// The contract test of AdminStore. The fake store and the store on Postgres pass the same tests.
#pragma once

#include <gmock/gmock.h>

#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "libs/base/entropy.h"
#include "libs/testkit/status_matchers.h"
#include "services/admin/app/admin_store.h"

namespace tarot::admin_service {

inline constexpr std::int64_t kAllIds = std::numeric_limits<std::int64_t>::max();

// `Factory::Make()` returns a new, empty store.
template <typename Factory>
class AdminStoreContract : public testing::Test {
 protected:
  // Returns a flag whose first player has the lower or the higher id.
  Flag NewFlag(bool lower_first) {
    PlayerId first = {entropy_.NewUuid()}, second = {entropy_.NewUuid()};
    if ((first < second) != lower_first) std::swap(first, second);
    return {.first = first,
            .second = second,
            .z = 5.25,
            .deal_count = 40,
            .lost_credit = 1.5,
            .evidence = {"tables/a/deals/1 \"worst\"", "b\\c, {d}"}};
  }

  std::unique_ptr<AdminStore> store_ = Factory::Make();
  SeededEntropy entropy_{1};
};
TYPED_TEST_SUITE_P(AdminStoreContract);

TYPED_TEST_P(AdminStoreContract, KeepsEachCallWithItsOutcome) {
  const OperatorCall ban{.operator_name = "ada",
                         .method = "BanPlayer",
                         .subject = "players/1",
                         .details = R"({"message": "it's \ over"})",
                         .why = "reports"};
  const OperatorCall drain{
      .operator_name = "bea", .method = "SetReplicaDraining", .subject = "a:1", .why = "upgrade"};
  const std::int64_t first = this->store_->BeginCall(ban).value();
  const std::int64_t second = this->store_->BeginCall(drain).value();
  EXPECT_GT(second, first);
  ASSERT_THAT(this->store_->EndCall(first, "OK"), testkit::IsOk());
  ASSERT_THAT(this->store_->EndCall(first, "LATER"), testkit::IsOk());
  const std::vector<StoredCall> calls = this->store_->ListCalls(kAllIds, 10).value();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[0].call, drain);
  EXPECT_EQ(calls[0].outcome, "") << "It has no end yet.";
  EXPECT_EQ(calls[1].call, ban);
  EXPECT_EQ(calls[1].outcome, "OK");
  EXPECT_EQ(this->store_->ListCalls(kAllIds, 1)->size(), 1u);
  EXPECT_EQ(this->store_->ListCalls(second, 10)->at(0).id, first);

  EXPECT_TRUE(this->store_->HasCall("BanPlayer", "players/1").value());
  EXPECT_FALSE(this->store_->HasCall("SetReplicaDraining", "a:1").value());
  EXPECT_FALSE(this->store_->HasCall("BanPlayer", "players/2").value());
}

TYPED_TEST_P(AdminStoreContract, StoresAFlagOnceAndJudgesItOnce) {
  const Flag one = this->NewFlag(false), two = this->NewFlag(true);
  EXPECT_EQ(this->store_->AddFlags({one, two}).value(), 2);
  EXPECT_EQ(this->store_->AddFlags({two}).value(), 0);
  Flag turned = two;
  std::swap(turned.first, turned.second);
  EXPECT_EQ(this->store_->AddFlags({turned}).value(), 0);
  const FlagQuery all{.before = kAllIds, .limit = 10};
  std::vector<Flag> flags = this->store_->ListFlags(all).value();
  ASSERT_EQ(flags.size(), 2u);
  EXPECT_EQ(flags[1].first, one.first);
  EXPECT_EQ(flags[1].second, one.second);
  EXPECT_EQ(flags[1].evidence, one.evidence);
  EXPECT_EQ(flags[1].z, one.z);
  EXPECT_EQ(flags[1].deal_count, one.deal_count);
  EXPECT_EQ(flags[1].lost_credit, one.lost_credit);
  EXPECT_FALSE(flags[1].judgement);

  const std::int64_t id = flags[1].id;
  const Judgement judgement{
      .verdict = Verdict::kCollusion, .operator_name = "ada", .why = "the deals show it"};
  EXPECT_TRUE(this->store_->Judge(id, judgement).value());
  EXPECT_FALSE(this->store_->Judge(id, {.verdict = Verdict::kDismissed}).value());
  const Flag judged = this->store_->GetFlag(id)->value();
  ASSERT_TRUE(judged.judgement);
  EXPECT_EQ(judged.judgement->verdict, Verdict::kCollusion);
  EXPECT_EQ(judged.judgement->operator_name, "ada");
  EXPECT_EQ(judged.judgement->why, "the deals show it");
  EXPECT_FALSE(this->store_->GetFlag(id + 100)->has_value());
  flags = this->store_->ListFlags({.only_open = true, .before = kAllIds, .limit = 10}).value();
  ASSERT_EQ(flags.size(), 1u);
  EXPECT_EQ(flags[0].first, two.first);
  EXPECT_EQ(this->store_->ListFlags({.before = flags[0].id, .limit = 10})->size(), 1u);
}

REGISTER_TYPED_TEST_SUITE_P(AdminStoreContract, KeepsEachCallWithItsOutcome,
                            StoresAFlagOnceAndJudgesItOnce);

}  // namespace tarot::admin_service
