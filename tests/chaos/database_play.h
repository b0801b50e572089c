// Plays on a cluster of services while a test breaks their Postgres, then compares the history of
// the players with the database.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/real_clock.h"
#include "tests/e2e/cluster.h"
#include "tools/load/check/checker.h"
#include "tools/load/load.h"

namespace tarot::chaos {

class DatabasePlay {
 public:
  // Starts one process of each service on the database of `dsn`, and players at `tables` tables.
  // Aborts the test if they cannot start.
  DatabasePlay(const std::string& dsn, int tables);
  ~DatabasePlay();

  long moves() const { return load_->counters().moves; }
  // Returns whether the players make 100 more moves within `limit`.
  bool MovesWithin(absl::Duration limit) const;
  // Calls `fail`, which breaks the database, on a thread of its own. Waits until `fail` has
  // returned and the players have made 200 more moves. Returns the longest time without a move, or
  // `limit` if all this takes longer than `limit`.
  absl::Duration StallAfter(absl::Duration limit, const std::function<void()>& fail) const;

  void Stop() { load_->Stop(); }
  // Stops the players, waits until the outbox is empty, and compares the players' history with the
  // database of `dsn`. Returns DEADLINE_EXCEEDED if the outbox is not empty after 30 seconds.
  absl::StatusOr<check::Report> Finish(const std::string& dsn);
  // After Finish, restarts every service and sends new players to new tables.
  void PlayAgain();

  // Returns the path of the file with the keys that encrypt the secrets in the log.
  std::string seed_key_file() const;

 private:
  class OwnPostgres;

  void StartPlayers();

  const std::string path_;  // The path of the history.
  std::unique_ptr<OwnPostgres> surroundings_;
  std::unique_ptr<e2e::Cluster> cluster_;
  load::Options options_;
  RealClock clock_;
  RealScheduler scheduler_;
  OsEntropy entropy_;
  std::unique_ptr<load::HistoryWriter> history_;
  std::unique_ptr<load::Load> load_;
};

}  // namespace tarot::chaos
