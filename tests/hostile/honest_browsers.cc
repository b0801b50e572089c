#include "tests/hostile/honest_browsers.h"

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>

#include "absl/strings/str_cat.h"
#include "libs/ai/policy.h"
#include "libs/base/check.h"
#include "libs/base/clock.h"
#include "libs/base/real_clock.h"
#include "libs/wire/convert.h"
#include "tarot/gateway/v1/session_service.pb.h"
#include "tarot/rules/v1/table_service.pb.h"
#include "tests/bench/cluster_load.h"
#include "tests/bench/figures.h"
#include "tests/hostile/raw_client.h"

namespace tarot::hostile {
namespace {

using testkit::HttpClient;
using testkit::WebAnswer;

constexpr absl::Duration kRepeatFor = absl::Seconds(5);

void Sleep(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

}  // namespace

// Thread-safe.
struct HonestBrowsers::Answered {
  std::mutex mutex;
  std::vector<double> ms;
  std::atomic<int> lost = 0;
};

HonestBrowsers::HonestBrowsers(e2e::Cluster& cluster, int tables)
    : cluster_(cluster), address_(absl::StrCat("127.0.0.1:", cluster.page_port("gateway"))) {
  OsEntropy entropy;
  for (int i = 0; i < tables; ++i) {
    Table& table = tables_.emplace_back();
    std::vector<std::string> names;
    for (Player& player : table.players) {
      player.client = std::make_unique<HttpClient>(address_, kRepeatFor);
      gateway::v1::CreateGuestSessionRequest request;
      request.set_display_name("Web");
      // The sign-in comes from another address. So it takes none of the sign-ins that an attack
      // from this address needs.
      gateway::v1::CreateGuestSessionResponse response;
      TAROT_CHECK(
          response.ParseFromString(RawConnection({.port = cluster.port("gateway"), .source = 3})
                                       .Call(kSignIn, request.SerializeAsString(), {}, kRepeatFor)
                                       .message));
      player.token = response.session().token();
      player.name = response.session().player();
      names.push_back(player.name);
    }
    table.name = absl::StrCat("tables/", entropy.NewUuid().ToString());
    bench::CreateTable(cluster_, table.name, names);
    // The door closes a new connection that makes no call within five seconds, and during an attack
    // from the same address it may accept no other one.
    for (Player& player : table.players) {
      rules::v1::GetTableRequest get;
      get.set_name(table.name);
      bool refused = false;
      TAROT_CHECK(
          !Call(player, "/tarot.rules.v1.TableService/GetTable", get.SerializeAsString(), refused)
               .empty());
    }
  }
  files_ = std::make_unique<HttpClient>(address_, kRepeatFor);
  (void)files_->Get("/assets/main.js");
}

std::string HonestBrowsers::Call(Player& player, const std::string& method,
                                 const std::string& request, bool& refused) {
  refused = false;
  const Stopwatch watch;
  do {
    const WebAnswer answer = player.client->Call(method, request, player.token);
    if (answer.status == grpc::StatusCode::OK && answer.messages.size() == 1) {
      return answer.messages[0];
    }
    // The page repeats a call that got UNAVAILABLE, or that the door refused.
    if (answer.code == 200 && answer.status > 0 && answer.status != grpc::StatusCode::UNAVAILABLE &&
        answer.status != grpc::StatusCode::RESOURCE_EXHAUSTED) {
      refused = true;
      return "";
    }
    Sleep(100);
    player.client = std::make_unique<HttpClient>(address_, kRepeatFor);
  } while (watch.Elapsed() < kRepeatFor);
  return "";
}

BrowserResult HonestBrowsers::Run(double seconds, double moves_per_s) {
  Answered answered;
  std::vector<std::thread> threads;
  for (Table& table : tables_) {
    threads.emplace_back([&] { Play(table, seconds, moves_per_s, answered); });
  }
  threads.emplace_back([&] { GetFiles(seconds, answered); });
  for (std::thread& thread : threads) thread.join();
  BrowserResult result = {.moves = static_cast<int>(answered.ms.size()), .lost = answered.lost};
  if (!answered.ms.empty()) result.answer_p99_ms = bench::Quantile(answered.ms, 0.99);
  return result;
}

void HonestBrowsers::Play(Table& table, double seconds, double moves_per_s, Answered& answered) {
  const ai::Policy& policy = *ai::FindPolicy("novice");
  OsEntropy entropy;
  const Stopwatch watch;
  for (int moves = 0; absl::ToDoubleSeconds(watch.Elapsed()) < seconds;) {
    Player& player = table.players[table.turn];
    rules::v1::GetTableRequest get;
    get.set_name(table.name);
    bool refused = false;
    rules::v1::GetTableResponse got;
    const std::string bytes =
        Call(player, "/tarot.rules.v1.TableService/GetTable", get.SerializeAsString(), refused);
    if (bytes.empty() || !got.ParseFromString(bytes)) {
      if (answered.lost++ == 0) std::fprintf(stderr, "a browser lost GetTable\n");
      continue;
    }
    const rules::v1::DealView& deal = got.table().deal();
    const bool playing = got.table().state() == rules::v1::Table::PLAYING && deal.has_turn();
    if (playing && deal.turn() != got.table().viewer()) {
      table.turn = deal.turn();
      continue;
    }
    // The server plays the last trick of a deal for all seats.
    if (!playing || (deal.phase() == rules::v1::PLAYING && deal.hand_size() == 1)) {
      Sleep(20);
      continue;
    }
    const auto due = std::chrono::duration<double>(moves / moves_per_s);
    std::this_thread::sleep_for(
        due - std::chrono::duration<double>(absl::ToDoubleSeconds(watch.Elapsed())));
    const absl::StatusOr<rules::View> view = wire::DecodeView(deal);
    TAROT_CHECK(view.ok());
    rules::v1::SubmitActionRequest submit;
    submit.set_name(table.name);
    submit.set_expected_revision(got.table().revision());
    submit.set_request_id(entropy.NewUuid().ToString());
    wire::EncodeAction(policy.Choose(*view, Rng(1), {}).action, submit.mutable_action());
    const Stopwatch answer_time;
    const std::string answer = Call(player, "/tarot.rules.v1.TableService/SubmitAction",
                                    submit.SerializeAsString(), refused);
    // The rules service may refuse a move that comes too late. A refusal counts as an answer.
    if (answer.empty() && !refused) {
      if (answered.lost++ == 0) std::fprintf(stderr, "a browser lost a move\n");
      continue;
    }
    ++moves;
    const std::lock_guard lock(answered.mutex);
    answered.ms.push_back(absl::ToDoubleMilliseconds(answer_time.Elapsed()));
  }
}

void HonestBrowsers::GetFiles(double seconds, Answered& answered) {
  const Stopwatch watch;
  while (absl::ToDoubleSeconds(watch.Elapsed()) < seconds) {
    const Stopwatch file_time;
    bool got = false;
    while (!got && file_time.Elapsed() < kRepeatFor) {
      const std::optional<testkit::HttpAnswer> answer = files_->Get("/assets/main.js");
      got = answer && answer->code == 200;
      if (got) break;
      Sleep(100);
      files_ = std::make_unique<HttpClient>(address_, kRepeatFor);
    }
    if (!got && answered.lost++ == 0) std::fprintf(stderr, "a browser lost a file\n");
    Sleep(1'000);
  }
}

}  // namespace tarot::hostile
