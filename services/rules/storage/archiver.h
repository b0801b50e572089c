// Declares the archiver, which moves the logs of finished matches to the archive. A run writes a
// file, reads it back, compares the file with the logs, and stores the places of the matches. When
// the archive has all matches of a partition, a run drops this partition of the logs. A run may be
// interrupted at any moment, and the next run continues the work. Each match is always in the log
// or in the archive, and readers find each match once.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/pg/pool.h"
#include "services/rules/app/table_store.h"
#include "services/rules/storage/archive_store.h"

namespace tarot::rules_service {

// The steps of a run. Tests interrupt a run after each of them.
enum class ArchiveStep {
  kLoaded,   // The logs of some matches are read and encoded.
  kWritten,  // The file is in the archive.
  kProved,   // The file was read back, and it has the same deals as the logs.
  kIndexed,  // The places of the matches are stored, but not committed.
  kCommitted,
  kDropping,  // A partition is dropped, but not committed.
  kDropped,
};
inline constexpr ArchiveStep kLastArchiveStep = ArchiveStep::kDropped;

// The result of one run.
struct ArchiveRun {
  int matches = 0;  // The matches that the run has archived.
  int deals = 0;
  std::int64_t bytes = 0;  // The size of the file.
  bool dropped = false;    // True if the run has dropped a partition.

  bool did_nothing() const { return matches == 0 && !dropped; }
};

// The pool of the archiver needs these statements and those of LogPartitionStatements().
std::vector<pg::Statement> ArchiverStatements();

class Archiver {
 public:
  // `pool` must be made with the statements above and kLogUpkeepSession. `tables` reads the logs. A
  // partition has an end: no table that is made later belongs to it. The archiver waits for the
  // time `after` from this end, and then the partition is due.
  Archiver(pg::Pool& pool, TableStore& tables, ArchiveStore& store, absl::Duration after)
      : pool_(pool), tables_(tables), store_(store), after_(after) {}

  // The archiver calls `on_step` after each step, on the caller's thread. Set this callback once,
  // before a run.
  void set_on_step(std::function<void(ArchiveStep)> on_step) { on_step_ = std::move(on_step); }

  // Works on the oldest partition that is due: archives at most kMatchesPerFile of its matches. If
  // all its matches are in the archive, drops the partition. A partition waits while one of its
  // matches is not over, or while another service must still confirm one of them. If another
  // replica is archiving now, does nothing. If the work on a partition fails, tries the next
  // partition. If the work on all partitions fails, returns the error.
  absl::StatusOr<ArchiveRun> RunOnce(absl::Time now);

  // Returns how long ago the oldest partition that still exists became due. Returns zero if no
  // partition is due.
  absl::StatusOr<absl::Duration> Overdue(absl::Time now);

 private:
  struct Partition {
    int number = 0;
    std::string first_id, end_id;
  };

  absl::StatusOr<ArchiveRun> Work(pqxx::connection& connection, absl::Time now);
  absl::StatusOr<ArchiveRun> WorkOn(pqxx::work& tx, const Partition& partition);
  absl::StatusOr<ArchiveRun> Archive(pqxx::work& tx, const Partition& partition,
                                     const std::vector<TableId>& ids);
  absl::StatusOr<ArchiveRun> Drop(pqxx::work& tx, const Partition& partition);
  absl::StatusOr<std::vector<StoredTable>> LoadAll(const std::vector<TableId>& ids);

  pg::Pool& pool_;
  TableStore& tables_;
  ArchiveStore& store_;
  const absl::Duration after_;
  std::function<void(ArchiveStep)> on_step_ = [](ArchiveStep) {};
};

}  // namespace tarot::rules_service
