#include "tests/bench/cluster_load.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/rpc/call.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"

namespace tarot::bench {
namespace {

// The values of a process from /proc. They are zero if the process is gone.
struct Process {
  pid_t parent = 0;
  double seconds = 0;           // CPU time of the process.
  double children_seconds = 0;  // CPU time of the children that have ended.
};

Process ReadProcess(const std::string& pid) {
  std::ifstream stat(absl::StrCat("/proc/", pid, "/stat"));
  // If the process ends while this function reads, the iterators of `stat` would throw.
  std::ostringstream copy;
  copy << stat.rdbuf();
  const std::string text = copy.str();
  const std::size_t end = text.rfind(')');
  if (end == std::string::npos) return {};
  std::istringstream fields(text.substr(end + 2));
  Process process;
  std::string skip;
  fields >> skip >> process.parent;
  for (int i = 0; i < 9; ++i) fields >> skip;
  double user = 0, system = 0, child_user = 0, child_system = 0;
  fields >> user >> system >> child_user >> child_system;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  process.seconds = (user + system) / ticks;
  process.children_seconds = (child_user + child_system) / ticks;
  return process;
}

// Returns the CPU time of a process and of all its children.
double SecondsWithChildren(const std::string& parent) {
  const Process main = ReadProcess(parent);
  double seconds = main.seconds + main.children_seconds;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const Process process = ReadProcess(name);
    if (absl::StrCat(process.parent) == parent) seconds += process.seconds;
  }
  return seconds;
}

double PostgresSeconds(const std::string& directory) {
  std::string postmaster;
  std::ifstream(directory + "/data/postmaster.pid") >> postmaster;
  return SecondsWithChildren(postmaster);
}

}  // namespace

rpc::Authenticator ServiceIdentity(const e2e::Cluster& cluster, Clock& clock) {
  absl::StatusOr<rpc::KeyRing> keys =
      rpc::KeyRing::FromFile(cluster.directory() + "/internal.keys");
  TAROT_CHECK(keys.ok());
  return rpc::Authenticator(*std::move(keys), clock);
}

void CreateTable(const e2e::Cluster& cluster, const std::string& name,
                 const std::vector<std::string>& players) {
  RealClock clock;
  rules::v1::CreateTableRequest request;
  request.set_name(name);
  request.set_rule_set("fft");
  request.set_deal_count(100);
  request.mutable_clocks()->mutable_move_limit()->set_seconds(60);
  request.mutable_clocks()->mutable_time_bank()->set_seconds(60);
  for (const std::string& player : players) {
    rules::v1::Seat* seat = request.add_seats();
    seat->set_player(player);
    seat->set_display_name("load");
  }
  grpc::ClientContext context;
  ServiceIdentity(cluster, clock).Sign(context, rpc::Caller{.service = "matchmaking"});
  rules::v1::CreateTableResponse response;
  const auto stub = rules::v1::TableAdminService::NewStub(
      rpc::MakeChannel(absl::StrCat("127.0.0.1:", cluster.port("rules"))));
  TAROT_CHECK(stub->CreateTable(&context, request, &response).ok());
}

double CpuSeconds(pid_t pid) { return ReadProcess(absl::StrCat(pid)).seconds; }

Cpu CpuOf(e2e::Cluster& cluster) {
  Cpu cpu;
  for (const auto& [name, pid] : cluster.pids()) cpu[name] = SecondsWithChildren(absl::StrCat(pid));
  cpu["load generator"] = ReadProcess("self").seconds;
  cpu["postgres"] = PostgresSeconds(cluster.postgres().directory());
  std::ifstream total("/proc/stat");
  std::string label;
  double value = 0, busy = 0;
  total >> label;
  for (int i = 0; i < 8 && total >> value; ++i) busy += i == 3 || i == 4 ? 0 : value;
  cpu["machine"] = busy / static_cast<double>(sysconf(_SC_CLK_TCK));
  return cpu;
}

Cpu CpuPerMove(e2e::Cluster& cluster, const Cpu& before, double moves) {
  Cpu out;
  double named = 0;
  for (const auto& [name, used] : CpuOf(cluster)) {
    const double us = (used - before.at(name)) * 1e6 / moves;
    if (name != "machine") named += us;
    out[name == "machine" ? "other" : name] = us;
  }
  out["other"] -= named;
  return out;
}

}  // namespace tarot::bench
