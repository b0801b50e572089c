// Cards as people see and type them: ♠ ♥ ♦ ♣ with 1..10 V C D R (Valet, Cavalier, Dame, Roi),
// trumps T1..T21, Ex. Bouts carry a star.
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

// "♥R", "♣10", "T21*", "Ex*"; "?" for a number that is no card.
std::string Face(std::uint32_t card, const TextStyle& style);
// The same without its suit, for a row of one suit: "R", "10", "21*".
std::string RankFace(rules::Card card);
absl::string_view SuitSymbol(rules::Suit suit);
Tone SuitTone(rules::Card card);

// Faces in the given order, a space between.
std::string Faces(const CardNumbers& cards, const TextStyle& style);

// As a set; numbers that are no card are left out.
rules::CardSet ToSet(const CardNumbers& cards);
// Spades, hearts, clubs, diamonds (so that colours alternate), then trumps and the Excuse; highest
// first.
std::vector<rules::Card> SortedForHand(rules::CardSet cards);

// Parses a card as people type it: "hr", "H14", "♥R", "d 10" without the space, "t21", "21" (a
// trump), "ex". In either case; also J N Q K for Jack, Knight, Queen, King.
std::optional<rules::Card> ParseTypedCard(absl::string_view text);

}  // namespace tarot::cli
