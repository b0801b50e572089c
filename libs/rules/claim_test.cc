#include "libs/rules/claim.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "libs/rules/testing/claim_search.h"
#include "libs/rules/testing/test_table.h"

namespace tarot::rules {
namespace {

using Moves = std::vector<std::pair<Seat, Action>>;

ClaimProof ProofOf(const Deal& deal) { return ProveClaim(RememberedView(deal, deal.turn)); }

absl::Span<const Card> OrderOf(const ClaimProof& proof) {
  return {proof.order.data(), static_cast<std::size_t>(proof.size)};
}

// Returns whether `claimer` wins all tricks that are left, however the other seats play. `claimer`
// plays the cards of `order`, one to each of these tricks.
bool WinsAlways(const Deal& deal, Seat claimer, absl::Span<const Card> order) {
  Deal next = deal;
  while (next.phase == Phase::kPlaying && next.turn == claimer) {
    if (!Apply(next, claimer, Action::Play(order.front())).ok()) return false;
    order = order.subspan(1);
    const int over = next.phase == Phase::kDone ? next.trick_count : next.trick_count - 1;
    if (over > deal.trick_count - 1 && TrickAt(next, over - 1).winner != claimer) return false;
  }
  if (next.phase != Phase::kPlaying) return true;
  for (const Card card : ListLegal(next).cards) {
    Deal after = next;
    const int trick = after.trick_count;
    if (!Apply(after, after.turn, Action::Play(card)).ok()) return false;
    const Trick& played = TrickAt(after, trick - 1);
    if (played.winner != kNoSeat && played.winner != claimer) return false;
    if (!WinsAlways(after, claimer, order)) return false;
  }
  return true;
}

// Plays the remaining tricks once. The other seats play random cards. Returns whether `claimer`
// wins every trick.
bool WinsOnce(Deal deal, Seat claimer, absl::Span<const Card> order, Rng& rng) {
  while (deal.phase == Phase::kPlaying) {
    Card card = kNoCard;
    if (deal.turn == claimer) {
      card = order.front();
      order = order.subspan(1);
    } else {
      card = Pick(ListLegal(deal).cards, rng);
    }
    const int trick = deal.trick_count;
    if (!Apply(deal, deal.turn, Action::Play(card)).ok()) return false;
    const Seat winner = TrickAt(deal, trick - 1).winner;
    if (winner != kNoSeat && winner != claimer) return false;
  }
  return true;
}

// A deal with the actions that led to it.
struct Position {
  Deal start;
  Moves moves;
  Deal deal;

