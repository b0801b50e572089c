#include "tests/bench/streams_load.h"

#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "tarot/gateway/v1/session_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"
#include "tests/bench/cluster_load.h"

namespace tarot::bench {
namespace {

double ResidentBytes(pid_t pid) {
  std::ifstream statm(absl::StrCat("/proc/", pid, "/statm"));
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// A player who watches.
class Spectator final : public grpc::ClientReadReactor<rules::v1::WatchTableResponse> {
 public:
  explicit Spectator(const std::string& gateway) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // Its own connection.
    channel_ = grpc::CreateCustomChannel(gateway, grpc::InsecureChannelCredentials(), arguments);
    grpc::ClientContext context;
    gateway::v1::CreateGuestSessionRequest request;
    request.set_display_name("load");
    gateway::v1::CreateGuestSessionResponse response;
    TAROT_CHECK(gateway::v1::SessionService::NewStub(channel_)
                    ->CreateGuestSession(&context, request, &response)
                    .ok());
    player_ = response.session().player();
    context_.AddMetadata("authorization", absl::StrCat("Bearer ", response.session().token()));
  }

  const std::string& player() const { return player_; }
  bool sees() const { return sees_; }
  bool over() const { return over_; }

  void Watch(const std::string& table) {
    request_.set_name(table);
    stub_ = rules::v1::TableService::NewStub(channel_);
    stub_->async()->WatchTable(&context_, &request_, this);
    StartRead(&response_);
    StartCall();
  }
  void Leave() { context_.TryCancel(); }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return;
    if (response_.table().has_deal()) sees_ = true;
    response_.Clear();
    StartRead(&response_);
  }
  void OnDone(const grpc::Status&) override { over_ = true; }

  std::shared_ptr<grpc::Channel> channel_;
  std::unique_ptr<rules::v1::TableService::Stub> stub_;
  std::string player_;
  grpc::ClientContext context_;
  rules::v1::WatchTableRequest request_;
  rules::v1::WatchTableResponse response_;
  std::atomic<bool> sees_ = false;
  std::atomic<bool> over_ = false;
};

}  // namespace

StreamsResult RunStreamsLoad(int streams) {
  e2e::Cluster cluster({.population = 0,
                        .rules_flags = {"--deal_pause=1ms"},
                        .gateway_flags = {"--sign_in_burst=1000000"}});
  const std::string gateway = absl::StrCat("127.0.0.1:", cluster.port("gateway"));
  OsEntropy entropy;
  std::vector<std::unique_ptr<Spectator>> all;
  while (static_cast<int>(all.size()) < streams) {
    std::vector<std::string> players;
    for (int seat = 0; seat < 4; ++seat) {
      all.push_back(std::make_unique<Spectator>(gateway));
      players.push_back(all.back()->player());
    }
    const std::string table = absl::StrCat("tables/", entropy.NewUuid().ToString());
    CreateTable(cluster, table, players);
    for (auto at = all.end() - 4; at != all.end(); ++at) (*at)->Watch(table);
  }
  const auto every = [&](auto condition) {
    TAROT_CHECK(e2e::Eventually(absl::Seconds(60), [&] {
      return std::all_of(all.begin(), all.end(), [&](const auto& s) { return condition(*s); });
    }));
  };
  every([](const Spectator& spectator) { return spectator.sees(); });
  std::this_thread::sleep_for(std::chrono::seconds(2));
  const pid_t pid = cluster.pids().at("gateway");
  StreamsResult result{.bytes_per_stream = ResidentBytes(pid) / static_cast<double>(all.size())};
  for (const auto& spectator : all) spectator->Leave();
  every([](const Spectator& spectator) { return spectator.over(); });
  all.clear();
  std::this_thread::sleep_for(std::chrono::seconds(2));
  result.bytes_after_leave = ResidentBytes(pid);
  return result;
}

}  // namespace tarot::bench
