// One trick: which cards may be played to it, and which of them wins (docs/rules.md section 9).
#pragma once

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "libs/rules/action.h"

namespace tarot::rules {

// One trick: its cards in the order of play.
struct Trick {
  Seat leader = kNoSeat;
  Seat winner = kNoSeat;  // kNoSeat until the trick is complete.
  int size = 0;
  std::array<Card, kPlayersMax> cards{};
};

// The demand that the cards on the table make on the next card.
struct Demand {
  // False if the next card is free: on an empty table, and after an Excuse alone.
  bool asked = false;
  std::uint64_t suit = 0;  // The suit to follow, as bits of CardSet::suits(); 0 for trumps.
  std::uint64_t above = CardSet::AllTrumps().trumps();  // Trumps above the highest on the table.
};

// Returns the demand that the cards in `trick` make. They are in the order of play.
Demand DemandOf(absl::Span<const Card> trick);

// Returns the cards of `hand` that may be played under `demand`. The result is empty only if `hand`
// is. The bar on a called suit is not included: PlayableCards() in deal.cc adds it. The code has no
// branches, because the processor could not predict them here.
inline CardSet LegalCardsUnder(CardSet hand, const Demand& demand) {
  const std::uint64_t all_trumps = hand.trumps() & CardSet::AllTrumps().trumps();
  const std::uint64_t higher = all_trumps & demand.above;
  const std::uint64_t trumps = higher != 0 ? higher : all_trumps;
  const std::uint64_t suit = hand.suits() & demand.suit;
  // A hand with neither the suit nor a trump may play any card.
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

// Returns why `card` of `hand` may not be played to `trick`; kOk when LegalCards() contains it.
Verdict WhyNot(CardSet hand, absl::Span<const Card> trick, Card card);

// Returns the position in `trick` of the winning card: the highest trump, else the highest card of
// the suit that was led. `trick` has at least one card and may be incomplete. The Excuse wins only
// while it is the only card. The exception for the last trick of a slam is in WinnerOfTrick()
// (scoring.h).
int WinningPosition(absl::Span<const Card> trick);

}  // namespace tarot::rules
