// Compares the HTTP door and the gRPC door of one gateway: how much later a view of a table arrives
// at a watcher of the HTTP door, and how many such watchers fit into a gibibyte of the gateway's
// memory. Prints figures as a JSON list.
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/synchronization/mutex.h"
#include "libs/base/check.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/process.h"
#include "libs/testkit/http_client.h"
#include "services/gateway/testing/gateway_fixture.h"
#include "tests/bench/cluster_load.h"
#include "tests/bench/figures.h"

ABSL_FLAG(int, streams, 200, "watchers in each measurement of the latency");
ABSL_FLAG(double, views_per_s, 400, "views per second that all watchers get together");
ABSL_FLAG(double, seconds, 4, "length of each measurement of the latency");
ABSL_FLAG(int, rounds, 5, "measurements at each door");
ABSL_FLAG(int, memory_streams, 4000, "watchers in the measurement of the memory");

namespace tarot::bench {
namespace {

using gateway_service::GatewayFixture;
using testkit::HttpClient;

constexpr int kWatchersPerTable = 4;
constexpr char kWatchTable[] = "/tarot.rules.v1.TableService/WatchTable";
// The size of a view in play, in bytes.
constexpr std::size_t kViewBytes = 1'500;

TableId TableNumber(int number) {
  return *TableId::Parse(
      absl::StrCat("00000000-0000-4000-8000-0000000000", absl::Hex(number, absl::kZeroPad2)));
}

std::string WatchRequest(const std::string& table) {
  rules::v1::WatchTableRequest request;
  request.set_name(table);
  return request.SerializeAsString();
}

std::string WatchRequest(TableId table) {
  return WatchRequest(absl::StrCat("tables/", table.ToString()));
}

// Remembers when each revision was shown, and how long it took to reach each watcher.
class Latencies {
 public:
  explicit Latencies(int revisions) : shown_(static_cast<std::size_t>(revisions)) {}

  void Shown(int revision) { shown_[static_cast<std::size_t>(revision)] = clock_.Now(); }
  void Arrived(int revision) {
    const absl::Time now = clock_.Now();
    const std::lock_guard lock(mutex_);
    const absl::Time shown = shown_[static_cast<std::size_t>(revision)];
    if (shown == absl::UnixEpoch()) return;  // Shown before the watcher came: no latency.
    milliseconds_.push_back(absl::ToDoubleMilliseconds(now - shown));
  }
  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return milliseconds_.size();
  }
  double Quantile(double share) {
    const std::lock_guard lock(mutex_);
    return bench::Quantile(milliseconds_, share);
  }

