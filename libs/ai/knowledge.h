// Computes what a view proves about the cards that its seat does not see, and checks a view before
// a policy sees it. This code concludes nothing from a bid or from the choice among legal cards.
#pragma once

#include <array>
#include <optional>

#include "absl/strings/string_view.h"
#include "libs/rules/view.h"

namespace tarot::ai {

// The places where a card can be: each seat, and "aside". A card is aside if it is in no hand: in a
// dog that was not taken, or in the part of the écart that was not shown.
inline constexpr int kAside = rules::kPlayersMax;
inline constexpr int kPlaces = rules::kPlayersMax + 1;

struct Knowledge {
  rules::CardSet unseen;
  std::array<rules::CardSet, kPlaces> may;  // The cards of `unseen` that may be in each place.
  // The number of cards in each place. The sum is the size of `unseen`.
  std::array<int, kPlaces> count{};
};

// Returns the facts that `view` proves. Returns nullopt if they contradict each other, so that no
// deal agrees with the view.
std::optional<Knowledge> Know(const rules::View& view);

// Returns whether the unseen cards can be laid out so that every place gets its number of cards.
bool Satisfiable(const Knowledge& knowledge);

// The next two functions check a view. They return the first problem, or "". They accept a view
// that rules::RememberedView() made for the seat in turn. They refuse a view of rules::MakeView()
// that lacks cards which the seat has seen but may no longer look at.

// Checks a view from a trusted service: seats, counts, auction, tricks and legal actions must fit
// together. No policy crashes with such a view. But this function does not check that a deal exists
// that agrees with the view. If there is none, the policy's action may be illegal.
absl::string_view ValidateShape(const rules::View& view);

// Checks a view from outside: its shape must be valid, and at least one deal must look like this
// view to the seat in turn. Every policy answers such a view with a legal action.
absl::string_view ValidateView(const rules::View& view);

}  // namespace tarot::ai
