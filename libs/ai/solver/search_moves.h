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
      const std::uint32_t above =
          trick.highest_trump == kNone ? own : own & TrumpFrom(trick.highest_trump);
      if (above != 0) trumps = above | (trumps & kExcuseBit);
    }
  }
  if (root_trick_ && !position_.barred.Empty()) WithoutCalledSuit(trick, suits, trumps);

  int count = 0;
  const auto add = [&moves, &count](int card) {
    const auto index = static_cast<std::uint8_t>(card);
    moves[At(count++)] = {.score = 0, .card = index, .lowest = index};
  };
  // Cards of the same suit and weight are equals when nobody else has one between, on the table
  // the winning one.
  std::uint64_t others = all_suits_ & ~suits_[At(seat)];
  std::uint32_t trump_others = (all_trumps_ & ~trumps_[At(seat)]) | kPetitBit;
  if (setup_.twenty_one_may_fall) trump_others |= 1u << 19;
  if (trick.best >= kFirstTrump) {
    trump_others |= 1u << (trick.best - kFirstTrump);
  } else if (trick.best != kNone) {
    others |= 1ull << trick.best;
  }
  for (int last = kNone; suits != 0;) {
    const int card = 63 - std::countl_zero(suits);
    suits &= ~(1ull << card);
    const bool equal = last != kNone && last / 14 == card / 14 &&
                       setup_.weight[At(last)] == setup_.weight[At(card)] &&
                       (others & ((1ull << last) - (1ull << card))) == 0;
    if (equal) {
      moves[At(count - 1)].lowest = static_cast<std::uint8_t>(card);
    } else {
      add(card);
    }
    last = card;
  }
  std::uint32_t own = trumps & kTrumpBits;
  for (int last = kNone; own != 0;) {
    const int bit = 31 - std::countl_zero(own);
    own &= ~(1u << bit);
    if (last != kNone && (trump_others & ((1u << last) - (1u << bit))) == 0) {
      moves[At(count - 1)].lowest = static_cast<std::uint8_t>(kFirstTrump + bit);
    } else {
      add(kFirstTrump + bit);
    }
    last = bit;
  }
  if ((trumps & kExcuseBit) != 0) add(kExcuseIndex);
  if (count == 1) return count;
  for (int i = 0; i < count; ++i) {
    Move move = moves[At(i)];
    Score(trick, seat, move);
    int to = i;
    for (; to > 0 && moves[At(to - 1)].score < move.score; --to) moves[At(to)] = moves[At(to - 1)];
    moves[At(to)] = move;
  }
  return count;
}

// Whether the camp of `seat` takes the trick with `card`, if everybody behind it takes it from the
// other camp when he can.
inline bool Search::CampTakes(const Trick& trick, int seat, int card) const {
  if (trick.size + 1 == players_ && card != kExcuseIndex) {
    const bool beats =
        SuitIndex(card) == SuitIndex(trick.best) ? card > trick.best : card >= kFirstTrump;
    return beats || InAttack(trick.winner) == InAttack(seat);
  }
  Trick next = trick;
  Put(next, seat, card);
  while (next.size < players_) {
    const int turn = (next.leader + next.size) % players_;
    if (next.asked == kNone) return false;
    const std::uint32_t trumps = trumps_[At(turn)] & kTrumpBits;
    const std::uint64_t suits =
        next.asked == kTrumpSuit ? 0 : suits_[At(turn)] & SuitBits(next.asked);
    int taking = kNone;
    if (suits != 0) {
      const int highest = 63 - std::countl_zero(suits);
      if (next.best < kFirstTrump && highest > next.best) taking = highest;
    } else if (trumps != 0) {
      const int highest = kFirstTrump + 31 - std::countl_zero(trumps);
      if (next.best < kFirstTrump || highest > next.best) taking = highest;
    }
    if (taking != kNone && InAttack(turn) != InAttack(next.winner)) {
      next.best = taking;
      next.winner = turn;
    }
    ++next.size;
  }
  return InAttack(next.winner) == InAttack(seat);
}

// How much the others can vary their replies to the lead of a suit: the lengths of what each may
// choose from, on a logarithmic scale.
inline int Search::Replies(int leader, int suit) const {
  int replies = 0;
  for (int seat = 0; seat < players_; ++seat) {
    if (seat == leader) continue;
    const int trumps = std::popcount(trumps_[At(seat)] & kTrumpBits);
    int choice = suit == kTrumpSuit ? 0 : std::popcount(suits_[At(seat)] & SuitBits(suit));
    if (choice == 0) choice = trumps;
    if (choice == 0) choice = std::popcount(suits_[At(seat)]);
    replies +=
        31 - std::countl_zero(static_cast<std::uint32_t>(choice * choice * choice * choice | 1));
  }
  return replies;
}

constexpr int kDrivesFrom = 11;  // Tricks left.

inline void Search::Score(const Trick& trick, int seat, Move& move) const {
  const int card = move.card;
  const int extra = setup_.weight[At(card)] - 1;
  const int rank = card >= kFirstTrump ? card - kFirstTrump : card % 14;
  int score = 0;
  if (card == kExcuseIndex) {
    score = CampTakes(trick, seat, card) ? 990 : -3;
  } else if (CampTakes(trick, seat, card)) {
    score = 1000 + 16 * extra - rank - (card >= kFirstTrump ? 8 : 0);
  } else {
    score = -16 * extra - rank - (card >= kFirstTrump ? 8 : 0);
    // Before its other leads that lose the trick, the attack drives out the trumps above its own:
    // fewer cards are left to refute. Near the end it does not pay.
    const bool drives = trick.size == 0 && card >= kFirstTrump && InAttack(seat);
    if (drives && HandSize(seat) >= kDrivesFrom) score += 800;
  }
  // A proof against few replies is a small one.
  if (trick.size == 0 && card != kExcuseIndex) score -= 12 * Replies(seat, SuitIndex(card));
  if (trick.size == 0) score += LeadsOf(HandSize(seat))[At(seat)][At(card)];
  move.score = static_cast<std::int16_t>(score);
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
