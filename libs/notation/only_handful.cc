#include "libs/notation/only_handful.h"

namespace tarot::notation {

using rules::CardSet;

std::optional<CardSet> OnlyHandful(const rules::RuleSet& rules, CardSet hand, CardSet exposed,
                                   int count) {
  if (!rules.handful_shown_discard_counts) exposed = CardSet();
  const CardSet held = hand & CardSet::AllTrumps();
  const CardSet trumps = held | exposed;
  if (trumps.Size() > count) return std::nullopt;
  const bool plain = trumps.Size() == count;
  // With the Excuse all trumps in hand are shown; exposed ones may fill up.
  const bool may = hand.Contains(rules::kExcuse) &&
                   rules.handful_excuse == rules::HandfulExcuse::kIfNoHiddenTrump;
  const int missing = count - 1 - held.Size();
  const bool excuse = may && missing >= 0 && missing <= exposed.Size();
  if (plain == excuse) return std::nullopt;  // Neither, or a choice.
  if (plain) return trumps;
  if (missing != 0 && missing != exposed.Size()) return std::nullopt;
  return (missing == 0 ? held : trumps) | CardSet{rules::kExcuse};
}

}  // namespace tarot::notation
