// The legal cards of a seat, equals together, best first. Included by search_core.h only.
#pragma once

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

// In the first trick of five players; never binds a hand that has nothing else.
inline void Search::WithoutCalledSuit(const Trick& trick, std::uint64_t& suits,
                                      std::uint32_t trumps) const {
  std::uint64_t barred = position_.barred.suits();
  const int called = Index(position_.called_card);
  if (trick.size == 0) {
    barred &= ~(1ull << called);
  } else if (!position_.barred_to_all || trick.cards[0] == called) {
    return;
  }
  if ((suits & ~barred) != 0 || trumps != 0) suits &= ~barred;
}

inline int Search::ListMoves(const Trick& trick, int seat, std::array<Move, 24>& moves) const {
  std::uint64_t suits = suits_[At(seat)];
  std::uint32_t trumps = trumps_[At(seat)];
  if (trick.asked != kNone) {
    const std::uint64_t follow = trick.asked == kTrumpSuit ? 0 : suits & SuitBits(trick.asked);
    const std::uint32_t own = trumps & kTrumpBits;
    if (follow != 0) {
      suits = follow;
      trumps &= kExcuseBit;
    } else if (own != 0) {
      suits = 0;
      const std::uint32_t above = own & ~0u << std::bit_width(trick.trumps & kTrumpBits);
      if (above != 0) trumps = above | (trumps & kExcuseBit);
    }
  }
  if (root_trick_ && !position_.barred.Empty()) WithoutCalledSuit(trick, suits, trumps);

  int count = 0;
  const auto add = [&moves, &count](int card, int lowest) {
    moves[At(count++)] = {.card = static_cast<std::uint8_t>(card),
                          .lowest = static_cast<std::uint8_t>(lowest)};
  };
  // Cards of the same suit and weight are equals when nobody else has one between, on the table
  // the winning one. A fence parts the cards above it from itself and those below.
  std::uint64_t fences = (all_suits_ & ~suits_[At(seat)]) | kCourtBits | kCourtBits >> 1;
  std::uint32_t trump_fences = (all_trumps_ & ~trumps_[At(seat)]) | kPetitBit;
  if (setup_.twenty_one_may_fall) trump_fences |= 1u << 19;
  if (trick.best >= kFirstTrump) {
    trump_fences |= 1u << (trick.best - kFirstTrump);
  } else if (trick.best != kNone) {
    fences |= 1ull << trick.best;
  }
  while (suits != 0) {
    const int card = 63 - std::countl_zero(suits);
    const int end = 64 - std::countl_zero(fences & ((1ull << card) - 1));
    const std::uint64_t rest = suits & ((1ull << end) - 1);
    add(card, std::countr_zero(suits ^ rest));
    suits = rest;
  }
  for (std::uint32_t own = trumps & kTrumpBits; own != 0;) {
    const int bit = 31 - std::countl_zero(own);
    const int end = 32 - std::countl_zero(trump_fences & ((1u << bit) - 1));
    const std::uint32_t rest = own & ((1u << end) - 1);
    add(kFirstTrump + bit, kFirstTrump + std::countr_zero(own ^ rest));
    own = rest;
  }
  if ((trumps & kExcuseBit) != 0) add(kExcuseIndex, kExcuseIndex);
  if (count == 1) return count;
  Order(trick, seat, moves, count);
  return count;
}

inline Search::Behind Search::BehindOf(const Trick& trick, int seat, int asked) const {
  const bool attack = InAttack(seat);
  const std::uint64_t bits = asked == kTrumpSuit ? 0 : SuitBits(asked);
  Behind behind;
  for (int i = trick.size + 1; i < players_; ++i) {
    const int turn = SeatOf(trick, i);
    const std::uint64_t suits = suits_[At(turn)] & bits;
    const std::uint32_t trumps = trumps_[At(turn)] & kTrumpBits;
    const int below = suits == 0 && trumps != 0 ? kFirstTrump : 0;
    behind.highest[At(behind.count)] =
        below + 63 - std::countl_zero(suits != 0 ? suits : std::uint64_t{trumps});
    behind.with[At(behind.count++)] = InAttack(turn) == attack;
  }
  return behind;
}

