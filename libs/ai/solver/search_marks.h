// What a proof must mark, so that it holds wherever the marks agree. Included by search_core.h
// only.
#pragma once

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

// Whether any other wild card of the suit would have done for a proof with these marks.
inline bool Search::IsWild(int card, const Marks& marks) const {
  if (card < kFirstTrump) return ((marks.suits | marks.courts) >> card & 1) == 0;
  if (card == kPetitIndex || card == kExcuseIndex) return false;
  if (card == kFirstTrump + 20 && setup_.twenty_one_may_fall) return false;
  return (marks.trumps >> (card - kFirstTrump) & 1) == 0;
}

// A proof against every card of a group needs all of the group where it needs any.
inline void Search::MarkGroup(const Move& move, Marks& marks) {
  if (move.card == move.lowest) return;
  if (move.card < kFirstTrump) {
    if ((marks.suits & ((2ull << move.card) - (1ull << move.lowest))) != 0) {
      marks.suits |= SuitFrom(move.lowest);
    }
  } else if ((marks.trumps & ((2u << (move.card - 56)) - (1u << (move.lowest - 56)))) != 0) {
    marks.trumps |= TrumpFrom(move.lowest);
  }
}

// Whether the seat must play a trump to a trick that a trump higher than the Petit lies in; only
// then do ranks decide what is legal.
inline bool Search::MustMeetTrump(const Trick& trick, int seat) const {
  if (trick.highest_trump <= kPetitIndex) return false;
  if ((trumps_[At(seat)] & kTrumpBits) == 0) return false;
  return trick.asked == kTrumpSuit || (suits_[At(seat)] & SuitBits(trick.asked)) == 0;
}

// The card that the prover plays must be legal wherever the proof holds.
inline void Search::MarkChoice(const Trick& trick, int seat, int card, Marks& marks) const {
  if (card < kFirstTrump || card == kExcuseIndex || !MustMeetTrump(trick, seat)) return;
  const std::uint32_t own = trumps_[At(seat)] & kTrumpBits;
  if (card > trick.highest_trump) {
    // Its highest trump is legal if any wild one is.
    if ((own >> (card - kFirstTrump)) > 1) marks.trumps |= TrumpFrom(card);
  } else if (card == kPetitIndex && own != kPetitBit) {
    marks.trumps |= TrumpFrom(trick.highest_trump);
  }
}

// A proof against every legal card needs that no other card be legal wherever it holds.
inline void Search::MarkDuty(const Trick& trick, int seat, Marks& marks) const {
  if (!MustMeetTrump(trick, seat)) return;
  const std::uint32_t above = TrumpFrom(trick.highest_trump);
  const std::uint32_t own = trumps_[At(seat)] & kTrumpBits;
  if ((own & above) != 0 && (own & ~above) != 0) marks.trumps |= above;
}

// The marks of the card that took the trick: where others of its suit lie in it.
inline void Search::MarkWinner(const Trick& trick, Marks& marks) const {
  int rivals = 0;
  for (int i = 0; i < players_; ++i) {
    const int card = trick.cards[At(i)];
    const bool rival = card != kExcuseIndex && card != kPetitIndex && card != trick.best &&
                       SuitIndex(card) == SuitIndex(trick.best);
    rivals += rival ? 1 : 0;
  }
  if (rivals == 0) return;
  if (trick.best < kFirstTrump) {
    marks.suits |= SuitFrom(trick.best);
  } else {
    marks.trumps |= TrumpFrom(trick.best);
  }
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
