// The use cases of finished deals. A finished deal has no secrets any more.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "libs/dealing/provenance.h"
#include "libs/rules/deal.h"
#include "services/rules/app/log_entry.h"
#include "services/rules/app/table_config.h"

namespace tarot::rules_service {

// The start of a deal: the dealer, the taker that the board names (kNoSeat where the rule set has
// no boards), and the origin of the cards.
struct DealOrigin {
  rules::Seat dealer = 0;
  rules::Seat taker = rules::kNoSeat;
  dealing::Provenance provenance;
};

// One finished deal.
struct DealKey {
  TableId table;
  int number = 0;
  absl::Time finish_time;
  friend bool operator==(const DealKey&, const DealKey&) = default;
};

struct StoredDeal {
  DealKey key;
  TableConfig config;
  // All entries from the start of the deal to its end. Their revisions count from the start of the
  // table's log.
  std::vector<LogEntry> log;
};

// A query for one page of deals. For the first page, `after` is unset. For each later page, `after`
// is the last deal of the page before.
struct DealQuery {
  std::optional<PlayerId> player;
  std::optional<TableId> table;
  absl::Time start_time = absl::InfinitePast();
  absl::Time end_time = absl::InfiniteFuture();
  std::optional<DealKey> after;
  int limit = 20;
};

// The interface to the log of finished deals. TableStore extends it.
class RecordStore {
 public:
  virtual ~RecordStore() = default;

  // Returns the newest deals first.
  virtual absl::StatusOr<std::vector<DealKey>> ListDeals(const DealQuery& query) = 0;

  // Returns those of `deals` that exist, in the order of `deals`, by at most two statements. Uses
  // only the table and the number of each key.
  virtual absl::StatusOr<std::vector<StoredDeal>> LoadDeals(const std::vector<DealKey>& deals) = 0;
};

struct DealRecord {
  DealKey key;
  TableConfig config;
  DealOrigin origin;
  struct Entry {
    rules::Seat seat = rules::kNoSeat;
    rules::Action action;
    bool stand_in = false;  // True if a bot acted for the person in the seat.
  };
  std::vector<Entry> entries;
  rules::Deal deal;  // The state of the deal after its last entry.
};

// Replays a deal from its origin. If the rules refuse an action, returns their error.
absl::StatusOr<rules::Deal> ReplayDeal(const rules::RuleSet& rules, int players,
                                       const DealOrigin& origin,
                                       const std::vector<DealRecord::Entry>& entries);

// Thread-safe. The methods wait for the store.
class RecordService {
 public:
  explicit RecordService(RecordStore& store) : store_(store) {}

  // Returns NOT_FOUND RECORD_NOT_FOUND if there is no such finished deal.
  absl::StatusOr<DealRecord> Get(TableId table, int number);

  // Returns the newest deals first.
  absl::StatusOr<std::vector<DealRecord>> List(const DealQuery& query);

 private:
  RecordStore& store_;
};

}  // namespace tarot::rules_service
