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

// Returns the number of statements in the server's log, including BEGIN and COMMIT. Each statement
// is one round trip.
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

TEST(PgRatingStoreTest, RatesMatchInTwoRoundTrips) {
  testkit::PgCluster cluster;
  const std::string dsn = cluster.NewDatabase();
  ASSERT_THAT(pg::Migrate(dsn, "ratings", Migrations()), testkit::IsOk());
  pqxx::connection connection(dsn);
  pqxx::nontransaction(connection).exec0("ALTER ROLE tarot SET log_statement = 'all'");
  prometheus::Registry registry;
  const auto store = MakePgRatingStore(dsn, 1, registry);
  testkit::ManualTime time;
  Metrics metrics(registry);
  RatingService service(*store, time, metrics, 230);
  const auto record = [&](int table) {
    MatchResult match = TestMatch(table, {1, 2, 3, 4, 5}, {40, -10, -10, -10, -10});
    match.match_time = time.Now();
    EXPECT_FALSE(service.RecordMatch(match).value());
  };
  record(1);  // The first call connects and prepares the statements.
  const int before = LoggedStatements(cluster);
  ASSERT_GT(before, 0) << "the server logs no statements";
  record(2);
  EXPECT_EQ(LoggedStatements(cluster) - before, 2) << "one read and one write";
}

TEST(PgRatingStoreTest, KeepsTheDealsOfAMatchInTheOrderOfItsSeats) {
  const std::string dsn = NewDatabase();
  prometheus::Registry registry;
  const auto store = MakePgRatingStore(dsn, 1, registry);
  testkit::ManualTime time;
  Metrics metrics(registry);
  RatingService service(*store, time, metrics, 230);
  MatchResult match = TestMatch(1, {1, 2, 3, 4}, {40, -10, -10, -20});
  std::swap(match.players[0], match.players[2]);  // Now the seats are not in the order of the ids.
  match.match_time = time.Now();
  AddDeals(match);
  EXPECT_FALSE(service.RecordMatch(match).value());
  EXPECT_TRUE(service.RecordMatch(match).value()) << "a repeat adds no deals";
  MatchResult plain = TestMatch(2, {1, 2, 3, 4}, {40, -10, -10, -20});
  plain.match_time = time.Now();
  EXPECT_FALSE(service.RecordMatch(plain).value());

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

// Eight threads send the same matches of a dozen players to two replicas. The threads form pairs.
// The two threads of a pair send the matches in the same order, one to each replica. So many
// matches arrive twice at the same time, and so do matches with common players.
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

  const std::vector<LedgerMatch> ledger = store->ReadLedger(0, 1000).value();
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
  ExpectRecomputeEqualsStandings(*store);
}

TEST(PgRatingStoreTest, MatchThatFailsHalfwayLeavesNothing) {
  const auto store = MakePgRatingStore(NewDatabase(), 1, Registry());
  const MatchResult match = TestMatch(1, {1, 2, 3}, {2, -1, -1});
  RatedMatch rated =
      RateMatch(match, store->ReadMatchState(match).value().standings, PlainModel(match));
  rated.entries[2].after.variance = -1;  // A constraint of the table refuses a negative variance.
  EXPECT_THAT(store->Record(match, rated), testkit::HasReason("BUG"));
  EXPECT_EQ(store->CountPlayers().value(), 0);
  EXPECT_TRUE(store->ReadLedger(0, 10).value().empty());
  EXPECT_TRUE(RecordInto(*store, match).value());
}

// A match gets its sequence before its commit. So a match with a lower sequence may become visible
// after a reader has seen a higher one.
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
