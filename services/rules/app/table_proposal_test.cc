// Tests proposals at a table: cards that are taken back, breaks, their clocks and their limits.
#include <gtest/gtest.h>

#include "gmock/gmock.h"
#include "libs/base/error.h"
#include "services/rules/app/record_service.h"
#include "services/rules/limits.h"
#include "services/rules/testing/table_service_fixture.h"

namespace tarot::rules_service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::HasReason;
using testkit::IsOk;

constexpr auto kTakeBack = ProposalKind::kTakeBack;
constexpr auto kBreak = ProposalKind::kBreak;

class TableProposalTest : public TableServiceTest {
 protected:
  TableConfig Casual(int people, int deals = 3) {
    TableConfig config = Config(people, deals);
    config.ranked = false;
    config.take_back = config.breaks = true;
    return config;
  }
  // Makes the table of the test and plays until the first trick begins.
  void Begin(const TableConfig& config) {
    config_ = config;
    ASSERT_THAT(process->Start(config), IsOk());
    while (Now().deal->phase != rules::Phase::kPlaying) Act();
  }

  TableView Now(int viewer = 0) { return Get(config_, viewer); }
  int Turn() { return Now().deal->turn; }

  // Acts for the seat whose turn it is: bids Garde for the first bidder, and plays the fallback
  // action in all other cases. If the seat has a bot, only lets time pass, because the bot acts
  // without the test.
  void Act() {
    const int turn = Turn();
    if (config_.seats[static_cast<std::size_t>(turn)].bot()) {
      return time.Advance(kTakeBackLinger);
    }
    const rules::View view = *Now(turn).deal;
    const bool bids = view.phase == rules::Phase::kBidding && view.bid_count == 0;
    const rules::Action action =
        bids ? rules::Action::Bid(rules::Contract::kGarde) : FallbackAction(view);
    ASSERT_THAT(process->Submit(Command(config_, turn, action)).status(), IsOk());
  }

  absl::Status Propose(int seat, const ProposeCommand& command) {
    absl::StatusOr<TableView> answer = absl::UnknownError("no answer");
    process->tables.Propose(Context(config_, seat), command, Process::Into(answer));
    return answer.status();
  }
  absl::Status Propose(int seat, ProposalKind kind, RequestId request) {
    return Propose(seat, {.request = request, .kind = kind});
  }
  absl::Status Propose(int seat, ProposalKind kind, int expected_revision) {
    return Propose(seat, {.request = RequestId{entropy.NewUuid()},
                          .kind = kind,
                          .expected_revision = expected_revision});
  }
  absl::Status Propose(int seat, ProposalKind kind) {
    return Propose(seat, kind, RequestId{entropy.NewUuid()});
  }
  absl::Status Answer(int seat, int proposal_revision, bool agrees) {
    absl::StatusOr<TableView> answer = absl::UnknownError("no answer");
    process->tables.Answer(Context(config_, seat),
                           {.request = RequestId{entropy.NewUuid()},
                            .proposal_revision = proposal_revision,
                            .agrees = agrees},
                           Process::Into(answer));
    return answer.status();
  }
  // Answers the open proposal.
  absl::Status Answer(int seat, bool agrees) {
    const TableView now = Now();
    return Answer(seat, now.proposal ? now.proposal->revision : 0, agrees);
  }
  absl::Status EndBreak(int seat) {
    absl::StatusOr<TableView> answer = absl::UnknownError("no answer");
    process->tables.EndBreak(Context(config_, seat), RequestId{entropy.NewUuid()},
                             Process::Into(answer));
    return answer.status();
  }
  std::string WhyRefused(int seat, ProposalKind kind) {
    const int revision = Now().revision;
    const absl::Status refused = Propose(seat, kind);
    EXPECT_THAT(refused, HasReason("PROPOSAL_REFUSED"));
    EXPECT_EQ(Now().revision, revision) << "A refused proposal changes nothing.";
    return GetErrorDetails(refused).metadata["why"];
  }

  TableConfig config_;
};

