#include "tools/lab/engine/legal_lines.h"

#include "absl/strings/str_cat.h"
#include "libs/notation/names.h"

namespace tarot::lab {
namespace {

std::string Names(rules::CardSet cards) {
  std::string out;
  for (const rules::Card card : cards) absl::StrAppend(&out, " ", notation::CardName(card));
  return out;
}

std::string Bids(const rules::LegalActions& legal) {
  std::string out;
  for (std::size_t bid = 0; bid < legal.bids.size(); ++bid) {
    if (!legal.bids[bid]) continue;
    absl::StrAppend(&out, " ", notation::ContractName(static_cast<rules::Contract>(bid)));
  }
  return out;
}

std::vector<std::string> Play(const rules::View& view) {
  const rules::LegalActions& legal = view.legal;
  std::string sizes;
  for (int level = 1; level <= 3; ++level) {
    if (!legal.handful_levels[static_cast<std::size_t>(level)]) continue;
    absl::StrAppend(&sizes, " ", view.rules.HandfulSize(view.players, level));
  }
  std::vector<std::string> lines;
  if (!sizes.empty()) {
    lines.push_back(
        absl::StrCat("legal handful", sizes, " of ", notation::TrumpsName(legal.handful_cards)));
  }
  lines.push_back("legal play" + Names(legal.cards));
  return lines;
}

}  // namespace

std::vector<std::string> LegalLines(const rules::View& view) {
  if (view.turn != view.viewer) return {};
  const rules::LegalActions& legal = view.legal;
  switch (view.phase) {
    case rules::Phase::kBidding:
      return {"legal bid" + Bids(legal)};
    case rules::Phase::kCalling:
      return {absl::StrCat("legal call", Names(legal.calls), legal.call_nobody ? " -" : "")};
    case rules::Phase::kDiscarding:
      return {absl::StrCat("legal discard ", legal.discard_count, " trumps ",
                           legal.discard_trump_count, " of ", notation::HandName(legal.discards))};
    case rules::Phase::kSlam:
      return {"legal slam yes no"};
    case rules::Phase::kPlaying:
      return Play(view);
    case rules::Phase::kDone:
      break;
  }
  return {};
}

}  // namespace tarot::lab
