// Measures how many ranked tables a second the platform makes when many players wait: one replica
// of each service, durable Postgres on the same machine. Prints figures as a JSON list.
#include <cstdio>
#include <pqxx/pqxx>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "libs/base/clock.h"
#include "tests/bench/cluster_load.h"
#include "tests/bench/figures.h"

ABSL_FLAG(int, tables, 3000, "tables of four players that one round makes");
ABSL_FLAG(int, rounds, 3, "rounds");

namespace tarot::bench {
namespace {

// Makes waiting tickets of new players, with one commit.
void AddTickets(pqxx::connection& connection, int count) {
  pqxx::work tx(connection);
  tx.exec0(absl::StrCat(R"sql(
      INSERT INTO matchmaking.tickets (ticket_id, queue_id, player_id, display_name, bot_level,
                                       request_id, state, create_time)
      SELECT gen_random_uuid(), 'ranked4', gen_random_uuid(), 'P' || n, '', gen_random_uuid(),
             'waiting', now() + n * interval '1 microsecond'
      FROM generate_series(1, )sql",
                        count, ") AS n"));
  tx.commit();
}

// Returns true if no ticket waits and rules has answered for each table. The statement reads two
// partial indexes, so its cost does not depend on the number of tables.
bool AllPlaced(pqxx::connection& connection) {
  return pqxx::nontransaction(connection)
      .exec1(
          "SELECT NOT EXISTS (SELECT FROM matchmaking.tickets WHERE state = 'waiting')"
          " AND NOT EXISTS (SELECT FROM matchmaking.tables WHERE state = 'placed')")[0]
      .as<bool>();
}

int Main() {
  // The population is empty, so no bot queues by itself. The players of the tickets never act. So
  // each table only begins its first deal, while other tables are made.
  e2e::Cluster cluster({.population = 0});
  pqxx::connection connection(cluster.dsn());
  const int tables = absl::GetFlag(FLAGS_tables);
  std::vector<double> rates;
  for (int round = 1; round <= absl::GetFlag(FLAGS_rounds); ++round) {
    const Cpu before = CpuOf(cluster);
    AddTickets(connection, 4 * tables);
    const Stopwatch watch;
    while (!AllPlaced(connection)) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const double seconds = absl::ToDoubleSeconds(watch.Elapsed());
    rates.push_back(tables / seconds);
    std::fprintf(stderr, "%d tables in %.2f s: %.0f a second; CPU in us a table:", tables, seconds,
                 rates.back());
    for (const auto& [name, us] : CpuPerMove(cluster, before, tables)) {
      std::fprintf(stderr, " %s %.0f", name.c_str(), us);
    }
    std::fprintf(stderr, "\n");
  }
  Figures figures;
  figures.Add("place_tables_per_s", Quantile(rates, 0.5), "tables/s");
  figures.Print();
  return 0;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return tarot::bench::Main();
}