TEST_F(TableProposalTest, TakesACardBackWhenAllAgree) {
  Begin(Casual(4));
  time.Advance(absl::Seconds(12));  // The seat has used two seconds of its time bank so far.
  const int seat = Turn();
  const TableView before = Now(seat);
  Act();
  EXPECT_EQ(Now().take_back, seat);
  EXPECT_EQ(Now().seats[static_cast<std::size_t>(seat)].time_bank, absl::Seconds(3));
  EXPECT_THAT(Propose(seat, kTakeBack), IsOk());
  EXPECT_EQ(Now().proposal->seat, seat);
  EXPECT_EQ(Now().pending.size(), 3u);
  EXPECT_EQ(Now().turn_expire_time, absl::InfiniteFuture());
  time.Advance(absl::Seconds(15));
  for (int other = 1; other < 4; ++other) {
    ASSERT_TRUE(Now().proposal);
    EXPECT_THAT(Answer((seat + other) % 4, true), IsOk());
  }
  const TableView after = Now(seat);
  EXPECT_FALSE(after.proposal);
  EXPECT_EQ(after.deal->turn, seat);
  EXPECT_EQ(after.deal->hand, before.deal->hand);
  EXPECT_EQ(after.seats[static_cast<std::size_t>(seat)].time_bank, absl::Seconds(5));
  EXPECT_EQ(after.turn_expire_time, time.Now() + absl::Seconds(3)) << "12 of 15 s are spent.";
  EXPECT_EQ(after.take_back, rules::kNoSeat);

  // The record must contain the card that the seat plays next. It must not contain the card that
  // the seat has taken back.
  const rules::Card other_card = after.deal->legal.cards.Last();
  EXPECT_THAT(process->Submit(Command(config_, seat, rules::Action::Play(other_card))).status(),
              IsOk());
  while (Now().phase == TablePhase::kPlaying) Act();
  const auto record = RecordService(store).Get(config_.id, 1);
  ASSERT_THAT(record.status(), IsOk());
  EXPECT_EQ(record->deal.result.scores, Now().deal->result.scores);
  const StoredTable stored = *store.Load(config_.id);
  const auto replayed = Replay(std::make_shared<const TableConfig>(stored.config), stored.log);
  ASSERT_THAT(replayed.status(), IsOk());
  EXPECT_EQ(replayed->match.totals, Now().totals);
}

TEST_F(TableProposalTest, ALateProposalTakesNoNewerCardBack) {
  Begin(Casual(4));
  const int seat = Turn();
  Act();
  const int first_card = Now().revision;
  EXPECT_THAT(Propose(seat, kTakeBack, first_card - 1), HasReason("PROPOSAL_REFUSED"))
      << "The player has not seen the card on the table.";
  do Act();
  while (Now().take_back != seat);
  const TableView newer = Now(seat);
  EXPECT_THAT(Propose(seat, kTakeBack, first_card), HasReason("PROPOSAL_REFUSED"));
  EXPECT_EQ(Now(seat).revision, newer.revision);
  EXPECT_THAT(Propose(seat, kTakeBack, newer.revision), IsOk());
}

TEST_F(TableProposalTest, OneRefusalEndsAProposal) {
  Begin(Casual(4));
  const int seat = Turn();
  Act();
  const TableView played = Now();
  time.Advance(absl::Seconds(4));
  EXPECT_THAT(Propose(seat, kTakeBack), IsOk());
  const int first = Now().proposal->revision;
  EXPECT_THAT(Answer((seat + 1) % 4, first - 1, true), HasReason("NO_PROPOSAL"));
  EXPECT_THAT(Answer((seat + 1) % 4, true), IsOk());
  time.Advance(absl::Seconds(9));
  EXPECT_THAT(Answer((seat + 2) % 4, false), IsOk());
  EXPECT_FALSE(Now().proposal);
  EXPECT_EQ(Turn(), played.deal->turn);
  EXPECT_EQ(Now().turn_expire_time, time.Now() + absl::Seconds(11)) << "4 of 15 s are spent.";
  EXPECT_THAT(Answer((seat + 2) % 4, true), HasReason("NO_PROPOSAL"));
  EXPECT_THAT(Propose(seat, kTakeBack), IsOk()) << "No seat has played after the card.";
  EXPECT_THAT(Answer((seat + 1) % 4, first, true), HasReason("NO_PROPOSAL")) << "a late answer";
  EXPECT_THAT(Answer(seat, false), IsOk()) << "The seat withdraws its proposal.";
  EXPECT_FALSE(Now().proposal);
}

