// The part of a deal that one seat may know. The server shows a player no other part.
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::rules {

// A deal without the cards that the viewer may not know.
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
  CardSet dog;             // Empty until every seat has seen the dog or the deal is scored.
  CardSet discard;         // The écart, for the taker; after the deal, for every viewer.
  CardSet discard_shown;
  bool slam_announced = false;
  std::array<ShownHandful, kPlayersMax> handfuls;
  int handful_count = 0;
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

View MakeView(const Deal& deal, Seat viewer);

}  // namespace tarot::rules
