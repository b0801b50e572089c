// Tests claims at a table: which claims the service refuses, and how it stores and shows a claim
// that it accepts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libs/rules/claim.h"
#include "services/rules/app/record_service.h"
#include "services/rules/testing/table_service_fixture.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

class TableClaimTest : public TableServiceTest {
 protected:
  TableClaimTest() { EXPECT_THAT(process->Start(config_), IsOk()); }

  TableView Now() { return Get(config_, 0); }

  absl::StatusOr<TableView> Claim(int seat, RequestId request, int revision) {
    absl::StatusOr<TableView> answer = absl::UnknownError("no answer");
    process->tables.ClaimTricks(Context(config_, seat),
                                {.request = request, .expected_revision = revision},
                                Process::Into(answer));
    return answer;
  }
  absl::Status Claim(int seat) {
    return Claim(seat, RequestId{entropy.NewUuid()}, Now().revision).status();
  }

  // Acts for the seat whose turn it is: bids Garde or plays the fallback action.
  void Act() {
    const int turn = Now().deal->turn;
    const rules::View view = *Get(config_, turn).deal;
    const bool bids = view.phase == rules::Phase::kBidding && view.bid_count == 0;
    const rules::Action action =
        bids ? rules::Action::Bid(rules::Contract::kGarde) : FallbackAction(view);
    ASSERT_THAT(process->Submit(Command(config_, turn, action)).status(), IsOk());
  }

  // Plays until a claim is accepted. Returns the claiming seat's view of the table before the
  // claim.
  TableView PlayToAClaim(RequestId request) {
    while (!HasFailure()) {
      const TableView now = Now();
      if (now.phase == TablePhase::kFinished) break;
      if (now.phase == TablePhase::kDealing) {
        time.Advance(kDealPause);
        continue;
      }
      const TableView before = Get(config_, now.deal->turn);
      if (now.deal->phase == rules::Phase::kPlaying && now.deal->trick_count > 1) {
        const auto answer = Claim(now.deal->turn, request, now.revision);
        if (answer.ok()) return before;
        EXPECT_THAT(answer.status(), HasReason("CLAIM_REFUSED"));
        EXPECT_EQ(Now().revision, now.revision) << "a refused claim changes nothing";
      }
      Act();
    }
    ADD_FAILURE() << "no claim was accepted";
    return Now();
  }

  const TableConfig config_ = Config(4, 50);
};

TEST_F(TableClaimTest, IsRefusedOutsideTheTricksOutOfTurnAndInTheFirstTrick) {
  const auto why = [](const absl::Status& refused) {
    EXPECT_THAT(refused, HasReason("CLAIM_REFUSED"));
    return GetErrorDetails(refused).metadata["why"];
  };
  EXPECT_EQ(why(Claim(Now().deal->turn)), "NOT_PLAYING");
  while (Now().deal->phase != rules::Phase::kPlaying) Act();
  const int turn = Now().deal->turn;
  EXPECT_EQ(why(Claim(turn)), "FIRST_TRICK");
  EXPECT_THAT(Claim((turn + 1) % 4), HasReason("NOT_YOUR_TURN"));
  EXPECT_THAT(Claim(turn, RequestId{entropy.NewUuid()}, 1).status(),
              HasReason("REVISION_MISMATCH"));
  while (Now().deal->trick_count == 1) Act();
  const absl::Status refused = Claim(Now().deal->turn);
  EXPECT_THAT(refused, HasReason("CLAIM_REFUSED"));
  EXPECT_EQ(GetErrorDetails(refused).metadata.at("why"), "TRICK_COULD_BE_LOST");
  EXPECT_NE(GetErrorDetails(refused).metadata.at("trick"), "0");
  EXPECT_EQ(process->metrics.actions_refused.Value(), 4) << "refused claims are counted";
}

