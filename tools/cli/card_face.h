// The texts of cards as people see and type them: ♠ ♥ ♦ ♣ with 1..10 V C D R (Valet, Cavalier,
// Dame, Roi), trumps T1..T21, Ex. Bouts have a star.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "google/protobuf/repeated_field.h"
#include "libs/rules/cards.h"
#include "tools/cli/text.h"

namespace tarot::cli {

using CardNumbers = google::protobuf::RepeatedField<std::uint32_t>;

// Returns a text such as "♥R", "♣10", "T21*" or "Ex*", and "?" for a number that is not a card.
std::string Face(std::uint32_t card, const TextStyle& style);
// Returns the text without its suit, for a row of one suit: "R", "10", "21*".
std::string RankFace(rules::Card card);
absl::string_view SuitSymbol(rules::Suit suit);
Tone SuitTone(rules::Card card);

// Returns the texts of the cards in the given order, with a space between them.
std::string Faces(const CardNumbers& cards, const TextStyle& style);

// Returns the cards as a set. Leaves out numbers that are not cards.
rules::CardSet ToSet(const CardNumbers& cards);
// Returns the cards sorted: spades, hearts, clubs, diamonds (so that colours alternate), then
// trumps and the Excuse. In each group the highest card is first.
std::vector<rules::Card> SortedForHand(rules::CardSet cards);

// Parses a card as people type it, for example "hr", "H14", "♥R", "d10", "t21", "21" (a trump) or
// "ex". Upper and lower case are equal. J, N, Q and K also mean Jack, Knight, Queen and King, and A
// means the 1.
std::optional<rules::Card> ParseTypedCard(absl::string_view text);

}  // namespace tarot::cli
