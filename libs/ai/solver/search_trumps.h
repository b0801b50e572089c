// The order of the trumps in proofs: by rank in the search, by hand in the table, where the third
// trump of a hand stands for the third trump of that hand in any other position. Included by
// search_core.h only.
#pragma once

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

// Whether a proof against `card`, played by a hand that holds `other` too, is one against `other`
// once the two have changed places in it. The Petit counts, and the 21 may fall: those are like no
// other.
inline bool Search::Alike(int card, int other, const TrumpPairs& pairs) const {
  const int high = std::max(card, other) - kFirstTrump;
  const int low = std::min(card, other) - kFirstTrump;
  if (low <= 0 || high >= (setup_.twenty_one_may_fall ? 20 : 21)) return false;
  if (pairs.Below(high) >> low != 0) return false;
  for (int between = low + 1; between < high; ++between) {
    if ((pairs.Below(between) >> low & 1) != 0) return false;
  }
  return true;
}

// Asks of each of the trumps `cards` of one hand what `from` asks of any of them.
inline void Search::Share(std::uint32_t cards, const TrumpPairs& from, TrumpPairs& pairs) {
  std::uint32_t below = 0;
  for (std::uint32_t rest = cards; rest != 0; rest &= rest - 1) {
    below |= from.Below(std::countr_zero(rest));
  }
  for (std::uint32_t rest = cards; below != 0 && rest != 0; rest &= rest - 1) {
    pairs.Add(std::countr_zero(rest), below);
  }
  for (int trump = 32 - std::countl_zero(cards); trump < kTrumps; ++trump) {
    if ((from.Below(trump) & cards) != 0) pairs.Add(trump, cards);
  }
}

// The first number of each hand's trumps; behind the last hand, how many there are.
inline Search::TrumpStarts Search::NumberTrumps() const {
  TrumpStarts starts{};
  for (int seat = 0; seat < players_; ++seat) {
    starts[At(seat + 1)] = starts[At(seat)] + std::popcount(trumps_[At(seat)] & kTrumpBits);
  }
  return starts;
}

// All pairs as they stand: of each trump, the lower ones of all hands.
inline TrumpRows Search::OrderOfTrumps(const TrumpStarts& starts) const {
  TrumpRows rows{};
  TrumpStarts next = starts;
  std::uint64_t lower = 0;
  for (std::uint32_t rest = all_trumps_ & kTrumpBits; rest != 0; rest &= rest - 1) {
    const int trump = std::countr_zero(rest);
    int seat = 0;
    while ((trumps_[At(seat)] >> trump & 1) == 0) ++seat;
    const int number = next[At(seat)]++;
    rows[At(number / 3)] |= lower << (number % 3 * kTrumps);
    lower |= 1ull << number;
  }
  return rows;
}

inline TrumpRows Search::PairsByHand(const TrumpPairs& pairs, const TrumpStarts& starts) const {
  TrumpRows rows{};
  for (int seat = 0; seat < players_; ++seat) {
    int number = starts[At(seat)];
    for (std::uint32_t rest = trumps_[At(seat)] & kTrumpBits; rest != 0; rest &= rest - 1) {
      const std::uint32_t below = pairs.Below(std::countr_zero(rest));
      std::uint64_t row = 0;
      for (int other = 0; below != 0 && other < players_; ++other) {
        row |= Gather(below, trumps_[At(other)] & kTrumpBits) << starts[At(other)];
      }
      rows[At(number / 3)] |= row << (number % 3 * kTrumps);
      ++number;
    }
  }
  return rows;
}

inline TrumpPairs Search::PairsByRank(const TrumpRows& rows, const TrumpStarts& starts) const {
  TrumpPairs pairs;
  for (int seat = 0; seat < players_; ++seat) {
    int number = starts[At(seat)];
    for (std::uint32_t rest = trumps_[At(seat)] & kTrumpBits; rest != 0; rest &= rest - 1) {
      const std::uint64_t row = rows[At(number / 3)] >> (number % 3 * kTrumps) & kTrumpBits;
      ++number;
      if (row == 0) continue;
      std::uint64_t below = 0;
      for (int other = 0; other < players_; ++other) {
        // What lies above this hand's numbers is cut off: it has no more trumps.
        below |= Spread(row >> starts[At(other)], trumps_[At(other)] & kTrumpBits);
      }
      pairs.Add(std::countr_zero(rest), static_cast<std::uint32_t>(below));
    }
  }
  return pairs;
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
