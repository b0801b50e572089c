// What a camp gets without looking further: tricks that it can cash one after the other, and tricks
// that its trumps take however the play goes. Included by search_core.h only.
#pragma once

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

// At least this many half points lie in `tricks` tricks beside court cards and the Petit.
inline int Search::LeastOf(int tricks) const {
  const bool light = excuse_ != kNone && setup_.weight[kExcuseIndex] == 0;
  return tricks * players_ - (light && tricks > 0 ? 1 : 0);
}

// Whether the other camp may yet take the last trick with the Excuse.
inline bool Search::ExcuseMayWin(bool attack) const {
  return setup_.rules.excuse_wins_slam && excuse_ != kNone && InAttack(excuse_) != attack &&
         (attack ? attack_tricks_ : defence_tricks_) == 0;
}

// Tricks that the trumps of `seat` are bound to take for its camp: each trump of an opponent beats
// at most one of them, and
// `killers` more cards do. `least` is the lowest that counts, from the top.
inline int Search::BoundTricks(int seat, std::uint32_t opponents, int killers, int& least) const {
  int lost = 0;
  int taken = 0;
  for (std::uint32_t own = trumps_[At(seat)] & kTrumpBits; own != 0;) {
    const int bit = 31 - std::countl_zero(own);
    own &= ~(1u << bit);
    const bool beaten = killers + std::popcount(opponents >> bit) > lost;
    lost += beaten ? 1 : 0;
    taken += beaten ? 0 : 1;
    least = beaten ? least : kFirstTrump + bit;
  }
  return taken;
}

// What all hands but `seat` must add to `tricks` tricks of `left`, above the least: court cards,
// where they have nothing else.
inline int Search::ForcedCourts(int seat, int tricks, int left, Marks& marks) const {
  int points = 0;
  for (int other = 0; other < kSeats; ++other) {
    const std::uint64_t courts = suits_[At(other)] & kCourtBits;
    int forced = tricks - left + std::popcount(courts);
    if (forced <= 0 || other == seat) continue;
    marks.courts |= courts;
    for (int rank = 10; rank < 14 && forced > 0; ++rank) {
      const std::uint64_t of_rank = courts & (1ull | 1ull << 14 | 1ull << 28 | 1ull << 42) << rank;
      const int count = std::min(forced, std::popcount(of_rank));
      points += count * (2 * (rank - 10) + 2);
      forced -= count;
    }
  }
  return points;
}

// What the camp certainly has of the Excuse's pot, if it takes `taken` tricks of the `left` by the
// cards of `hand`: `cashed` from the top, or else at any time. The holder can play the Excuse to
// any trick before the last that a bound leaves him free in; against the other camp it gains
// nothing in the last trick but by a slam.
inline int Search::ExcuseShare(bool attack, int hand, bool cashed, int taken, int left) const {
  if (excuse_ == kNone) return 0;
  bool sure = taken > 0;
  if (InAttack(excuse_) == attack) {
    sure = !cashed ? left >= 2 : excuse_ == hand ? taken + 2 <= left : left >= 4;
  }
  if (!sure) return 0;
  return attack ? setup_.excuse.low : setup_.excuse.high;
}

// Tricks that `hand` takes with its highest cards of a suit, the highest of all among them, however
// often it is led: of those who may ruff, everybody still follows. Adds what court cards count, and
// marks.
inline int Search::MasterTricks(int hand, int suit, const Ruffs& ruffs, Result& out) const {
  const std::uint64_t bits = SuitBits(suit);
  const std::uint64_t mine = suits_[At(hand)] & bits;
  const std::uint64_t theirs = all_suits_ & bits & ~mine;
  std::uint64_t masters =
      theirs == 0 ? mine : mine & ~((2ull << (63 - std::countl_zero(theirs))) - 1);
  unsigned safe = kNeverRuffs;
  unsigned longest = 0;
  std::uint64_t lengths = suit_lengths_[At(suit)] & ~(15ull << 4 * hand);
  for (int seat = 0; seat < kSeats; ++seat, lengths >>= 4) {
    const unsigned length = lengths & 15;
    longest = std::max(longest, length);
    safe = std::min(safe, length | ruffs[At(seat)]);
  }
  if (safe == 0) return 0;
  if (excuse_ != kNone && excuse_ != hand) {
    // Who plays the Excuse keeps a card of the suit.
    const unsigned length = LengthOf(excuse_, suit);
    longest = std::max(longest, length + (length > 0 ? 1 : 0));
  }
  if (std::popcount(masters) >= static_cast<int>(longest)) masters = mine;
  int taken = 0;
  int lowest = kNone;
  for (std::uint64_t rest = masters; rest != 0 && safe > 0; --safe) {
    lowest = 63 - std::countl_zero(rest);
    rest &= ~(1ull << lowest);
    ++taken;
    out.amount += setup_.weight[At(lowest)] - 1;
  }
  if (theirs != 0) {
    const std::uint64_t top = masters & ~((2ull << (63 - std::countl_zero(theirs))) - 1);
    out.marks.suits |= SuitFrom(std::max(lowest, std::countr_zero(top)));
  }
  out.marks.courts |= masters & kCourtBits & SuitFrom(lowest);
  return taken;
}

