#include "services/rules/storage/archiver.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/base/entropy.h"
#include "libs/base/error.h"
#include "services/rules/app/errors.h"
#include "services/rules/limits.h"
#include "services/rules/storage/archive_bytes.h"
#include "services/rules/storage/log_partitions.h"
#include "services/rules/storage/sql_values.h"

namespace tarot::rules_service {
namespace {

// The first bytes of each file. After them come the matches, one after another (archive_bytes.h).
constexpr absl::string_view kFileMagic = "tarotlog1\n";

// Lists the partitions that can be archived. Such a partition ends at the id $1 or at a smaller id.
// All its matches are over, and ratings and matchmaking have confirmed all of them.
constexpr pg::Statement kListDuePartitions{"rules_list_due_partitions", R"sql(
  SELECT p.partition_id, p.first_id, p.end_id
  FROM rules.log_partitions p
  WHERE p.drop_time IS NULL AND p.end_id <= $1
    AND NOT EXISTS (SELECT FROM rules.tables t
                    WHERE t.table_id >= p.first_id AND t.table_id < p.end_id
                      AND t.finish_time IS NULL)
    AND NOT EXISTS (SELECT FROM rules.outbox o
                    WHERE o.table_id >= p.first_id AND o.table_id < p.end_id)
  ORDER BY p.end_id
)sql"};

// Lists the matches of a partition that are not in the archive yet, with the lengths of their logs.
// Leaves out the matches in $4.
constexpr pg::Statement kListUnarchived{"rules_list_unarchived", R"sql(
  SELECT t.table_id, (SELECT max(a.revision) FROM rules.table_actions a
                      WHERE a.table_id = t.table_id)
  FROM rules.tables t LEFT JOIN rules.archived_matches a USING (table_id)
  WHERE t.table_id >= $1 AND t.table_id < $2 AND a.table_id IS NULL
    AND t.table_id <> ALL ($4::uuid[])
  ORDER BY t.table_id LIMIT $3
)sql"};

// Lists matches of the default partitions that ended before $1, with the lengths of their logs.
// Leaves out the matches in $3. Each finished match has a deal with the number 1. So the statement
// looks for these deals, with the help of the index by time.
constexpr pg::Statement kListUnarchivedRest{"rules_list_unarchived_rest", R"sql(
  SELECT d.table_id, (SELECT max(a.revision) FROM rules.table_actions_rest a
                      WHERE a.table_id = d.table_id)
  FROM rules.deals_rest d JOIN rules.tables t USING (table_id)
  WHERE d.finish_time < $1 AND d.number = 1 AND t.finish_time < $1
    AND d.table_id <> ALL ($3::uuid[])
    AND NOT EXISTS (SELECT FROM rules.outbox o WHERE o.table_id = d.table_id)
  ORDER BY d.finish_time LIMIT $2
)sql"};

constexpr pg::Statement kAddFile{"rules_add_archive_file", R"sql(
  INSERT INTO rules.archive_files (partition_id, name, byte_count) VALUES ($1, $2, $3)
  RETURNING file_id
)sql"};

// Parameters $2 to $5 are arrays with one element for each match. Each element of $5 is itself an
// array.
constexpr pg::Statement kAddMatches{"rules_add_archived_matches", R"sql(
  INSERT INTO rules.archived_matches (table_id, file_id, byte_offset, byte_count, finish_times,
                                      first_finish_time, last_finish_time)
  SELECT m.table_id, $1, m.byte_offset, m.byte_count, m.finish_times::timestamptz[],
         (SELECT min(t) FROM unnest(m.finish_times::timestamptz[]) AS t),
         (SELECT max(t) FROM unnest(m.finish_times::timestamptz[]) AS t)
  FROM unnest($2::uuid[], $3::integer[], $4::integer[], $5::text[])
    AS m (table_id, byte_offset, byte_count, finish_times)
)sql"};

// Finds a deal whose log is in Postgres and that is not in the archive. Looks only at tables whose
// id is at least $1 and less than $2.
constexpr pg::Statement kFindUnarchivedDeal{"rules_find_unarchived_deal", R"sql(
  SELECT d.table_id
  FROM rules.deals d LEFT JOIN rules.archived_matches a USING (table_id)
  WHERE d.table_id >= $1 AND d.table_id < $2
    AND d.finish_time IS DISTINCT FROM a.finish_times[d.number]
  LIMIT 1
)sql"};

constexpr pg::Statement kDropPartition{"rules_drop_log_partition",
                                       "CALL rules.drop_log_partition($1)"};

// Finds a deal that is in the default partitions and not in the archive. Looks only at the matches
// in $1.
constexpr pg::Statement kFindUnarchivedRest{"rules_find_unarchived_rest", R"sql(
  SELECT d.table_id
  FROM rules.deals_rest d LEFT JOIN rules.archived_matches a USING (table_id)
  WHERE d.table_id = ANY ($1::uuid[]) AND d.finish_time IS DISTINCT FROM a.finish_times[d.number]
  LIMIT 1
)sql"};

// Deletes the logs of the matches in $1 from the default partitions. The rows of rules.deal_players
// can be found by player but not by game table. So the statement computes the keys of these rows
// from the seats and the deals.
constexpr pg::Statement kDeleteRest{"rules_delete_rest", R"sql(
  WITH players AS (
    DELETE FROM rules.deal_players_rest p
    USING rules.deals_rest d JOIN rules.table_seats s USING (table_id)
    WHERE d.table_id = ANY ($1::uuid[]) AND p.player_id = s.player_id
      AND p.finish_time = d.finish_time AND p.table_id = d.table_id AND p.number = d.number
  ), deals AS (
    DELETE FROM rules.deals_rest WHERE table_id = ANY ($1::uuid[])
  )
  DELETE FROM rules.table_actions_rest WHERE table_id = ANY ($1::uuid[])
)sql"};

constexpr pg::Statement kGetOldestDue{"rules_get_oldest_due", R"sql(
  SELECT end_id FROM rules.log_partitions WHERE drop_time IS NULL AND end_id <= $1
  ORDER BY end_id LIMIT 1
)sql"};

// Returns the time when the oldest deal in the default partitions ended. Looks only at matches that
// ended before $1.
constexpr pg::Statement kGetOldestRest{"rules_get_oldest_rest", R"sql(
  SELECT extract(epoch FROM d.finish_time)::text
  FROM rules.deals_rest d JOIN rules.tables t USING (table_id)
  WHERE d.finish_time < $1 AND t.finish_time < $1
  ORDER BY d.finish_time LIMIT 1
)sql"};

absl::Status CannotArchive(TableId table, absl::string_view why) {
  return Error(absl::StatusCode::kInternal, "BUG",
               absl::StrCat("Table ", table.ToString(), " cannot be archived: ", why));
}

std::string Hex64(absl::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return absl::StrCat(absl::Hex(hash, absl::kZeroPad16));
}

// Returns the times when the deals of a condensed match ended, as an SQL array.
std::string FinishTimes(const StoredTable& condensed, int& deals) {
  SqlArray times;
  for (const LogEntry& entry : condensed.log) {
    if (!std::holds_alternative<DealStarted>(entry.body)) continue;
    times.AddText(SqlTime(entry.create_time));  // All entries of a deal have the time of its end.
    ++deals;
  }
  return std::move(times).Finish();
}

}  // namespace

std::vector<pg::Statement> ArchiverStatements() {
  return {kListDuePartitions, kListUnarchived,     kListUnarchivedRest, kAddFile,
          kAddMatches,        kFindUnarchivedDeal, kDropPartition,      kFindUnarchivedRest,
          kDeleteRest,        kGetOldestDue,       kGetOldestRest};
}

absl::StatusOr<ArchiveRun> Archiver::RunOnce(absl::Time now) {
  if (now - forgiven_ > kUnarchivableRetry) {
    unarchivable_.clear();
    forgiven_ = now;
  }
  return pool_.With(kListDuePartitions,
                    [&](pqxx::connection& connection) -> absl::StatusOr<ArchiveRun> {
                      const UpkeepStop::Guard guard(stop_, connection);
                      return Work(connection, now);
                    });
}

// A run is one transaction, and this transaction holds the lock. If the connection breaks, another
// replica may begin a run. That is safe, because this run can no longer commit.
absl::StatusOr<ArchiveRun> Archiver::Work(pqxx::connection& connection, absl::Time now) {
  pqxx::work tx(connection);
  if (!LockLogs(tx)) return ArchiveRun{.busy = true};
  const absl::Time due = now - after_;
  absl::Status failed;
  for (const pqxx::row& row :
       tx.exec_prepared(kListDuePartitions.name, FirstTimeOrderedUuid(due).ToString())) {
    const Partition partition{.number = row[0].as<int>(),
                              .first_id = row[1].as<std::string>(),
                              .end_id = row[2].as<std::string>()};
    absl::StatusOr<ArchiveRun> run = WorkOn(tx, partition);
    if (run.ok()) return run;
    // If the archive does not answer, the other partitions would fail, too.
    if (absl::IsUnavailable(run.status())) return run.status();
    failed.Update(run.status());
  }
  const std::vector<TableId> rest =
      Choose(tx.exec_prepared(kListUnarchivedRest.name, SqlTime(due), kMatchesPerFile, Skipped()));
  if (!rest.empty()) return Archive(tx, std::nullopt, rest);
  TAROT_RETURN_IF_ERROR(failed);
  return ArchiveRun();
}

absl::StatusOr<ArchiveRun> Archiver::WorkOn(pqxx::work& tx, const Partition& partition) {
  const std::vector<TableId> ids = Choose(tx.exec_prepared(
      kListUnarchived.name, partition.first_id, partition.end_id, kMatchesPerFile, Skipped()));
  return ids.empty() ? Drop(tx, partition) : Archive(tx, partition.number, ids);
}

std::string Archiver::Skipped() const {
  SqlArray ids;
  for (const TableId id : unarchivable_) ids.AddId(id);
  return std::move(ids).Finish();
}

std::vector<TableId> Archiver::Choose(const pqxx::result& rows) {
  std::vector<TableId> ids;
  int entries = 0;
  for (const pqxx::row& row : rows) {
    entries += row[1].is_null() ? 0 : row[1].as<int>();
    if (!ids.empty() && entries > kEntriesPerFile) break;
    ids.push_back(TableId::Parse(row[0].c_str()).value_or(TableId{}));
  }
  return ids;
}

absl::Status Archiver::Unarchivable(TableId table, absl::string_view why) {
  unarchivable_.insert(table);
  return CannotArchive(table, why);
}

absl::StatusOr<std::vector<StoredTable>> Archiver::LoadAll(const std::vector<TableId>& ids) {
  std::vector<StoredTable> all;
  for (std::size_t begin = 0; begin < ids.size(); begin += kTablesPerLoad) {
    const std::size_t end = std::min(ids.size(), begin + kTablesPerLoad);
    const std::vector<TableId> page(ids.begin() + static_cast<std::ptrdiff_t>(begin),
                                    ids.begin() + static_cast<std::ptrdiff_t>(end));
    TAROT_ASSIGN_OR_RETURN(std::vector<StoredTable> loaded, tables_.LoadMany(page));
    for (std::size_t i = 0; i < page.size(); ++i) {
      const bool there = i < loaded.size() && loaded[i].config.id == page[i] && loaded[i].end;
      if (!there) return Unarchivable(page[i], "its log cannot be read");
    }
    std::move(loaded.begin(), loaded.end(), std::back_inserter(all));
  }
  return all;
}

absl::StatusOr<Archiver::File> Archiver::Encode(const std::vector<StoredTable>& matches) {
  File file{.bytes = std::string(kFileMagic)};
  for (const StoredTable& match : matches) {
    absl::StatusOr<StoredTable> condensed = CondenseMatch(match);
    if (!condensed.ok()) return Unarchivable(match.config.id, condensed.status().message());
    const absl::StatusOr<std::string> bytes = EncodeMatch(*condensed);
    if (!bytes.ok()) return Unarchivable(match.config.id, bytes.status().message());
    file.places.push_back({file.bytes.size(), bytes->size()});
    file.bytes += *bytes;
    file.condensed.push_back(*std::move(condensed));
  }
  return file;
}

absl::Status Archiver::Prove(const File& file, const std::string& stored_bytes,
                             const std::vector<StoredTable>& matches) {
  if (stored_bytes != file.bytes) return ArchiveDamaged();
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const StoredTable& match = matches[i];
    const auto [offset, size] = file.places[i];
    const absl::StatusOr<StoredTable> decoded =
        DecodeMatch(match.config, *match.end, absl::string_view(stored_bytes).substr(offset, size));
    if (!decoded.ok()) return Unarchivable(match.config.id, decoded.status().message());
    if (decoded->log != file.condensed[i].log) return Unarchivable(match.config.id, "its log");
    const absl::Status same = ProveArchived(match, *decoded);
    if (!same.ok()) return Unarchivable(match.config.id, same.message());
  }
  return absl::OkStatus();
}

