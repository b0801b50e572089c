// Which cards may be played (FFT rules, "le jeu de la carte"; docs/rules.md section 9).
#pragma once

#include "absl/types/span.h"
#include "libs/rules/action.h"
#include "libs/rules/cards.h"

namespace tarot::rules {

// The cards of `hand` that may follow `trick` (the cards on the table in order of play). Never
// empty when `hand` is not. The restriction of a called suit is the deal's business.
CardSet LegalCards(CardSet hand, absl::Span<const Card> trick);

// Why `card`, held but not in LegalCards, may not be played.
Verdict WhyNot(CardSet hand, absl::Span<const Card> trick, Card card);

}  // namespace tarot::rules
