#include "tests/bench/cluster_load.h"

#include <unistd.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/rpc/channel.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"

namespace tarot::bench {
namespace {

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

Cpu CpuOf(const e2e::Cluster& cluster) {
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

Cpu CpuPerMove(const e2e::Cluster& cluster, const Cpu& before, double moves) {
  Cpu out;
  double named = 0;
  for (const auto& [name, used] : CpuOf(cluster)) {
    const double us = (used - before.at(name)) * 1e6 / moves;
    if (name != "machine") named += us;
    out[name == "machine" ? "postgres and the rest" : name] = us;
  }
  out["postgres and the rest"] -= named;
  return out;
}

}  // namespace tarot::bench
