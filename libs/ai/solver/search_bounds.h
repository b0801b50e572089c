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
    if (killers + std::popcount(opponents >> bit) > lost) {
      ++lost;
    } else {
      ++taken;
      least = kFirstTrump + bit;
    }
  }
  return taken;
}

// Whether the trumps of one hand are enough for its camp.
inline bool Search::TrumpsSuffice(bool attack, int needed, Result& out) const {
  std::uint32_t opponents = 0;
  for (int seat = 0; seat < players_; ++seat) {
    if (InAttack(seat) != attack) opponents |= trumps_[At(seat)] & kTrumpBits;
  }
  const int killers = ExcuseMayWin(attack) ? 1 : 0;
  for (int seat = 0; seat < players_; ++seat) {
    if (InAttack(seat) != attack) continue;
    const std::uint32_t own = trumps_[At(seat)] & kTrumpBits;
    const int petit =
        petit_ == seat && opponents == 0 && killers == 0 ? setup_.weight[kPetitIndex] - 1 : 0;
    if (LeastOf(std::popcount(own)) + petit < needed) continue;
    int least = kNone;
    const int amount = LeastOf(BoundTricks(seat, opponents, killers, least)) + petit;
    if (amount < needed) continue;
    out = {.attack = attack, .amount = amount};
    if (opponents != 0) out.marks.trumps = TrumpFrom(least);
    return true;
  }
  return false;
}

// Whether the leader has enough in tricks that it can cash from the top: the highest trumps, then
// suits of which it has the highest cards and that nobody can ruff.
inline bool Search::QuickTricks(int leader, int needed, Result& out) const {
  const bool attack = InAttack(leader);
  std::uint32_t others = 0;
  for (int seat = 0; seat < players_; ++seat) {
    if (seat != leader) others |= trumps_[At(seat)] & kTrumpBits;
  }
  const std::uint32_t own = trumps_[At(leader)] & kTrumpBits;
  const std::uint32_t run =
      others == 0 ? own : own & ~((2u << (31 - std::countl_zero(others))) - 1);
  const int rounds = std::popcount(run);
  bool drawn = true;  // Nobody else has a trump after these rounds.
  std::array<bool, rules::kPlayersMax> may_ruff{};
  int petit = 0;
  for (int seat = 0; seat < players_; ++seat) {
    if (seat == leader) continue;
    const int length = std::popcount(trumps_[At(seat)] & kTrumpBits);
    if (length == 0) continue;
    const bool stripped = length + (excuse_ == seat ? 1 : 0) <= rounds;
    may_ruff[At(seat)] = !stripped;
    drawn = drawn && stripped;
    // The Petit comes when it is the last trump of an opponent, or when its camp wants.
    if (petit_ == seat && rounds > 0 && (stripped || InAttack(seat) == attack)) {
      petit = setup_.weight[kPetitIndex] - 1;
    }
  }
  int tricks = rounds;
  std::uint32_t lowest = run;
  if (drawn) {
    tricks = std::popcount(own);
    if (petit_ == leader) petit = setup_.weight[kPetitIndex] - 1;
  }
  int amount = LeastOf(tricks) + petit;
  out = {.attack = attack};
  if (others != 0 && lowest != 0) {
    out.marks.trumps = TrumpFrom(kFirstTrump + std::countr_zero(lowest));
  }
  if (amount >= needed) {
    out.amount = amount;
    return true;
  }
  for (int suit = 0; suit < 4; ++suit) {
    const std::uint64_t bits = SuitBits(suit);
    std::uint64_t mine = suits_[At(leader)] & bits;
    if (mine == 0) continue;
    const std::uint64_t theirs = all_suits_ & bits & ~mine;
    if (theirs != 0) mine &= ~((2ull << (63 - std::countl_zero(theirs))) - 1);
    int safe = 14;
    for (int seat = 0; seat < players_; ++seat) {
      if (may_ruff[At(seat)]) safe = std::min(safe, std::popcount(suits_[At(seat)] & bits));
    }
    int lowest_card = kNone;
    for (; mine != 0 && safe > 0; --safe) {
      lowest_card = 63 - std::countl_zero(mine);
      mine &= ~(1ull << lowest_card);
      ++tricks;
      amount += players_ - 1 + setup_.weight[At(lowest_card)];
    }
    if (lowest_card != kNone) out.marks.suits |= SuitFrom(lowest_card);
  }
  if (tricks > 0 && LeastOf(1) < players_ && rounds == 0) --amount;  // The Excuse may fall in one.
  out.amount = amount;
  return amount >= needed;
}

inline bool Search::Bounded(int leader, int need, int pool, Result& out) const {
  const bool attack = InAttack(leader);
  const int needed = attack ? need : pool - need + 1;
  const int theirs = attack ? pool - need + 1 : need;
  return QuickTricks(leader, needed, out) || TrumpsSuffice(!attack, theirs, out) ||
         TrumpsSuffice(attack, needed, out);
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
