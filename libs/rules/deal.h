// One deal: its whole state as a small value, and the only function that changes this state. The
// code is pure: no clock, no I/O, no randomness, no exceptions, no protobuf.
#pragma once

#include <array>
#include <cstdint>

#include "libs/rules/parameters/rule_set.h"
#include "libs/rules/scoring.h"
#include "libs/rules/trick.h"

namespace tarot::rules {

enum class Phase : std::uint8_t { kBidding, kCalling, kDiscarding, kSlam, kPlaying, kDone };

enum class Outcome : std::uint8_t { kNone, kScored, kAllPassed, kPetitSec };

// Returns the seat `steps` (0..players - 1) places after `seat` at a table of `players`. It skips
// the seat that sits out.
inline Seat SeatAfter(int players, Seat sits_out, Seat seat, int steps) {
  const Seat at = seat + steps >= players ? seat + steps - players : seat + steps;
  if (sits_out == kNoSeat) return at;
  const int until = sits_out > seat ? sits_out - seat : sits_out - seat + players;
  if (steps < until) return at;
  return at + 1 == players ? 0 : at + 1;
}

struct ShownHandful {
  Seat seat = kNoSeat;
  int level = 0;  // 1 is simple, 2 double, 3 triple.
  CardSet cards;
  friend bool operator==(const ShownHandful&, const ShownHandful&) = default;
};

// The result of a deal. Points, bouts and honours are those of the attack. Where every seat plays
// alone, only `outcome` and `scores` are set.
struct DealResult {
  Outcome outcome = Outcome::kNone;
  int attack_half_points = 0;
  int bouts = 0;
  int honours = 0;        // Number of court cards and bouts.
  int petit_au_bout = 0;  // 1 for the attack, -1 for the defence, 0 for neither.
  SlamOutcome slam = SlamOutcome::kNone;
  Score score;
  // Indexed by seat. They sum to zero, except in a practice game.
  std::array<int, kPlayersMax> scores{};
};

// Returns true once every seat has seen the dog. Seats see it only with Prise and Garde: after the
// auction, after the call, and after the announcement of a slam together with the contract.
bool DogIsShown(const RuleSet& rules, Phase phase, Contract contract);

struct Deal {
  RuleSet rules;
  int players = 4;
  // Number of seats that hold cards, so also the number of cards in a trick.
  int playing = 4;
  Seat sits_out = kNoSeat;  // The dealer, if FiveAlternative::kDealerSitsOut applies.
  Seat dealer = 0;
  Phase phase = Phase::kBidding;
  Seat turn = kNoSeat;  // The seat that must act; kNoSeat when the deal is done.

  std::array<CardSet, kPlayersMax> dealt;  // The hands after the deal, before any card moved.
  std::array<CardSet, kPlayersMax> hands;  // The hands now.
  CardSet dog;
  CardSet discard;  // The écart.

  // Sorted by the order of speaking; SeatOfBid() gives the seat.
  std::array<Contract, kPlayersMax> bids{};
  int bid_count = 0;
  // Set from the start with TakerBy::kBoard; kNoSeat where every seat plays alone.
  Seat taker = kNoSeat;
  Contract contract = Contract::kPass;
  Card called_card = kNoCard;  // Set with five players only.
  Seat partner = kNoSeat;      // Set with five players only; kNoSeat when the taker is alone.
  bool slam_announced = false;
  std::array<ShownHandful, kPlayersMax> handfuls;
  int handful_count = 0;

  std::array<Trick, 24> tricks;  // The trick with index `trick_count` may still be in play.
  int trick_count = 0;
  int cards_played = 0;

  DealResult result;  // Set when phase is kDone.

  // Returns the trumps of the écart that every seat has seen.
  CardSet DiscardShown() const;
  bool DogShown() const { return DogIsShown(rules, phase, contract); }
  // Returns true if `seat` is the taker or the partner.
  bool InAttack(Seat seat) const { return seat == taker || seat == partner; }
  // Returns the trick in play. Between two tricks it returns an empty trick that `turn` leads. Call
  // it only in the phase of play.
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

// Starts a deal. `hands` and `dog` must hold the pack exactly once, in the sizes of the rule set.
// `taker` must be a seat with TakerBy::kBoard and kNoSeat otherwise. If a petit sec cancels the
// deal, the deal is done at once.
Deal StartDeal(const RuleSet& rules, int players, Seat dealer,
               const std::array<CardSet, kPlayersMax>& hands, CardSet dog, Seat taker = kNoSeat);

// Returns whether `seat` may do `action` now.
Verdict Check(const Deal& deal, Seat seat, const Action& action);

// Does `action`. If the action is not allowed, changes nothing and returns the reason.
Verdict Apply(Deal& deal, Seat seat, const Action& action);

// The actions of the seat in turn. Check() accepts exactly the listed actions.
struct LegalActions {
  std::array<bool, 5> bids{};  // Indexed by Contract.
  CardSet calls;
  bool call_nobody = false;     // True if the taker of five players may decline to call a card.
  CardSet discards;             // Cards that may go into the écart.
  int discard_count = 0;        // Number of cards that the taker must put into the écart.
  int discard_trump_count = 0;  // Number of trumps among them; every seat sees these trumps.
  bool slam = false;
  std::array<bool, 4> handful_levels{};  // Indexed by level 1..3.
  CardSet handful_cards;                 // The cards that a handful may consist of.
  CardSet cards;                         // Cards that may be played.
  friend bool operator==(const LegalActions&, const LegalActions&) = default;
};
LegalActions ListLegal(const Deal& deal);

}  // namespace tarot::rules
