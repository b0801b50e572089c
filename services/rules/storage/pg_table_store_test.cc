#include "services/rules/storage/pg_table_store.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/rules_migrations.h"
#include "services/rules/app/table_state.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/table_store_contract.h"

namespace tarot::rules_service {
namespace {

const SecretKey kKey = {.id = "one", .secret = std::string(32, '1')};

struct FakeBackend {
  FakeTableStore store;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Fake, TableStoreContract, FakeBackend);

struct PgBackend {
  PgBackend() { EXPECT_TRUE(pg::Migrate(dsn, "rules", Migrations()).ok()); }
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  prometheus::Registry registry;
  pg::Pool pool{{.dsn = dsn, .connections = 4}, TableStatements(), registry};
  pg::Pool append_pool{
      {.dsn = dsn, .connections = 4, .session_sql = kAppendSession}, AppendStatements(), registry};
  OsEntropy entropy;
  const std::unique_ptr<TableStore> made =
      MakePgTableStore(pool, append_pool, dealing::SecretBox({kKey}), entropy);
  TableStore& store = *made;
};
INSTANTIATE_TYPED_TEST_SUITE_P(Pg, TableStoreContract, PgBackend);

// The first version of the schema stored a name for the rule set and 64 bytes for a deal.
TEST(PgTableStoreTest, ReadsTablesThatAreOlderThanRuleValues) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  std::vector<pg::Migration> first = Migrations();
  first.resize(1);
  ASSERT_TRUE(pg::Migrate(dsn, "rules", first).ok());
  {
    pqxx::connection connection(dsn);
    pqxx::nontransaction(connection).exec(R"sql(
      INSERT INTO rules.tables
        (table_id, rule_set, deal_count, move_limit_ms, time_bank_ms, ranked, create_time)
      SELECT ('00000000-0000-4000-8000-00000000000' || n)::uuid,
             CASE n WHEN 1 THEN 'pagat' ELSE 'gone' END, 2, 1000, 0, false, now()
      FROM generate_series(1, 2) AS n;
      INSERT INTO rules.table_seats (table_id, seat, player_id, display_name, bot_level)
      SELECT table_id, seat, ('00000000-0000-4000-8000-00000000001' || seat)::uuid, 'P', ''
      FROM rules.tables, generate_series(0, 2) AS seat;
      INSERT INTO rules.table_actions (table_id, revision, request_id, kind, actor, seat, payload,
                                       elapsed_us, create_time)
      SELECT table_id, 1, table_id, 1, 3, -1, decode(repeat('07', 64), 'hex'), 0, now()
      FROM rules.tables)sql");
  }
  ASSERT_TRUE(pg::Migrate(dsn, "rules", Migrations()).ok());
  prometheus::Registry registry;
  pg::Pool pool({.dsn = dsn, .connections = 1}, TableStatements(), registry);
  pg::Pool append_pool({.dsn = dsn, .connections = 1, .session_sql = kAppendSession},
                       AppendStatements(), registry);
  OsEntropy entropy;
  const std::unique_ptr<TableStore> store =
      MakePgTableStore(pool, append_pool, dealing::SecretBox({kKey}), entropy);
  const auto old = store->Load(*TableId::Parse("00000000-0000-4000-8000-000000000001"));
  ASSERT_TRUE(old.ok()) << old.status();
  EXPECT_EQ(old->config.rules, rules::FindRuleSet("pagat")->rules);
  EXPECT_FALSE(old->config.first_seed.has_value());
  const auto state = Replay(std::make_shared<TableConfig>(old->config), old->log);
  ASSERT_TRUE(state.ok()) << state.status();
  dealing::DealSeed seed;
  seed.fill(7);
  const rules::RuleSet& pagat = old->config.rules;
  EXPECT_EQ(state->match.deal.dealer, 2) << "the last seat";
  EXPECT_EQ(state->match.deal.dealt, DealOut(pagat, 3, 2, dealing::ShuffledPack(seed)).hands);
  const auto gone = store->Load(*TableId::Parse("00000000-0000-4000-8000-000000000002"));
  EXPECT_EQ(gone.status().code(), absl::StatusCode::kInternal) << "its rules are unknown";
}

// Older versions stored the progress of matches in a separate SQL table.
TEST(PgTableStoreTest, KeepsTheProgressOfOlderVersions) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  std::vector<pg::Migration> first = Migrations();
  first.resize(5);
  ASSERT_TRUE(pg::Migrate(dsn, "rules", first).ok());
  {
    pqxx::connection connection(dsn);
    pqxx::nontransaction(connection).exec(R"sql(
      INSERT INTO rules.tables
        (table_id, rule_set, deal_count, move_limit_ms, time_bank_ms, ranked, create_time)
      VALUES ('00000000-0000-4000-8000-000000000001', 'fft', 9, 1000, 0, false, now());
      INSERT INTO rules.table_seats (table_id, seat, player_id, display_name, bot_level)
      SELECT table_id, seat, ('00000000-0000-4000-8000-00000000001' || seat)::uuid, 'P', ''
      FROM rules.tables, generate_series(0, 3) AS seat;
      INSERT INTO rules.deals (table_id, number, first_revision, last_revision, finish_time)
      SELECT table_id, number, 10 * number, 10 * number + 9, now()
      FROM rules.tables, generate_series(1, 2) AS number;
      INSERT INTO rules.table_progress (table_id, phase, deals_dealt, deals_scored, totals)
      SELECT table_id, 1, 3, 1, '{30,-10,-10,-10}' FROM rules.tables)sql");
  }
  ASSERT_TRUE(pg::Migrate(dsn, "rules", Migrations()).ok());
  prometheus::Registry registry;
  pg::Pool pool({.dsn = dsn, .connections = 1}, TableStatements(), registry);
  OsEntropy entropy;
  const std::unique_ptr<TableStore> store =
      MakePgTableStore(pool, pool, dealing::SecretBox({kKey}), entropy);
  const auto summaries =
      store->LoadSummaries({*TableId::Parse("00000000-0000-4000-8000-000000000001")});
  ASSERT_EQ(summaries->size(), 1u);
  EXPECT_EQ(summaries->front().progress,
            (MatchProgress{.deals_dealt = 2, .deals_scored = 1, .totals = {30, -10, -10, -10}}));
}

