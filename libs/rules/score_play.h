// Referees a deal given as on a scoresheet: hands at the first card, tricks, contract.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "libs/rules/deal.h"

namespace tarot::rules {

// Seats are in order of play.
struct PlayedDeal {
  RuleSet rules;
  int players = 4;
  Seat taker = 0;              // kNoSeat where everybody plays alone.
  Seat partner = kNoSeat;      // Five players; kNoSeat when the taker is alone.
  Card called_card = kNoCard;  // Five players.
  Contract contract = Contract::kGarde;
  CardSet counted_apart;  // The écart, or the dog untouched.
  // As they were when the first card was played; empty for the dealer where he sits out.
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

// The finished deal: its result and the winner of every trick. INVALID_ARGUMENT BAD_REQUEST when
// this is no deal (cards missing or twice, wrong sizes, a trick led by who did not win the one
// before); FAILED_PRECONDITION ILLEGAL_CARD (metadata: trick from 0, seat, card) for a revoke.
absl::StatusOr<Deal> ScorePlay(const PlayedDeal& played);

}  // namespace tarot::rules
