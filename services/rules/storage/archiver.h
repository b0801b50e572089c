// Declares the archiver, which moves the logs of finished matches to the archive. It writes a file,
// reads the file back, compares it with the logs, and stores the places of the matches in the file.
// When the archive has all matches of a partition of the logs, the archiver drops the partition.
// The default partitions are never dropped, so it deletes the logs of archived matches there. A run
// may be interrupted at any moment. Then the next run continues, and readers still find each match
// exactly once.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/pg/pool.h"
#include "services/rules/app/table_store.h"
#include "services/rules/storage/archive_store.h"
#include "services/rules/storage/log_partitions.h"

namespace tarot::rules_service {

// The steps of a run. Tests interrupt a run after each of them.
enum class ArchiveStep {
  kLoaded,   // The logs of some matches are read and encoded.
  kWritten,  // The file is in the archive.
  kProved,   // The file was read back, and it has the same deals as the logs.
  kIndexed,  // The places of the matches are written, but not committed.
  kDeleted,  // The logs in the default partitions are deleted, but the deletion is not committed.
  kCommitted,
  kDropping,  // A partition is dropped, but the drop is not committed.
  kDropped,
};
inline constexpr ArchiveStep kLastArchiveStep = ArchiveStep::kDropped;

// The result of one run.
struct ArchiveRun {
  int matches = 0;  // The number of matches that the run has archived.
  int deals = 0;
  std::int64_t bytes = 0;  // The size of the file.
  bool dropped = false;    // True if the run has dropped a partition.
  bool busy = false;       // True if this run did nothing, because another replica archives now.

  bool did_nothing() const { return matches == 0 && !dropped; }
};

// The pool of the archiver needs these statements and the statements of LogPartitionStatements().
std::vector<pg::Statement> ArchiverStatements();

class Archiver {
 public:
  // `pool` must be made with the statements above and kLogUpkeepSession. `tables` reads the logs. A
  // partition is due for the archive when the duration `after` has passed since the end of its day.
  // A match in the default partitions is due when `after` has passed since its end. All arguments
  // must outlive this object.
  Archiver(pg::Pool& pool, TableStore& tables, ArchiveStore& store, UpkeepStop& stop,
           absl::Duration after)
      : pool_(pool), tables_(tables), store_(store), stop_(stop), after_(after) {}

  // The archiver calls `on_step` after each step, on the caller's thread. Set this callback once,
  // before a run.
  void set_on_step(std::function<void(ArchiveStep)> on_step) { on_step_ = std::move(on_step); }

  // Archives at most kMatchesPerFile matches of the oldest partition that is due. If all matches of
  // this partition are in the archive already, drops the partition. A partition waits until all its
  // matches are over, and until ratings and matchmaking have confirmed them. If no partition is
  // due, archives matches of the default partitions. Does nothing if another replica archives now.
  //
  // If a match cannot be archived, its partition is not dropped, and the next runs leave out this
  // match for kUnarchivableRetry. The run then tries the next partition. It returns the error only
  // if there is no other work.
  absl::StatusOr<ArchiveRun> RunOnce(absl::Time now);

  // Looks for the oldest partition or match whose log is still in Postgres, and returns the time
  // since it became due. Returns zero if none is due.
  absl::StatusOr<absl::Duration> Overdue(absl::Time now);

 private:
  struct Partition {
    int number = 0;
    std::string first_id, end_id;
  };
  // A file in memory.
  struct File {
    struct Place {
      std::size_t offset = 0;
      std::size_t size = 0;
    };
    std::string bytes;
    std::vector<Place> places;           // places[i] is the place of match i in the file.
    std::vector<StoredTable> condensed;  // The matches with their condensed logs.
  };

  absl::StatusOr<ArchiveRun> Work(pqxx::connection& connection, absl::Time now);
  absl::StatusOr<ArchiveRun> WorkOn(pqxx::work& tx, const Partition& partition);
  // Returns the ids in `unarchivable_` as an SQL array.
  std::string Skipped() const;
  // Returns the ids of the first matches in `rows`. Returns as many ids as one file may have
  // matches.
  static std::vector<TableId> Choose(const pqxx::result& rows);
  // Remembers that `table` cannot be archived, and returns the error.
  absl::Status Unarchivable(TableId table, absl::string_view why);
  absl::StatusOr<std::vector<StoredTable>> LoadAll(const std::vector<TableId>& ids);
  absl::StatusOr<File> Encode(const std::vector<StoredTable>& matches);
  // Returns OK if `stored_bytes` are the bytes of the file, and if they decode to the deals of
  // `matches`.
  absl::Status Prove(const File& file, const std::string& stored_bytes,
                     const std::vector<StoredTable>& matches);
  // Archives these matches. They are in the partition with the number `partition`, or in the
  // default partitions if `partition` is nullopt.
  absl::StatusOr<ArchiveRun> Archive(pqxx::work& tx, std::optional<int> partition,
                                     const std::vector<TableId>& ids);
  absl::Status DeleteRest(pqxx::work& tx, const std::string& ids);
  absl::StatusOr<ArchiveRun> Drop(pqxx::work& tx, const Partition& partition);

  pg::Pool& pool_;
  TableStore& tables_;
  ArchiveStore& store_;
  UpkeepStop& stop_;
  const absl::Duration after_;
  std::function<void(ArchiveStep)> on_step_ = [](ArchiveStep) {};
  std::set<TableId> unarchivable_;
  absl::Time forgiven_ = absl::InfinitePast();  // The time when unarchivable_ was last cleared.
};

}  // namespace tarot::rules_service
