// Durable moves a second through the gateway, everything on this machine: five services as
// processes, a real Postgres with fsync, and the players, each seeing every change of its table by
// a watch stream and answering at once. Closed loop: one move in flight a table. Prints figures as
// a JSON list; `--seconds`, `--tables` and `--runs` change the load.
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/ai/policy.h"
#include "libs/base/check.h"
#include "libs/base/stopwatch.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/channel.h"
#include "libs/wire/convert.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"
#include "tests/e2e/cluster.h"

ABSL_FLAG(int, tables, 32, "tables in play at once, four players each");
ABSL_FLAG(int, seconds, 8, "measured in each run, after a second to warm up");
ABSL_FLAG(int, runs, 3, "the figures are the medians");

namespace tarot::e2e {
namespace {

// What every player shares: counts, and when to count.
struct Load {
  std::atomic<bool> measuring = false;
  std::atomic<long> moves = 0;
  std::mutex mutex;
  std::vector<double> answer_ms;
};

// One player: a watch, and a move whenever it is due.
class Seat {
 public:
  Seat(std::unique_ptr<client::Client> client, Load& load)
      : client_(std::move(client)), load_(load) {}

  client::Client& client() { return *client_; }

  void Watch(const std::string& table) {
    watch_ = client_->WatchTable(
        table, std::nullopt, [this](const rules::v1::Table& view) { Decide(view); },
        [](const absl::Status&) {});
  }
  void Leave() { watch_.reset(); }

 private:
  void Decide(const rules::v1::Table& table) {
    if (table.state() != rules::v1::Table::PLAYING || !table.has_viewer()) return;
    if (!table.deal().has_turn() || table.deal().turn() != table.viewer()) return;
    const absl::StatusOr<rules::View> view = wire::DecodeView(table.deal());
    TAROT_CHECK(view.ok());
    rules::v1::SubmitActionRequest request;
    request.set_name(table.name());
    request.set_expected_revision(table.revision());
    request.set_request_id(client_->NewRequestId());
    wire::EncodeAction(policy_->Choose(*view, Rng(1), 0).action, request.mutable_action());
    const absl::Time start = clock_.Now();
    client_->Start(&client::Tables::SubmitAction, request,
                   [this, start](absl::StatusOr<rules::v1::SubmitActionResponse> answer) {
                     if (!answer.ok() || !load_.measuring) return;
                     ++load_.moves;
                     const double ms = absl::ToDoubleMilliseconds(clock_.Now() - start);
                     const std::lock_guard lock(load_.mutex);
                     load_.answer_ms.push_back(ms);
                   });
  }

