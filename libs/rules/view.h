// The part of a deal that one seat may look at. The server shows a player no other part.
//
// Players lay some cards open and later close them again: the dog, handfuls, the tricks. The taker
// closes the écart. The rule set says when (dog_open, discard_open, handful_open, tricks_open).
// MakeView() leaves out the cards that are closed now. RememberedView() keeps them: it has all
// cards that the seat has seen since the start of the deal. Bots get a RememberedView(), because a
// person can remember closed cards, but a bot keeps no memory between two decisions.
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::rules {

// A deal without the cards that the viewer may not look at.
struct View {
  RuleSet rules;
  int players = 4;
  int playing = 4;          // Number of seats that hold cards.
  Seat sits_out = kNoSeat;  // The seat without cards, if any.
  Seat dealer = 0;
  Phase phase = Phase::kBidding;
  Seat turn = kNoSeat;
  Seat viewer = kNoSeat;  // kNoSeat for a watcher, who sees no hand.

  CardSet hand;  // The viewer's hand.
  std::array<int, kPlayersMax> hand_counts{};
  std::array<Contract, kPlayersMax> bids{};
  int bid_count = 0;
  Seat taker = kNoSeat;
  Contract contract = Contract::kPass;
  Card called_card = kNoCard;
  Seat partner = kNoSeat;  // Set once the viewer knows the partner.
  CardSet dog;             // Set while the dog is open, and after a scored deal.
  CardSet discard;         // The écart. Set for a taker who may see it, and after a scored deal.
  CardSet discard_shown;   // The trumps of the écart that every seat has seen; never closed.
  bool slam_announced = false;
  std::array<ShownHandful, kPlayersMax> handfuls;  // A closed handful has no cards.
  int handful_count = 0;
  // The first tricks may be closed. A closed trick has a leader and a winner, but no cards.
  std::array<Trick, 24> tricks;
  int trick_count = 0;
  LegalActions legal;  // Set if the viewer is in turn.
  DealResult result;

  // Deal has the same functions; their comments are there.
  Seat After(Seat seat, int steps) const { return SeatAfter(players, sits_out, seat, steps); }
  Seat SeatOfBid(int bid) const {
    return rules.taker_by == TakerBy::kBoard ? taker : After(dealer, bid + 1);
  }
};

// Returns what `viewer` may look at now (kNoSeat is a watcher). The trick on the table is always
// open: the trick in play, and a complete trick until the next card is led. After a scored deal,
// all cards are open except those that are still in hands.
View MakeView(const Deal& deal, Seat viewer);

// Returns what `viewer` has seen since the start of the deal. Only a bot that plays for this seat
// may get this view.
View RememberedView(const Deal& deal, Seat viewer);

}  // namespace tarot::rules
