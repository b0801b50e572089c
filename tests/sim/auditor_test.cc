// Tests that the auditor finds wrong entries. The test writes these entries, because the service
// never does.
#include "tests/sim/auditor.h"

#include <gtest/gtest.h>

#include <functional>

#include "libs/base/check.h"
#include "libs/base/entropy.h"
#include "libs/rules/claim.h"
#include "libs/rules/testing/random_deals.h"
#include "services/rules/app/errors.h"

namespace tarot::sim {
namespace {

using rules_service::Actor;
using rules_service::BreakEnded;
using rules_service::DealStarted;
using rules_service::DealVoided;
using rules_service::EntryBody;
using rules_service::LogEntry;
using rules_service::Phrase;
using rules_service::PhraseSaid;
using rules_service::ProposalAnswered;
using rules_service::ProposalKind;
using rules_service::Proposed;
using rules_service::SeatMuted;
using rules_service::TableState;
using rules_service::TricksClaimed;

// A table of four players. One process writes its log, and the auditor reads each entry.
class AuditorTest : public testing::Test {
 protected:
  AuditorTest() {
    config_.id = TableId{entropy_.NewUuid()};
    config_.rules = rules::FindRuleSet("fft")->rules;
    config_.deal_count = 50;
    config_.move_limit = absl::Seconds(10);
    config_.time_bank = absl::Seconds(5);
    config_.create_time = world_.now();
    config_.first_seed.emplace().fill(1);
    config_.take_back = config_.breaks = true;
    for (int seat = 0; seat < 4; ++seat) {
      config_.seats.push_back({.player = PlayerId{entropy_.NewUuid()}});
    }
    state_ = NewTable(std::make_shared<const rules_service::TableConfig>(config_));
    auditor_.Created(config_);
    Deal();
  }

  // Lets `span` pass.
  void Wait(absl::Duration span) {
    world_.After(span, [] {});  // Virtual time advances only to the time of an event.
    world_.RunUntil(world_.now() + span, [] { return false; });
  }

  // Returns an entry for `seat`, made as the service makes entries.
  LogEntry Entry(EntryBody body, rules::Seat seat, Actor actor = Actor::kPlayer) {
    return {.revision = state_.revision + 1,
            .request = RequestId{entropy_.NewUuid()},
            .actor = actor,
            .seat = seat,
            .body = std::move(body),
            .elapsed = world_.now() - state_.turn_start,
            .create_time = world_.now()};
  }

  // Tells the auditor that the request of `entry` was sent for the newest revision, or for deal
  // `deal`.
  void Send(const LogEntry& entry, int deal = 0) {
    const bool player = entry.actor == Actor::kPlayer;
    auditor_.Sent({.table = config_.id,
                   .player = player ? config_.seats[At(entry.seat)].player : PlayerId(),
                   .request = entry.request,
                   .body = entry.body,
                   .expected_revision = !player           ? deal
                                        : state_.proposal ? state_.proposal->revision
                                                          : state_.revision});
  }

  // Sends the request of `entry`, and stores the entry.
  void Tell(const LogEntry& entry) {
    Send(entry);
    Store(entry);
  }

  // Returns the entry with which `seat` agrees to the open proposal.
  LogEntry Agreement(rules::Seat seat) {
    const bool last = state_.PendingSeats() == std::vector{seat};
    return Entry(ProposalAnswered{.kind = state_.proposal->kind, .agrees = true, .granted = last},
                 seat);
  }

  // Plays until a player may take a card back.
  void PlayACard() {
    while (state_.before_card == nullptr) {
      if (!state_.match.DealRunning()) Deal();
      Tell(Entry(RandomAction(state_.match.deal, rng_), state_.match.deal.turn));
    }
  }

  // Stores `entry` and shows it to the auditor.
  void Store(const LogEntry& entry) {
    TAROT_CHECK(Advance(state_, entry).ok());
    rules_service::NewEntry stored{.table = config_.id, .entry = entry};
    auditor_.Stored({.name = "rules1", .start = config_.create_time}, stored);
  }

  void Deal() {
    dealing::DealSeed seed;
    entropy_.Fill(absl::MakeSpan(seed));
    const auto start = StartOf(state_.match, *state_.next, seed);
    Store(Entry(DealStarted{std::make_shared<const dealing::DealStart>(start)}, rules::kNoSeat,
                Actor::kServer));
  }

  // Plays until a seat can prove a claim at its turn, and returns the entry of this claim.
  LogEntry PlayToAClaim() {
    while (true) {
      const rules::Deal& deal = state_.match.deal;
      if (!state_.match.DealRunning()) {
        Deal();
        continue;
      }
      if (deal.phase == rules::Phase::kPlaying && deal.trick_count > 1) {
        const rules::ClaimProof proof = ProveClaim(RememberedView(deal, deal.turn));
        if (proof.proven()) return Entry(TricksClaimed{PlayOutClaim(deal, proof)}, deal.turn);
      }
      const LogEntry entry = Entry(RandomAction(deal, rng_), deal.turn);
      Send(entry);
      Store(entry);
    }
  }

  static std::size_t At(rules::Seat seat) { return static_cast<std::size_t>(seat); }