 private:
  RealClock clock_;
  std::vector<absl::Time> shown_;
  std::mutex mutex_;
  std::vector<double> milliseconds_;
};

int RevisionOf(const std::string& bytes) {
  rules::v1::WatchTableResponse response;
  TAROT_CHECK(response.ParseFromString(bytes));
  return response.table().revision();
}

// A watcher at the gRPC door, with its own connection.
class GrpcWatcher final : public grpc::ClientReadReactor<rules::v1::WatchTableResponse> {
 public:
  GrpcWatcher(int port, const std::string& token, TableId table, Latencies& latencies)
      : latencies_(latencies) {
    grpc::ChannelArguments arguments;
    arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
    stub_ = rules::v1::TableService::NewStub(grpc::CreateCustomChannel(
        absl::StrCat("127.0.0.1:", port), grpc::InsecureChannelCredentials(), arguments));
    gateway_service::AddToken(context_, token);
    request_.set_name(absl::StrCat("tables/", table.ToString()));
    stub_->async()->WatchTable(&context_, &request_, this);
    StartRead(&response_);
    StartCall();
  }
  ~GrpcWatcher() override {
    context_.TryCancel();
    while (!done_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  bool sees() const { return sees_; }

 private:
  void OnReadDone(bool ok) override {
    if (!ok) return;
    latencies_.Arrived(response_.table().revision());
    sees_ = true;
    StartRead(&response_);
  }
  void OnDone(const grpc::Status&) override { done_ = true; }

  Latencies& latencies_;
  std::unique_ptr<rules::v1::TableService::Stub> stub_;
  grpc::ClientContext context_;
  rules::v1::WatchTableRequest request_;
  rules::v1::WatchTableResponse response_;
  std::atomic<bool> sees_ = false;
  std::atomic<bool> done_ = false;
};

// Watchers at the HTTP door, each with its own connection. One thread reads all of them.
class HttpWatchers {
 public:
  HttpWatchers(const std::string& address, const std::string& token, int count,
               Latencies& latencies)
      : latencies_(latencies) {
    for (int i = 0; i < count; ++i) {
      clients_.push_back(std::make_unique<HttpClient>(address));
      clients_.back()->SendCall(kWatchTable, WatchRequest(TableNumber(i / kWatchersPerTable)),
                                token);
      TAROT_CHECK(clients_.back()->NextFrame().has_value());
    }
    thread_ = std::thread([this] { Read(); });
  }
  ~HttpWatchers() {
    stopping_ = true;
    thread_.join();
  }

 private:
  void Read() {
    std::vector<pollfd> readable;
    for (const auto& client : clients_) readable.push_back({client->fd(), POLLIN, 0});
    while (!stopping_) {
      poll(readable.data(), readable.size(), 20);
      for (std::size_t i = 0; i < readable.size(); ++i) {
        if ((readable[i].revents & POLLIN) == 0) continue;
        const auto frame = clients_[i]->NextFrame();
        TAROT_CHECK(frame && !frame->trailer);
        latencies_.Arrived(RevisionOf(frame->content));
      }
    }
  }

  Latencies& latencies_;
  std::vector<std::unique_ptr<HttpClient>> clients_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

struct Times {
  double p50 = 0;
  double p99 = 0;
};

// A gateway with a fake rules service. AtGrpc() and AtHttp() show new views of all tables in turn,
// and return how long the views took to reach the watchers.
class LatencyLoad {
 public:
  LatencyLoad() {
    folder_ = std::filesystem::temp_directory_path() / "tarot_http_bench_XXXXXX";
    TAROT_CHECK(::mkdtemp(folder_.data()) != nullptr);
    fixture_ = std::make_unique<GatewayFixture>([this](gateway_service::Options& options) {
      options.http_address = HttpAddress();
      options.streams_per_player_max = options.streams_per_address_max = 10'000;
      options.call_burst = options.address_calls_per_second = 1e6;
    });
    token_ = fixture_->SignIn();
  }
  ~LatencyLoad() {
    fixture_.reset();
    std::filesystem::remove_all(folder_);
  }

  Times AtGrpc() {
    Latencies latencies(RevisionCount());
    std::vector<std::unique_ptr<GrpcWatcher>> watchers;
    for (int i = 0; i < absl::GetFlag(FLAGS_streams); ++i) {
      watchers.push_back(std::make_unique<GrpcWatcher>(
          fixture_->gateway->port(), token_, TableNumber(i / kWatchersPerTable), latencies));
    }
    for (const auto& watcher : watchers) {
      while (!watcher->sees()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return Show(latencies);
  }

  Times AtHttp() {
    Latencies latencies(RevisionCount());
    HttpWatchers watchers(HttpAddress(), token_, absl::GetFlag(FLAGS_streams), latencies);
    return Show(latencies);
  }

 private:
  std::string HttpAddress() const { return absl::StrCat("unix:", folder_, "/http.sock"); }
  int TableCount() const { return absl::GetFlag(FLAGS_streams) / kWatchersPerTable; }
  int RevisionCount() const {
    return static_cast<int>(absl::GetFlag(FLAGS_views_per_s) * absl::GetFlag(FLAGS_seconds)) /
               kWatchersPerTable +
           1 + base_;
  }

  Times Show(Latencies& latencies) {
    const int count = RevisionCount();
    const auto pause = absl::Seconds(kWatchersPerTable / absl::GetFlag(FLAGS_views_per_s));
    absl::Time next = clock_.Now();
    for (int revision = base_ + 1; revision < count; ++revision) {
      rules::v1::Table table;
      table.set_revision(revision);
      table.set_name(std::string(kViewBytes, 'x'));
      latencies.Shown(revision);
      fixture_->rules.feeds.ShowBytes(TableNumber(revision % TableCount()), revision,
                                      table.SerializeAsString());
      next += pause;
      absl::SleepFor(next - clock_.Now());
    }
    const auto all = static_cast<std::size_t>((count - base_ - 1) * kWatchersPerTable);
    for (int i = 0; i < 1'000 && latencies.count() < all; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    TAROT_CHECK(latencies.count() >= all);
    base_ = count;
    return {.p50 = latencies.Quantile(0.5), .p99 = latencies.Quantile(0.99)};
  }

  RealClock clock_;
  int base_ = 0;  // The last revision that an earlier measurement has shown.
  std::string folder_;
  std::unique_ptr<GatewayFixture> fixture_;
  std::string token_;
};

void MeasureLatency(Figures& figures) {
  LatencyLoad load;
  load.AtGrpc();  // Warms the gateway up.
  load.AtHttp();
  std::vector<double> added_p50, added_p99, http_p99;
  for (int round = 0; round < absl::GetFlag(FLAGS_rounds); ++round) {
    const Times grpc = load.AtGrpc();
    const Times http = load.AtHttp();
    added_p50.push_back(http.p50 - grpc.p50);
    added_p99.push_back(http.p99 - grpc.p99);
    http_p99.push_back(http.p99);
    std::fprintf(stderr, "gRPC p50 %.2f p99 %.2f ms; HTTP p50 %.2f p99 %.2f ms\n", grpc.p50,
                 grpc.p99, http.p50, http.p99);
  }
  figures.Add("added_latency_p50_ms", Quantile(added_p50, 0.5), "ms");
  figures.Add("added_latency_p99_ms", Quantile(added_p99, 0.5), "ms");
  figures.Add("http_latency_p99_ms", Quantile(http_p99, 0.5), "ms");
}

double ResidentBytes(pid_t pid) {
  std::ifstream statm(absl::StrCat("/proc/", pid, "/statm"));
  double size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

void MeasureMemory(Figures& figures) {
  e2e::Cluster cluster(
      {.population = 0,
       .gateway_flags = {"--streams_per_player_max=10000", "--streams_per_address_max=100000",
                         "--call_burst=1e9", "--address_calls_per_second=1e9"},
       .fsync = false});
  OsEntropy entropy;
  std::vector<std::unique_ptr<client::Client>> players;
  std::vector<std::string> names;
  for (int seat = 0; seat < 4; ++seat) {
    players.push_back(cluster.SignIn("load"));
    names.push_back(players.back()->session().player());
  }
  const std::string table = absl::StrCat("tables/", entropy.NewUuid().ToString());
  CreateTable(cluster, table, names);
  const pid_t pid = cluster.pids().at("gateway");
  const std::string address = absl::StrCat("127.0.0.1:", cluster.page_port("gateway"));
  const std::string token = players[0]->session().token();
  std::vector<std::unique_ptr<HttpClient>> watchers;
  const auto open = [&](int count) {
    while (static_cast<int>(watchers.size()) < count) {
      watchers.push_back(std::make_unique<HttpClient>(address));
      watchers.back()->SendCall(kWatchTable, WatchRequest(table), token);
      const auto frame = watchers.back()->NextFrame();
      TAROT_CHECK(frame && !frame->trailer);
    }
  };
  open(100);  // When the first watchers come, the gateway also allocates memory that all watchers
              // share. So the first 100 watchers are not counted.
  const double before = ResidentBytes(pid);
  const int count = absl::GetFlag(FLAGS_memory_streams);
  open(count);
  const double bytes = (ResidentBytes(pid) - before) / (count - 100);
  std::fprintf(stderr, "%.0f bytes for each watcher\n", bytes);
  figures.Add("watcher_bytes", bytes, "bytes");
  figures.Add("watchers_per_gib", static_cast<double>(1 << 30) / bytes, "watchers");
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
  tarot::rpc::RaiseDescriptorLimit();
  tarot::bench::Figures figures;
  tarot::bench::MeasureLatency(figures);
  tarot::bench::MeasureMemory(figures);
  figures.Print();
}