  void Do(const Action& action) {
    moves.emplace_back(deal.turn, action);
    ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
  }
};

// Exchanges two cards that `viewer` cannot see. Returns the new position, or nullopt if the same
// actions do not lead to it. `viewer` cannot tell the new position from the old position.
std::optional<Position> Exchanged(const Position& from, Seat viewer, Rng& rng) {
  const Deal& deal = from.deal;
  // The last two places are the écart and the dog.
  std::array<CardSet, kPlayersMax + 2> places;
  std::copy(deal.hands.begin(), deal.hands.end(), places.begin());
  places[static_cast<std::size_t>(viewer)] = CardSet();
  if (viewer != deal.taker) places[kPlayersMax] = deal.discard - deal.DiscardShown();
  const bool taken = !deal.discard.Empty();
  if (!taken) places[kPlayersMax + 1] = deal.dog;
  const auto one = static_cast<std::size_t>(rng.Below(kPlayersMax + 2));
  const auto other = static_cast<std::size_t>(rng.Below(kPlayersMax + 2));
  if (one == other || places[one].Empty() || places[other].Empty()) return std::nullopt;
  const Card a = Pick(places[one], rng);
  const Card b = Pick(places[other], rng);

  Position to{.start = from.start};
  const auto exchange = [&](CardSet& set) {
    const bool has_a = set.Contains(a);
    const bool has_b = set.Contains(b);
    if (has_a == has_b) return;
    (has_a ? set.Erase(a) : set.Erase(b));
    (has_a ? set.Insert(b) : set.Insert(a));
  };
  // The shown dog must stay the same. If one of the two cards comes from the dog, the exchange is
  // possible only between the taker's hand and the écart.
  if (taken && (deal.dog.Contains(a) || deal.dog.Contains(b))) {
    const auto taker = static_cast<std::size_t>(deal.taker);
    const auto at_taker = [&](std::size_t place) { return place == taker || place == kPlayersMax; };
    if (!at_taker(one) || !at_taker(other)) return std::nullopt;
  } else {
    for (CardSet& hand : to.start.dealt) exchange(hand);
  }
  if (!taken) exchange(to.start.dog);
  const Seat board = deal.rules.taker_by == TakerBy::kBoard ? deal.taker : kNoSeat;
  to.start = StartDeal(deal.rules, deal.players, deal.dealer, to.start.dealt, to.start.dog, board);
  to.deal = to.start;
  for (const auto& [seat, action] : from.moves) {
    Action changed = action;
    if (action.kind == Action::Kind::kDiscard) exchange(changed.cards);
    if (!Apply(to.deal, seat, changed).ok()) return std::nullopt;
    to.moves.emplace_back(seat, changed);
  }
  return to;
}

// Plays a random deal until `tricks` tricks are left. In half of the deals the seats often play
// high cards, so the endings are more varied.
std::optional<Position> RandomEnding(int tricks, Rng& rng) {
  const auto& sets = RuleSets();
  const RuleSet& rules =
      sets[static_cast<std::size_t>(rng.Below(static_cast<int>(sets.size())))].rules;
  const int players = rules.players_min + rng.Below(rules.players_max - rules.players_min + 1);
  Position position{.start = RandomDeal(rules, players, rng)};
  position.deal = position.start;
  const bool high = rng.Below(2) == 0;
  const int last = rules.HandSize(players) - tricks + 1;
  while (position.deal.phase != Phase::kPlaying || position.deal.trick_count < last) {
    const Deal& deal = position.deal;
    if (deal.phase == Phase::kDone) return std::nullopt;
    Action action = RandomAction(deal, rng);
    if (high && action.kind == Action::Kind::kPlay && rng.Below(3) > 0) {
      const CardSet cards = ListLegal(deal).cards;
      action = Action::Play(deal.CurrentTrick().size == 0 ? cards.First() : cards.Last());
    }
    position.Do(action);
  }
  for (int skip = rng.Below(2) * rng.Below(position.deal.playing); skip > 0; --skip) {
    position.Do(RandomAction(position.deal, rng));
  }
  return position;
}

// Returns whether a search found a distribution of the hidden cards and a line of play in which
// `order` loses a trick.
bool Refuted(const Position& from, absl::Span<const Card> order, int exchanges, Rng& rng) {
  const Seat claimer = from.deal.turn;
  const bool small = order.size() <= 3;
  Position position = from;
  for (int i = 0; i < exchanges; ++i) {
    if (small ? !WinsAlways(position.deal, claimer, order)
              : !WinsOnce(position.deal, claimer, order, rng)) {
      return true;
    }
    for (int tries = 0; tries < 20; ++tries) {
      std::optional<Position> next = Exchanged(position, claimer, rng);
      if (!next) continue;
      position = *std::move(next);
      break;
    }
  }
  return false;
}

TEST(ClaimPropertyTest, NoProvenClaimFailsInAnyWorldThatTheSeatCannotTellApart) {
  Rng rng(1);
  int proven = 0;
  for (int i = 0; i < 30000; ++i) {
    const auto position = RandomEnding(1 + rng.Below(i % 4 == 0 ? 9 : 3), rng);
    if (!position) continue;
    const ClaimProof proof = ProofOf(position->deal);
    if (!proof.proven()) continue;
    ++proven;
    EXPECT_EQ(proof.size,
              position->deal.hands[static_cast<std::size_t>(position->deal.turn)].Size());
    ASSERT_FALSE(Refuted(*position, OrderOf(proof), 25, rng)) << "ending " << i;
  }
  EXPECT_GT(proven, 1000);
}

TEST(ClaimPropertyTest, TheAnswerDoesNotDependOnHiddenCards) {
  Rng rng(2);
  int compared = 0;
  int proven = 0;
  for (int i = 0; i < 20'000; ++i) {
    // Three of four endings have at most two tricks, because then a seat can prove more claims.
    const auto position = RandomEnding(1 + rng.Below(i % 4 == 0 ? 8 : 2), rng);
    if (!position) continue;
    const Seat claimer = position->deal.turn;
    const auto other = Exchanged(*position, claimer, rng);
    if (!other) continue;
    ++compared;
    const ClaimProof a = ProofOf(position->deal);
    const ClaimProof b = ProofOf(other->deal);
    ASSERT_EQ(a.lost_trick, b.lost_trick) << "ending " << i;
    ASSERT_EQ(a.order, b.order) << "ending " << i;
    proven += a.proven();
  }
  EXPECT_GT(compared, 500);
  EXPECT_GT(proven, 100) << "the orders are compared only if the claims are proven";
}

// Returns whether the Excuse may still win the last trick of a slam.
bool ExcuseMayWin(const View& view) {
  CardSet played;
  for (int i = 0; i < view.trick_count; ++i) {
    const Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    for (int at = 0; at < trick.size; ++at)
      played.Insert(trick.cards[static_cast<std::size_t>(at)]);
  }
  const bool over = played.Contains(kExcuse) &&
                    view.tricks[static_cast<std::size_t>(view.trick_count - 1)].size == 0;
  return !over && view.rules.excuse_slam_wins_when_led;
}

// Compares the proof with an exact search. The search must agree with every proven claim. It may
// find a few more claims, because the proof tries only some orders of the seat's cards.
TEST(ClaimPropertyTest, AgreesWithAnExactSearchInMoreThan99Of100TrueClaims) {
  Rng rng(3);
  int compared = 0;
  int wins = 0;
  int proven = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto position = RandomEnding(2 + rng.Below(3), rng);
    if (!position) continue;
    const View view = RememberedView(position->deal, position->deal.turn);
    if (ExcuseMayWin(view)) continue;
    const ClaimSearch::Answer answer = ClaimSearch::Find(view, 20'000);
    if (answer == ClaimSearch::Answer::kUnknown) continue;
    ++compared;
    wins += answer == ClaimSearch::Answer::kWins;
    if (!ProveClaim(view).proven()) continue;
    ++proven;
    ASSERT_NE(answer, ClaimSearch::Answer::kMayLose) << "ending " << i;
  }
  RecordProperty("compared", compared);
  RecordProperty("wins", wins);
  RecordProperty("proven", proven);
  EXPECT_GT(compared, 5000);
  EXPECT_GT(wins, 500);
  EXPECT_GE(proven * 100, wins * 99) << proven << " of " << wins;
}

TEST(ClaimPropertyTest, ThePlayedOutClaimIsLegalAndTheSeatWinsEveryTrick) {
  Rng rng(4);
  int proven = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto position = RandomEnding(1 + rng.Below(9), rng);
    if (!position) continue;
    Deal deal = position->deal;
    const ClaimProof proof = ProofOf(deal);
    if (!proof.proven()) continue;
    ++proven;
    const Seat claimer = deal.turn;
    const int first = deal.trick_count;
    for (const Card card : PlayOutClaim(position->deal, proof)) Do(deal, Action::Play(card));
    ASSERT_EQ(deal.phase, Phase::kDone);
    for (int trick = first; trick <= deal.trick_count; ++trick) {
      ASSERT_EQ(TrickAt(deal, trick - 1).winner, claimer);
    }
  }
  EXPECT_GT(proven, 500);
}

// Returns a deal of `fft` in its last tricks. Seat 0 is the taker and leads. All cards that are in
// no hand were played in earlier tricks. The views do not show which seat played them, so no seat
// is known to be void.
Deal Ending(const char* own, std::initializer_list<const char*> others) {
  Deal deal;
  deal.rules = Named("fft");
  deal.players = deal.playing = static_cast<int>(others.size()) + 1;
  deal.phase = Phase::kPlaying;
  deal.taker = 0;
  deal.contract = Contract::kGardeSans;
  deal.turn = 0;
  deal.hands[0] = Cards(own);
  CardSet held = deal.hands[0];
  std::size_t seat = 1;
  for (const char* cards : others) held |= deal.hands[seat++] = Cards(cards);
  deal.trick_count = deal.rules.HandSize(deal.players) - deal.hands[0].Size() + 1;
  deal.tricks[static_cast<std::size_t>(deal.trick_count - 1)].leader = 0;
  // The earlier tricks have no cards here. The cards of these tricks go into the écart of the
  // taker, because a view of the taker shows the écart.
  deal.discard = CardSet::All() - held;
  for (int i = 0; i + 1 < deal.trick_count; ++i) {
    deal.tricks[static_cast<std::size_t>(i)].leader =
        deal.tricks[static_cast<std::size_t>(i)].winner = i % 2;
  }
  return deal;
}

TEST(ClaimTest, AcceptsObviousClaims) {
  // Seat 0 has the highest trumps.
  EXPECT_TRUE(ProofOf(Ending("T19-21", {"S1-3", "T1-3", "T4 H1 EX"})).proven());
  // All trumps are gone, and seat 0 has the highest cards of its suits.
  EXPECT_TRUE(ProofOf(Ending("S13-14 H14", {"S1-3", "H11-13", "D12-14"})).proven());
  // The other seats have no spade and no trump.
  EXPECT_TRUE(ProofOf(Ending("S1-3", {"H1-3", "D1-3", "C1-3"})).proven());
  // T21 draws T5, the only other trump.
  EXPECT_TRUE(ProofOf(Ending("T2 T21 S14", {"T5 S1-2", "H1-3", "D1-3"})).proven());
  // The King of spades draws the Knight, which could beat the Jack.
  EXPECT_TRUE(ProofOf(Ending("S11 S13-14", {"S12 H1-2", "D1-3", "C1-3"})).proven());
}

TEST(ClaimTest, NamesTheFirstTrickThatCouldBeLost) {
  // One seat may have T5 and T6. This seat plays T5 when T21 is led, and later beats T2 with T6.
  EXPECT_EQ(ProofOf(Ending("T2 T21 S14", {"T5 S1-2", "T6 H1-2", "D1-3"})).lost_trick, 17);
  // The seat with T5 may also have the Excuse. It plays the Excuse when T21 is led, and later beats
  // T2 with T5.
  EXPECT_EQ(ProofOf(Ending("T2 T21 S14", {"T5 S1-2", "EX H1-2", "D1-3"})).lost_trick, 17);
  // The seat with T5 may have no spade. If so, it ruffs the King of spades in the first trick.
  EXPECT_EQ(ProofOf(Ending("S14 H14 D14", {"T5 S1-2", "H1-3", "D1-3"})).lost_trick, 16);
  // Without a slam, the Excuse wins no trick.
  EXPECT_EQ(ProofOf(Ending("EX S13-14", {"S1-3", "H1-3", "D1-3"})).lost_trick, 18);
}

TEST(ClaimTest, PlaysThePetitLastIfTheProofStillHolds) {
  const ClaimProof last = ProofOf(Ending("T1 T21 S14", {"S1-3", "H1-3", "D1-3"}));
  ASSERT_TRUE(last.proven());
  EXPECT_EQ(last.order[2], kPetit);
  // The higher trumps draw the only other trump, so the Petit wins the last trick.
  const ClaimProof drawn = ProofOf(Ending("T1 T20-21 S14", {"T2 S1-3", "H1-4", "D1-4"}));
  ASSERT_TRUE(drawn.proven());
  EXPECT_EQ(drawn.order[3], kPetit);
}

// An opponent plays the Petit as soon as it may. A seat of the claimer's camp keeps the Petit for
// the last trick, where the camp earns the Petit au bout.
TEST(ClaimTest, OpponentsPlayThePetitEarlyAndPartnersKeepIt) {
  Deal deal = Ending("T20-21", {"T1 T5", "H1-2", "D1-2"});
  deal.taker = 3;
  // Each camp has won a trick, so neither makes a slam.
  deal.tricks[0].leader = deal.tricks[0].winner = 3;
  const ClaimProof proof = ProofOf(deal);
  ASSERT_TRUE(proof.proven());
  EXPECT_EQ(PlayOutClaim(deal, proof)[1], Trump(5)) << "seats 0 and 1 defend";
  deal.taker = 1;
  EXPECT_EQ(PlayOutClaim(deal, proof)[1], kPetit);
}

TEST(ClaimTest, EndsASlamWithTheExcuse) {
  Deal deal = Ending("EX T1 S14", {"S1-3", "H1-3", "D1-3"});
  EXPECT_EQ(ProofOf(deal).lost_trick, 18);
  for (Trick& trick : deal.tricks) trick.winner = trick.leader = 0;
  const ClaimProof slam = ProofOf(deal);
  ASSERT_TRUE(slam.proven());
  EXPECT_EQ(slam.order[1], kPetit);
  EXPECT_EQ(slam.order[2], kExcuse);
}

}  // namespace
}  // namespace tarot::rules
