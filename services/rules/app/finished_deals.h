// Declares the deals of a finished match in the form that other services get.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/rules/deal.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

struct FinishedDeal {
  int number = 0;  // From 1.
  rules::Seat dealer = 0;
  // The numbers of the 78 cards, one byte each: the hand of each seat as it was dealt, then the
  // dog. Each hand and the dog are sorted.
  std::string pack;
  rules::Outcome outcome = rules::Outcome::kNone;
  std::vector<int> scores;             // Indexed by seat.
  std::vector<rules::Seat> stand_ins;  // The seats of people for whom a bot acted, in rising order.
  // A seat of `stand_ins` is also in this list if a bot made the last action of the seat, or the
  // action before the last action. The person of such a seat counts as away at the end of the deal.
  std::vector<rules::Seat> away;
};

// Reads all deals of a match that is over, sorted by number. Returns INTERNAL if the store does not
// have all of them. Also returns the errors of RecordService::List.
absl::StatusOr<std::vector<FinishedDeal>> ReadFinishedDeals(TableStore& store,
                                                            const OutboxItem& match);

// Returns true if an operator has ended the match before its last deal. Such a match is not rated.
// `deals` are all deals of the match. If the deals could not be read, returns false.
bool EndedByOperator(const OutboxItem& match, const std::vector<FinishedDeal>& deals);

// Returns the players who had left when the match ended: they were away at the end of each of the
// last two deals, or of the only deal.
std::vector<PlayerId> LeftPlayers(const TableConfig& config,
                                  const std::vector<FinishedDeal>& deals);

// Reads the deals of a match that is over, and returns the players who had left when it ended.
// Returns no player if an operator has ended the match, or if the deals cannot be read.
std::vector<PlayerId> ReadLeftPlayers(TableStore& store, const OutboxItem& match);

// Returns the players who had left when the match of `table` ended, or nullopt while the match
// runs. Returns NOT_FOUND TABLE_NOT_FOUND, and the errors of TableStore::LoadSummaries.
absl::StatusOr<std::optional<std::vector<PlayerId>>> FindMatchEnd(TableStore& store, TableId table);

}  // namespace tarot::rules_service
