// Leads in the order of what came of them: a lead that has just won a position of the same deal for
// its camp is tried first in the next one, whatever the others have in hand by then. It wins there,
// too, more often than a lead that looks better, and by proofs that fit more positions of the
// table. Included by search_core.h only.
#pragma once

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

inline SearchTable::Leads& Search::LeadsOf(int tricks) const {
  return table_.leads[At(SpanOf(tricks))];
}

// `moves[won]` has won for its camp, those before it have not.
inline void Search::Remember(int tricks, int seat, const std::array<Move, 24>& moves, int won) {
  auto& leads = LeadsOf(tricks)[At(seat)];
  for (int i = 0; i <= won; ++i) {
    std::int16_t& lead = leads[At(moves[At(i)].card)];
    const int towards = i == won ? SearchTable::kLeadMax : -SearchTable::kLeadMax;
    lead = static_cast<std::int16_t>(lead + (towards - lead) / 4);
  }
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
