// Scores a deal from a scoresheet: the hands at the first card, the tricks and the contract.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "libs/rules/deal.h"

namespace tarot::rules {

// Seats have numbers in the order of play.
struct PlayedDeal {
  RuleSet rules;
  int players = 4;
  Seat taker = 0;              // kNoSeat where every seat plays alone.
  Seat partner = kNoSeat;      // Set with five players only; kNoSeat when the taker is alone.
  Card called_card = kNoCard;  // Set with five players only.
  Contract contract = Contract::kGarde;
  CardSet counted_apart;  // The écart, or the untouched dog.
  // The hands before the first card was played; the hand of a dealer who sits out is empty.
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

// Returns the finished deal, with its result and the winner of every trick. Returns
// INVALID_ARGUMENT BAD_REQUEST when `played` is not a deal: a card is missing or appears twice, a
// size is wrong, or a seat leads a trick without having won the one before. Returns
// FAILED_PRECONDITION ILLEGAL_CARD when a card breaks the rules of play; the metadata names the
// trick (from 0), the seat and the card.
absl::StatusOr<Deal> ScorePlay(const PlayedDeal& played);

}  // namespace tarot::rules
