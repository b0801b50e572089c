// A finished match, and what rating it did to its players: one row of the ledger for each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "libs/rating/rating.h"

namespace tarot::ratings {

struct MatchPlayer {
  PlayerId player;
  std::string display_name;
  bool bot = false;
  int total = 0;  // Points, summed over the deals.
};

struct MatchResult {
  TableId table;
  int deal_count = 0;
  std::vector<MatchPlayer> players;  // By id: sums of doubles depend on the order.
  absl::Time match_time;             // In whole microseconds, as Postgres keeps it.

  int player_count() const { return static_cast<int>(players.size()); }
};

// A player's rating on one ladder (the ladder of a table's size).
struct Standing {
  PlayerId player;
  std::string display_name;
  bool bot = false;
  rating::Skill skill;  // As it was at `update_time`.
  int match_count = 0;  // 0: never rated here, and skill and time mean nothing.
  absl::Time update_time;
};

// Everything needed to rate the match again.
struct LedgerEntry {
  PlayerId player;
  bool bot = false;
  int total = 0;
  rating::Skill before;  // Aged to the time of the match.
  rating::Skill after;
};

struct LedgerMatch {
  // Grows along each player's matches: folding in this order repeats what happened.
  std::int64_t sequence = 0;
  TableId table;
  int deal_count = 0;
  absl::Time match_time;
  std::vector<LedgerEntry> entries;
};

}  // namespace tarot::ratings