TEST_F(TableClaimTest, IsRefusedWhileABotHoldsTheSeat) {
  const auto held = [&] {
    const TableView now = Now();
    const auto turn = static_cast<std::size_t>(now.deal->turn);
    return now.phase == TablePhase::kPlaying && now.seats[turn].held();
  };
  while (Now().deal->phase != rules::Phase::kPlaying) Act();
  // No player acts. So the clock of each seat runs out twice, and then a bot holds the seat. The
  // bot waits before it acts, so it can still be the turn of this seat in the checks below.
  while (!held() && Now().deal->phase == rules::Phase::kPlaying) {
    time.Advance(absl::Milliseconds(50));
  }
  ASSERT_TRUE(held());
  ASSERT_GT(Now().deal->trick_count, 1);
  const absl::Status refused = Claim(Now().deal->turn);
  EXPECT_THAT(refused, HasReason("CLAIM_REFUSED"));
  EXPECT_EQ(GetErrorDetails(refused).metadata.at("why"), "SEAT_HELD");
}

TEST_F(TableClaimTest, EndsTheDealWithOrdinaryCards) {
  const RequestId request{entropy.NewUuid()};
  const TableView before = PlayToAClaim(request);
  const TableView after = Now();
  EXPECT_EQ(after.revision, before.revision + 1);
  ASSERT_EQ(after.deal->phase, rules::Phase::kDone);
  EXPECT_EQ(after.claim, (DealClaim{.seat = before.viewer, .trick = before.deal->trick_count}));
  for (int trick = before.deal->trick_count; trick <= after.deal->trick_count; ++trick) {
    EXPECT_EQ(after.deal->tricks[static_cast<std::size_t>(trick - 1)].winner, before.viewer);
  }
  RecordService records(store);
  const auto record = records.Get(config_.id, after.deal_number);
  ASSERT_THAT(record.status(), IsOk());
  EXPECT_EQ(record->claim, after.claim);
  EXPECT_EQ(record->deal.result.scores, after.deal->result.scores);
  for (const DealRecord::Entry& entry : record->entries) EXPECT_FALSE(entry.stand_in);
  EXPECT_EQ(records.Sheet(config_.id)->lines.back().claim, after.claim);
  // A repeated claim changes nothing, and a replay of the log gives the same table.
  EXPECT_THAT(Claim(before.viewer, request, before.revision).status(), IsOk());
  EXPECT_EQ(Now().revision, after.revision);
  Restart();
  EXPECT_EQ(Now().totals, after.totals);
  EXPECT_EQ(Now().claim, after.claim);
  ASSERT_THAT(process->tables.Current(config_.id).status(), IsOk());  // Acquires the table.
  time.Advance(kDealPause);
  EXPECT_EQ(Now().claim, DealClaim()) << "the next deal has no claim";
}

// The cards of this claim are legal, and the deal ends with them. But the claiming seat does not
// win every trick.
TEST_F(TableClaimTest, TheFoldRefusesAClaimThatLosesATrick) {
  while (Now().deal->phase != rules::Phase::kPlaying || Now().deal->trick_count == 1) Act();
  const StoredTable stored = *store.Load(config_.id);
  TableState state = *Replay(std::make_shared<const TableConfig>(stored.config), stored.log);
  LogEntry claim{.revision = state.revision + 1, .seat = state.match.deal.turn};
  TricksClaimed claimed;
  for (rules::Deal deal = state.match.deal; deal.phase == rules::Phase::kPlaying;) {
    claimed.cards.push_back(ListLegal(deal).cards.First());
    ASSERT_TRUE(Apply(deal, deal.turn, rules::Action::Play(claimed.cards.back())).ok());
  }
  claim.body = std::move(claimed);
  const absl::Status refused = Advance(state, claim);
  EXPECT_THAT(refused, HasReason("BUG"));
  EXPECT_THAT(std::string(refused.message()), testing::HasSubstr("a trick is lost"));
}

TEST_F(TableClaimTest, TheFoldRefusesAClaimWithoutAllItsTricks) {
  const TableView before = PlayToAClaim(RequestId{entropy.NewUuid()});
  StoredTable stored = *store.Load(config_.id);
  LogEntry claim = stored.log.back();
  stored.log.pop_back();
  TableState state = *Replay(std::make_shared<const TableConfig>(stored.config), stored.log);
  ASSERT_EQ(state.match.deal.turn, before.viewer);
  auto& cards = std::get<TricksClaimed>(claim.body).cards;
  cards.pop_back();
  EXPECT_THAT(Advance(state, claim), HasReason("BUG"));
}

}  // namespace
}  // namespace tarot::rules_service