absl::StatusOr<ArchiveRun> Archiver::Archive(pqxx::work& tx, std::optional<int> partition,
                                             const std::vector<TableId>& ids) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<StoredTable> matches, LoadAll(ids));
  TAROT_ASSIGN_OR_RETURN(const File file, Encode(matches));
  on_step_(ArchiveStep::kLoaded);
  // The name of the file depends on its bytes. So if a run is interrupted, the next run writes the
  // same file again. And no run can replace a file by a different file.
  const std::string name = absl::StrCat(ids.front().ToString(), "-", Hex64(file.bytes));
  TAROT_RETURN_IF_ERROR(store_.Write(name, file.bytes));
  on_step_(ArchiveStep::kWritten);
  const auto size = static_cast<std::int64_t>(file.bytes.size());
  TAROT_ASSIGN_OR_RETURN(const std::string stored_bytes, store_.Read(name, 0, size));
  TAROT_RETURN_IF_ERROR(Prove(file, stored_bytes, matches));
  on_step_(ArchiveStep::kProved);
  ArchiveRun run{.matches = static_cast<int>(ids.size()), .bytes = size};
  SqlArray tables, offsets, sizes, times;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    tables.AddId(ids[i]);
    offsets.AddNumber(static_cast<std::int64_t>(file.places[i].offset));
    sizes.AddNumber(static_cast<std::int64_t>(file.places[i].size));
    times.AddText(FinishTimes(file.condensed[i], run.deals));
  }
  const std::string id_array = std::move(tables).Finish();
  const int file_id = tx.exec_prepared1(kAddFile.name, partition, name, size)[0].as<int>();
  tx.exec_prepared0(kAddMatches.name, file_id, id_array, std::move(offsets).Finish(),
                    std::move(sizes).Finish(), std::move(times).Finish());
  on_step_(ArchiveStep::kIndexed);
  if (!partition) TAROT_RETURN_IF_ERROR(DeleteRest(tx, id_array));
  tx.commit();
  on_step_(ArchiveStep::kCommitted);
  return run;
}

