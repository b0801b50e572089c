// Plays duplicate matches: each deal is played once for every seat that the measured player (`one`)
// can have.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "libs/base/rng.h"
#include "libs/rules/deal.h"
#include "tools/lab/arena/player.h"

namespace tarot::lab {

struct MatchSettings {
  std::string one;   // The measured player, in the form that MakePlayer() takes.
  std::string rest;  // The player at all other seats.
  rules::RuleSet rules;
  int players = 4;
  std::uint64_t seed = 1;
  std::uint64_t node_budget = 0;
  // If set, the arena asks for no bids: in each deal, a random seat takes with this contract.
  std::optional<rules::Contract> contract;
  absl::Duration patience = absl::Seconds(10);
};

// The role of a seat in a deal. The value is its letter in a ResultsFile.
enum class Role : char { kTaker = 't', kPartner = 'p', kDefender = 'd', kNone = '-' };
struct SeatResult {
  // The points of `one` at this seat, minus the points of `rest` at this seat in the game where
  // `rest` has every seat.
  int points = 0;
  Role role = Role::kNone;  // The role of the seat; kNone in a deal without a taker.
  friend bool operator==(const SeatResult&, const SeatResult&) = default;
};

// A table of the arena. Each table has its own player objects. If a player is a program, each table
// starts its own process of this program. Do not use one table in two threads at the same time.
class MatchTable {
 public:
  // `settings` must outlive the table.
  explicit MatchTable(const MatchSettings& settings) : settings_(settings) {}

  // Plays the deal with `rest` at every seat. Then plays it once for each seat that holds cards,
  // with `one` at this seat. Returns the SeatResult of each of these seats. Cards and random
  // numbers depend only on the seed and on `deal`. Returns an error if a player ends, is late or
  // plays an illegal action, and if the rule set does not allow the given contract.
  absl::StatusOr<std::vector<SeatResult>> Play(int deal);

 private:
  absl::StatusOr<rules::Deal> PlayGame(rules::Deal deal, rules::Seat seat_of_one, rules::Seat taker,
                                       Rng rng);
  absl::StatusOr<ArenaPlayer*> At(rules::Seat seat, bool one);

  const MatchSettings& settings_;
  std::unique_ptr<ArenaPlayer> one_;
  std::array<std::unique_ptr<ArenaPlayer>, rules::kPlayersMax> rest_;  // Indexed by seat.
};

// The mean of SeatResult::points over some games, with its 95 % interval. The interval comes from a
// bootstrap over the deals.
struct Mean {
  int games = 0;
  double points = 0;
  double low95 = 0;
  double high95 = 0;
};

struct MatchSummary {
  int deals = 0;
  Mean all;
  std::vector<Mean> by_seat;
  std::map<Role, Mean> by_role;  // The summary has only roles that `one` had.
};

// Summarizes the results of Play(). `deals` has at least one deal. The same results in the same
// order give the same summary.
MatchSummary Summarize(const std::vector<std::vector<SeatResult>>& deals);

}  // namespace tarot::lab
