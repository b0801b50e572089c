// Defines the view: the part of a deal that one seat may look at. The server shows a player only
// this part.
//
// Players may look at some cards only for some time: at the dog, handfuls, the tricks and the
// taker's écart. The rule set says how long (dog_open, discard_open, handful_open, tricks_open).
// During this time the cards are open, and afterwards they are closed. MakeView() leaves out the
// cards that are closed now. RememberedView() has all cards that the seat has seen since the start
// of the deal. Bots get a RememberedView(), because a person can remember closed cards, but a bot
// keeps no memory between two decisions.
#pragma once

#include <array>
#include <vector>

#include "libs/rules/deal.h"

namespace tarot::rules {

// A deal as one seat sees it. MakeView() and RememberedView() say which cards it has.
struct View {
  RuleSet rules;
  int players = 4;
  int playing = 4;          // Number of seats that hold cards.
  Seat sits_out = kNoSeat;  // The seat without cards, if any.
  Seat dealer = 0;
  Phase phase = Phase::kBidding;
  Seat turn = kNoSeat;
  // The seat that sees this view. kNoSeat means a person who only watches, and sees no hand.
  Seat viewer = kNoSeat;

  CardSet hand;  // The viewer's hand.
  std::array<int, kPlayersMax> hand_counts{};
  std::array<Contract, kPlayersMax> bids{};
  int bid_count = 0;
  Seat taker = kNoSeat;
  Contract contract = Contract::kPass;
  Card called_card = kNoCard;
  Seat partner = kNoSeat;  // The partner, once the viewer knows the partner.
  CardSet dog;             // The dog, while the viewer may look at it and after a scored deal.
  CardSet discard;         // The écart, while the viewer may look at it and after a scored deal.
  // The trumps of the écart that every seat has seen. The viewer may always look at them.
  CardSet discard_shown;
  bool slam_announced = false;
  // A handful that the viewer may no longer look at has no cards.
  std::array<ShownHandful, kPlayersMax> handfuls;
  int handful_count = 0;
  // All tricks so far. A trick that the viewer may no longer look at has a leader and a winner, but
  // no cards.
  std::array<Trick, 24> tricks;
  int trick_count = 0;
  LegalActions legal;  // The actions that the viewer may do now. Set if the viewer is in turn.
  DealResult result;

  // These functions give the same results as the functions of Deal with these names (deal.h).
  Seat After(Seat seat, int steps) const { return SeatAfter(players, sits_out, seat, steps); }
  Seat SeatOfBid(int bid) const {
    return rules.taker_by == TakerBy::kBoard ? taker : After(dealer, bid + 1);
  }
};

// Cards that the viewer may not play, all for the same reason.
struct RefusedCards {
  Verdict verdict;
  CardSet cards;
};

// Returns the cards of the hand that are not in `view.legal.cards`, grouped by the reason why they
// are refused. The result is empty if the viewer is not in turn to play a card.
std::vector<RefusedCards> ListRefused(const View& view);

// Returns the cards and facts that `viewer` may look at now. kNoSeat means a person who only
// watches. The trick on the table is always open: this is the trick in play, or a complete trick
// until the next card is led. After a scored deal, all cards of the deal are open.
View MakeView(const Deal& deal, Seat viewer);

// Returns the cards and facts that `viewer` has seen since the start of the deal. This view is for
// bots and for ProveClaim(). Do not send it to a person.
View RememberedView(const Deal& deal, Seat viewer);

}  // namespace tarot::rules
