// Compares the history of a load with the content of the database: the logs of the game tables, and
// the ratings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/ratings/audit/ledger_rows.h"
#include "services/rules/app/table_store.h"
#include "tools/load/check/expected.h"
#include "tools/load/history.h"

namespace tarot::check {

struct FinishedMatch {
  bool ranked = false;
  rules_service::MatchEnd end;
};

// The content of the database.
struct Database {
  std::map<TableId, rules_service::StoredTable> tables;
  std::map<TableId, FinishedMatch> finished;
  ratings_service::LedgerRows ratings;
};

// Reads all matches of the schema `rules`, and the ledger and the ratings of the schema `ratings`,
// in one snapshot. `seed_key_file` has the keys of the rules service. Returns UNAVAILABLE with the
// message of Postgres if Postgres fails, and another error if the key file or the log of a match
// cannot be read.
absl::StatusOr<Database> ReadDatabase(const std::string& dsn, const std::string& seed_key_file);

// Adds the matches of another cell to `database`. `dsn` is the database of the cell, which has no
// schema `ratings`. Returns the same errors as ReadDatabase().
absl::Status AddCell(const std::string& dsn, const std::string& seed_key_file, Database& database);

struct Report {
  // The findings of one kind (README.md lists the kinds): their number and the first few.
  struct Kind {
    long count = 0;
    std::vector<std::string> examples;
  };
  std::map<std::string, Kind> findings;

  long tables = 0, entries = 0, calls = 0, acknowledged = 0, refused = 0, unknown = 0, views = 0;
  long claims = 0;  // Number of claims in the logs.
  long matches_finished = 0, matches_rated = 0;

  bool ok() const { return findings.empty(); }
};

struct CheckerOptions {
  // A table in play counts as stuck if it had no move during this time before the end of the load.
  std::int64_t stuck_us = 10'000'000;
};

class Checker {
 public:
  Checker(const Database& database, const CheckerOptions& options);

  // Call this function for every event of the history. The events need not be in the order of their
  // times.
  void See(const load::Event& event);

  // Call once, after the last event.
  Report Finish();

 private:
  // One request, with all its attempts.
  struct Request {
    int client = 0;
    int expected_revision = 0;
    std::string action;
    std::int64_t first_call_us = 0, first_ok_us = 0, last_call_us = 0;
    int ok_revision = 0;
    std::string refusal;
    bool ok = false;
  };
  struct TableHistory {
    std::map<RequestId, Request> requests;
    std::map<int, rules::Seat> seats;           // The seat of each client.
    std::map<std::pair<int, int>, int> newest;  // The newest revision that a client has seen on a
                                                // stream. The key is the client and the stream.
    // The time when a client first saw the newest revision, or sat down.
    std::int64_t moved_us = 0;
    int revision = -1;
  };

  void Find(const std::string& kind, const load::Event& where, const std::string& what);
  void Find(const std::string& kind, TableId table, const std::string& what);
  void SeeCall(const load::Event& event);
  void SeeAnswer(const load::Event& event);
  void SeeView(const load::Event& event);
  void CheckSecrets(const load::Event& event, const Expected& expected, const Moment& moment,
                    const rules::v1::Table& view, std::size_t viewer);
  void CheckRequest(TableId table, RequestId id, const Request& request);
  void CheckOrder(TableId table, const TableHistory& history);
  void CheckStrangers(TableId table, const TableHistory& history);
  void CheckStuck(TableId table, const TableHistory& history);
  void CheckRatings();
  void CheckStandings();

  const Database& database_;
  const CheckerOptions options_;
  std::map<TableId, Expected> expected_;
  std::map<TableId, TableHistory> tables_;
  std::int64_t end_us_ = 0;
  Report report_;
};

// Returns a report for people: the size of the comparison, and each kind of finding with its first
// examples.
std::string Text(const Report& report);

}  // namespace tarot::check