TEST_F(TableProposalTest, TellsHowTheLastProposalEnded) {
  using Outcome = ClosedProposal::Outcome;
  Begin(Casual(4));
  const int seat = Turn();
  const int next = (seat + 1) % 4;
  EXPECT_FALSE(Now().last_proposal);
  EXPECT_THAT(Propose(seat, kBreak), IsOk());
  const int revision = Now().proposal->revision;
  EXPECT_THAT(Answer(next, false), IsOk());
  ASSERT_TRUE(Now().last_proposal);
  EXPECT_EQ(Now().last_proposal->revision, revision);
  EXPECT_EQ(Now().last_proposal->outcome, Outcome::kRefused);
  EXPECT_EQ(Now().last_proposal->seats, std::vector<rules::Seat>{next});
  EXPECT_THAT(Propose(seat, kBreak), IsOk());
  for (const int other : {1, 2}) EXPECT_THAT(Answer((seat + other) % 4, true), IsOk());
  time.Advance(kProposalOpenFor);
  EXPECT_EQ(Now().last_proposal->outcome, Outcome::kLapsed);
  EXPECT_EQ(Now().last_proposal->seats, std::vector<rules::Seat>{(seat + 3) % 4});
  EXPECT_THAT(Propose(next, kBreak), IsOk());
  for (const int other : {0, 2, 3}) EXPECT_THAT(Answer((seat + other) % 4, true), IsOk());
  EXPECT_EQ(Now().last_proposal->outcome, Outcome::kGranted);
  EXPECT_EQ(Now().last_proposal->ended_by, rules::kNoSeat);
  EXPECT_THAT(EndBreak(seat), IsOk());
  EXPECT_EQ(Now().last_proposal->ended_by, seat);
}

TEST_F(TableProposalTest, TakesACardBackWithoutTheSeatThatSitsOut) {
  TableConfig config = Casual(4);
  config.seats.push_back({.player = PlayerId{entropy.NewUuid()}, .display_name = "P"});
  config.rules = rules::FindRuleSet("fft_dead5")->rules;
  Begin(config);
  const rules::Seat out = Now().deal->sits_out;
  ASSERT_NE(out, rules::kNoSeat);
  const int seat = Turn();
  Act();
  EXPECT_THAT(Propose(seat, kTakeBack), IsOk());
  EXPECT_THAT(Now().pending, testing::SizeIs(3));
  EXPECT_THAT(Now().pending, testing::Not(testing::Contains(out)));
  for (rules::Seat other = 0; other < 5; ++other) {
    if (other == seat || other == out) continue;
    EXPECT_THAT(Answer(other, true), IsOk());
  }
  EXPECT_EQ(Turn(), seat) << "the card is taken back";
  EXPECT_THAT(Propose(seat, kBreak), IsOk());
  EXPECT_THAT(Now().pending, testing::Contains(out)) << "all persons must agree to a break";
}

TEST_F(TableProposalTest, NoSeatPlaysWhileAProposalIsOpen) {
  Begin(Casual(4));
  const int seat = Turn();
  Act();
  EXPECT_THAT(Propose(seat, kTakeBack), IsOk());
  const int next = Turn();
  const rules::View view = *Now(next).deal;
  EXPECT_THAT(process->Submit(Command(config_, next, FallbackAction(view))).status(),
              HasReason("GAME_PAUSED"));
  EXPECT_EQ(WhyRefused(next, kBreak), "PROPOSAL_OPEN");
  absl::StatusOr<TableView> claimed = absl::UnknownError("no answer");
  process->tables.ClaimTricks(
      Context(config_, next),
      {.request = RequestId{entropy.NewUuid()}, .expected_revision = Now().revision},
      Process::Into(claimed));
  EXPECT_THAT(claimed.status(), HasReason("GAME_PAUSED"));
  // If the time of a proposal is over, the server refuses the proposal, even after a restart of the
  // server.
  Restart();
  ASSERT_THAT(process->tables.Current(config_.id).status(), IsOk());
  ASSERT_TRUE(Now().proposal);
  time.Advance(kProposalOpenFor);
  EXPECT_FALSE(Now().proposal);
  EXPECT_EQ(Turn(), next);
  EXPECT_NE(Now().turn_expire_time, absl::InfiniteFuture());
}

