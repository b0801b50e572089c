// Scores a deal from a score sheet. The sheet has the contract, the hands before the first card,
// and the tricks.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "libs/rules/deal.h"

namespace tarot::rules {

// A score sheet. Seats are numbered in the order of play.
struct PlayedDeal {
  RuleSet rules;
  int players = 4;
  Seat taker = 0;  // kNoSeat with Teams::kEveryoneAlone.
  // The partner's seat, with five players only; kNoSeat if the taker plays alone.
  Seat partner = kNoSeat;
  Card called_card = kNoCard;  // Set with five players only.
  Contract contract = Contract::kGarde;
  CardSet counted_apart;  // The écart, or the untouched dog.
  // The hands before the first card. If the dealer sits out, the dealer's hand is empty.
  std::array<CardSet, kPlayersMax> hands;
  struct PlayedTrick {
    Seat leader = kNoSeat;
    std::vector<Card> cards;
  };
  std::vector<PlayedTrick> tricks;
  bool slam_announced = false;
  struct Handful {
    Seat seat = kNoSeat;
    int level = 0;  // 1..3
  };
  std::vector<Handful> handfuls;
};

// Returns the finished deal, with its result and the winner of every trick. Accepts a hand that is
// a petit sec, because a table may agree to play on. The errors are:
// - INVALID_ARGUMENT BAD_REQUEST, which names the wrong field, if `played` is incomplete or cannot
//   be a real deal. Examples are a missing card, a King in the écart, a called card that the taker
//   may not call, and a handful with more trumps than the hand. Another example is a trick whose
//   leader did not win the trick before.
// - FAILED_PRECONDITION ILLEGAL_CARD if a card breaks the rules of play. The metadata names the
//   trick (from 0), the seat and the card.
absl::StatusOr<Deal> ScorePlay(const PlayedDeal& played);

}  // namespace tarot::rules
