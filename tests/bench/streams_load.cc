#include "tests/bench/streams_load.h"

#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/real_clock.h"
#include "libs/client/client.h"
#include "tests/bench/cluster_load.h"

namespace tarot::bench {
namespace {

double ResidentBytes(pid_t pid) {
  std::ifstream statm(absl::StrCat("/proc/", pid, "/statm"));
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// A player who watches a table.
class Spectator final {
 public:
  Spectator(const std::string& gateway, Scheduler& scheduler, Entropy& entropy)
      : client_(Channel(gateway), {}, scheduler, entropy) {
    TAROT_CHECK(client_.SignInAsGuest("load").ok());
  }

  std::string player() const { return client_.session().player(); }
  bool sees() const { return sees_; }

  void Watch(const std::string& table) {
    watch_ = client_.WatchTable(
        table, std::nullopt,
        [this](const rules::v1::Table& view) {
          if (view.has_deal()) sees_ = true;
        },
        [](const absl::Status&) {});
  }

 private:
  static std::shared_ptr<grpc::Channel> Channel(const std::string& gateway) {
    grpc::ChannelArguments arguments;
    // Gives each player a connection of its own.
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    return grpc::CreateCustomChannel(gateway, grpc::InsecureChannelCredentials(), arguments);
  }

  client::Client client_;
  std::atomic<bool> sees_ = false;
  std::unique_ptr<client::Watch> watch_;
};

}  // namespace

StreamsResult RunStreamsLoad(int streams) {
  e2e::Cluster cluster({.population = 0,
                        .rules_flags = {"--deal_pause=1ms"},
                        .gateway_flags = {"--sign_in_burst=1000000"}});
  const std::string gateway = absl::StrCat("127.0.0.1:", cluster.port("gateway"));
  RealScheduler scheduler;
  OsEntropy entropy;
  std::vector<std::unique_ptr<Spectator>> all;
  while (static_cast<int>(all.size()) < streams) {
    std::vector<std::string> players;
    for (int seat = 0; seat < 4; ++seat) {
      all.push_back(std::make_unique<Spectator>(gateway, scheduler, entropy));
      players.push_back(all.back()->player());
    }
    const std::string table = absl::StrCat("tables/", entropy.NewUuid().ToString());
    CreateTable(cluster, table, players);
    for (auto at = all.end() - 4; at != all.end(); ++at) (*at)->Watch(table);
  }
  TAROT_CHECK(e2e::Eventually(absl::Seconds(60), [&] {
    return std::all_of(all.begin(), all.end(), [](const auto& each) { return each->sees(); });
  }));
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const pid_t pid = cluster.pids().at("gateway");
  StreamsResult result{.bytes_per_stream = ResidentBytes(pid) / static_cast<double>(all.size())};
  all.clear();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  result.bytes_after_leave = ResidentBytes(pid);
  return result;
}

}  // namespace tarot::bench
