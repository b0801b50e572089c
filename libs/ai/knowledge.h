// What a view proves about the cards that its seat does not see. Hard facts only, no guesses: bids
// and the choice of a card among several say nothing here.
#pragma once

#include <array>
#include <optional>

#include "libs/rules/view.h"

namespace tarot::ai {

// Places where a card can lie: the seats, and "aside" for those in no hand: the dog that nobody
// took, or the part of the écart that was not shown.
inline constexpr int kAside = rules::kPlayersMax;
inline constexpr int kPlaces = rules::kPlayersMax + 1;

struct Knowledge {
  rules::CardSet unseen;
  std::array<rules::CardSet, kPlaces> may;  // Cards of `unseen` that may lie there.
  std::array<int, kPlaces> count{};         // How many lie there; they sum to `unseen`'s size.
};

// nullopt when the view contradicts itself: no deal looks like that.
std::optional<Knowledge> Know(const rules::View& view);

// True when every card has a place and every place its count of cards.
bool Satisfiable(const Knowledge& knowledge);

}  // namespace tarot::ai