// A sort key without the name of its SQL table is the text of the result. For this text there is no
// index, so Postgres would read and sort all rows for each page.
TEST(PgTableStoreTest, SortsListsByColumnsAndNotByTexts) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  ASSERT_TRUE(pg::Migrate(dsn, "rules", Migrations()).ok());
  pqxx::connection connection(dsn);
  pqxx::nontransaction tx(connection);
  int lists = 0;
  for (const pg::Statement& statement : TableStatements()) {
    const std::string sql = statement.sql;
    if (sql.find("LIMIT $") == std::string::npos || sql.find("ORDER BY") == std::string::npos) {
      continue;
    }
    ++lists;
    int parameters = 0;
    while (sql.find(absl::StrCat("$", parameters + 1)) != std::string::npos) ++parameters;
    tx.exec0(absl::StrCat("PREPARE list_", lists, " AS ", sql));
    const std::vector<std::string> nulls(static_cast<std::size_t>(parameters), "NULL");
    tx.exec0("SET plan_cache_mode = force_generic_plan");
    for (const pqxx::row& line : tx.exec(
             absl::StrCat("EXPLAIN EXECUTE list_", lists, "(", absl::StrJoin(nulls, ", "), ")"))) {
      const std::string text = line[0].c_str();
      if (text.find("Sort Key") == std::string::npos) continue;
      EXPECT_EQ(text.find("EXTRACT"), std::string::npos) << statement.name << ": " << text;
    }
  }
  EXPECT_GE(lists, 7);
}

}  // namespace
}  // namespace tarot::rules_service
