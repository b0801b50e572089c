// Computes what a view proves about the cards that its seat does not see. Also checks a view before
// a policy sees it. This code concludes nothing from a bid, and nothing from the choice among legal
// cards.
#pragma once

#include <array>
#include <optional>

#include "absl/strings/string_view.h"
#include "libs/rules/view.h"

namespace tarot::ai {

// The places where a card can be: the hand of each seat, and the place "aside". A card is aside if
// it is in no hand. Such a card is in a dog that was not taken, or in the hidden part of the écart.
inline constexpr int kAside = rules::kPlayersMax;
inline constexpr int kPlaces = rules::kPlayersMax + 1;

struct Knowledge {
  rules::CardSet unseen;
  std::array<rules::CardSet, kPlaces> may;  // The cards of `unseen` that may be in each place.
  // The number of cards in each place. The sum is the size of `unseen`.
  std::array<int, kPlaces> count{};
};

// Returns the cards of `seat` in the tricks of `view`.
rules::CardSet PlayedBy(const rules::View& view, rules::Seat seat);

// Returns the facts that `view` proves. Returns nullopt if the facts contradict each other. Then no
// deal agrees with the view.
std::optional<Knowledge> Know(const rules::View& view);

// Returns whether the unseen cards can be laid out so that every place gets its number of cards.
bool Satisfiable(const Knowledge& knowledge);

// The next two functions check a view. They return the first problem that they find, or "". They
// accept a view that rules::RememberedView() made for the seat in turn. A view of rules::MakeView()
// may lack cards that the seat has seen but may no longer look at. The functions refuse such a
// view.

// Checks a view from a trusted service: seats, counts, auction, tricks and legal actions must fit
// together. No policy crashes with such a view. This function does not check that a deal exists
// that agrees with the view. If no such deal exists, the policy's action may be illegal.
absl::string_view ValidateShape(const rules::View& view);

// Checks a view from outside. Its shape must be valid (ValidateShape()). And at least one deal must
// exist in which the seat in turn has exactly this view. Every policy answers such a view with a
// legal action.
absl::string_view ValidateView(const rules::View& view);

}  // namespace tarot::ai