  std::unique_ptr<client::Client> client_;
  Load& load_;
  RealClock clock_;
  const ai::Policy* policy_ = ai::FindPolicy("novice");
  std::unique_ptr<client::Watch> watch_;
};

void CreateTable(Cluster& cluster, const std::string& name,
                 std::vector<std::unique_ptr<Seat>>& seats, std::size_t first) {
  RealClock clock;
  absl::StatusOr<rpc::KeyRing> keys =
      rpc::KeyRing::FromFile(cluster.directory() + "/internal.keys");
  TAROT_CHECK(keys.ok());
  const rpc::Authenticator identity(*std::move(keys), clock);
  rules::v1::CreateTableRequest request;
  request.set_name(name);
  request.set_rule_set("fft");
  request.set_deal_count(100);
  request.mutable_clocks()->mutable_move_limit()->set_seconds(60);
  request.mutable_clocks()->mutable_time_bank()->set_seconds(60);
  for (std::size_t i = 0; i < 4; ++i) {
    rules::v1::Seat* seat = request.add_seats();
    seat->set_player(seats[first + i]->client().session().player());
    seat->set_display_name("load");
  }
  grpc::ClientContext context;
  identity.Sign(context, rpc::Caller{.service = "matchmaking"});
  rules::v1::CreateTableResponse response;
  const auto stub = rules::v1::TableAdminService::NewStub(
      rpc::MakeChannel(absl::StrCat("127.0.0.1:", cluster.port("rules"))));
  TAROT_CHECK(stub->CreateTable(&context, request, &response).ok());
}

// Seconds of CPU that a process has used; 0 when it is gone.
double CpuSeconds(pid_t pid) {
  std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
  std::string text((std::istreambuf_iterator<char>(stat)), std::istreambuf_iterator<char>());
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return 0;
  std::istringstream fields(text.substr(end + 2));
  std::string skip;
  for (int i = 0; i < 11; ++i) fields >> skip;
  double user = 0, system = 0;
  fields >> user >> system;
  return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

using Cpu = std::map<std::string, double>;
Cpu CpuOf(const Cluster& cluster) {
  Cpu cpu;
  for (const auto& [name, pid] : cluster.pids()) cpu[name] = CpuSeconds(pid);
  cpu["load generator"] = CpuSeconds(getpid());
  std::ifstream total("/proc/stat");
  std::string label;
  double value = 0, busy = 0;
  total >> label;
  for (int i = 0; i < 8 && total >> value; ++i) busy += i == 3 || i == 4 ? 0 : value;
  cpu["machine"] = busy / static_cast<double>(sysconf(_SC_CLK_TCK));
  return cpu;
}

struct Result {
  double moves_per_s = 0, p50_ms = 0, p99_ms = 0;
  Cpu cpu_us_per_move;
};

Result Measure(Cluster& cluster, Load& load, int seconds) {
  load.moves = 0;
  load.answer_ms.clear();
  const Cpu before = CpuOf(cluster);
  const Stopwatch watch;
  load.measuring = true;
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  load.measuring = false;
  const double elapsed = absl::ToDoubleSeconds(watch.Elapsed());
  const Cpu after = CpuOf(cluster);
  const std::lock_guard lock(load.mutex);
  std::vector<double>& ms = load.answer_ms;
  std::sort(ms.begin(), ms.end());
  TAROT_CHECK(!ms.empty());
  const auto moves = static_cast<double>(load.moves);
  Result result{.moves_per_s = moves / elapsed,
                .p50_ms = ms[ms.size() / 2],
                .p99_ms = ms[ms.size() * 99 / 100]};
  double named = 0;
  for (const auto& [name, used] : after) {
    const double us = (used - before.at(name)) * 1e6 / moves;
    if (name == "machine") {
      result.cpu_us_per_move["postgres and the rest"] = us;
    } else {
      result.cpu_us_per_move[name] = us;
      named += us;
    }
  }
  result.cpu_us_per_move["postgres and the rest"] -= named;
  return result;
}

template <typename Get>
double Median(const std::vector<Result>& results, Get get) {
  std::vector<double> values;
  for (const Result& r : results) values.push_back(get(r));
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void Print(const std::vector<Result>& results) {
  std::string out = "[";
  const auto figure = [&](const std::string& name, double value, const char* unit) {
    absl::StrAppend(&out, out.size() > 1 ? ",\n " : "\n ", "{\"name\": \"", name,
                    "\", \"value\": ", value, ", \"unit\": \"", unit, "\"}");
  };
  figure("gateway_moves_per_s", Median(results, [](const Result& r) { return r.moves_per_s; }),
         "1/s");
  figure("answer_p50_ms", Median(results, [](const Result& r) { return r.p50_ms; }), "ms");
  figure("answer_p99_ms", Median(results, [](const Result& r) { return r.p99_ms; }), "ms");
  for (const auto& [name, unused] : results[0].cpu_us_per_move) {
    figure("cpu_per_move/" + name,
           Median(results, [&](const Result& r) { return r.cpu_us_per_move.at(name); }), "us");
  }
  std::printf("%s\n]\n", out.c_str());
}

int Main() {
  Cluster cluster({.population = 0,
                   .rules_flags = {"--deal_pause=1ms"},
                   .gateway_flags = {"--sign_in_burst=100000", "--call_burst=1000000",
                                     "--calls_per_second=1000000"}});
  Load load;
  OsEntropy entropy;
  std::vector<std::unique_ptr<Seat>> seats;
  const int tables = absl::GetFlag(FLAGS_tables);
  for (int i = 0; i < 4 * tables; ++i) {
    seats.push_back(std::make_unique<Seat>(cluster.SignIn("load"), load));
  }
  for (std::size_t first = 0; first < seats.size(); first += 4) {
    const std::string name = "tables/" + entropy.NewUuid().ToString();
    CreateTable(cluster, name, seats, first);
    for (std::size_t i = 0; i < 4; ++i) seats[first + i]->Watch(name);
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  std::vector<Result> results;
  for (int run = 0; run < absl::GetFlag(FLAGS_runs); ++run) {
    results.push_back(Measure(cluster, load, absl::GetFlag(FLAGS_seconds)));
    std::fprintf(stderr, "run %d: %.0f moves/s, p50 %.2f ms, p99 %.2f ms\n", run + 1,
                 results.back().moves_per_s, results.back().p50_ms, results.back().p99_ms);
  }
  for (auto& seat : seats) seat->Leave();
  Print(results);
  return 0;
}

}  // namespace
}  // namespace tarot::e2e

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return tarot::e2e::Main();
}
