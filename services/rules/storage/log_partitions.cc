#include "services/rules/storage/log_partitions.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "libs/base/entropy.h"
#include "libs/base/error.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {
namespace {

constexpr pg::Statement kLockLogs{
    "rules_lock_logs", "SELECT pg_try_advisory_xact_lock(hashtextextended('tarot.rules.logs', 0))"};

constexpr pg::Statement kGetLastPartition{"rules_get_last_partition", R"sql(
  SELECT end_id FROM rules.log_partitions ORDER BY end_id DESC LIMIT 1
)sql"};

constexpr pg::Statement kFindTableInRange{"rules_find_table_in_range", R"sql(
  SELECT table_id FROM rules.tables WHERE table_id >= $1 AND table_id < $2
  ORDER BY table_id LIMIT 1
)sql"};

constexpr pg::Statement kAddPartition{"rules_add_partition", R"sql(
  INSERT INTO rules.log_partitions (first_id, end_id) VALUES ($1, $2) RETURNING partition_id
)sql"};

// The ids that are at least `first` and less than `end`.
struct Range {
  Uuid first;
  Uuid end;
};

// Returns the first midnight (UTC) after `time`.
absl::Time MidnightAfter(absl::Time time) {
  const std::int64_t day = absl::ToUnixSeconds(time) / absl::ToInt64Seconds(kPartitionSpan);
  return absl::UnixEpoch() + static_cast<double>(day + 1) * kPartitionSpan;
}

Uuid IdFrom(const pqxx::row& row) { return Uuid::Parse(row[0].c_str()).value_or(Uuid()); }

// Returns the next range of ids that needs a partition, or nullopt if there are enough partitions.
// Normally the range ends at midnight. But if a table already has an id of this day, its log is in
// the default partition and stays there. Then the range ends before this id, and the next range
// begins after it.
std::optional<Range> NextRange(pqxx::transaction_base& tx, absl::Time now) {
  Uuid first = FirstTimeOrderedUuid(MidnightAfter(now + kPartitionMargin));
  for (const pqxx::row& row : tx.exec_prepared(kGetLastPartition.name)) {
    first = std::max(first, IdFrom(row));
  }
  for (;;) {
    if (first >= FirstTimeOrderedUuid(now + kPartitionsAhead)) return std::nullopt;
    const Uuid end = FirstTimeOrderedUuid(MidnightAfter(TimeOfUuid(first)));
    const pqxx::result known =
        tx.exec_prepared(kFindTableInRange.name, first.ToString(), end.ToString());
    if (known.empty()) return Range{first, end};
    const Uuid id = IdFrom(known[0]);
    if (id != first) return Range{first, id};
    first = NextId(id);
  }
}

// Removes the constraints that an interrupted run may have left.
void DropConstraints(pqxx::transaction_base& tx) {
  for (const char* table : kLogTables) {
    tx.exec0(absl::StrCat("ALTER TABLE rules.", table, "_rest DROP CONSTRAINT IF EXISTS ", table,
                          "_rest_ck_next"));
  }
}

void AddConstraints(pqxx::transaction_base& tx, const Range& range) {
  DropConstraints(tx);
  for (const char* table : kLogTables) {
    tx.exec0(absl::StrCat("ALTER TABLE rules.", table, "_rest ADD CONSTRAINT ", table,
                          "_rest_ck_next CHECK (table_id < '", range.first.ToString(),
                          "' OR table_id >= '", range.end.ToString(), "') NOT VALID"));
  }
}

void AddPartition(pqxx::transaction_base& tx, const Range& range) {
  const int number =
      tx.exec_prepared1(kAddPartition.name, range.first.ToString(), range.end.ToString())[0]
          .as<int>();
  for (const char* table : kLogTables) {
    tx.exec0(absl::StrCat("CREATE TABLE rules.", table, "_", number, " (LIKE rules.", table,
                          " INCLUDING ALL)"));
    tx.exec0(absl::StrCat("ALTER TABLE rules.", table, " ATTACH PARTITION rules.", table, "_",
                          number, " FOR VALUES FROM ('", range.first.ToString(), "') TO ('",
                          range.end.ToString(), "')"));
  }
  DropConstraints(tx);
}

// Takes the lock and calls `work` in the same transaction. If another replica holds the lock,
// returns false and does not call `work`.
template <typename Work>
bool Locked(pqxx::connection& connection, Work work) {
  pqxx::work tx(connection);
  if (!LockLogs(tx)) return false;
  work(tx);
  tx.commit();
  return true;
}

// Makes one partition. Postgres must know that the default partition has no row of the new range,
// but play must never wait for a scan of the default partition. So there are three steps:
// - Add a constraint, which Postgres checks only for new rows.
// - Let Postgres check the old rows, which needs no exclusive lock.
// - Add the partition. Because the constraint is valid now, Postgres needs no scan.
bool MakePartition(pqxx::connection& connection, const Range& range) {
  if (!Locked(connection, [&](pqxx::work& tx) { AddConstraints(tx, range); })) return false;
  try {
    for (const char* table : kLogTables) {
      const bool valid = Locked(connection, [&](pqxx::work& tx) {
        tx.exec0(absl::StrCat("ALTER TABLE rules.", table, "_rest VALIDATE CONSTRAINT ", table,
                              "_rest_ck_next"));
      });
      if (!valid) return false;
    }
    return Locked(connection, [&](pqxx::work& tx) { AddPartition(tx, range); });
  } catch (const pqxx::sql_error&) {
    // Remove the constraints after a failure. A constraint that stays would refuse the new tables
    // of its day.
    Locked(connection, [&](pqxx::work& tx) { DropConstraints(tx); });
    throw;
  }
}

}  // namespace

std::vector<pg::Statement> LogPartitionStatements() {
  return {kLockLogs, kGetLastPartition, kFindTableInRange, kAddPartition};
}

bool LockLogs(pqxx::transaction_base& tx) {
  return tx.exec_prepared1(kLockLogs.name)[0].as<bool>();
}

Uuid NextId(const Uuid& id) {
  std::array<std::uint8_t, 16> bytes = id.bytes();
  for (std::size_t i = bytes.size(); i > 0 && ++bytes[i - 1] == 0; --i) continue;
  return Uuid(bytes);
}

absl::StatusOr<int> MakeLogPartitions(pg::Pool& pool, pg::Pool& slow_pool, absl::Time now) {
  using MaybeRange = std::optional<Range>;
  const auto next = [&](pqxx::connection& connection) -> absl::StatusOr<MaybeRange> {
    pqxx::nontransaction tx(connection);
    return NextRange(tx, now);
  };
  for (int made = 0;; ++made) {
    TAROT_ASSIGN_OR_RETURN(const MaybeRange range, pool.With(kGetLastPartition, next));
    if (!range) return made;
    const auto make = [&](pqxx::connection& connection) -> absl::StatusOr<bool> {
      return MakePartition(connection, *range);
    };
    TAROT_ASSIGN_OR_RETURN(const bool done, slow_pool.With(kAddPartition, make));
    if (!done) return made;
  }
}

}  // namespace tarot::rules_service
