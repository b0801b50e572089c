#include "services/ratings/storage/pg_rating_store.h"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <map>
#include <pqxx/pqxx>
#include <set>
#include <thread>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "libs/base/check.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/ratings_migrations.h"
#include "services/ratings/audit/ledger_rows.h"
#include "services/ratings/testing/ladder_contract.h"
#include "services/ratings/testing/rating_store_contract.h"

namespace tarot::ratings_service {
namespace {

std::string NewDatabase() {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  TAROT_CHECK(pg::Migrate(dsn, "ratings", Migrations()).ok());
  return dsn;
}

prometheus::Registry& Registry() {
  static auto& registry = *new prometheus::Registry;
  return registry;
}

struct PgFactory {
  static std::unique_ptr<RatingStore> Make() {
    return MakePgRatingStore(NewDatabase(), 2, Registry());
  }
};

INSTANTIATE_TYPED_TEST_SUITE_P(Pg, RatingStoreContract, PgFactory);
INSTANTIATE_TYPED_TEST_SUITE_P(Pg, LadderContract, PgFactory);

TEST(PgRatingStoreTest, FindsNamesWithoutAccents) {
  const auto store = PgFactory::Make();
  MatchResult match = TestMatch(1, {1, 2, 3}, {20, -10, -10});
  match.players[0].display_name = "Chlo\u00e9 Ng";
  match.players[1].display_name = "\u00c9milie";
  match.players[2].display_name = "\u0413\u0430\u043b\u044f";
  RecordInto(*store, match).value();
  const auto found = [&](const std::string& text) {
    return store->SearchPlayers(text, {}, 10).value();
  };
  EXPECT_EQ(found("chloe n"), std::vector{TestPlayer(1)});
  EXPECT_EQ(found("CHLO\u00c9"), std::vector{TestPlayer(1)});
  EXPECT_EQ(found("emi"), std::vector{TestPlayer(2)});
  EXPECT_EQ(found("\u0433\u0410"), std::vector{TestPlayer(3)});
}

// Returns the number of statements in the server's log. BEGIN and COMMIT count too. The number is
// the number of round trips between client and server.
int LoggedStatements(const testkit::PgCluster& cluster) {
  std::ifstream log(cluster.directory() + "/postgres.log");
  int count = 0;
  for (std::string line; std::getline(log, line);) {
    if (absl::StrContains(line, "LOG:  execute ") || absl::StrContains(line, "LOG:  statement: ")) {
      ++count;
    }
  }
  return count;
}

TEST(PgRatingStoreTest, StoresManyMatchesWithTheStatementsOfOne) {
  testkit::PgCluster cluster;
  const std::string dsn = cluster.NewDatabase();
  ASSERT_THAT(pg::Migrate(dsn, "ratings", Migrations()), testkit::IsOk());
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection).exec0("ALTER ROLE tarot SET log_statement = 'all'");
  prometheus::Registry registry;
  const auto store = MakePgRatingStore(dsn, 1, registry);
  std::vector<MatchResult> matches = RandomMatches(1, 61, 20);
  for (MatchResult& match : matches) AddDeals(match);
  // The first call connects and prepares the statements.
  ASSERT_TRUE(RecordInto(*store, matches.back()).value());
  matches.pop_back();
  const auto statements_of = [&](const std::vector<MatchResult>& batch) {
    const int before = LoggedStatements(cluster);
    EXPECT_GT(before, 0) << "the server logs no statements";
    EXPECT_THAT(store->RecordBatch(batch, RateTestMatches), testkit::IsOk());
    return LoggedStatements(cluster) - before;
  };
  EXPECT_EQ(statements_of({matches.front()}), 5) << "BEGIN, lock, read, write, COMMIT";
  matches.erase(matches.begin());
  EXPECT_EQ(statements_of(matches), 5);
  EXPECT_EQ(ReadLedger(*store)->size(), 61u);
}

TEST(PgRatingStoreTest, KeepsTheDealsOfAMatchInTheOrderOfItsSeats) {
  const std::string dsn = NewDatabase();
  prometheus::Registry registry;
  const auto store = MakePgRatingStore(dsn, 1, registry);
  testkit::ManualTime time;
  Metrics metrics(registry);
  SeasonCache seasons(*store, time);
  RatingService service(*store, seasons, time, metrics, 230);
  MatchResult match = TestMatch(1, {1, 2, 3, 4}, {40, -10, -10, -20});
  // After this swap, the order of the seats is not the order of the players' ids.
  std::swap(match.players[0], match.players[2]);
  match.match_time = time.Now();
  AddDeals(match);
  EXPECT_FALSE(RecordNow(service, match).value());
  EXPECT_TRUE(RecordNow(service, match).value()) << "a repeat adds no deals";
  MatchResult plain = TestMatch(2, {1, 2, 3, 4}, {40, -10, -10, -20});
  plain.match_time = time.Now();
  EXPECT_FALSE(RecordNow(service, plain).value());

  pqxx::connection connection(dsn);
  pqxx::nontransaction tx(connection);
  const pqxx::row sheet = tx.exec1("SELECT rule_values, seats[1] FROM ratings.match_sheets");
  EXPECT_EQ(sheet[0].as<std::string>(), match.rule_values);
  EXPECT_EQ(sheet[1].as<std::string>(), TestPlayer(3).ToString());
  const pqxx::result deals = tx.exec(
      "SELECT number, dealer, encode(pack, 'hex'), outcome, scores[1], scores[4], stand_ins"
      " FROM ratings.match_deals ORDER BY number");
  ASSERT_EQ(deals.size(), 9);
  for (int i = 0; i < 9; ++i) {
    const DealtDeal& deal = match.deals[static_cast<std::size_t>(i)];
    EXPECT_EQ(deals[i][0].as<int>(), deal.number);
    EXPECT_EQ(deals[i][1].as<int>(), deal.dealer);
    EXPECT_EQ(deals[i][2].as<std::string>(), absl::BytesToHexString(deal.pack));
    EXPECT_EQ(deals[i][3].as<int>(), static_cast<int>(deal.outcome));
    EXPECT_EQ(deals[i][4].as<int>(), deal.scores[0]);
    EXPECT_EQ(deals[i][5].as<int>(), deal.scores[3]);
    EXPECT_EQ(deals[i][6].as<int>(), i == 2 ? 0b101 : 0);
  }
}

// Eight threads send the same matches of a dozen players. The threads form pairs. The two threads
// of a pair send the matches in the same order, but to different replicas. So two copies of one
// match, or two matches with a common player, often arrive at the same time.
TEST(PgRatingStoreTest, TwoReplicasRateEachMatchOnceAndLoseNoUpdate) {
  const std::string dsn = NewDatabase();
  prometheus::Registry registry, other_registry;
  const auto store = MakePgRatingStore(dsn, 4, registry);
  const auto other = MakePgRatingStore(dsn, 4, other_registry);
  const std::vector<MatchResult> matches = RandomMatches(3, 150, 12);
  std::atomic<int> rated = 0;
  std::atomic<int> replayed = 0;
  std::vector<std::thread> relays;
  for (unsigned relay = 0; relay < 8; ++relay) {
    relays.emplace_back([&, relay] {
      std::vector<MatchResult> own = matches;
      Rng(relay / 2).Shuffle(own);
      for (const MatchResult& match : own) {
        const auto recorded = RecordInto(relay % 2 == 0 ? *store : *other, match);
        ASSERT_THAT(recorded, testkit::IsOk());
        ++(*recorded ? rated : replayed);
      }
    });
  }
  for (std::thread& relay : relays) relay.join();
  EXPECT_EQ(rated, 150);
  EXPECT_EQ(replayed, 7 * 150);

  const std::vector<LedgerMatch> ledger = ReadLedger(*store).value();
  std::set<TableId> tables;
  std::map<std::pair<int, PlayerId>, double> mu_moved;
  std::map<std::pair<int, PlayerId>, int> match_count;
  for (const LedgerMatch& match : ledger) {
    tables.insert(match.table);
    for (const LedgerEntry& entry : match.entries) {
      const std::pair key(static_cast<int>(match.entries.size()), entry.player);
      mu_moved[key] += entry.after.mu - entry.before.mu;
      ++match_count[key];
    }
  }
  EXPECT_EQ(tables.size(), 150u);
  EXPECT_EQ(ledger.size(), 150u);
  for (const auto& [key, moved] : mu_moved) {  // These checks fail if an update was lost.
    const Standing stored = store->GetStandings(key.first, {key.second}).value()[0];
    EXPECT_NEAR(stored.skill.mu, moved, 1e-9);
    EXPECT_EQ(stored.match_count, match_count[key]);
  }
  ExpectFoldEqualsStandings(*store);
}

// A lock on the row of a player would be written to the log of Postgres, and cost as much as a new
// row. xmax is the last transaction that locked the row or replaced it.
TEST(PgRatingStoreTest, AMatchDoesNotTouchPlayersWhoKeepTheirNames) {
  const std::string dsn = NewDatabase();
  const auto store = MakePgRatingStore(dsn, 1, Registry());
  EXPECT_TRUE(RecordInto(*store, TestMatch(1, {1, 2, 3}, {2, -1, -1})).value());
  MatchResult second = TestMatch(2, {1, 2, 3}, {2, -1, -1});
  second.players[1].display_name = "Renamed";
  EXPECT_TRUE(RecordInto(*store, second).value());
  pqxx::connection connection(dsn);
  const auto rows = pqxx::nontransaction(connection)
                        .exec(
                            "SELECT display_name, xmax::text FROM ratings.players "
                            "ORDER BY player_id");
  ASSERT_EQ(rows.size(), 3);
  EXPECT_STREQ(rows[0][1].c_str(), "0");
  EXPECT_STREQ(rows[1][0].c_str(), "Renamed");
  EXPECT_STREQ(rows[2][1].c_str(), "0");
}

TEST(PgRatingStoreTest, TheAuditFindsRowsWhoseMatchIsLost) {
  const std::string dsn = NewDatabase();
  const auto store = MakePgRatingStore(dsn, 1, Registry());
  EXPECT_TRUE(RecordInto(*store, TestMatch(1, {1, 2, 3}, {2, -1, -1})).value());
  pqxx::connection connection(dsn);
  pqxx::work tx(connection);
  EXPECT_TRUE(CheckLedger(ReadLedger(tx)).empty());
  tx.exec0("DELETE FROM ratings.matches");
  EXPECT_EQ(ReadLedger(tx).strays.size(), 3u) << "the results of three players";
  EXPECT_FALSE(CheckLedger(ReadLedger(tx)).empty());
}

TEST(PgRatingStoreTest, MatchThatFailsHalfwayLeavesNothing) {
  const auto store = MakePgRatingStore(NewDatabase(), 1, Registry());
  const MatchResult match = TestMatch(1, {1, 2, 3}, {2, -1, -1});
  const RateBatch rate = [](const auto& batch, const BatchState& state) {
    std::vector<std::optional<RatedMatch>> rated = RateTestMatches(batch, state);
    rated[0]->after[2].skill.variance = -1;  // A constraint of the SQL table refuses this variance.
    return rated;
  };
  EXPECT_THAT(store->RecordBatch({match}, rate), testkit::HasReason("BUG"));
  EXPECT_EQ(store->CountPlayers().value(), 0);
  EXPECT_TRUE(ReadLedger(*store).value().empty());
  EXPECT_TRUE(RecordInto(*store, match).value());
}

// A match gets its sequence number before its commit. So it may become visible after a match with a
// higher number.
TEST(PgRatingStoreTest, ReaderOfChangesMissesNoLateCommit) {
  const std::string dsn = NewDatabase();
  const auto store = MakePgRatingStore(dsn, 1, Registry());
  const std::int64_t begin = store->ReadChangedStandings(std::nullopt).value().cursor;
  pqxx::connection connection(dsn);
  {
    pqxx::work late(connection);
    late.exec0(R"sql(
        INSERT INTO ratings.players
          VALUES ('01000000-0000-0000-0000-000000000009', 'Late', false);
        INSERT INTO ratings.matches (table_id, player_count, deal_count, match_time)
          VALUES (gen_random_uuid(), 3, 8, now());
        INSERT INTO ratings.ledger
          SELECT sequence, '01000000-0000-0000-0000-000000000009', 3, false, 0, 0, 16, 1, 15, 1
          FROM ratings.matches;
        INSERT INTO ratings.ratings
          VALUES ('01000000-0000-0000-0000-000000000009', 3, 1, 15, 1, now()))sql");
    EXPECT_TRUE(RecordInto(*store, TestMatch(1, {1, 2, 3}, {2, -1, -1})).value());
    const StandingChanges first = store->ReadChangedStandings(begin).value();
    EXPECT_EQ(first.standings.size(), 3u) << "the late match is not visible yet";
    late.commit();
    const StandingChanges second = store->ReadChangedStandings(first.cursor).value();
    EXPECT_EQ(std::count_if(second.standings.begin(), second.standings.end(),
                            [](const LadderStanding& changed) {
                              return changed.standing.player == TestPlayer(9);
                            }),
              1);
    EXPECT_TRUE(store->ReadChangedStandings(second.cursor).value().standings.empty());
  }
}

// Two transactions store the first match of the same player at the same time. The player has no row
// yet that the first transaction could lock.
TEST(PgRatingStoreTest, StoresNothingIfANewPlayerIsRatedMeanwhile) {
  const auto store = MakePgRatingStore(NewDatabase(), 2, Registry());
  const MatchResult first = TestMatch(1, {1, 2, 3}, {20, -10, -10});
  const MatchResult second = TestMatch(2, {3, 4, 5}, {20, -10, -10});
  const RateBatch rate = [&](const auto& batch, const BatchState& state) {
    EXPECT_TRUE(RecordInto(*store, first).value());
    return RateTestMatches(batch, state);
  };
  EXPECT_THAT(store->RecordBatch({second}, rate), testkit::HasReason("STORAGE_CONFLICT"));
  EXPECT_EQ(store->GetStandings(3, {TestPlayer(4)}).value()[0].match_count, 0);
  EXPECT_THAT(store->RecordBatch({second, first}, RateTestMatches), testkit::IsOk());
  EXPECT_EQ(store->GetStandings(3, {TestPlayer(3)}).value()[0].match_count, 2);
  ExpectFoldEqualsStandings(*store);
}

// A match gets its sequence number before its commit. So the first read of a recomputation may not
// see a match yet, although it sees another match with a higher number.
TEST(PgRatingStoreTest, RecomputationMissesNoLateCommit) {
  const auto store = MakePgRatingStore(NewDatabase(), 3, Registry());
  EXPECT_TRUE(RecordInto(*store, TestMatch(1, {1, 2, 3}, {20, -10, -10})).value());
  std::unique_ptr<Recomputation> recomputation;
  const auto tables_read = [&] {
    std::vector<TableId> tables;
    const std::vector<LedgerMatch> matches = recomputation->ReadMatches(100).value();
    for (const LedgerMatch& match : matches) tables.push_back(match.table);
    return tables;
  };
  const RateBatch rate = [&](const auto& batch, const BatchState& state) {
    EXPECT_TRUE(RecordInto(*store, TestMatch(3, {4, 5, 6}, {20, -10, -10})).value());
    recomputation = store->BeginRecomputation().value();
    EXPECT_EQ(tables_read(), std::vector({TestTable(1), TestTable(3)}));
    EXPECT_TRUE(tables_read().empty());
    return RateTestMatches(batch, state);
  };
  // The transaction of match 2 takes its locks before match 3 is stored, and it commits after match
  // 3.
  EXPECT_THAT(store->RecordBatch({TestMatch(2, {1, 2, 3}, {20, -10, -10})}, rate), testkit::IsOk());
  EXPECT_TRUE(RecordInto(*store, TestMatch(4, {1, 4, 7}, {20, -10, -10})).value());
  EXPECT_EQ(tables_read(), std::vector({TestTable(2), TestTable(4)}));
  EXPECT_TRUE(tables_read().empty());
  EXPECT_TRUE(tables_read().empty());
}

// Four threads record matches through two replicas. At the same time, an operator voids matches,
// and recomputations run all the time. At the end, all ratings must equal the fold of the whole
// ledger, from its first match on.
TEST(PgRatingStoreTest, RecomputesWhileMatchesAreRecorded) {
  const std::string dsn = NewDatabase();
  prometheus::Registry registry, other_registry;
  const auto store = MakePgRatingStore(dsn, 4, registry);
  const auto other = MakePgRatingStore(dsn, 4, other_registry);
  const std::vector<MatchResult> matches = RandomMatches(9, 1200, 60);
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> relays;
  for (int relay = 0; relay < 4; ++relay) {
    relays.emplace_back([&, relay] {
      for (std::size_t i = next++; i < matches.size(); i = next++) {
        absl::StatusOr<bool> recorded = false;
        do {  // When a recomputation ends, a statement may have to wait too long and fail.
          recorded = RecordInto(relay % 2 == 0 ? *store : *other, matches[i]);
        } while (absl::IsUnavailable(recorded.status()));
        ASSERT_THAT(recorded, testkit::IsOk());
      }
    });
  }
  testkit::ManualTime time;
  SeasonCache seasons(*store, time);
  LadderAdmin admin(*store, seasons, time);
  int rounds = 0;
  while (next < matches.size()) {
    (void)store->AddVoid({.table = matches[static_cast<std::size_t>(rounds) * 7].table,
                          .operator_name = "Op",
                          .reason = "test"});
    if (rounds == 2) {
      (void)store->AddVoid(
          {.player = TestPlayer(8), .since = TestTime(0), .operator_name = "Op", .reason = "test"});
    }
    ASSERT_THAT(admin.Recompute(), testkit::IsOk());
    ++rounds;
  }
  for (std::thread& relay : relays) relay.join();
  EXPECT_GT(rounds, 3);
  EXPECT_EQ(ReadLedger(*store)->size(), matches.size());
  // This last recomputation also leaves out the matches that became void after the previous
  // recomputation began.
  ASSERT_THAT(admin.Recompute(), testkit::IsOk());
  ExpectFoldEqualsStandings(*store);
  pqxx::connection connection(dsn);
  pqxx::work transaction(connection);
  const LedgerRows rows = ReadLedger(transaction);
  EXPECT_EQ(rows.rated.size(), matches.size());
  for (const LedgerProblem& problem : CheckLedger(rows)) ADD_FAILURE() << problem.text;
  // After the recomputations, the indexes must still have the names that the migrations gave them.
  EXPECT_EQ(transaction
                .exec1("SELECT string_agg(indexname, ' ' ORDER BY indexname) FROM pg_indexes "
                       "WHERE tablename IN ('ratings', 'recomputed_results')")[0]
                .as<std::string>(),
            "ratings_ix_board ratings_ix_update_time ratings_pk recomputed_results_pk");
  EXPECT_EQ(
      transaction.exec1("SELECT count(*) FROM pg_tables WHERE tablename LIKE 'next%'")[0].as<int>(),
      0);
}

// If the connections of a recomputation break, the old ratings stay. The next recomputation
// succeeds.
TEST(PgRatingStoreTest, BrokenConnectionLeavesTheOldRatings) {
  const std::string dsn = NewDatabase();
  const auto store = MakePgRatingStore(dsn, 2, Registry());
  for (const MatchResult& match : RandomMatches(5, 30, 9)) RecordInto(*store, match).value();
  AddVoid(*store, {.table = TestTable(3)}, 1);
  const auto before = store->ListStandings({}, 0, 1000).value();
  auto recomputation = store->BeginRecomputation().value();
  ASSERT_THAT(recomputation->ReadMatches(100), testkit::IsOk());
  ASSERT_THAT(recomputation->SetStandings(before), testkit::IsOk());
  ASSERT_THAT(recomputation->BlockRecording(), testkit::IsOk());
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection)
      .exec("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'");
  EXPECT_THAT(recomputation->Finish(), testkit::HasReason("STORAGE_AWAY"));
  EXPECT_EQ(store->ReadChangedStandings(std::nullopt)->recomputation, 0);
  for (std::size_t i = 0; i < before.size(); ++i) {
    ExpectSame(store->ListStandings({}, 0, 1000).value()[i].standing, before[i].standing);
  }
  testkit::ManualTime time;
  SeasonCache seasons(*store, time);
  EXPECT_THAT(LadderAdmin(*store, seasons, time).Recompute(), testkit::IsOk());
  ExpectFoldEqualsStandings(*store);
}

