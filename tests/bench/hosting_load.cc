#include "tests/bench/hosting_load.h"

#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/ai/policy.h"
#include "libs/base/check.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/key_file.h"
#include "libs/dealing/secret_box.h"
#include "services/rules/app/table_state.h"
#include "services/rules/storage/pg_table_store.h"
#include "tests/e2e/cluster.h"

namespace tarot::bench {
namespace {

using namespace rules_service;

constexpr int kSeeders = 4;
constexpr std::size_t kBatch = 250;

// Returns the log of a table after the start of a deal and `moves` actions of novices.
std::vector<LogEntry> PlayedLog(const TableConfig& config, int moves, Entropy& entropy) {
  TableState state = NewTable(std::make_shared<TableConfig>(config));
  dealing::DealSeed next_seed;
  entropy.Fill(absl::MakeSpan(next_seed));
  std::vector<LogEntry> log;
  for (int i = 0; i <= moves; ++i) {
    LogEntry entry{.revision = i + 1, .elapsed = absl::Seconds(3), .create_time = absl::Now()};
    if (i == 0) {
      entry.actor = Actor::kServer;
      entry.body = DealStarted{
          std::make_shared<const dealing::DealStart>(StartOf(state.match, *state.next, next_seed))};
    } else {
      const rules::View view = rules::RememberedView(state.match.deal, state.match.deal.turn);
      entry.seat = state.match.deal.turn;
      entry.body = ai::FindPolicy("novice")->Choose(view, Rng(7), {}).action;
    }
    TAROT_CHECK(Advance(state, entry).ok());
    if (!state.match.DealRunning()) break;  // If all players passed, the log ends here.
    log.push_back(std::move(entry));
  }
  return log;
}

// Makes tables of four people. The logs of all tables are the same, except for the request ids.
void Seed(const std::string& dsn, const dealing::SecretBox& secrets, int tables, int moves) {
  prometheus::Registry registry;
  pg::Pool pool({.dsn = dsn, .connections = kSeeders}, TableStatements(), registry);
  pg::Pool append_pool({.dsn = dsn, .connections = kSeeders, .session_sql = kAppendSession},
                       AppendStatements(), registry);
  OsEntropy entropy;
  const std::unique_ptr<TableStore> made = MakePgTableStore(pool, append_pool, secrets, entropy);
  TableStore& store = *made;
  TableConfig config{.rule_set = "fft",
                     .rules = rules::FindRuleSet("fft")->rules,
                     .deal_count = 100,
                     .move_limit = absl::Hours(10),
                     .time_bank = absl::Seconds(60),
                     .create_time = absl::Now()};
  entropy.Fill(absl::MakeSpan(config.first_seed.emplace()));
  for (int i = 0; i < 4; ++i) {
    config.seats.push_back({.player = PlayerId{entropy.NewUuid()}, .display_name = "Player"});
  }
  const std::vector<LogEntry> log = PlayedLog(config, moves, entropy);
  std::vector<std::thread> seeders;
  for (int seeder = 0; seeder < kSeeders; ++seeder) {
    seeders.emplace_back([&, config]() mutable {
      OsEntropy own;
      std::vector<TableId> ids;
      for (int i = 0; i < tables / kSeeders; ++i) {
        config.id = TableId{own.NewUuid()};
        for (SeatConfig& seat : config.seats) seat.player = PlayerId{own.NewUuid()};
        TAROT_CHECK(store.Create(config).ok());
        ids.push_back(config.id);
      }
      for (const LogEntry& entry : log) {
        std::vector<NewEntry> batch;
        for (std::size_t i = 0; i < ids.size(); ++i) {
          batch.push_back({.table = ids[i], .entry = entry});
          batch.back().entry.request = RequestId{own.NewUuid()};
          if (batch.size() < kBatch && i + 1 < ids.size()) continue;
          for (const auto& stored : store.Append(batch)) TAROT_CHECK(stored.ok());
          batch.clear();
        }
      }
    });
  }
  for (std::thread& seeder : seeders) seeder.join();
}

// Returns the text of /metrics, or an empty text if the process does not answer.
std::string Metrics(int port) {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string text;
  const std::string request = "GET /metrics HTTP/1.0\r\n\r\n";
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 &&
      write(fd, request.data(), request.size()) == static_cast<ssize_t>(request.size())) {
    char buffer[1 << 14];
    for (ssize_t n = read(fd, buffer, sizeof buffer); n > 0; n = read(fd, buffer, sizeof buffer)) {
      text.append(buffer, static_cast<std::size_t>(n));
    }
  }
  close(fd);
  return text;
}

double TablesTakenUp(const e2e::Cluster& cluster, const std::string& process) {
  const std::string text = Metrics(cluster.metrics_port(process));
  const std::string name = "\ntarot_rules_tables_taken_up_total ";
  const std::size_t at = text.find(name);
  double value = 0;
  if (at == std::string::npos) return 0;
  const std::size_t begin = at + name.size();
  (void)absl::SimpleAtod(text.substr(begin, text.find('\n', begin) - begin), &value);
  return value;
}

double ResidentBytes(pid_t pid) {
  std::ifstream statm(absl::StrCat("/proc/", pid, "/statm"));
  double pages = 0, resident = 0;
  statm >> pages >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// Waits until `process` has acquired `tables` tables since its start. Returns how long this took.
absl::Duration UntilTakenUp(const e2e::Cluster& cluster, const std::string& process,
                            double tables) {
  const Stopwatch watch;
  while (TablesTakenUp(cluster, process) < tables && watch.Elapsed() < absl::Minutes(3)) {
    absl::SleepFor(absl::Milliseconds(50));
  }
  TAROT_CHECK(TablesTakenUp(cluster, process) >= tables);
  return watch.Elapsed();
}

}  // namespace

HostingResult RunHostingLoad(const HostingOptions& options) {
  e2e::Cluster cluster(
      {.population = 0,
       .replicas = {{"rules", 2}, {"bot", 0}, {"ratings", 0}, {"matchmaking", 0}, {"gateway", 0}}});
  const double empty = ResidentBytes(cluster.pids().at("rules"));
  for (const char* process : {"rules", "rules.2"}) cluster.Kill(process, SIGTERM);
  const int tables = options.tables / kSeeders * kSeeders;
  const auto keys = ReadKeyFile(cluster.directory() + "/seed.keys");
  TAROT_CHECK(keys.ok());
  Seed(cluster.dsn(), dealing::SecretBox(*keys), tables, options.moves);

  HostingResult result;
  cluster.Start("rules");
  const double all = tables;
  result.tables_read_per_s = all / absl::ToDoubleSeconds(UntilTakenUp(cluster, "rules", all));
  result.bytes_per_table = (ResidentBytes(cluster.pids().at("rules")) - empty) / all;

  cluster.Start("rules.2");
  // rules.2 acquires about half of the tables. The loop ends when the count has not grown for three
  // seconds.
  double share = 0;
  for (double now = 1; now != share || now < all / 3; now = TablesTakenUp(cluster, "rules.2")) {
    share = now;
    absl::SleepFor(absl::Seconds(3));
  }
  cluster.Kill("rules.2", SIGKILL);
  result.recover_s = absl::ToDoubleSeconds(UntilTakenUp(cluster, "rules", all + share));
  return result;
}

}  // namespace tarot::bench
