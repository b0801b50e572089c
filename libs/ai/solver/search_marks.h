// What a proof must mark, so that it holds wherever the marks agree. Included by search_core.h
// only.
#pragma once

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

// Whether any other wild card of the suit would have done for a proof with these marks.
inline bool Search::IsWild(int card, const Marks& marks) {
  return ((marks.suits | marks.courts) >> card & 1) == 0;
}

// A proof against every card of a group needs all of the group where it needs any.
inline void Search::MarkGroup(const Move& move, int seat, Marks& marks) const {
  if (move.card == move.lowest) return;
  if (move.card < kFirstTrump) {
    if ((marks.suits & ((2ull << move.card) - (1ull << move.lowest))) != 0) {
      marks.suits |= SuitFrom(move.lowest);
    }
  } else {
    const std::uint32_t group = (2u << (move.card - 56)) - (1u << (move.lowest - 56));
    Share(trumps_[At(seat)] & group, marks.trumps, marks.trumps);
  }
}

// Moves that the proof against the one that `failed` refutes, too; but for those `known` already.
inline std::uint32_t Search::AlsoFail(int seat, const std::array<Move, 24>& moves, int count,
                                      int failed, std::uint32_t known, Marks& marks) const {
  const int card = moves[At(failed)].card;
  std::uint32_t found = 0;
  if (card < kFirstTrump) {
    if (!IsWild(card, marks)) return 0;
    const std::uint64_t wild = SuitBits(SuitIndex(card)) & ~(marks.suits | marks.courts);
    for (int i = failed + 1; i < count; ++i) {
      const int other = moves[At(i)].card;
      const bool fails = (other < kFirstTrump) & (wild >> other % 64 & 1);
      found |= (fails ? 1u : 0u) << i;
    }
    return found;
  }
  const TrumpPairs proof = marks.trumps;
  for (int i = failed + 1; i < count; ++i) {
    const int other = moves[At(i)].card;
    if (other < kFirstTrump || (known >> i & 1) != 0 || !Alike(card, other, proof)) continue;
    found |= 1u << i;
    Share(1u << (card - kFirstTrump) | 1u << (other - kFirstTrump), proof, marks.trumps);
    MarkGroup(moves[At(i)], seat, marks);
  }
  return found;
}

// Whether the seat must play a trump to a trick that a trump higher than the Petit lies in; only
// then do ranks decide what is legal.
inline bool Search::MustMeetTrump(const Trick& trick, int seat) const {
  if ((trick.trumps & kTrumpBits & ~kPetitBit) == 0) return false;
  if ((trumps_[At(seat)] & kTrumpBits) == 0) return false;
  return trick.asked == kTrumpSuit || (suits_[At(seat)] & SuitBits(trick.asked)) == 0;
}

// The card that the prover plays must be legal wherever the proof holds.
inline void Search::MarkChoice(const Trick& trick, int seat, int card, Marks& marks) const {
  if (card < kFirstTrump || card == kExcuseIndex || !MustMeetTrump(trick, seat)) return;
  const std::uint32_t own = trumps_[At(seat)] & kTrumpBits;
  const int trump = card - kFirstTrump;
  const int highest = HighestTrump(trick);
  if ((own >> trump) == 1) return;  // Its highest trump is legal in any case.
  if (trump > highest) {
    marks.trumps.Add(trump, trick.trumps & kTrumpBits);
  } else {
    marks.trumps.Add(highest, own);
  }
}

// A proof against every legal card needs that no other card be legal wherever it holds.
inline void Search::MarkDuty(const Trick& trick, int seat, Marks& marks) const {
  if (!MustMeetTrump(trick, seat)) return;
  const int highest = HighestTrump(trick);
  const std::uint32_t above = kTrumpBits & ~0u << highest;
  const std::uint32_t own = trumps_[At(seat)] & kTrumpBits;
  if ((own & above) == 0 || (own & ~above) == 0) return;
  marks.trumps.Add(highest, (own | (trick.trumps & kTrumpBits)) & ~above);
  marks.trumps.Add(31 - std::countl_zero(own), 1u << highest);
}

// The marks of the card that took the trick: where others of its suit lie in it, and perhaps only
// those of the other camp.
inline void Search::MarkWinner(const Trick& trick, bool any_of_camp, Marks& marks) const {
  std::uint64_t rivals = trick.suits & SuitBits(SuitIndex(trick.best));
  std::uint32_t beaten = trick.trumps & kTrumpBits & ~kPetitBit;
  for (int i = 0; any_of_camp && i < players_; ++i) {
    const int card = trick.cards[At(i)];
    if (InAttack(SeatOf(trick, i)) != InAttack(trick.winner)) continue;
    if (card < kFirstTrump) {
      rivals &= ~(1ull << card);
    } else {
      beaten &= ~(1u << (card - kFirstTrump));
    }
  }
  if (trick.best >= kFirstTrump) {
    const int best = trick.best - kFirstTrump;
    beaten &= ~(1u << best);
    if (beaten != 0) marks.trumps.Add(best, beaten);
  } else if ((rivals & ~(1ull << trick.best)) != 0) {
    marks.suits |= SuitFrom(trick.best);
  }
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
