// The ledger and the ladder that a ratings service keeps, and the check that the ladder follows
// from the ledger.
#pragma once

#include <cstdint>
#include <pqxx/pqxx>
#include <string>
#include <vector>

#include "libs/base/ids.h"

namespace tarot::ratings_service {

// One player of one rated match.
struct LedgerRow {
  std::int64_t sequence = 0;
  TableId table;
  PlayerId player;
  int player_count = 0;
  int total = 0;
  double mu_before = 0, mu_after = 0;
};

// A player's place on the ladder for a number of players.
struct LadderRow {
  PlayerId player;
  int player_count = 0;
  double mu = 0;
  int match_count = 0;
};

struct LedgerRows {
  std::vector<TableId> rated;     // One entry for each row of ratings.matches.
  std::vector<LedgerRow> ledger;  // Sorted by sequence number.
  std::vector<LadderRow> ladder;
};

// Reads the whole schema `ratings`. Throws the exceptions of pqxx.
LedgerRows ReadLedger(pqxx::transaction_base& transaction);

struct LedgerProblem {
  TableId table;  // The nil id if the problem is about the ladder.
  std::string text;
};

// Returns the problems of the ledger and of the ladder. Each match of a player must begin with the
// rating that the match before left. The ladder must have the last rating and the number of
// matches.
std::vector<LedgerProblem> CheckLedger(const LedgerRows& rows);

}  // namespace tarot::ratings_service
