// Declares the interface to durable storage. One contract test checks both implementations:
// PgTableStore for production, FakeTableStore for tests and simulation.
#pragma once

#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/dealing/shuffle.h"
#include "libs/rules/action.h"
#include "services/rules/app/log_entry.h"
#include "services/rules/app/record_service.h"
#include "services/rules/app/table_config.h"
#include "services/rules/app/table_state.h"

namespace tarot::rules_service {

// The end of a match. It is stored with the match's last entry.
struct MatchEnd {
  int deals_scored = 0;
  std::vector<int> totals;  // Indexed by seat.
  friend bool operator==(const MatchEnd&, const MatchEnd&) = default;
};

// The progress of a match, at the end of one of its deals.
struct MatchProgress {
  bool match_over = false;
  int deals_dealt = 0;  // The number of deals so far; the newest deal has this number.
  int deals_scored = 0;
  std::vector<int> totals;  // Indexed by seat.
  friend bool operator==(const MatchProgress&, const MatchProgress&) = default;
};

struct NewEntry {
  TableId table;
  LogEntry entry;
  // Set only if the entry ends a deal:
  // - `progress`: the match after this deal;
  // - `deal_revision`: the revision of the entry that started this deal;
  // - `players`: the players of this deal;
  // - `revealed`: the secrets that become public (RevealedBy).
  std::optional<MatchProgress> progress;
  int deal_revision = 0;
  std::vector<PlayerId> players;
  std::vector<RevealedDeal> revealed;

  bool EndsDeal() const { return progress.has_value(); }
  bool EndsMatch() const { return progress && progress->match_over; }
};

struct Appended {
  int revision = 0;
  bool replayed = false;  // True if the log already had the request, at `revision`.
};

struct StoredTable {
  TableConfig config;
  std::vector<LogEntry> log;    // Sorted by revision.
  std::optional<MatchEnd> end;  // The end of the match. It is unset until the match is over.
};

// A table in the form that lists show.
struct TableSummary {
  TableConfig config;
  MatchProgress progress;  // The match after its newest finished deal.
};

struct TableKey {
  TableId table;
  absl::Time create_time;
};

// A table and a number of entries of its log.
struct TableRevision {
  TableId table;
  int revision = 0;
  friend auto operator<=>(const TableRevision&, const TableRevision&) = default;
};

struct TableQuery {
  std::optional<PlayerId> player;
  bool show_finished = false;
  std::optional<TableKey> after;
  int limit = 20;
};

// A service that must confirm the end of a match.
enum class OutboxTarget { kRatings, kMatchmaking };

// The end of a match that `target` must still confirm.
struct OutboxItem {
  TableConfig config;
  OutboxTarget target = OutboxTarget::kRatings;
  MatchEnd end;
  absl::Time finish_time;
};

// Stores tables, their logs, the finished deals and the outbox.
class TableStore : public RecordStore {
 public:
  // Creates tables with different ids in one commit. Each table has its own result: result i
  // belongs to table i. If result i is OK, the table is durable. The value is true if this call
  // made the table. The value is false if an earlier call with the same request made it. If a
  // different request has used the id, the result is ALREADY_EXISTS TABLE_EXISTS.
  virtual std::vector<absl::StatusOr<bool>> CreateMany(const std::vector<TableConfig>& configs) = 0;
  // Creates one table, as CreateMany does.
  absl::StatusOr<bool> Create(const TableConfig& config) { return CreateMany({config})[0]; }

  // Stores entries of any tables in one commit. Each entry has its own result: result i belongs to
  // entry i.
  // - OK: the entry is durable.
  // - ABORTED: the revision does not follow the log as it was before the call, or the table does
  //   not exist. It is also possible that another call is storing the same request at this moment.
  //   Load the table, then try again.
  // - UNAVAILABLE: it is unknown whether the entry was stored.
  // - Any other error: the entry was not stored.
  virtual std::vector<absl::StatusOr<Appended>> Append(const std::vector<NewEntry>& entries) = 0;

  // Returns NOT_FOUND TABLE_NOT_FOUND if there is no such table, and INTERNAL SECRET_UNREADABLE or
  // BUG if its log cannot be read.
  virtual absl::StatusOr<StoredTable> Load(TableId table) = 0;

  // Returns the tables of `tables` that exist, in any order, by one statement.
  virtual absl::StatusOr<std::vector<TableId>> FindTables(const std::vector<TableId>& tables) = 0;

  // Returns the tables with these ids, in any order, by at most two statements. Leaves out tables
  // that do not exist or cannot be read.
  virtual absl::StatusOr<std::vector<StoredTable>> LoadMany(const std::vector<TableId>& tables) = 0;

  // Returns a page of the tables that were made at `since` or later and whose match is not over,
  // newest first. The page begins after the key `after`.
  virtual absl::StatusOr<std::vector<TableKey>> ListLive(absl::Time since,
                                                         const std::optional<TableKey>& after,
                                                         int limit) = 0;

  // Returns those of `tables` whose log has an entry after the given revision, in any order, by one
  // statement. It reads one key of the log for each table.
  virtual absl::StatusOr<std::vector<TableId>> ListBehind(
      const std::vector<TableRevision>& tables) = 0;

  // Returns the newest tables first.
  virtual absl::StatusOr<std::vector<TableKey>> ListTables(const TableQuery& query) = 0;

  // Returns the summaries of the tables with these ids, in the order of `tables`, by one statement.
  // Leaves out tables that do not exist or cannot be read.
  virtual absl::StatusOr<std::vector<TableSummary>> LoadSummaries(
      const std::vector<TableId>& tables) = 0;

  // Returns items of both targets. For each target, skips the `offset` oldest items and returns at
  // most `limit` of the next items, oldest first. Each target has its own limit, so a service that
  // does not answer never blocks the other service. A match with a scored deal waits for ratings
  // and for matchmaking. Any other match waits only for matchmaking.
  virtual absl::StatusOr<std::vector<OutboxItem>> ListOutbox(int limit, int offset) = 0;
  virtual absl::Status MarkDelivered(TableId table, OutboxTarget target) = 0;
};

}  // namespace tarot::rules_service