TEST_F(TableProposalTest, RefusesACardThatTheNextSeatHasAnswered) {
  Begin(Casual(4));
  const int seat = Turn();
  EXPECT_EQ(WhyRefused(seat, kTakeBack), "NO_CARD");
  Act();
  EXPECT_EQ(WhyRefused((seat + 1) % 4, kTakeBack), "NO_CARD") << "It is another seat's card.";
  Act();
  EXPECT_EQ(WhyRefused(seat, kTakeBack), "NO_CARD");
  EXPECT_EQ(Now().take_back, (seat + 1) % 4);
}

TEST_F(TableProposalTest, BotsAgreeAtOnceAndWaitForTheLastCard) {
  Begin(Casual(1));
  while (Turn() != 0) Act();
  const TableView before = Now();
  Act();
  time.Advance(kTakeBackLinger - absl::Milliseconds(1));
  EXPECT_EQ(Now().take_back, 0) << "The next bot waits.";
  EXPECT_THAT(Propose(0, kTakeBack), IsOk());
  EXPECT_FALSE(Now().proposal);
  EXPECT_EQ(Turn(), 0);
  EXPECT_EQ(Now().deal->hand, before.deal->hand);
  Act();
  time.Advance(kTakeBackLinger);
  EXPECT_NE(Now().take_back, 0);
  EXPECT_EQ(WhyRefused(0, kTakeBack), "NO_CARD");
}

// A slow commit is charged to no player: the turn begins only when the players see that the break
// is over.
TEST_F(TableProposalTest, ASlowDiskCostsNoTimeAfterABreak) {
  Begin(Casual(4));
  const int turn = Turn();
  time.Advance(absl::Seconds(6));
  EXPECT_THAT(Propose(turn, kBreak), IsOk());
  for (int other = 1; other < 4; ++other) EXPECT_THAT(Answer((turn + other) % 4, true), IsOk());
  store.commit_time = absl::Seconds(3);
  EXPECT_THAT(EndBreak(turn), IsOk());
  EXPECT_EQ(Now().turn_expire_time, time.Now() + absl::Seconds(9));
}

// If the player in the seat plays a card, the number of missed moves becomes zero. The number stays
// zero when the player takes this card back.
TEST_F(TableProposalTest, TakingACardBackDoesNotRestoreMissedMoves) {
  Begin(Casual(4));
  const int seat = Turn();
  time.Advance(absl::Seconds(16));  // The seat's time runs out, so a bot plays for the seat.
  EXPECT_EQ(Now().seats[static_cast<std::size_t>(seat)].strikes, 1);
  while (Turn() != seat) Act();
  Act();
  EXPECT_THAT(Propose(seat, kTakeBack), IsOk());
  for (int other = 1; other < 4; ++other) EXPECT_THAT(Answer((seat + other) % 4, true), IsOk());
  EXPECT_EQ(Turn(), seat);
  EXPECT_EQ(Now().seats[static_cast<std::size_t>(seat)].strikes, 0);
}

TEST_F(TableProposalTest, ABreakStopsTheClocksUntilASeatEndsIt) {
  Begin(Casual(2));
  while (config_.seats[static_cast<std::size_t>(Turn())].bot()) Act();
  const int turn = Turn(), other = 1 - turn;
  time.Advance(absl::Seconds(6));
  EXPECT_THAT(Propose(other, kBreak), IsOk());
  EXPECT_THAT(Now().pending, ElementsAre(turn));
  EXPECT_THAT(Answer(turn, true), IsOk());
  EXPECT_EQ(Now().break_expire_time, time.Now() + kBreakMax);
  EXPECT_EQ(WhyRefused(other, kBreak), "BREAK_RUNS");
  time.Advance(kBreakMax - absl::Seconds(1));
  EXPECT_EQ(Now().turn_expire_time, absl::InfiniteFuture());
  const absl::Status early =
      process->Submit(Command(config_, turn, FallbackAction(*Now(turn).deal))).status();
  EXPECT_THAT(early, HasReason("GAME_PAUSED"));
  EXPECT_EQ(GetErrorDetails(early).metadata["why"], "BREAK_RUNS");
  EXPECT_THAT(EndBreak(turn), IsOk());
  EXPECT_EQ(Now().turn_expire_time, time.Now() + absl::Seconds(9)) << "6 of 15 s are spent.";
  const int revision = Now().revision;
  EXPECT_THAT(EndBreak(turn), IsOk());
  EXPECT_EQ(Now().revision, revision) << "There is no break to end.";
}