absl::Status Archiver::DeleteRest(pqxx::work& tx, const std::string& ids) {
  for (const pqxx::row& row : tx.exec_prepared(kFindUnarchivedRest.name, ids)) {
    return Unarchivable(TableId::Parse(row[0].c_str()).value_or(TableId{}),
                        "the archive lacks one of its deals");
  }
  tx.exec_prepared0(kDeleteRest.name, ids);
  on_step_(ArchiveStep::kDeleted);
  return absl::OkStatus();
}

absl::StatusOr<ArchiveRun> Archiver::Drop(pqxx::work& tx, const Partition& partition) {
  for (const pqxx::row& row :
       tx.exec_prepared(kFindUnarchivedDeal.name, partition.first_id, partition.end_id)) {
    return CannotArchive(TableId::Parse(row[0].c_str()).value_or(TableId{}),
                         "the archive lacks one of its deals");
  }
  tx.exec_prepared0(kDropPartition.name, partition.number);
  on_step_(ArchiveStep::kDropping);
  tx.commit();
  on_step_(ArchiveStep::kDropped);
  return ArchiveRun{.dropped = true};
}

absl::StatusOr<absl::Duration> Archiver::Overdue(absl::Time now) {
  const absl::Time due = now - after_;
  const auto get = [&](pqxx::connection& connection) -> absl::StatusOr<absl::Duration> {
    const UpkeepStop::Guard guard(stop_, connection);
    pqxx::nontransaction tx(connection);
    absl::Time oldest = due;
    for (const pqxx::row& row :
         tx.exec_prepared(kGetOldestDue.name, FirstTimeOrderedUuid(due).ToString())) {
      oldest = TimeOfUuid(Uuid::Parse(row[0].c_str()).value_or(Uuid()));
    }
    for (const pqxx::row& row : tx.exec_prepared(kGetOldestRest.name, SqlTime(due))) {
      oldest = std::min(oldest, TimeFromEpoch(row[0].as<std::string>()));
    }
    return due - oldest;
  };
  return pool_.With(kGetOldestDue, get);
}

}  // namespace tarot::rules_service
