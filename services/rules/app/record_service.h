// Finished deals: they hide nothing any more.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "libs/dealing/shuffle.h"
#include "libs/rules/deal.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

struct DealRecord {
  DealKey key;
  TableConfig config;
  dealing::DealSeed seed{};
  struct Entry {
    rules::Seat seat = rules::kNoSeat;
    rules::Action action;
  };
  std::vector<Entry> entries;
  rules::Deal deal;  // At its end.
};

// The deal that a seed and some actions make. INVALID_ARGUMENT BAD_REQUEST when the rule set is
// unknown; the refusal of the first action that is illegal.
absl::StatusOr<rules::Deal> ReplayDeal(const rules::RuleSet& rules, int players, rules::Seat dealer,
                                       const dealing::DealSeed& seed,
                                       const std::vector<DealRecord::Entry>& entries);

// Thread-safe; waits for the store.
class RecordService {
 public:
  explicit RecordService(TableStore& store) : store_(store) {}

  // NOT_FOUND RECORD_NOT_FOUND.
  absl::StatusOr<DealRecord> Get(TableId table, int number);

  // Newest first.
  absl::StatusOr<std::vector<DealRecord>> List(const DealQuery& query);

 private:
  TableStore& store_;
};

}  // namespace tarot::rules_service
