// People at ranked tables on a cluster, and what the database says of everything promised to them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/e2e/cluster.h"
#include "tests/e2e/player.h"

namespace tarot::e2e {

// The number that `sql` selects.
long Count(const std::string& dsn, const std::string& sql);

class Matches {
 public:
  explicit Matches(Cluster& cluster) : cluster_(cluster) {}

  // Seats four people at each of `tables` ranked tables, who enter through the gateways in turn,
  // and waits until there has been play at each table. False when that takes over a minute.
  [[nodiscard]] bool Start(int tables);
  // The same when every match is over, so that there is play however fast the machine is.
  [[nodiscard]] bool KeepPlaying(int tables) { return !AllFinished() || Start(tables); }

  const std::vector<std::unique_ptr<Player>>& players() const { return players_; }
  std::vector<std::string> tables();  // Without "tables/", each once.
  std::size_t Acknowledged();
  bool AllFinished();

  // Waits for the ends of all matches. False when they do not come.
  [[nodiscard]] bool Finish(absl::Duration limit);

  // GoogleTest expectations: no player met an error, every acknowledged action is in its log once,
  // no log has a gap, each finished match is rated once.
  void CheckPromises();

 private:
  Cluster& cluster_;
  std::vector<std::unique_ptr<Player>> players_;
};

}  // namespace tarot::e2e
