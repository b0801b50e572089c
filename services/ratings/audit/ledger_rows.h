// Declares functions that read the ledger and the ladder of a ratings service, and check that the
// ladder follows from the ledger.
#pragma once

#include <cstdint>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "libs/base/ids.h"

namespace tarot::ratings_service {

// One player's result in one rated match. If the last recomputation stored another result than the
// ledger, this row has the result of the recomputation.
struct LedgerRow {
  std::int64_t sequence = 0;
  TableId table;
  PlayerId player;
  int player_count = 0;
  int total = 0;
  bool voided = false;  // True if the match is void, so that the last recomputation left it out.
  double mu_before = 0, mu_after = 0;
};

// A player's standing on one ladder. `player_count` is the number of players at a table of this
// ladder.
struct LadderRow {
  PlayerId player;
  int player_count = 0;
  double mu = 0;
  int match_count = 0;
};

struct LedgerRows {
  std::vector<TableId> rated;     // The ids of the game tables of rated matches.
  std::vector<LedgerRow> ledger;  // The results, sorted by sequence number.
  std::vector<LadderRow> ladder;
  // Names of rows that belong to no match, to no player or to no score sheet, for example "deal 3
  // in the match with the sequence number 17". At most kStraysMax names.
  std::vector<std::string> strays;
};

inline constexpr int kStraysMax = 100;

// Reads the rated matches, the ledger and the ladder from the schema `ratings`. Throws the
// exceptions of pqxx.
LedgerRows ReadLedger(pqxx::transaction_base& transaction);

struct LedgerProblem {
  TableId table;  // The match with the problem. Empty if the problem is in a row of the ladder.
  std::string text;
};

// Returns all problems. Ignores void matches. Checks four things:
// - On each ladder, the mu (the rating) before a player's match equals the mu after the player's
//   previous match.
// - Each row of the ladder has the player's last mu in the ledger and the number of the player's
//   matches in the ledger.
// - Each player in the ledger has a row of the ladder.
// - Each row belongs to a match, and each row of the ledger to a player. The database has no
// foreign
//   keys for this, because they would make it slow to record matches.
std::vector<LedgerProblem> CheckLedger(const LedgerRows& rows);

}  // namespace tarot::ratings_service