// Whether the camp of `hand` has enough by the `taken` tricks of its trumps that `out` knows
// already, and by suits that nobody can beat or ruff. The hand must be bound to win a trick with a
// trump itself: then it cashes them all. Until then it keeps them, for it discards only when its
// trumps are gone; and where it has to follow, they win. Who has trumps loses cards of a suit only
// when that suit is led, so nobody comes to ruff.
inline bool Search::MastersSuffice(int hand, int taken, int left, int needed, Result& out) const {
  const std::uint64_t tops = suits_[At(hand)] & tops_;
  if (tops == 0) return false;
  const bool attack = out.attack;
  const std::uint32_t own = trumps_[At(hand)] & kTrumpBits;
  const std::uint32_t others = all_trumps_ & kTrumpBits & ~own;
  int entry = kFirstTrump + 31 - std::countl_zero(own);
  if (own < others && BoundTricks(hand, others, 0, entry) == 0) return false;
  Ruffs ruffs{};
  for (int seat = 0; seat < kSeats; ++seat) {
    ruffs[At(seat)] = (trumps_[At(seat)] & others) != 0 ? 0 : kNeverRuffs;
  }
  int masters = 0;
  for (std::uint64_t rest = tops; rest != 0; rest &= rest - 1) {
    masters += MasterTricks(hand, std::countr_zero(rest) / 14, ruffs, out);
  }
  if (masters == 0) return false;
  const int lowest = entry - kFirstTrump;
  out.marks.trumps.Add(lowest, others & ((1u << lowest) - 1));
  taken += masters;
  out.amount += LeastOf(taken) + ExcuseShare(attack, hand, false, taken, left);
  if (out.amount >= needed) return true;
  out.amount += ForcedCourts(hand, taken, left, out.marks);
  return out.amount >= needed;
}

// Whether the trumps of one hand are enough for its camp, or those and masters.
inline bool Search::TrumpsSuffice(bool attack, int tricks, int needed, Result& out) const {
  std::uint32_t opponents = 0;
  for (int seat = 0; seat < kSeats; ++seat) {
    opponents |= InAttack(seat) != attack ? trumps_[At(seat)] & kTrumpBits : 0;
  }
  const int killers = ExcuseMayWin(attack) ? 1 : 0;
  for (unsigned rest = Camp(attack); rest != 0; rest &= rest - 1) {
    const int seat = std::countr_zero(rest);
    const std::uint32_t own = trumps_[At(seat)] & kTrumpBits;
    if (own == 0) continue;
    int least = kNone;
    const int taken = BoundTricks(seat, opponents, killers, least);
    if (taken == 0) continue;
    const bool petit = petit_ == seat && opponents == 0 && killers == 0;
    const int trumps = petit ? setup_.weight[kPetitIndex] - 1 : 0;
    out = {.attack = attack, .amount = trumps};
    const int lowest = least - kFirstTrump;
    out.marks.trumps.Add(lowest, opponents & ((1u << lowest) - 1));
    out.amount += LeastOf(taken) + ExcuseShare(attack, seat, false, taken, tricks);
    if (out.amount >= needed) return true;
    out.amount += ForcedCourts(seat, taken, tricks, out.marks);
    if (out.amount >= needed) return true;
    out.amount = trumps;
    out.marks.courts = 0;
    if (killers == 0 && MastersSuffice(seat, taken, tricks, needed, out)) return true;
  }
  return false;
}

