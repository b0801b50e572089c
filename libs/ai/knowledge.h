// The facts that a view proves about the cards that its seat does not see, and the checks of a view
// before a policy sees it. Bids, and the choice of one legal card rather than another, prove
// nothing here.
#pragma once

#include <array>
#include <optional>

#include "absl/strings/string_view.h"
#include "libs/rules/view.h"

namespace tarot::ai {

// Places where a card can be: the seats, and "aside" for cards in no hand: a dog that was not
// taken, or the part of the écart that was not shown.
inline constexpr int kAside = rules::kPlayersMax;
inline constexpr int kPlaces = rules::kPlayersMax + 1;

struct Knowledge {
  rules::CardSet unseen;
  std::array<rules::CardSet, kPlaces> may;  // The cards of `unseen` that may be in each place.
  std::array<int, kPlaces> count{};         // How many are there; the sum is the size of `unseen`.
};

// Returns nullopt if the view contradicts itself, so that no deal looks like it.
std::optional<Knowledge> Know(const rules::View& view);

// Returns whether the cards can be laid so that every place has its count.
bool Satisfiable(const Knowledge& knowledge);

// The checks of a view. Both return "" or the first problem. A view that rules::MakeView made for
// the seat in turn passes both.

// The check for a view from a trusted service: seats, counts, auction, tricks and the legal actions
// fit together. With such a view no policy crashes, but if the facts that it proves contradict each
// other, the action may be one that no real deal allows.
absl::string_view ValidateShape(const rules::View& view);

// The check for a view from outside: its shape is valid, and some deal looks like it to the seat in
// turn. Every policy answers it with a legal action.
absl::string_view ValidateView(const rules::View& view);

}  // namespace tarot::ai