  SimulatedWorld world_{1};
  Auditor auditor_{world_};
  SeededEntropy entropy_{1};
  Rng rng_{1};
  rules_service::TableConfig config_;
  TableState state_;
};

TEST_F(AuditorTest, AcceptsAProvenClaim) {
  LogEntry claim = PlayToAClaim();
  ASSERT_EQ(world_.failure(), "");
  Send(claim);
  Store(claim);
  EXPECT_EQ(world_.failure(), "");
  EXPECT_EQ(auditor_.claims(), 1);
}

TEST_F(AuditorTest, FindsAClaimChargedForTimeWithoutAServer) {
  LogEntry claim = PlayToAClaim();
  Wait(absl::Seconds(12));
  claim.create_time = world_.now();
  claim.elapsed = absl::Milliseconds(12'001);
  Send(claim);
  Store(claim);
  EXPECT_EQ(world_.failure(), "a clock ran without a server");
}

TEST_F(AuditorTest, FindsAClaimOfAnOlderTable) {
  LogEntry claim = PlayToAClaim();
  state_.revision -= 1;
  Send(claim);
  state_.revision += 1;
  Store(claim);
  EXPECT_EQ(world_.failure(), "stored after a change that the player had not seen");
}

TEST_F(AuditorTest, FindsAClaimStoredAsACard) {
  const LogEntry claim = PlayToAClaim();
  Send(claim);
  LogEntry card = claim;
  card.body = rules::Action::Play(std::get<TricksClaimed>(claim.body).cards.front());
  Store(card);
  EXPECT_EQ(world_.failure(), "the stored entry differs from the request");
}

TEST_F(AuditorTest, FindsAPhraseThatComesTooSoon) {
  const auto say = [&] {
    const LogEntry entry = Entry(PhraseSaid{Phrase::kHello}, 2);
    Send(entry);
    Store(entry);
  };
  say();
  Wait(rules_service::kPhraseInterval);
  say();
  EXPECT_EQ(world_.failure(), "");
  Wait(rules_service::kPhraseInterval - absl::Milliseconds(1));
  say();
  EXPECT_EQ(world_.failure(), "a seat spoke again too soon");
}

TEST_F(AuditorTest, FindsAMuteThatChangesNothing) {
  for (const char* const failure : {"", "a stored mute changes nothing"}) {
    const LogEntry entry = Entry(SeatMuted{.seat = 3, .muted = true}, 2);
    Send(entry);
    Store(entry);
    EXPECT_EQ(world_.failure(), failure);
  }
}

TEST_F(AuditorTest, FindsACancelledDealThatTheOperatorDidNotName) {
  for (const int deal : {1, 1}) {
    const LogEntry entry = Entry(DealVoided{"a reason"}, rules::kNoSeat, Actor::kServer);
    Send(entry, deal);
    Store(entry);
    const bool wrong = state_.match.deals_dealt == 2;
    EXPECT_EQ(world_.failure(), wrong ? "another deal is cancelled than the operator named" : "");
    if (!wrong) Deal();
  }
}

TEST_F(AuditorTest, AcceptsACardThatIsTakenBack) {
  PlayACard();
  const rules::Seat seat = state_.before_card->seat;
  Tell(Entry(Proposed{.kind = ProposalKind::kTakeBack}, seat));
  for (const rules::Seat other : state_.PendingSeats()) Tell(Agreement(other));
  EXPECT_EQ(world_.failure(), "");
  EXPECT_EQ(auditor_.cards_back(), 1);
  EXPECT_EQ(state_.match.deal.turn, seat);
}

TEST_F(AuditorTest, FindsTooManyProposals) {
  for (int i = 0; i <= rules_service::kProposalsPerDealMax; ++i) {
    EXPECT_EQ(world_.failure(), "");
    Tell(Entry(Proposed{.kind = ProposalKind::kBreak}, 2));
    Tell(Entry(ProposalAnswered{.kind = ProposalKind::kBreak}, 1));
  }
  EXPECT_EQ(world_.failure(), "a seat made too many proposals");
}

TEST_F(AuditorTest, FindsAnAnswerToAnEarlierProposal) {
  Tell(Entry(Proposed{.kind = ProposalKind::kBreak}, 2));
  const LogEntry late = Agreement(1);
  Send(late);
  Tell(Entry(ProposalAnswered{.kind = ProposalKind::kBreak}, 3));
  Tell(Entry(Proposed{.kind = ProposalKind::kBreak}, 2));
  LogEntry stored = Agreement(1);
  stored.request = late.request;
  Store(stored);
  EXPECT_EQ(world_.failure(), "an answer to another proposal");
}

TEST_F(AuditorTest, FindsAPauseThatTheServerEndsTooEarly) {
  Tell(Entry(Proposed{.kind = ProposalKind::kBreak}, 2));
  Wait(rules_service::kProposalOpenFor - absl::Seconds(1));
  Store(Entry(ProposalAnswered{.kind = ProposalKind::kBreak}, rules::kNoSeat, Actor::kServer));
  EXPECT_EQ(world_.failure(), "the server answered a proposal too early");
}

TEST_F(AuditorTest, FindsABreakThatTheServerEndsTooEarly) {
  Tell(Entry(Proposed{.kind = ProposalKind::kBreak}, 2));
  for (const rules::Seat other : state_.PendingSeats()) Tell(Agreement(other));
  EXPECT_EQ(auditor_.breaks(), 1);
  Wait(rules_service::kBreakMax - absl::Seconds(1));
  Store(Entry(BreakEnded(), rules::kNoSeat, Actor::kServer));
  EXPECT_EQ(world_.failure(), "the server ended a break too early");
}

TEST_F(AuditorTest, FindsARefusalOfAProvenClaim) {
  const LogEntry claim = PlayToAClaim();
  Send(claim);
  auditor_.Refused(claim.request, rules_service::ClaimRefused("TRICK_COULD_BE_LOST", 2));
  EXPECT_EQ(world_.failure(), "a proven claim was refused");
}

}  // namespace
}  // namespace tarot::sim