// Whether `hand` has enough in tricks that it can cash from the top when it leads: the highest
// trumps, then suits of which it has the highest cards and that nobody can ruff. When its partner
// `leader` leads, it must come to the lead by one of these tricks.
inline bool Search::QuickTricks(int hand, int leader, int left, int needed, Result& out) const {
  const bool attack = InAttack(hand);
  const std::uint32_t own = trumps_[At(hand)] & kTrumpBits;
  const std::uint32_t others = all_trumps_ & kTrumpBits & ~own;
  const std::uint32_t run =
      others == 0 ? own : own & ~((2u << (31 - std::countl_zero(others))) - 1);
  const std::uint64_t tops = suits_[At(hand)] & tops_;
  if (tops == 0 && run == 0 && hand != leader) return false;
  const int rounds = std::popcount(run);
  bool drawn = true;  // Nobody else has a trump after these rounds.
  Ruffs ruffs{};
  for (int seat = 0; seat < kSeats; ++seat) {
    const int length = std::popcount(trumps_[At(seat)] & others);
    const bool stripped = length + (excuse_ == seat && length > 0 ? 1 : 0) <= rounds;
    ruffs[At(seat)] = stripped ? kNeverRuffs : 0;
    drawn = drawn && stripped;
  }
  // The Petit comes when its owner runs out of trumps, or when its camp wants: but not in a round
  // that a third one leads, where it may have to overtrump.
  int petit = 0;
  if (petit_ != kNone && petit_ != hand && rounds > 0) {
    const bool given =
        InAttack(petit_) == attack && rounds > (hand == leader || petit_ == leader ? 0 : 1);
    if (ruffs[At(petit_)] != 0 || given) petit = setup_.weight[kPetitIndex] - 1;
  }
  bool leads = hand == leader || (rounds > 0 && (trumps_[At(leader)] & kTrumpBits) != 0);
  int taken = rounds;
  if (drawn) {
    taken = std::popcount(own);
    if (petit_ == hand) petit = setup_.weight[kPetitIndex] - 1;
  }
  out = {.attack = attack, .amount = petit};
  if (others != 0 && run != 0) {
    out.marks.trumps.Add(std::countr_zero(run), others);
  }
  if (leads) {
    const int sure = LeastOf(taken) + petit + ExcuseShare(attack, hand, true, taken, left);
    if (sure >= needed) {
      out.amount = sure;
      return true;
    }
  }
  for (std::uint64_t rest = tops; rest != 0; rest &= rest - 1) {
    const int suit = std::countr_zero(rest) / 14;
    const int cashed = MasterTricks(hand, suit, ruffs, out);
    taken += cashed;
    if (cashed == 0 || leads || (suits_[At(leader)] & SuitBits(suit)) == 0) continue;
    leads = true;
    for (int seat = 0; seat < players_; ++seat) {
      const bool trumps = seat != hand && (trumps_[At(seat)] & kTrumpBits) != 0;
      if (trumps && (suits_[At(seat)] & SuitBits(suit)) == 0) leads = false;
    }
  }
  if (!leads) return false;
  out.amount += LeastOf(taken) + ExcuseShare(attack, hand, true, taken, left);
  if (out.amount >= needed) return true;
  out.amount += ForcedCourts(hand, taken, left, out.marks);
  return out.amount >= needed;
}

inline bool Search::Bounded(int leader, int tricks, int need, int pool, Result& out) {
  const bool attack = InAttack(leader);
  const int needed = attack ? need : pool - need + 1;
  const int theirs = attack ? pool - need + 1 : need;
  tops_ = TopsOf(all_suits_);
  if (QuickTricks(leader, leader, tricks, needed, out)) return true;
  if (TrumpsSuffice(!attack, tricks, theirs, out) || TrumpsSuffice(attack, tricks, needed, out)) {
    out.any_leader = true;
    return true;
  }
  for (unsigned rest = Camp(attack) & ~(1u << leader); rest != 0; rest &= rest - 1) {
    const int seat = std::countr_zero(rest);
    if (QuickTricks(seat, leader, tricks, needed, out)) return true;
  }
  return false;
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
