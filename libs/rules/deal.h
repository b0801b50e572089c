// Defines one deal: its complete state as a small value. After the start of the deal, only Apply()
// and VoidDeal() change the state. The code is pure: it uses no clock, no I/O, no randomness, no
// exceptions and no protobuf.
#pragma once

#include <array>
#include <cstdint>

#include "libs/rules/parameters/rule_set.h"
#include "libs/rules/scoring.h"
#include "libs/rules/trick.h"

namespace tarot::rules {

enum class Phase : std::uint8_t { kBidding, kCalling, kDiscarding, kSlam, kPlaying, kDone };

enum class Outcome : std::uint8_t {
  kNone,
  kScored,
  kAllPassed,
  kPetitSec,
  kVoided,  // The server cancelled the deal.
};

// Returns the seat that is `steps` (0..players - 1) places after `seat` at a table of `players`.
// The count skips the seat that sits out.
inline Seat SeatAfter(int players, Seat sits_out, Seat seat, int steps) {
  const Seat at = seat + steps >= players ? seat + steps - players : seat + steps;
  if (sits_out == kNoSeat) return at;
  const int until = sits_out > seat ? sits_out - seat : sits_out - seat + players;
  if (steps < until) return at;
  return at + 1 == players ? 0 : at + 1;
}

struct ShownHandful {
  Seat seat = kNoSeat;
  int level = 0;  // 1 is a single handful, 2 a double, 3 a triple.
  CardSet cards;
  friend bool operator==(const ShownHandful&, const ShownHandful&) = default;
};

// The result of a deal. Half points, bouts and honours are those of the attack. With
// Teams::kEveryoneAlone, only `outcome` and `scores` are set.
struct DealResult {
  Outcome outcome = Outcome::kNone;
  int attack_half_points = 0;
  // The parts of attack_half_points. The first part comes from the tricks of the attack. The second
  // part comes from the écart or, with Garde sans, from the dog. The third part is what passes from
  // the defence to the attack because of the Excuse; it is negative if points pass to the defence.
  int trick_half_points = 0;
  int aside_half_points = 0;
  int excuse_half_points = 0;
  int tricks = 0;  // The number of tricks of the attack.
  int bouts = 0;
  int honours = 0;  // The number of court cards and bouts.
  // The camp that gets the Petit au bout: 1 is the attack, -1 the defence, 0 none.
  int petit_au_bout = 0;
  SlamOutcome slam = SlamOutcome::kNone;
  Score score;
  // The score of each seat. The scores sum to zero, except in a practice game.
  std::array<int, kPlayersMax> scores{};
  // With Outcome::kPetitSec: the seat with the petit sec, and its hand, which every seat sees.
  Seat petit_sec_seat = kNoSeat;
  CardSet petit_sec_hand;
};

// Returns true once every seat has seen the dog. The dog is shown only with Prise and Garde. It is
// shown after the auction and, with five players, after the call. With SlamAnnounce::kWithContract,
// the taker first decides whether to announce a slam.
bool DogIsShown(const RuleSet& rules, Phase phase, Contract contract);

struct Deal {
  RuleSet rules;
  int players = 4;
  // Number of seats that hold cards. It is also the number of cards in a trick.
  int playing = 4;
  Seat sits_out = kNoSeat;  // The dealer, with FiveAlternative::kDealerSitsOut.
  Seat dealer = 0;
  Phase phase = Phase::kBidding;
  Seat turn = kNoSeat;  // The seat that must act; kNoSeat when the deal is done.

  std::array<CardSet, kPlayersMax> dealt;  // The hands as they were dealt.
  std::array<CardSet, kPlayersMax> hands;  // The hands now.
  CardSet dog;
  CardSet discard;  // The écart.

  // The bids in the order of speaking; SeatOfBid() gives the seat of each bid.
  std::array<Contract, kPlayersMax> bids{};
  int bid_count = 0;
  // The taker's seat; kNoSeat until the auction ends. With TakerBy::kBoard, the seat is set from
  // the start. With Teams::kEveryoneAlone, there is no taker, so the value is always kNoSeat.
  Seat taker = kNoSeat;
  Contract contract = Contract::kPass;
  Card called_card = kNoCard;  // Set with five players only.
  // The partner's seat, with five players only; kNoSeat if the taker plays alone.
  Seat partner = kNoSeat;
  bool slam_announced = false;
  std::array<ShownHandful, kPlayersMax> handfuls;
  int handful_count = 0;

  std::array<Trick, 24> tricks;  // The last of the `trick_count` tricks may still be in play.
  int trick_count = 0;
  int cards_played = 0;

  DealResult result;  // Set when phase is kDone.

  // Returns the trumps of the écart that every seat has seen.
  CardSet DiscardShown() const;
  bool DogShown() const { return DogIsShown(rules, phase, contract); }
  // Returns true if `seat` is the taker or the partner.
  bool InAttack(Seat seat) const { return seat == taker || seat == partner; }
  // Returns the trick in play. The trick is empty until seat `turn` leads to it. Call this function
  // only in Phase::kPlaying.
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

// Starts a deal. `hands` and `dog` together must hold each card of the pack once. Their sizes must
// be those of the rule set. With TakerBy::kBoard, `taker` must be a seat. With TakerBy::kAuction,
// `taker` must be kNoSeat. If a petit sec cancels the deal, the returned deal is in Phase::kDone,
// and its result shows the hand with the petit sec.
Deal StartDeal(const RuleSet& rules, int players, Seat dealer,
               const std::array<CardSet, kPlayersMax>& hands, CardSet dog, Seat taker = kNoSeat);

// Returns whether `seat` may do `action` now, and if not, why.
Verdict Check(const Deal& deal, Seat seat, const Action& action);

// Does `action` for `seat`. If Check() refuses the action, changes nothing and returns the verdict
// of Check().
Verdict Apply(Deal& deal, Seat seat, const Action& action);

// Cancels a running deal, without a score.
void VoidDeal(Deal& deal);

// The actions that the seat in turn may do now. Check() accepts these actions and no others.
struct LegalActions {
  std::array<bool, 5> bids{};  // Indexed by Contract.
  CardSet calls;
  bool call_nobody = false;  // True if the taker, with five players, may play alone without a call.
  CardSet discards;          // Cards that may go into the écart.
  int discard_count = 0;     // Number of cards that the taker must put into the écart.
  // The écart must contain this number of trumps, which every seat sees; see dog.h.
  int discard_trump_count = 0;
  bool slam = false;
  std::array<bool, 4> handful_levels{};  // Indexed by level 1..3.
  CardSet handful_cards;                 // Cards that may be in a handful.
  CardSet cards;                         // Cards that may be played.
  friend bool operator==(const LegalActions&, const LegalActions&) = default;
};
LegalActions ListLegal(const Deal& deal);

}  // namespace tarot::rules
