#include "libs/notation/audit.h"

#include "absl/strings/str_cat.h"
#include "libs/notation/prove.h"

namespace tarot::notation {
namespace {

// True only if every check of Prove() would pass, by its numbers alone. A claim that is not looked
// at here makes it false.
bool QuicklyTrue(const Document& document) {
  const Record& record = document.record;
  const Claims& claims = document.claims;
  if (record.seed || record.commitment || claims.taker || claims.partner || claims.contract ||
      !claims.winners.empty() || claims.needed_half_points || claims.account) {
    return false;
  }
  const auto replayed = Replay(record);
  if (!replayed.ok() || !replayed->problem.empty()) return false;
  const rules::DealResult& result = replayed->deal.result;
  return claims.outcome == result.outcome &&
         claims.attack_half_points.value_or(result.attack_half_points) ==
             result.attack_half_points &&
         claims.bouts.value_or(result.bouts) == result.bouts &&
         claims.scores.value_or(result.scores) == result.scores;
}

}  // namespace

std::string Untruth(const Document& document) {
  std::string untruth;
  if (QuicklyTrue(document)) return untruth;
  for (const Check& check : Prove(document)) {
    if (check.truth != Truth::kFalse) continue;
    absl::StrAppend(&untruth, untruth.empty() ? "" : "; ", check.what, ": ", check.text);
  }
  return untruth;
}

}  // namespace tarot::notation