// Whether the camp takes the trick, if everybody behind takes it from the other camp when he can:
// now by `best`, a card of the camp itself or not.
inline bool Search::CampTakes(const Behind& behind, int best, bool with) {
  for (int i = 0; i < behind.count; ++i) {
    const bool takes = (behind.highest[At(i)] > best) & (behind.with[At(i)] != with);
    best = takes ? behind.highest[At(i)] : best;
    with = with != takes;
  }
  return with;
}

// By how many cards a hand may choose from: on a logarithmic scale.
constexpr std::array<std::uint8_t, 25> kVariety = [] {
  std::array<std::uint8_t, 25> variety{};
  for (unsigned n = 0; n < variety.size(); ++n) {
    variety[n] = static_cast<std::uint8_t>(31 - std::countl_zero(n * n * n * n | 1));
  }
  return variety;
}();

// How much the others can vary their replies to the lead of a suit.
inline int Search::Replies(int leader, int suit) const {
  std::uint64_t lengths = suit == kTrumpSuit ? 0 : suit_lengths_[At(suit)];
  int replies = 0;
  for (int seat = 0; seat < kSeats; ++seat, lengths >>= 4) {
    if (seat == leader) continue;
    const int trumps = std::popcount(trumps_[At(seat)] & kTrumpBits);
    const int other = trumps != 0 ? trumps : std::popcount(suits_[At(seat)]);
    replies += kVariety[(lengths & 15) != 0 ? lengths & 15 : At(other)];
  }
  return replies;
}

constexpr int kDrivesFrom = 11;  // Tricks left.

inline void Search::Order(const Trick& trick, int seat, std::array<Move, 24>& moves,
                          int count) const {
  const bool leads = trick.size == 0;
  const int left = leads ? HandSize(seat) : 0;
  const bool drives = left >= kDrivesFrom && InAttack(seat);
  const std::int16_t* learnt = leads ? LeadsOf(left)[At(seat)].data() : nullptr;
  int asked = trick.asked;
  Behind behind;
  bool with = false;  // Whether the camp has the trick so far.
  if (asked != kNone) {
    behind = BehindOf(trick, seat, asked);
    with = InAttack(trick.winner) == InAttack(seat);
  }
  int replies = 0;
  std::array<int, 24> scores;
  std::array<int, 24> places;
  for (int i = 0; i < count; ++i) {
    const int card = moves[At(i)].card;
    int score = 0;
    if (card == kExcuseIndex) {
      score = trick.asked != kNone && CampTakes(behind, trick.best, with) ? 990 : -3;
    } else {
      const int suit = SuitIndex(card);
      if (trick.asked == kNone && suit != asked) {
        asked = suit;
        behind = BehindOf(trick, seat, suit);
        if (leads) replies = Replies(seat, suit);
      }
      const bool trump = suit == kTrumpSuit;
      const bool best = (card > trick.best) & (trump | (suit == asked));
      const bool takes = CampTakes(behind, best ? card : trick.best, best | with);
      const int extra = 16 * (setup_.weight[At(card)] - 1);
      score = (takes ? 1000 + extra : -extra) - (card - 14 * suit) - (trump ? 8 : 0);
      // Before its other leads that lose the trick, the attack drives out the trumps above its own:
      // fewer cards are left to refute. Near the end it does not pay.
      if (trump && drives && !takes) score += 800;
      // A proof against few replies is a small one.
      score -= 12 * replies;
    }
    if (leads) score += learnt[card];
    scores[At(i)] = score;
    // Where it goes among those before it.
    int to = 0;
    for (int before = 0; before < i; ++before) {
      const bool behind_it = scores[At(before)] < score;
      places[At(before)] += behind_it ? 1 : 0;
      to += behind_it ? 0 : 1;
    }
    places[At(i)] = to;
  }
  const std::array<Move, 24> listed = moves;
  for (int i = 0; i < count; ++i) moves[At(places[At(i)])] = listed[At(i)];
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
