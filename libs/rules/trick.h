// Says which cards a seat may play to a trick, and which card wins it (docs/rules.md section 9).
#pragma once

#include <array>
#include <cstdint>

#include "absl/types/span.h"
#include "libs/rules/action.h"

namespace tarot::rules {

// One trick. `cards` are in the order of play.
struct Trick {
  Seat leader = kNoSeat;
  Seat winner = kNoSeat;  // The winner's seat; kNoSeat until the trick is complete.
  int size = 0;
  std::array<Card, kPlayersMax> cards{};
};

// Says what the next card of a trick must be: the suit to follow, and the trump to beat.
struct Demand {
  // False if the next card is free: the trick is empty, or has only the Excuse.
  bool asked = false;
  std::uint64_t suit = 0;  // The suit to follow, as bits of CardSet::suits(); 0 if trumps were led.
  // The trumps above the highest one in the trick.
  std::uint64_t above = CardSet::AllTrumps().trumps();
};

// Returns what the next card must be after the cards of `trick`, which must be in the order of
// play.
Demand DemandOf(absl::Span<const Card> trick);

// Returns the cards of `hand` that a seat may play to a trick with this `demand`. The result is
// empty only if `hand` is empty. PlayableCards() in deal.cc also applies the rule for the called
// suit. The code has no branches, because the processor could not predict them.
inline CardSet LegalCardsUnder(CardSet hand, const Demand& demand) {
  const std::uint64_t all_trumps = hand.trumps() & CardSet::AllTrumps().trumps();
  const std::uint64_t higher = all_trumps & demand.above;
  const std::uint64_t trumps = higher != 0 ? higher : all_trumps;
  const std::uint64_t suit = hand.suits() & demand.suit;
  // A hand without the suit and without trumps may play any card.
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

// Returns why `card` may not be played from `hand` to `trick`, or kOk if LegalCards() contains it.
Verdict WhyNot(CardSet hand, absl::Span<const Card> trick, Card card);

// Returns why `card` may not be played. Call this function only for a refused card: LegalCards()
// does not contain the card, or the call forbids the card in the first trick.
Verdict RefusalOf(CardSet hand, absl::Span<const Card> trick, Card called_card, Card card);

// Returns the position in `trick` of the winning card: the highest trump, or without a trump the
// highest card of the suit that was led. `trick` has at least one card and may be incomplete. The
// Excuse wins only while it is the only card. WinnerOfTrick() (scoring.h) adds the exception for
// the last trick of a slam.
int WinningPosition(absl::Span<const Card> trick);

}  // namespace tarot::rules
