// Which cards may be played (FFT rules, "le jeu de la carte"; docs/rules.md section 9).
#pragma once

#include <cstdint>

#include "absl/types/span.h"
#include "libs/rules/action.h"
#include "libs/rules/cards.h"

namespace tarot::rules {

// What the cards on the table ask of the next one.
struct Demand {
  bool asked = false;      // Whether anything is: not by an Excuse alone.
  std::uint64_t suit = 0;  // The suit asked for, as bits of CardSet::suits(); 0 when it is trumps.
  std::uint64_t above = CardSet::AllTrumps().trumps();  // Trumps above the highest on the table.
};

// `trick`: the cards on the table in order of play.
Demand DemandOf(absl::Span<const Card> trick);

// The cards of `hand` that may follow. Never empty when `hand` is not. The restriction of a called
// suit is the deal's business. Without a branch, for nobody can predict one here.
inline CardSet LegalCardsUnder(CardSet hand, const Demand& demand) {
  const std::uint64_t all_trumps = hand.trumps() & CardSet::AllTrumps().trumps();
  const std::uint64_t higher = all_trumps & demand.above;
  const std::uint64_t trumps = higher != 0 ? higher : all_trumps;
  const std::uint64_t suit = hand.suits() & demand.suit;
  // Neither the suit nor a trump: anything goes.
  const std::uint64_t others = trumps != 0 ? 0 : hand.suits();
  const std::uint64_t excuse = hand.trumps() ^ all_trumps;
  const std::uint64_t followed = suit != 0 ? suit : others;
  const std::uint64_t trumped = (suit != 0 ? 0 : trumps) | excuse;
  return CardSet::FromWords(demand.asked ? followed : hand.suits(),
                            demand.asked ? trumped : hand.trumps());
}
inline CardSet LegalCards(CardSet hand, absl::Span<const Card> trick) {
  return LegalCardsUnder(hand, DemandOf(trick));
}

// Why `card`, held but not in LegalCards, may not be played.
Verdict WhyNot(CardSet hand, absl::Span<const Card> trick, Card card);

}  // namespace tarot::rules
