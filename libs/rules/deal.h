// One deal: its whole state as a small value, and the only function that changes it.
// Pure: no clock, no I/O, no randomness, no exceptions, no protobuf.
#pragma once

#include <array>
#include <cstdint>

#include "libs/rules/action.h"
#include "libs/rules/cards.h"
#include "libs/rules/rule_set.h"
#include "libs/rules/scoring.h"

namespace tarot::rules {

enum class Phase : std::uint8_t { kBidding, kCalling, kDiscarding, kSlam, kPlaying, kDone };

enum class Outcome : std::uint8_t { kNone, kScored, kAllPassed, kPetitSec };

// The seat `steps` (0..players - 1) places after `seat` at a table of `players`, not counting the
// seat that sits out.
inline Seat SeatAfter(int players, Seat sits_out, Seat seat, int steps) {
  const Seat at = seat + steps >= players ? seat + steps - players : seat + steps;
  if (sits_out == kNoSeat) return at;
  const int until = sits_out > seat ? sits_out - seat : sits_out - seat + players;
  if (steps < until) return at;
  return at + 1 == players ? 0 : at + 1;
}

struct ShownHandful {
  Seat seat = kNoSeat;
  int level = 0;  // 1 simple, 2 double, 3 triple.
  CardSet cards;
  friend bool operator==(const ShownHandful&, const ShownHandful&) = default;
};

// Of the attack; all 0 but the outcome and the scores where everybody plays alone.
struct DealResult {
  Outcome outcome = Outcome::kNone;
  int attack_half_points = 0;
  int bouts = 0;
  int honours = 0;  // Courts and bouts.
  int petit_au_bout = 0;
  SlamOutcome slam = SlamOutcome::kNone;
  Score score;
  std::array<int, kPlayersMax> scores{};  // By seat; sum to zero, but in a practice game.
};

// The cards of one trick in the order of play.
struct Trick {
  Seat leader = kNoSeat;
  Seat winner = kNoSeat;  // kNoSeat until complete.
  int size = 0;
  std::array<Card, kPlayersMax> cards{};
};

// True once everybody saw the dog (Prise and Garde, after the auction, a slam announced with the
// contract, and the call).
bool DogIsShown(const RuleSet& rules, Phase phase, Contract contract);

struct Deal {
  RuleSet rules;
  int players = 4;
  int playing = 4;          // Seats that hold cards: as many cards make a trick.
  Seat sits_out = kNoSeat;  // The seat that does not: the dealer, where the rule set says so.
  Seat dealer = 0;
  Phase phase = Phase::kBidding;
  Seat turn = kNoSeat;  // Who must act; kNoSeat when done.

  std::array<CardSet, kPlayersMax> dealt;  // As dealt.
  std::array<CardSet, kPlayersMax> hands;  // Now.
  CardSet dog;
  CardSet discard;  // The écart.

  std::array<Contract, kPlayersMax> bids{};  // In order of speaking: SeatOfBid().
  int bid_count = 0;
  Seat taker = kNoSeat;  // From the start, where a board gives it; none where all play alone.
  Contract contract = Contract::kPass;
  Card called_card = kNoCard;  // Five players.
  Seat partner = kNoSeat;      // Five players; kNoSeat when the taker is alone.
  bool slam_announced = false;
  std::array<ShownHandful, kPlayersMax> handfuls;
  int handful_count = 0;

  std::array<Trick, 24> tricks;  // The last of `trick_count` may be in play.
  int trick_count = 0;
  int cards_played = 0;

  DealResult result;  // When phase is kDone.

  // Trumps that had to go into the écart: everybody saw them.
  CardSet DiscardShown() const;
  bool DogShown() const { return DogIsShown(rules, phase, contract); }
  // True for the taker and the partner.
  bool InAttack(Seat seat) const { return seat == taker || seat == partner; }
  // The trick in play; an empty one led by `turn` between tricks. Only while playing.
  const Trick& CurrentTrick() const { return tricks[static_cast<std::size_t>(trick_count - 1)]; }
  // The seat `steps` places after `seat` in the order of play.
  Seat After(Seat seat, int steps) const { return SeatAfter(players, sits_out, seat, steps); }
  Seat Next(Seat seat) const { return After(seat, 1); }
  // Who spoke as number `bid` (from 0): from the seat after the dealer, or the taker of the board.
  Seat SeatOfBid(int bid) const {
    return rules.taker_by == TakerBy::kBoard ? taker : After(dealer, bid + 1);
  }
};

// A fresh deal. `hands` and `dog` hold the pack exactly once, in the sizes of the rule set. `taker`
// is a seat exactly when the rule set leaves it to the board. When a petit sec cancels the deal, it
// is done at once.
Deal StartDeal(const RuleSet& rules, int players, Seat dealer,
               const std::array<CardSet, kPlayersMax>& hands, CardSet dog, Seat taker = kNoSeat);

// Whether `seat` may do `action` now.
Verdict Check(const Deal& deal, Seat seat, const Action& action);

// Does it, or changes nothing and says why not.
Verdict Apply(Deal& deal, Seat seat, const Action& action);

// What the seat in turn may do now. Everything listed passes Check; nothing else does.
struct LegalActions {
  std::array<bool, 5> bids{};  // By Contract.
  CardSet calls;
  bool call_nobody = false;     // Five players, where the call is optional.
  CardSet discards;             // Cards that may go into the écart,
  int discard_count = 0;        // how many must,
  int discard_trump_count = 0;  // and how many of them must be trumps, then shown.
  bool slam = false;
  std::array<bool, 4> handful_levels{};  // By level 1..3.
  CardSet handful_cards;                 // To choose the cards of a handful from.
  CardSet cards;                         // To play.
  friend bool operator==(const LegalActions&, const LegalActions&) = default;
};
LegalActions ListLegal(const Deal& deal);

}  // namespace tarot::rules
