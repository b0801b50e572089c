// The deals of a finished match, as the ratings service gets them.
#pragma once

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
};

// Reads all deals of a match that is over, sorted by number. Returns INTERNAL if the store does not
// have all of them or cannot read one.
absl::StatusOr<std::vector<FinishedDeal>> ReadFinishedDeals(TableStore& store,
                                                            const OutboxItem& match);

}  // namespace tarot::rules_service
