#include <pqxx/pqxx>

#include "services/rules/storage/pg_table_store.h"
#include "services/rules/storage/sql_values.h"
#include "tools/load/check/truth.h"

namespace tarot::check {
namespace {

using Transaction = pqxx::transaction<pqxx::repeatable_read, pqxx::read_only>;

template <typename SomeId>
SomeId IdOf(const pqxx::field& field) {
  return SomeId::Parse(field.c_str()).value_or(SomeId{});
}

void ReadTables(Transaction& tx, Truth& truth) {
  for (const pqxx::row& row : tx.exec("SELECT table_id FROM rules.tables")) {
    const auto table = IdOf<TableId>(row[0]);
    auto stored = rules_service::ReadTable(tx, table);
    if (stored) truth.tables[table] = *std::move(stored);
  }
  for (const pqxx::row& row : tx.exec("SELECT table_id, ranked, deals_scored, totals "
                                      "FROM rules.tables WHERE finish_time IS NOT NULL")) {
    FinishedMatch& match = truth.finished[IdOf<TableId>(row[0])];
    match.ranked = row[1].as<bool>();
    match.end.deals_scored = row[2].as<int>();
    match.end.totals = rules_service::IntsFromSql(row[3].as<std::string>());
  }
}

void ReadRatings(Transaction& tx, Truth& truth) {
  for (const pqxx::row& row : tx.exec("SELECT table_id FROM ratings.matches")) {
    truth.rated.push_back(IdOf<TableId>(row[0]));
  }
  for (const pqxx::row& row :
       tx.exec("SELECT sequence, table_id, player_id, l.player_count, total, mu_before, mu_after "
               "FROM ratings.ledger l JOIN ratings.matches USING (sequence) ORDER BY sequence")) {
    truth.ledger.push_back({.sequence = row[0].as<std::int64_t>(),
                            .table = IdOf<TableId>(row[1]),
                            .player = IdOf<PlayerId>(row[2]),
                            .player_count = row[3].as<int>(),
                            .total = row[4].as<int>(),
                            .mu_before = row[5].as<double>(),
                            .mu_after = row[6].as<double>()});
  }
  for (const pqxx::row& row :
       tx.exec("SELECT player_id, player_count, mu, match_count FROM ratings.ratings")) {
    truth.standings.push_back({.player = IdOf<PlayerId>(row[0]),
                               .player_count = row[1].as<int>(),
                               .mu = row[2].as<double>(),
                               .match_count = row[3].as<int>()});
  }
}

}  // namespace

absl::StatusOr<Truth> ReadTruth(const std::string& dsn) {
  try {
    pqxx::connection connection(dsn);
    Transaction tx(connection);
    Truth truth;
    ReadTables(tx, truth);
    ReadRatings(tx, truth);
    return truth;
  } catch (const std::exception& error) {
    return absl::UnavailableError(error.what());
  }
}

}  // namespace tarot::check
