// Tests phrases and mutes at a table: their limits, and what each viewer sees. Also tests that
// moves stay valid after a phrase or a mute.
#include <gtest/gtest.h>

#include "libs/base/error.h"
#include "services/rules/limits.h"
#include "services/rules/testing/table_service_fixture.h"

namespace tarot::rules_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

class TableTalkTest : public TableServiceTest {
 protected:
  TableTalkTest() { EXPECT_THAT(process->Start(config_), IsOk()); }

  absl::StatusOr<TableView> Say(const RequestContext& context, RequestId request, Phrase phrase) {
    absl::StatusOr<TableView> answer = absl::UnknownError("no answer");
    process->tables.SayPhrase(context, {.request = request, .phrase = phrase},
                              Process::Into(answer));
    return answer;
  }
  absl::Status Say(int seat, Phrase phrase) {
    return Say(Context(config_, seat), RequestId{entropy.NewUuid()}, phrase).status();
  }

  absl::Status Mute(int seat, int other, bool muted) {
    absl::StatusOr<TableView> answer = absl::UnknownError("no answer");
    process->tables.MuteSeat(Context(config_, seat),
                             {.request = RequestId{entropy.NewUuid()},
                              .seat = static_cast<rules::Seat>(other),
                              .muted = muted},
                             Process::Into(answer));
    return answer.status();
  }

  int Revision() { return Get(config_, 0).revision; }

  TableConfig SlowConfig() {
    TableConfig config = Config(4, 2);
    config.move_limit = absl::Hours(1);
    return config;
  }

  const TableConfig config_ = SlowConfig();
};

std::string WhyLimited(const absl::Status& status) {
  EXPECT_THAT(status, HasReason("TALK_LIMITED"));
  return GetErrorDetails(status).metadata["why"];
}

TEST_F(TableTalkTest, ShowsTheLastPhraseOfEachSeatToAllViewers) {
  const absl::Time now = time.Now();
  EXPECT_THAT(Say(1, Phrase::kHello), IsOk());
  EXPECT_THAT(Say(2, Phrase::kThanks), IsOk());
  time.Advance(kPhraseInterval);
  EXPECT_THAT(Say(1, Phrase::kWellPlayed), IsOk());
  const auto check = [&] {
    for (const TableView& view : {Get(config_, 0), Get(config_, 1), *process->Get(config_.id)}) {
      EXPECT_FALSE(view.phrases[0].has_value());
      EXPECT_EQ(view.phrases[1], (LastPhrase{Phrase::kWellPlayed, now + kPhraseInterval}));
      EXPECT_EQ(view.phrases[2], (LastPhrase{Phrase::kThanks, now}));
    }
  };
  check();
  Restart();
  check();
}

TEST_F(TableTalkTest, OnlySeatsSpeak) {
  RequestContext stranger = Context(config_, 0);
  stranger.caller.player = PlayerId{entropy.NewUuid()};
  const RequestId request{entropy.NewUuid()};
  EXPECT_THAT(Say(stranger, request, Phrase::kHello).status(), HasReason("NOT_SEATED"));
}

TEST_F(TableTalkTest, HidesTheMutedSeatFromOneViewerOnly) {
  EXPECT_THAT(Say(1, Phrase::kHello), IsOk());
  EXPECT_THAT(Mute(0, 1, true), IsOk());
  const auto check = [&] {
    const TableView muting = Get(config_, 0);
    EXPECT_FALSE(muting.phrases[1].has_value());
    EXPECT_TRUE(muting.muted[1]);
    for (const TableView& view : {Get(config_, 1), Get(config_, 2), *process->Get(config_.id)}) {
      EXPECT_TRUE(view.phrases[1].has_value());
      EXPECT_FALSE(view.muted[1]);
    }
  };
  check();
  Restart();
  check();
  EXPECT_THAT(Mute(0, 1, false), IsOk());
  EXPECT_TRUE(Get(config_, 0).phrases[1].has_value());
}

TEST_F(TableTalkTest, RefusesMutesOfNoSeatAndOfTheOwnSeat) {
  const int revision = Revision();
  EXPECT_THAT(Mute(0, 0, true), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Mute(0, 4, true), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Mute(0, 1, false), IsOk()) << "the seat is not muted already";
  EXPECT_EQ(Revision(), revision);
}

TEST_F(TableTalkTest, LimitsPhrasesInTimeAndInADeal) {
  for (int i = 0; i < kPhrasesPerDealMax; ++i) {
    EXPECT_THAT(Say(1, Phrase::kSorry), IsOk());
    if (i == 0) {
      time.Advance(kPhraseInterval - absl::Milliseconds(1));
      const int revision = Revision();
      const absl::Status early = Say(1, Phrase::kSorry);
      EXPECT_EQ(WhyLimited(early), "PHRASE_TOO_SOON");
      EXPECT_EQ(early.message(), "You spoke less than three seconds ago.");
      EXPECT_EQ(Revision(), revision);
      EXPECT_THAT(Say(2, Phrase::kSorry), IsOk()) << "each seat has its own limit";
    }
    time.Advance(kPhraseInterval);
  }
  EXPECT_EQ(WhyLimited(Say(1, Phrase::kSorry)), "PHRASES_OF_DEAL_SPENT");
  for (int i = 0; i < kMutesPerDealMax; ++i) EXPECT_THAT(Mute(3, 1, i % 2 == 0), IsOk());
  EXPECT_EQ(WhyLimited(Mute(3, 1, true)), "MUTES_OF_DEAL_SPENT");
  // In the next deal the limits count from zero again.
  const int deal = Get(config_, 0).deal_number;
  for (int i = 0; i < 4; ++i) {
    const rules::Action pass = rules::Action::Bid(rules::Contract::kPass);
    const int turn = Get(config_, 0).deal->turn;
    ASSERT_THAT(process->Submit(Command(config_, turn, pass)).status(), IsOk());
  }
  time.Advance(kDealPause);
  ASSERT_GT(Get(config_, 0).deal_number, deal);
  EXPECT_THAT(Say(1, Phrase::kHello), IsOk());
  EXPECT_THAT(Mute(3, 1, true), IsOk());
}

