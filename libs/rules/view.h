// The part of a deal that one seat may know. The server sends nothing else.
#pragma once

#include <array>

#include "libs/rules/deal.h"

namespace tarot::rules {

// A deal without the cards that the viewer may not know. A small value.
struct View {
  RuleSet rules;
  int players = 4;
  int playing = 4;          // Seats that hold cards.
  Seat sits_out = kNoSeat;  // The seat without cards, if any.
  Seat dealer = 0;
  Phase phase = Phase::kBidding;
  Seat turn = kNoSeat;
  Seat viewer = kNoSeat;  // kNoSeat: a watcher, who sees only the cards on the table.

  CardSet hand;  // The viewer's hand.
  std::array<int, kPlayersMax> hand_counts{};
  std::array<Contract, kPlayersMax> bids{};
  int bid_count = 0;
  Seat taker = kNoSeat;
  Contract contract = Contract::kPass;
  Card called_card = kNoCard;
  Seat partner = kNoSeat;  // Set once the viewer knows the partner.
  CardSet dog;             // Set once every seat has seen the dog, and after the deal.
  CardSet discard;         // The taker sees the écart; after the deal every viewer sees it.
  CardSet discard_shown;
  bool slam_announced = false;
  std::array<ShownHandful, kPlayersMax> handfuls;
  int handful_count = 0;
  std::array<Trick, 24> tricks;
  int trick_count = 0;
  LegalActions legal;  // Set when it is the viewer's turn.
  DealResult result;

  // These functions are those of Deal.
  Seat After(Seat seat, int steps) const { return SeatAfter(players, sits_out, seat, steps); }
  Seat SeatOfBid(int bid) const {
    return rules.taker_by == TakerBy::kBoard ? taker : After(dealer, bid + 1);
  }
};

View MakeView(const Deal& deal, Seat viewer);

}  // namespace tarot::rules
