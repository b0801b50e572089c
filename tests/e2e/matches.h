// Plays ranked matches on a cluster, and compares the players' acknowledged actions with the
// database. Lets the platform verify records.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tarot/rules/v1/deal_record.pb.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/player_thread.h"

namespace tarot::e2e {

// Returns the number that `sql` selects.
long Count(const std::string& dsn, const std::string& sql);

// Returns whether the rules service of `cluster` proves `record` (RefereeService.VerifyRecord).
bool IsProven(const Cluster& cluster, const rules::v1::DealRecord& record);

class Matches {
 public:
  explicit Matches(Cluster& cluster) : cluster_(cluster) {}

  // Seats four people at each of `tables` ranked tables. The people are divided evenly among the
  // gateways. Waits until every player has made a move. Returns false if this takes more than a
  // minute.
  [[nodiscard]] bool Start(int tables);
  // If every match is over, starts new matches. On a fast machine, matches may end before the test
  // is over.
  [[nodiscard]] bool KeepPlaying(int tables) { return !AllFinished() || Start(tables); }

  const std::vector<std::unique_ptr<PlayerThread>>& players() const { return players_; }
  std::vector<std::string> tables();  // Returns the ids of the tables, without "tables/".
  std::size_t Acknowledged();
  bool AllFinished();

  // Waits for the end of all matches. Returns false after `limit`.
  [[nodiscard]] bool Finish(absl::Duration limit);

  // Expects four things: no player got an error, each acknowledged action is in its log once, no
  // log has a gap, and each finished match is rated once.
  void CheckPromises();

 private:
  Cluster& cluster_;
  std::vector<std::unique_ptr<PlayerThread>> players_;
};

}  // namespace tarot::e2e
