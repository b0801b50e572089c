#include "libs/rules/handful.h"

namespace tarot::rules {
namespace {

// The cards that a seat may show in a handful.
struct Pool {
  CardSet held;  // Trumps in hand.
  // The trumps of the écart that every seat has seen; empty if the seat is not the taker.
  CardSet shown;
  bool excuse = false;
};

Pool PoolOf(const Deal& deal, Seat seat) {
  const CardSet hand = deal.hands[static_cast<std::size_t>(seat)];
  Pool pool{.held = hand & CardSet::AllTrumps(), .excuse = hand.Contains(kExcuse)};
  const bool discard_counts = deal.rules.handful_shown_discard_counts && seat == deal.taker;
  if (discard_counts) pool.shown = deal.DiscardShown();
  return pool;
}

// Returns whether `seat`, which is in turn, may still show a handful. A seat may show one handful,
// in the first trick, before it plays its card.
bool Timely(const Deal& deal, Seat seat) {
  if (!deal.rules.handful || deal.phase != Phase::kPlaying || deal.trick_count != 1) return false;
  for (int i = 0; i < deal.handful_count; ++i) {
    if (deal.handfuls[static_cast<std::size_t>(i)].seat == seat) return false;
  }
  return true;
}

}  // namespace

int HandfulLevel(const RuleSet& rules, int players, int count) {
  for (int level = 1; level <= 3; ++level) {
    if (rules.HandfulSize(players, level) == count) return level;
  }
  return 0;
}

HandfulChoice ListHandfuls(const Deal& deal, Seat seat) {
  HandfulChoice choice;
  if (!Timely(deal, seat)) return choice;
  const Pool pool = PoolOf(deal, seat);
  const int trumps = (pool.held | pool.shown).Size();
  const bool excuse_counts =
      pool.excuse && deal.rules.handful_excuse == HandfulExcuse::kIfNoHiddenTrump;
  for (int level = 1; level <= 3; ++level) {
    const int size = deal.rules.HandfulSize(deal.players, level);
    // A handful with the Excuse must show every trump in hand. It may also show those trumps of the
    // écart that every seat has seen.
    const bool with_excuse = excuse_counts && pool.held.Size() + 1 <= size && size <= trumps + 1;
    choice.levels[static_cast<std::size_t>(level)] = trumps >= size || with_excuse;
    if (trumps >= size || with_excuse) choice.cards |= pool.held | pool.shown;
    if (with_excuse) choice.cards.Insert(kExcuse);
  }
  return choice;
}

Verdict CheckHandful(const Deal& deal, Seat seat, CardSet cards) {
  if (!Timely(deal, seat)) return {.reason = Reason::kHandfulTooLate};
  const Pool pool = PoolOf(deal, seat);
  for (const Card c : cards) {
    if (!IsTrump(c) && c != kExcuse) return {.reason = Reason::kHandfulNotTrumps, .card = c};
    const bool has = c == kExcuse ? pool.excuse : (pool.held | pool.shown).Contains(c);
    if (!has) return {.reason = Reason::kCardNotHeld, .card = c};
  }
  if (HandfulLevel(deal.rules, deal.players, cards.Size()) == 0) {
    return {.reason = Reason::kHandfulSize, .number = cards.Size()};
  }
  if (!cards.Contains(kExcuse)) return {};
  if (deal.rules.handful_excuse == HandfulExcuse::kTrumpsOnly) {
    return {.reason = Reason::kHandfulNotTrumps, .card = kExcuse};
  }
  const int held_back = (pool.held - cards).Size();
  if (held_back > 0) return {.reason = Reason::kHandfulExcuse, .number = held_back};
  return {};
}

}  // namespace tarot::rules
