// Referees a deal given as on a scoresheet: hands at the first card, tricks, contract.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "libs/rules/deal.h"

namespace tarot::rules {

// Seats are in the order of play.
struct PlayedDeal {
  RuleSet rules;
  int players = 4;
  Seat taker = 0;              // kNoSeat where every seat plays alone.
  Seat partner = kNoSeat;      // Five players; kNoSeat when the taker is alone.
  Card called_card = kNoCard;  // Five players.
  Contract contract = Contract::kGarde;
  CardSet counted_apart;  // The écart, or the untouched dog.
  // The hands before the first card was played; empty for a dealer that sits out.
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

// Returns the finished deal, with its result and the winner of every trick. INVALID_ARGUMENT
// BAD_REQUEST when `played` is not a deal: cards missing or twice, wrong sizes, or a trick led by a
// seat that did not win the trick before. FAILED_PRECONDITION ILLEGAL_CARD (metadata: trick from 0,
// seat, card) for a revoke.
absl::StatusOr<Deal> ScorePlay(const PlayedDeal& played);

}  // namespace tarot::rules
