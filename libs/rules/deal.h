// One deal: its whole state as a small value, and the only function that changes it.
// Pure: no clock, no I/O, no randomness, no exceptions, no protobuf.
#pragma once

#include <array>
#include <cstdint>

#include "libs/rules/parameters/rule_set.h"
#include "libs/rules/scoring.h"
#include "libs/rules/trick.h"

namespace tarot::rules {

enum class Phase : std::uint8_t { kBidding, kCalling, kDiscarding, kSlam, kPlaying, kDone };

enum class Outcome : std::uint8_t { kNone, kScored, kAllPassed, kPetitSec };

// Returns the seat `steps` (0..players - 1) places after `seat` at a table of `players`. The seat
// that sits out is skipped.
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

// The points, bouts and honours are those of the attack. Where every seat plays alone, only
// `outcome` and `scores` are set.
struct DealResult {
  Outcome outcome = Outcome::kNone;
  int attack_half_points = 0;
  int bouts = 0;
  int honours = 0;        // Court cards and bouts.
  int petit_au_bout = 0;  // 1 for the attack, -1 for the defence, 0 for neither.
  SlamOutcome slam = SlamOutcome::kNone;
  Score score;
  std::array<int, kPlayersMax> scores{};  // By seat. They sum to zero, except in a practice game.
};

// Returns true once every seat has seen the dog: with Prise and Garde, after the auction, after a
// slam that is announced with the contract, and after the call.
bool DogIsShown(const RuleSet& rules, Phase phase, Contract contract);

struct Deal {
  RuleSet rules;
  int players = 4;
  int playing = 4;          // Seats that hold cards, and cards of a trick.
  Seat sits_out = kNoSeat;  // The dealer, with FiveAlternative::kDealerSitsOut.
  Seat dealer = 0;
  Phase phase = Phase::kBidding;
  Seat turn = kNoSeat;  // The seat that must act; kNoSeat when done.

  std::array<CardSet, kPlayersMax> dealt;  // As dealt.
  std::array<CardSet, kPlayersMax> hands;  // Now.
  CardSet dog;
  CardSet discard;  // The écart.

  std::array<Contract, kPlayersMax> bids{};  // In the order of speaking: SeatOfBid().
  int bid_count = 0;
  Seat taker = kNoSeat;  // Set from the start with TakerBy::kBoard; kNoSeat where all play alone.
  Contract contract = Contract::kPass;
  Card called_card = kNoCard;  // Five players.
  Seat partner = kNoSeat;      // Five players; kNoSeat when the taker is alone.
  bool slam_announced = false;
  std::array<ShownHandful, kPlayersMax> handfuls;
  int handful_count = 0;

  std::array<Trick, 24> tricks;  // Number `trick_count` may still be in play.
  int trick_count = 0;
  int cards_played = 0;

  DealResult result;  // When phase is kDone.

  // Returns the trumps of the écart that every seat has seen.
  CardSet DiscardShown() const;
  bool DogShown() const { return DogIsShown(rules, phase, contract); }
  // Returns true for the taker and the partner.
  bool InAttack(Seat seat) const { return seat == taker || seat == partner; }
  // Returns the trick in play; between tricks an empty one led by `turn`. Only while playing.
  const Trick& CurrentTrick() const { return tricks[static_cast<std::size_t>(trick_count - 1)]; }
  // Returns the seat `steps` places after `seat` in the order of play.
  Seat After(Seat seat, int steps) const { return SeatAfter(players, sits_out, seat, steps); }
  Seat Next(Seat seat) const { return After(seat, 1); }
  // Returns the seat of bid number `bid` (from 0). The seat after the dealer speaks first; with
  // TakerBy::kBoard only the taker speaks.
  Seat SeatOfBid(int bid) const {
    return rules.taker_by == TakerBy::kBoard ? taker : After(dealer, bid + 1);
  }
};

// Returns a fresh deal. `hands` and `dog` hold the pack exactly once, in the sizes of the rule set.
// `taker` is a seat with TakerBy::kBoard and kNoSeat otherwise. A deal that a petit sec cancels is
// done at once.
Deal StartDeal(const RuleSet& rules, int players, Seat dealer,
               const std::array<CardSet, kPlayersMax>& hands, CardSet dog, Seat taker = kNoSeat);

// Returns whether `seat` may do `action` now.
Verdict Check(const Deal& deal, Seat seat, const Action& action);

// Does `action`; or changes nothing and returns why not.
Verdict Apply(Deal& deal, Seat seat, const Action& action);

// The actions of the seat in turn. Check() accepts exactly the listed actions.
struct LegalActions {
  std::array<bool, 5> bids{};  // By Contract.
  CardSet calls;
  bool call_nobody = false;     // Five players: the taker may call no card.
  CardSet discards;             // Cards that may go into the écart.
  int discard_count = 0;        // Cards that must go.
  int discard_trump_count = 0;  // Trumps among them, which every seat sees.
  bool slam = false;
  std::array<bool, 4> handful_levels{};  // By level 1..3.
  CardSet handful_cards;                 // The cards that a handful may consist of.
  CardSet cards;                         // Cards that may be played.
  friend bool operator==(const LegalActions&, const LegalActions&) = default;
};
LegalActions ListLegal(const Deal& deal);

}  // namespace tarot::rules
