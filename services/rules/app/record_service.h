// The use cases of finished deals. A finished deal has no secrets any more.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "libs/dealing/provenance.h"
#include "libs/rules/deal.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

// The start of a deal: the dealer, the taker that the board names (kNoSeat where the rule set has
// no boards), and the origin of the cards.
struct DealOrigin {
  rules::Seat dealer = 0;
  rules::Seat taker = rules::kNoSeat;
  dealing::Provenance provenance;
};

struct DealRecord {
  DealKey key;
  TableConfig config;
  DealOrigin origin;
  struct Entry {
    rules::Seat seat = rules::kNoSeat;
    rules::Action action;
  };
  std::vector<Entry> entries;
  rules::Deal deal;  // The deal at its end.
};

// Replays a deal from its origin. For an illegal action, returns the error of its refusal.
absl::StatusOr<rules::Deal> ReplayDeal(const rules::RuleSet& rules, int players,
                                       const DealOrigin& origin,
                                       const std::vector<DealRecord::Entry>& entries);

// Thread-safe. The methods wait for the store.
class RecordService {
 public:
  explicit RecordService(TableStore& store) : store_(store) {}

  // Returns NOT_FOUND RECORD_NOT_FOUND if there is no such finished deal.
  absl::StatusOr<DealRecord> Get(TableId table, int number);

  // Returns the newest deals first.
  absl::StatusOr<std::vector<DealRecord>> List(const DealQuery& query);

 private:
  TableStore& store_;
};

}  // namespace tarot::rules_service
