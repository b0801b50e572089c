// One trick: which cards may be played to it, and which of them wins (docs/rules.md section 9).
#pragma once

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "libs/rules/action.h"

namespace tarot::rules {

// The cards of one trick in the order of play.
struct Trick {
  Seat leader = kNoSeat;
  Seat winner = kNoSeat;  // kNoSeat until the trick is complete.
  int size = 0;
  std::array<Card, kPlayersMax> cards{};
};

// The demand of the cards on the table on the next card.
struct Demand {
  bool asked = false;      // False on an empty table, and after an Excuse alone.
  std::uint64_t suit = 0;  // The suit to follow, as bits of CardSet::suits(); 0 for trumps.
  std::uint64_t above = CardSet::AllTrumps().trumps();  // Trumps above the highest on the table.
};

// `trick`: the cards on the table in the order of play.
Demand DemandOf(absl::Span<const Card> trick);

// Returns the cards of `hand` that may be played under `demand`. Never empty when `hand` is not.
// The bar on a called suit is not included: PlayableCards() in deal.cc adds it. The code has no
// branch, because the processor could not predict one here.
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
// while it lies alone. The exception for the last trick of a slam is in WinnerOfTrick()
// (scoring.h).
int WinningPosition(absl::Span<const Card> trick);

}  // namespace tarot::rules