TEST(PgRatingStoreTest, NumbersMatchesOfAnOlderDatabase) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  const std::vector<pg::Migration> first(Migrations().begin(), Migrations().begin() + 1);
  ASSERT_THAT(pg::Migrate(dsn, "ratings", first), testkit::IsOk());
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection).exec0(R"sql(
      INSERT INTO ratings.players SELECT uuid, 'P', false FROM unnest(ARRAY[
          '01000000-0000-0000-0000-000000000001', '01000000-0000-0000-0000-000000000002',
          '01000000-0000-0000-0000-000000000003']::uuid[]) AS uuid;
      INSERT INTO ratings.matches (table_id, player_count, deal_count, match_time)
        SELECT gen_random_uuid(), 3, 8, now() FROM generate_series(1, 4);
      INSERT INTO ratings.ledger
        SELECT sequence, player_id, 3, false, 0, 0, 16, 0, 16
        FROM ratings.matches, ratings.players;
      INSERT INTO ratings.ratings SELECT player_id, 3, 0, 16, 4, now() FROM ratings.players)sql");
  ASSERT_THAT(pg::Migrate(dsn, "ratings", Migrations()), testkit::IsOk());
  EXPECT_EQ(pqxx::nontransaction(connection)
                .exec1("SELECT string_agg(match_number::text, ',' ORDER BY sequence) "
                       "FROM ratings.ledger GROUP BY player_id LIMIT 1")[0]
                .as<std::string>(),
            "1,2,3,4");
  const auto store = MakePgRatingStore(dsn, 1, Registry());
  EXPECT_TRUE(RecordInto(*store, TestMatch(1, {1, 2, 3}, {2, -1, -1})).value());
  EXPECT_EQ(store->GetStandings(3, {TestPlayer(1)}).value()[0].match_count, 5);
}

TEST(PgRatingStoreTest, AbsentDatabaseIsUnavailable) {
  testkit::PgCluster cluster;
  const auto store = MakePgRatingStore(cluster.NewDatabase(), 1, Registry());
  cluster.Kill();
  EXPECT_THAT(store->CountPlayers(), testkit::HasReason("STORAGE_AWAY"));
  EXPECT_THAT(RecordInto(*store, TestMatch(1, {1, 2, 3}, {2, -1, -1})),
              testkit::HasReason("STORAGE_AWAY"));
}

}  // namespace
}  // namespace tarot::ratings_service
