// Measures the ratings service on a Postgres of its own with fsync: how fast it records matches and
// computes all ratings again, and how long BatchGetRatings takes. Prints figures as a JSON list.
// Usage: ratings_bench [--players=N] [--matches=N]
#include <grpcpp/grpcpp.h>
#include <sys/stat.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <memory>
#include <mutex>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/ai/luck/baseline.h"
#include "libs/base/check.h"
#include "libs/base/entropy.h"
#include "libs/base/real_clock.h"
#include "libs/base/rng.h"
#include "libs/pg/migrate.h"
#include "libs/rpc/call.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/testkit/pg_fixture.h"
#include "migrations/ratings_migrations.h"
#include "services/ratings/app/ladder_admin.h"
#include "services/ratings/app/rating_service.h"
#include "services/ratings/service.h"
#include "services/ratings/storage/pg_rating_store.h"
#include "tarot/ratings/v1/rating_service.grpc.pb.h"
#include "tests/bench/figures.h"

ABSL_FLAG(int, players, 1'000'000, "players with a rating on the ladder of four");
ABSL_FLAG(int, matches, 200'000, "matches that a recomputation rates");
ABSL_FLAG(int, records, 6'000, "matches that are recorded in each measurement");

namespace tarot::ratings_service {
namespace {

constexpr int kDeals = 6;  // A ranked match has six deals.
constexpr int kThreads = 2;
constexpr int kMatchesInFlight = 512;
constexpr int kBatchReads = 2'000;

// Returns the name that MakePlayers() gave to the player. Players seldom change their names, so the
// recorded matches have the same names.
std::string NameOf(PlayerId player) {
  return absl::StrCat("Player ", player.ToString().substr(0, 8));
}

void MakePlayers(pqxx::connection& connection, int players) {
  pqxx::nontransaction tx(connection);
  tx.exec0(
      absl::StrCat("INSERT INTO ratings.players SELECT id, 'Player ' || left(id::text, 8), false "
                   "FROM (SELECT md5(i::text)::uuid AS id FROM generate_series(1, ",
                   players, ") i) players"));
  tx.exec0(
      "INSERT INTO ratings.ratings (player_id, player_count, mu, variance, match_count, "
      "update_time) "
      "SELECT player_id, 4, 20 * random() - 10, 20 + random(), 1000000, now() - '1 day'::interval "
      "FROM ratings.players ORDER BY player_id");
  tx.exec0("VACUUM ANALYZE ratings.players");
  tx.exec0("VACUUM ANALYZE ratings.ratings");
}

std::vector<PlayerId> ReadPlayers(pqxx::connection& connection) {
  std::vector<PlayerId> players;
  pqxx::nontransaction tx(connection);
  for (const pqxx::row& row : tx.exec("SELECT player_id FROM ratings.players")) {
    players.push_back(*PlayerId::Parse(row[0].c_str()));
  }
  return players;
}

// Adds matches of random players to the ledger. The skills in the ledger are invented: they are not
// computed from the results.
void MakeLedger(pqxx::connection& connection, int matches, int players) {
  pqxx::nontransaction tx(connection);
  tx.exec0(absl::StrCat(
      "INSERT INTO ratings.matches (table_id, player_count, deal_count, match_time) "
      "SELECT gen_random_uuid(), 4, 6, now() - '1 day'::interval + i * '1 ms'::interval "
      "FROM generate_series(1, ",
      matches, ") i"));
  tx.exec0(absl::StrCat(
      "INSERT INTO ratings.ledger (sequence, player_id, player_count, bot, total, mu_before, "
      "variance_before, mu_after, variance_after, match_number) "
      "SELECT sequence, md5(((start + seat * ",
      players / 4, ") % ", players,
      " + 1)::text)::uuid, 4, false, CASE (sequence + seat) % 4 WHEN 0 THEN 300 ELSE -100 END, "
      "0, 16, 0, 15, sequence FROM (SELECT sequence, floor(random() * ",
      players, ")::integer AS start FROM ratings.matches) m, generate_series(0, 3) seat"));
  tx.exec0("VACUUM ANALYZE ratings.matches");
  tx.exec0("VACUUM ANALYZE ratings.ledger");
}

MatchResult RandomMatch(Rng& rng, const std::vector<PlayerId>& players, bool deals) {
  SeededEntropy entropy(rng.Next());
  MatchResult match{
      .table = TableId{entropy.NewUuid()}, .deal_count = kDeals, .match_time = absl::Now()};
  const std::size_t quarter = players.size() / 4;
  const auto start = static_cast<std::size_t>(rng.Below(static_cast<int>(quarter)));
  for (std::size_t seat = 0; seat < 4; ++seat) {
    const PlayerId player = players[start + seat * quarter];
    match.players.push_back({.player = player,
                             .display_name = NameOf(player),
                             .total = seat == 0 ? 3 * kDeals * 30 : -kDeals * 30});
  }
  if (!deals) return match;
  match.rule_values = rules::EncodeRuleSet(rules::FindRuleSet("fft")->rules);
  std::vector<int> pack;
  for (int card = 0; card < 78; ++card) pack.push_back(card);
  for (int number = 1; number <= kDeals; ++number) {
    rng.Shuffle(pack);
    match.deals.push_back({.number = number,
                           .dealer = number % 4,
                           .pack = {pack.begin(), pack.end()},
                           .scores = {90, -30, -30, -30}});
  }
  return match;
}

// Returns the number of matches that the service records in a second.
double RecordsPerSecond(RatingService& service, const std::vector<PlayerId>& players, bool deals,
                        int records) {
  std::mutex mutex;
  std::condition_variable ended;
  int in_flight = 0;
  std::atomic<int> next = 0;
  const Stopwatch stopwatch;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      Rng rng(static_cast<std::uint64_t>(absl::ToUnixNanos(absl::Now()) + thread));
      while (next++ < records) {
        {
          std::unique_lock lock(mutex);
          ended.wait(lock, [&] { return in_flight < kMatchesInFlight; });
          ++in_flight;
        }
        service.RecordMatch(RandomMatch(rng, players, deals), [&](absl::StatusOr<bool> recorded) {
          TAROT_CHECK(recorded.ok() && !*recorded);
          const std::lock_guard lock(mutex);
          --in_flight;
          ended.notify_all();
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::unique_lock lock(mutex);
  ended.wait(lock, [&] { return in_flight == 0; });
  return records / absl::ToDoubleSeconds(stopwatch.Elapsed());
}

void MeasureRecord(RatingStore& store, const std::vector<PlayerId>& players,
                   bench::Figures& figures) {
  RealClock clock;
  prometheus::Registry registry;
  Metrics metrics(registry);
  SeasonCache seasons(store, clock);
  RatingService service(store, seasons, clock, metrics, 230);
  const int records = absl::GetFlag(FLAGS_records);
  const auto add = [&](const std::string& name, bool deals) {
    figures.Add(name, RecordsPerSecond(service, players, deals, records), "matches/s");
  };
  add("record_matches_without_deals_per_s", false);
  add("record_matches_per_s", true);
  LadderAdmin admin(store, seasons, clock);
  const Season season{.rule_set = "fft",
                      .baseline_policy = ai::kBaselinePolicy,
                      .baseline_replays = ai::kBaselineReplays,
                      .numbers = {.player_count = 4,
                                  .luck_share = 0.8,
                                  .weight_scale = 7,
                                  .noise_variance = 8000,
                                  .prior_variance = 100},
                      .provenance = "ratings_bench"};
  TAROT_CHECK(admin.StartSeasons({season}).ok());
  add("record_matches_with_luck_per_s", true);
}

RecomputeReport MeasureRecompute(RatingStore& store, const std::string& name,
                                 bench::Figures& figures) {
  RealClock clock;
  SeasonCache seasons(store, clock);
  LadderAdmin admin(store, seasons, clock);
  const Stopwatch stopwatch;
  const absl::StatusOr<RecomputeReport> report = admin.Recompute();
  TAROT_CHECK(report.ok());
  figures.Add(name,
              static_cast<double>(report->match_count) / absl::ToDoubleSeconds(stopwatch.Elapsed()),
              "matches/s");
  return *report;
}

// Returns the time of each call of BatchGetRatings for 200 players, in milliseconds.
std::vector<double> BatchGetTimes(const std::string& dsn, const std::vector<PlayerId>& players) {
  const std::string key_file = absl::StrCat("ratings_bench_key_", ::getpid());
  std::ofstream(key_file) << "k1:" << absl::Base64Escape(std::string(32, 'k')) << "\n";
  ::chmod(key_file.c_str(), 0600);
  RealClock clock;
  RealScheduler scheduler;
  OsEntropy entropy;
  const auto service =
      StartService({.listen_address = "127.0.0.1:0", .internal_key_file = key_file, .dsn = dsn},
                   {clock, scheduler, entropy, std::make_shared<prometheus::Registry>()});
  TAROT_CHECK(service.ok());
  ::remove(key_file.c_str());
  const auto stub = ratings::v1::RatingService::NewStub(
      rpc::MakeChannel(absl::StrCat("127.0.0.1:", (*service)->port())));
  Rng rng(1);
  std::vector<double> times;
  for (int i = 0; i < kBatchReads; ++i) {
    ratings::v1::BatchGetRatingsRequest request;
    for (int j = 0; j < 200; ++j) {
      const auto at = static_cast<std::size_t>(rng.Below(static_cast<int>(players.size())));
      request.add_players(absl::StrCat("players/", players[at].ToString()));
    }
    grpc::ClientContext context;
    ratings::v1::BatchGetRatingsResponse response;
    const Stopwatch stopwatch;
    TAROT_CHECK(stub->BatchGetRatings(&context, request, &response).ok());
    times.push_back(absl::ToDoubleMilliseconds(stopwatch.Elapsed()));
  }
  return times;
}

void Measure() {
  testkit::PgCluster cluster({.fsync = true});
  const std::string dsn = cluster.NewDatabase();
  TAROT_CHECK(pg::Migrate(dsn, "ratings", Migrations()).ok());
  const int player_count = absl::GetFlag(FLAGS_players);
  bench::Figures figures;
  figures.Add("ratings_players", player_count, "players");
  prometheus::Registry registry;
  pqxx::connection connection(dsn);
  MakePlayers(connection, player_count);
  const std::vector<PlayerId> players = ReadPlayers(connection);
  const std::vector<double> times = BatchGetTimes(dsn, players);
  figures.Add("batch_get_ratings_200_p50_ms", bench::Quantile(times, .5), "ms");
  figures.Add("batch_get_ratings_200_p99_ms", bench::Quantile(times, .99), "ms");
  MeasureRecord(*MakePgRatingStore(dsn, 4, registry), players, figures);

  // The players of the first database have no matches in the ledger. A recomputation would remove
  // these players. Therefore the recomputation is measured on a second database.
  const std::string ledger_dsn = cluster.NewDatabase();
  TAROT_CHECK(pg::Migrate(ledger_dsn, "ratings", Migrations()).ok());
  pqxx::connection ledger(ledger_dsn);
  MakePlayers(ledger, player_count / 10);
  MakeLedger(ledger, absl::GetFlag(FLAGS_matches), player_count / 10);
  const auto store = MakePgRatingStore(ledger_dsn, 2, registry);
  MeasureRecompute(*store, "recompute_all_results_differ_matches_per_s", figures);
  pqxx::nontransaction(ledger).exec0(
      "UPDATE ratings.ledger l SET mu_before = c.mu_before, variance_before = c.variance_before, "
      "mu_after = c.mu_after, variance_after = c.variance_after FROM ratings.recomputed_results c "
      "WHERE c.sequence = l.sequence AND c.player_id = l.player_id");
  pqxx::nontransaction(ledger).exec0("VACUUM ANALYZE ratings.ledger");
  const RecomputeReport report = MeasureRecompute(*store, "recompute_matches_per_s", figures);
  TAROT_CHECK(report.different_count == 0);
  figures.Add("recompute_blocked_ms", absl::ToDoubleMilliseconds(report.blocked), "ms");
  figures.Print();
}

}  // namespace
}  // namespace tarot::ratings_service

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  tarot::ratings_service::Measure();
}
