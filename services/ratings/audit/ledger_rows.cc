#include "services/ratings/audit/ledger_rows.h"

#include <map>
#include <utility>

#include "absl/strings/str_cat.h"

namespace tarot::ratings_service {
namespace {

template <typename SomeId>
SomeId IdOf(const pqxx::field& field) {
  return SomeId::Parse(field.c_str()).value_or(SomeId{});
}

}  // namespace

LedgerRows ReadLedger(pqxx::transaction_base& transaction) {
  LedgerRows rows;
  // A recomputation replaces these two SQL tables. This transaction takes its snapshot after the
  // lock. So it sees either both old SQL tables or both new SQL tables.
  transaction.exec("LOCK TABLE ratings.ratings, ratings.recomputed_results IN ACCESS SHARE MODE");
  for (const pqxx::row& row :
       transaction.exec("SELECT table_id FROM ratings.matches WHERE rated")) {
    rows.rated.push_back(IdOf<TableId>(row[0]));
  }
  for (const pqxx::row& row :
       transaction.exec("SELECT l.sequence, table_id, l.player_id, l.player_count, total, "
                        "c.sequence IS NOT NULL AND c.mu_after IS NULL, "
                        "coalesce(c.mu_before, l.mu_before), coalesce(c.mu_after, l.mu_after) "
                        "FROM ratings.ledger l JOIN ratings.matches m ON m.sequence = l.sequence "
                        "LEFT JOIN ratings.recomputed_results c "
                        "ON c.sequence = l.sequence AND c.player_id = l.player_id "
                        "WHERE rated ORDER BY l.sequence")) {
    rows.ledger.push_back({.sequence = row[0].as<std::int64_t>(),
                           .table = IdOf<TableId>(row[1]),
                           .player = IdOf<PlayerId>(row[2]),
                           .player_count = row[3].as<int>(),
                           .total = row[4].as<int>(),
                           .voided = row[5].as<bool>(),
                           .mu_before = row[6].as<double>(),
                           .mu_after = row[7].as<double>()});
  }
  for (const pqxx::row& row :
       transaction.exec("SELECT player_id, player_count, mu, match_count FROM ratings.ratings "
                        "WHERE match_count > 0")) {
    rows.ladder.push_back({.player = IdOf<PlayerId>(row[0]),
                           .player_count = row[1].as<int>(),
                           .mu = row[2].as<double>(),
                           .match_count = row[3].as<int>()});
  }
  for (const pqxx::row& row : transaction.exec(absl::StrCat(
           "SELECT 'a result of player ' || player_id AS name, sequence FROM ratings.ledger "
           "WHERE NOT EXISTS (SELECT FROM ratings.matches m WHERE m.sequence = ledger.sequence) "
           "OR NOT EXISTS (SELECT FROM ratings.players p WHERE p.player_id = ledger.player_id) "
           "UNION ALL "
           "SELECT 'the seats', sequence FROM ratings.match_sheets "
           "WHERE NOT EXISTS (SELECT FROM ratings.matches m WHERE m.sequence = "
           "match_sheets.sequence) "
           "UNION ALL "
           "SELECT 'deal ' || number, sequence FROM ratings.match_deals "
           "WHERE NOT EXISTS (SELECT FROM ratings.match_sheets s WHERE s.sequence = "
           "match_deals.sequence) "
           "LIMIT ",
           kStraysMax))) {
    rows.strays.push_back(absl::StrCat(row[0].c_str(), " in the match with the sequence number ",
                                       row[1].as<std::int64_t>()));
  }
  return rows;
}

std::vector<LedgerProblem> CheckLedger(const LedgerRows& rows) {
  std::vector<LedgerProblem> problems;
  std::map<std::pair<PlayerId, int>, LadderRow> sums;
  for (const LedgerRow& row : rows.ledger) {
    if (row.voided) continue;
    LadderRow& sum = sums[{row.player, row.player_count}];
    if (sum.match_count > 0 && sum.mu != row.mu_before) {
      problems.push_back(
          {row.table, absl::StrCat("does not continue from the previous match of player ",
                                   row.player.ToString())});
    }
    sum.mu = row.mu_after;
    ++sum.match_count;
  }
  for (const LadderRow& row : rows.ladder) {
    const auto sum = sums.extract({row.player, row.player_count});
    if (!sum.empty() && sum.mapped().match_count == row.match_count && sum.mapped().mu == row.mu) {
      continue;
    }
    problems.push_back({TableId{}, absl::StrCat("player ", row.player.ToString(),
                                                " has another rating than the ledger gives")});
  }
  for (const auto& [who, sum] : sums) {
    problems.push_back({TableId{}, absl::StrCat("player ", who.first.ToString(),
                                                " is in the ledger, but has no rating")});
  }
  for (const std::string& stray : rows.strays) {
    problems.push_back({TableId{}, absl::StrCat("the row that it belongs to is lost: ", stray)});
  }
  return problems;
}

}  // namespace tarot::ratings_service
