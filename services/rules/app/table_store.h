// What the rules service asks of durable storage. Two implementations, one contract test:
// PgTableStore (production) and FakeTableStore (unit tests, simulation).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/rules/app/log_entry.h"
#include "services/rules/app/table_config.h"

namespace tarot::rules_service {

// The end of a match, stored with its last entry.
struct MatchEnd {
  int deals_scored = 0;
  std::vector<int> totals;  // By seat.
  friend bool operator==(const MatchEnd&, const MatchEnd&) = default;
};

struct NewEntry {
  TableId table;
  LogEntry entry;
  // Set when the entry ends a deal: its number in the match, and the revision that dealt it.
  int deal_number = 0;
  int deal_revision = 0;
  std::vector<PlayerId> players;  // Of the deal, with deal_number only.
  std::optional<MatchEnd> match_end;
};

struct Appended {
  int revision = 0;
  bool replayed = false;  // True when the request had already been applied.
};

struct StoredTable {
  TableConfig config;
  std::vector<LogEntry> log;    // In order of revision.
  std::optional<MatchEnd> end;  // As stored with the last entry of a match that is over.
};

// One finished deal, by its place in the log.
struct DealKey {
  TableId table;
  int number = 0;
  absl::Time finish_time;
  friend bool operator==(const DealKey&, const DealKey&) = default;
};

struct StoredDeal {
  DealKey key;
  TableConfig config;
  std::vector<LogEntry>
      log;  // From the entry that dealt it to its last; revisions are the table's.
};

// Pages are by key: `after` is the last item of the page before.
struct DealQuery {
  std::optional<PlayerId> player;
  std::optional<TableId> table;
  absl::Time start_time = absl::InfinitePast();
  absl::Time end_time = absl::InfiniteFuture();
  std::optional<DealKey> after;
  int limit = 20;
};

struct TableKey {
  TableId table;
  absl::Time create_time;
};

// A table whose match is not over, and the revision of its log.
struct LiveTable {
  TableKey key;
  int revision = 0;
};

struct TableQuery {
  std::optional<PlayerId> player;
  bool show_finished = false;
  std::optional<TableKey> after;
  int limit = 20;
};

// A match whose end must still be told to another service.
enum class OutboxTarget { kRatings, kMatchmaking };
struct OutboxItem {
  TableConfig config;
  OutboxTarget target = OutboxTarget::kRatings;
  MatchEnd end;
  absl::Time finish_time;
};

class TableStore {
 public:
  virtual ~TableStore() = default;

  // Durable when OK. The same request again is OK; ALREADY_EXISTS TABLE_EXISTS when the id is taken
  // by another.
  virtual absl::Status Create(const TableConfig& config) = 0;

  // Stores entries of any tables in one commit, each refereed on its own: result i is that of entry
  // i. Durable when OK. ABORTED when the revision is not the next one after what was stored before
  // the call, when there is no such table, or when the same request is being applied at this very
  // moment: reload, then ask again. UNAVAILABLE: may or may not be stored, all of them alike.
  virtual std::vector<absl::StatusOr<Appended>> Append(const std::vector<NewEntry>& entries) = 0;

  // NOT_FOUND TABLE_NOT_FOUND.
  virtual absl::StatusOr<StoredTable> Load(TableId table) = 0;

  // Those of `tables` that there are, in any order, by one statement or two.
  virtual absl::StatusOr<std::vector<StoredTable>> LoadMany(const std::vector<TableId>& tables) = 0;

  // Tables whose match is not over, newest first, in pages: `after` is the last one of the page
  // before.
  virtual absl::StatusOr<std::vector<LiveTable>> ListLive(const std::optional<TableKey>& after,
                                                          int limit) = 0;

  // Newest first.
  virtual absl::StatusOr<std::vector<TableKey>> ListTables(const TableQuery& query) = 0;

  // NOT_FOUND RECORD_NOT_FOUND.
  virtual absl::StatusOr<StoredDeal> LoadDeal(TableId table, int number) = 0;

  // Newest first.
  virtual absl::StatusOr<std::vector<DealKey>> ListDeals(const DealQuery& query) = 0;

  // Oldest first, at most `limit` of each target: one that is away never holds up the other. A
  // ranked match waits for ratings and matchmaking, any other for matchmaking.
  // The first `offset` of each are passed over.
  virtual absl::StatusOr<std::vector<OutboxItem>> ListOutbox(int limit, int offset) = 0;
  virtual absl::Status MarkDelivered(TableId table, OutboxTarget target) = 0;
};

}  // namespace tarot::rules_service