TEST_F(TableTalkTest, AnswersARepeatedRequestWithoutANewEntry) {
  const RequestId request{entropy.NewUuid()};
  EXPECT_THAT(Say(Context(config_, 1), request, Phrase::kHello).status(), IsOk());
  const int revision = Revision();
  EXPECT_THAT(Say(Context(config_, 1), request, Phrase::kHello).status(), IsOk());
  Restart();
  EXPECT_THAT(Say(Context(config_, 1), request, Phrase::kHello).status(), IsOk());
  EXPECT_EQ(Revision(), revision);
}

TEST_F(TableTalkTest, MakesNoDecisionStale) {
  const Submission bid = Command(config_, 0, rules::Action::Bid(rules::Contract::kPass));
  const absl::Time clock = Get(config_, 0).turn_expire_time;
  EXPECT_THAT(Say(1, Phrase::kOneMoment), IsOk());
  EXPECT_THAT(Mute(2, 1, true), IsOk());
  absl::StatusOr<TableView> nonce = absl::UnknownError("no answer");
  process->tables.AddNonce(Context(config_, 3),
                           {.request = RequestId{entropy.NewUuid()},
                            .deal_number = Get(config_, 3).deal_number + 1,
                            .nonce = "x"},
                           Process::Into(nonce));
  ASSERT_THAT(nonce.status(), IsOk());
  EXPECT_EQ(Get(config_, 0).turn_expire_time, clock) << "talk gives no time";
  ASSERT_EQ(Revision(), bid.command.expected_revision + 3);
  EXPECT_THAT(process->Submit(bid).status(), IsOk());
  const int revision = Revision();
  EXPECT_THAT(process->Submit(bid).status(), IsOk()) << "a repeat";
  EXPECT_EQ(Revision(), revision);
  // Two kinds of moves are stale: one that names a revision before the bid, and one that names a
  // revision that does not exist.
  Submission stale = Command(config_, 1, rules::Action::Bid(rules::Contract::kPass));
  stale.command.expected_revision = revision - 1;
  EXPECT_THAT(process->Submit(stale).status(), HasReason("REVISION_MISMATCH"));
  stale.command.expected_revision = revision + 1;
  EXPECT_THAT(process->Submit(stale).status(), HasReason("REVISION_MISMATCH"));
}

// A phrase that another process has stored makes no move stale, so the service accepts the bid. The
// test sends the bid only once, because the service would accept a repeat in any case.
TEST_F(TableTalkTest, AnotherProcessThatSpeaksFirstMakesNoDecisionStale) {
  const Submission bid = Command(config_, 0, rules::Action::Bid(rules::Contract::kPass));
  Process other(store, time, entropy);
  absl::StatusOr<TableView> said = absl::UnknownError("no answer");
  other.tables.SayPhrase(Context(config_, 1),
                         {.request = RequestId{entropy.NewUuid()}, .phrase = Phrase::kOneMoment},
                         Process::Into(said));
  ASSERT_THAT(said.status(), IsOk());
  EXPECT_THAT(process->Submit(bid).status(), IsOk());
  EXPECT_EQ(Revision(), bid.command.expected_revision + 2);
  // The other process has not read the bid from the log yet. Now a player sends a phrase to the
  // other process.
  other.tables.SayPhrase(Context(config_, 2),
                         {.request = RequestId{entropy.NewUuid()}, .phrase = Phrase::kHello},
                         Process::Into(said));
  EXPECT_THAT(said.status(), IsOk());
}

TEST_F(TableTalkTest, EndsWithTheMatch) {
  const TableConfig config = Config(0);
  ASSERT_THAT(process->Start(config), IsOk());
  time.Advance(absl::Minutes(10));
  ASSERT_EQ(Get(config, 0).phase, TablePhase::kFinished);
  const int revision = Get(config, 0).revision;
  const RequestId request{entropy.NewUuid()};
  EXPECT_THAT(Say(Context(config, 1), request, Phrase::kGoodGame).status(), HasReason("TALK_OVER"));
  EXPECT_EQ(Get(config, 0).revision, revision);
}

// A seat that says phrases cannot delay the bots, because a bot's answer stays valid after a
// phrase.
TEST_F(TableTalkTest, DelaysNoBot) {
  const TableConfig config = Config(1, 1);
  ASSERT_THAT(process->Start(config), IsOk());
  const rules::Action pass = rules::Action::Bid(rules::Contract::kPass);
  ASSERT_THAT(process->Submit(Command(config, 0, pass)).status(), IsOk());
  ASSERT_EQ(Get(config, 0).deal->turn, 1);
  time.Advance(absl::Milliseconds(50));
  const RequestId request{entropy.NewUuid()};
  EXPECT_THAT(Say(Context(config, 0), request, Phrase::kHello).status(), IsOk());
  ASSERT_EQ(Get(config, 0).deal->turn, 1);
  time.Advance(absl::Milliseconds(50));
  EXPECT_EQ(Get(config, 0).deal->turn, 2);
}

}  // namespace
}  // namespace tarot::rules_service
