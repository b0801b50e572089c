// Declares functions that read the whole ledger of a RatingStore, and compute the standings that
// follow from it.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/base/error.h"
#include "services/ratings/app/ledger_fold.h"
#include "services/ratings/app/rating_store.h"

namespace tarot::ratings_service {

// Returns all rated matches, in the order in which they were stored.
inline absl::StatusOr<std::vector<LedgerMatch>> ReadLedger(RatingStore& store) {
  TAROT_ASSIGN_OR_RETURN(const std::unique_ptr<Recomputation> recomputation,
                         store.BeginRecomputation());
  std::vector<LedgerMatch> ledger;
  while (true) {
    TAROT_ASSIGN_OR_RETURN(const std::vector<LedgerMatch> page, recomputation->ReadMatches(100));
    if (page.empty()) return ledger;
    ledger.insert(ledger.end(), page.begin(), page.end());
  }
}

// Rates all matches that are not void, beginning with the first match. Returns the standings of the
// players with such a match.
inline absl::StatusOr<Standings> FoldLedger(RatingStore& store) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<LedgerMatch> ledger, ReadLedger(store));
  TAROT_ASSIGN_OR_RETURN(const std::vector<Season> read, store.ReadSeasons());
  Seasons seasons;
  for (const Season& season : read) seasons[{season.numbers.player_count, season.number}] = season;
  LedgerFold fold;
  std::vector<RecomputedResult> different;
  for (const LedgerMatch& match : ledger) {
    TAROT_RETURN_IF_ERROR(fold.Apply(match, seasons, different));
  }
  Standings standings;
  for (const auto& [player_count, standing] : fold.TakeChanged()) {
    if (standing.match_count > 0) standings[{player_count, standing.player}] = standing;
  }
  return standings;
}

}  // namespace tarot::ratings_service
