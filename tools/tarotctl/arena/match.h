// Duplicate matches: each deal is played once for every seat that `one` can have.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/rng.h"
#include "libs/rules/deal.h"
#include "tools/tarotctl/arena/player.h"

namespace tarot::tarotctl {

struct MatchSettings {
  std::string one;   // Players as MakePlayer() names them: who is measured,
  std::string rest;  // and who has all other seats.
  rules::RuleSet rules;
  int players = 4;
  std::uint64_t seed = 1;
  std::uint64_t node_budget = 0;
  absl::Duration patience = absl::Seconds(10);
};

// One table, with its own processes. Not for two threads at once.
class MatchTable {
 public:
  // `settings` outlives the table.
  explicit MatchTable(const MatchSettings& settings) : settings_(settings) {}

  // The points of `one` at each seat that holds cards. Cards and dice follow from the seed and the
  // number of the deal alone. An error tells who did what: a player that ends, is late or plays
  // what the rules refuse.
  absl::StatusOr<std::vector<int>> Play(int deal);

 private:
  absl::StatusOr<int> PlayGame(rules::Deal deal, rules::Seat seat_of_one, Rng rng);
  absl::StatusOr<Player*> At(rules::Seat seat, bool one);

  const MatchSettings& settings_;
  std::unique_ptr<Player> one_;
  std::array<std::unique_ptr<Player>, rules::kPlayersMax> rest_;  // By seat.
};

struct MatchSummary {
  int deals = 0;
  double points = 0;  // A deal and seat, to `one`.
  double low95 = 0;   // Bootstrap by deal, 95 %.
  double high95 = 0;
  std::vector<double> by_seat;
};

// `points` holds what Play() answered, a deal each; not empty. Same points in the same order, same
// summary.
MatchSummary Summarize(const std::vector<std::vector<int>>& points);

}  // namespace tarot::tarotctl