TEST_F(TableProposalTest, ABreakBetweenDealsEndsByItself) {
  Begin(Casual(4));
  while (Now().phase == TablePhase::kPlaying) Act();
  EXPECT_THAT(Propose(0, kBreak), IsOk());
  for (int seat = 1; seat < 4; ++seat) EXPECT_THAT(Answer(seat, true), IsOk());
  Restart();
  ASSERT_THAT(process->tables.Current(config_.id).status(), IsOk());
  time.Advance(kBreakMax - absl::Seconds(1));
  EXPECT_EQ(Now().deal_number, 1);
  EXPECT_TRUE(Now().break_expire_time);
  time.Advance(absl::Seconds(1) + kDealPause);
  EXPECT_FALSE(Now().break_expire_time);
  EXPECT_EQ(Now().deal_number, 2);
}

TEST_F(TableProposalTest, AVoidDealEndsAProposal) {
  Begin(Casual(4));
  EXPECT_THAT(Propose(0, kBreak), IsOk());
  absl::StatusOr<TableView> voided = absl::UnknownError("no answer");
  process->tables.VoidDeal(
      config_.id, {.request = RequestId{entropy.NewUuid()}, .deal_number = 1, .reason = "A fault."},
      Process::Into(voided));
  ASSERT_THAT(voided.status(), IsOk());
  EXPECT_FALSE(voided->proposal);
  EXPECT_EQ(voided->take_back, rules::kNoSeat);
  time.Advance(kDealPause);
  EXPECT_EQ(Now().deal_number, 2);
}

TEST_F(TableProposalTest, LimitsTheProposalsOfADeal) {
  Begin(Casual(4));
  const RequestId request{entropy.NewUuid()};
  for (int i = 0; i < kProposalsPerDealMax; ++i) {
    EXPECT_THAT(Propose(2, kBreak, i == 0 ? request : RequestId{entropy.NewUuid()}), IsOk());
    EXPECT_THAT(Answer(2, false), IsOk());
  }
  EXPECT_THAT(Propose(2, kBreak), HasReason("PROPOSALS_SPENT"));
  while (Turn() != 2) Act();
  Act();
  EXPECT_EQ(Now().take_back, rules::kNoSeat) << "No card can be taken back either.";
  EXPECT_THAT(Propose(2, kBreak, request), IsOk()) << "A repeat is not counted.";
  EXPECT_THAT(Propose(3, kBreak), IsOk()) << "The limit is for each seat.";
}

TEST_F(TableProposalTest, FollowsTheOptionsOfTheTable) {
  TableConfig config = Casual(4);
  config.take_back = false;
  Begin(config);
  const int seat = Turn();
  Act();
  EXPECT_EQ(Now().take_back, rules::kNoSeat);
  EXPECT_EQ(WhyRefused(seat, kTakeBack), "NOT_AN_OPTION");
  EXPECT_THAT(Propose(seat, kBreak), IsOk());
  config = Casual(4);
  config.breaks = false;
  Begin(config);
  EXPECT_EQ(WhyRefused(seat, kBreak), "NOT_AN_OPTION");
  config = Casual(4);
  config.ranked = true;
  EXPECT_THAT(process->Start(config), HasReason("BAD_REQUEST"));
}

TEST_F(TableProposalTest, TheFoldRefusesAGrantThatAPersonHasNotGiven) {
  Begin(Casual(4));
  const int seat = Turn();
  Act();
  EXPECT_THAT(Propose(seat, kTakeBack), IsOk());
  StoredTable stored = *store.Load(config_.id);
  std::get<Proposed>(stored.log.back().body).granted = true;
  EXPECT_THAT(Replay(std::make_shared<const TableConfig>(stored.config), stored.log),
              HasReason("BUG"));
}

}  // namespace
}  // namespace tarot::rules_service
