// Declares the service that reads the records of finished deals and the score sheet of a match. All
// cards of a scored deal are public. The record of a deal without a score is closed until the match
// is over, because the players have not seen all hands of this deal.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "libs/dealing/provenance.h"
#include "libs/rules/deal.h"
#include "services/rules/app/log_entry.h"
#include "services/rules/app/table_config.h"

namespace tarot::rules_service {

class TableStore;

// The start of a deal: the dealer, the taker that the board names (kNoSeat if it names none), and
// the origin of the cards.
struct DealOrigin {
  rules::Seat dealer = 0;
  rules::Seat taker = rules::kNoSeat;
  dealing::Provenance provenance;
};

// Identifies a finished deal.
struct DealKey {
  TableId table;
  int number = 0;
  absl::Time finish_time;
  friend bool operator==(const DealKey&, const DealKey&) = default;
};

struct StoredDeal {
  DealKey key;
  TableConfig config;
  bool match_over = false;
  // All entries from the start of the deal to its end. The entries have the revisions of the
  // table's log, so the revisions do not begin at 1 in each deal.
  std::vector<LogEntry> log;
  // The error INTERNAL SECRET_UNREADABLE if the deal is closed and the key of its secrets is lost.
  // A deal is closed if it has no score and its match is not over. After this error, `log` is
  // empty.
  absl::Status readable;
};

// A query for one page of deals. For the first page, `after` is unset. For each later page, `after`
// is the last deal of the previous page.
struct DealQuery {
  std::optional<PlayerId> player;
  std::optional<TableId> table;
  absl::Time start_time = absl::InfinitePast();
  absl::Time end_time = absl::InfiniteFuture();
  std::optional<DealKey> after;
  int limit = 20;
};

// Reads finished deals from storage. TableStore extends this interface.
class RecordStore {
 public:
  virtual ~RecordStore() = default;

  // Returns the newest deals first.
  virtual absl::StatusOr<std::vector<DealKey>> ListDeals(const DealQuery& query) = 0;

  // Returns the deals with these keys, in the order of `deals`, by at most two statements. Leaves
  // out deals that do not exist. Reads only the fields `table` and `number` of each key. Returns
  // INTERNAL SECRET_UNREADABLE or BUG if a deal cannot be read. If the only fault is the missing
  // encryption key of a closed deal, returns this deal with the error in `readable`.
  virtual absl::StatusOr<std::vector<StoredDeal>> LoadDeals(const std::vector<DealKey>& deals) = 0;
};

struct DealRecord {
  DealKey key;
  TableConfig config;
  bool match_over = false;
  DealOrigin origin;
  struct Entry {
    rules::Seat seat = rules::kNoSeat;
    rules::Action action;
    bool stand_in = false;  // True if a bot acted for the person in the seat.
  };
  std::vector<Entry> entries;
  rules::Deal deal;         // The state of the deal after its last entry.
  std::string void_reason;  // The operator's reason, if an operator has cancelled the deal.
                            // Normally empty.
  DealClaim claim;          // The claim that ended the deal, if any.

  bool closed() const { return !match_over && deal.result.outcome != rules::Outcome::kScored; }
};

struct RecordPage {
  std::vector<DealRecord> records;
  // The last deal of a full page: the next page begins after it. Unset if the page is not full.
  std::optional<DealKey> last;
};

// One line of a score sheet: a finished deal.
struct ScoreLine {
  int number = 0;
  rules::Deal deal;
  // The operator's reason, if an operator has cancelled the deal. Normally empty.
  std::string void_reason;
  DealClaim claim;                               // The claim that ended the deal, if any.
  std::array<int, rules::kPlayersMax> totals{};  // The totals after this deal, indexed by seat.
  absl::Time finish_time;
};

struct ScoreSheet {
  TableConfig config;
  bool match_over = false;
  std::optional<dealing::FirstDealerDraw> draw;  // Unset before the first deal.
  std::vector<ScoreLine> lines;                  // Sorted by number.
};

// Returns the record of a readable deal. If the rules refuse an entry, returns their error.
absl::StatusOr<DealRecord> RecordOf(StoredDeal stored);

// Replays a deal from its origin. If the rules refuse an action, returns their error.
absl::StatusOr<rules::Deal> ReplayDeal(const rules::RuleSet& rules, int players,
                                       const DealOrigin& origin,
                                       const std::vector<DealRecord::Entry>& entries);

// Thread-safe. The methods wait for the store.
class RecordService {
 public:
  explicit RecordService(TableStore& store) : store_(store) {}

  // Returns NOT_FOUND RECORD_NOT_FOUND if there is no such finished deal. Returns
  // FAILED_PRECONDITION RECORD_CLOSED if the deal is closed. If StoredDeal::readable is an error,
  // returns this error.
  absl::StatusOr<DealRecord> Get(TableId table, int number);

  // Returns the newest deals first. Leaves out closed deals.
  absl::StatusOr<RecordPage> List(const DealQuery& query);

  // Returns the score sheet of a table. The sheet has finished deals only. Returns NOT_FOUND
  // TABLE_NOT_FOUND if there is no such table.
  absl::StatusOr<ScoreSheet> Sheet(TableId table);

 private:
  TableStore& store_;
};

}  // namespace tarot::rules_service
