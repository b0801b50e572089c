// Tests the first minutes of a new installation on real processes: bots play ranked matches,
// ratings move, a person plays a match, records can be verified, and every series and dashboard
// query has values.
#include <gmock/gmock.h>
#include <prometheus/text_serializer.h>

#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <optional>
#include <pqxx/pqxx>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/ai/policy.h"
#include "libs/base/error.h"
#include "libs/base/key_file.h"
#include "libs/dealing/secret_box.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "libs/wire/convert.h"
#include "services/rules/audit/audit_tables.h"
#include "tarot/bot/v1/analysis_service.grpc.pb.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"
#include "tests/e2e/player_thread.h"
#include "tools/probe/probe.h"

namespace tarot::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

class PlatformTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = new Cluster({.population = 8}); }
  static void TearDownTestSuite() {
    delete cluster_;
    cluster_ = nullptr;
  }

  // Asks the gateway to analyze the deal of `record`. The request has either the name of the record
  // or the record itself. Expects a result for each decision.
  static void Analyze(const client::Client& client, const rules::v1::DealRecord& record,
                      bool by_name) {
    bot::v1::AnalyzeDealRequest request;
    if (by_name) {
      request.set_name(record.name());
    } else {
      *request.mutable_record() = record;
    }
    request.set_node_budget(200);
    request.set_open_node_budget(200);
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + client.session().token());
    const auto stream = bot::v1::AnalysisService::NewStub(
                            rpc::MakeChannel(absl::StrCat("127.0.0.1:", cluster_->port("gateway"))))
                            ->AnalyzeDeal(&context, request);
    bot::v1::AnalyzeDealResponse response;
    int decisions = 0;
    while (stream->Read(&response)) decisions += response.has_decision() ? 1 : 0;
    const grpc::Status status = stream->Finish();
    EXPECT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(decisions, record.entries_size());
    EXPECT_EQ(response.summary().seats_size(), record.hands_size());
  }

  static int Run(const std::string& command) { return std::system(command.c_str()); }

  // Returns deploy/prometheus/prometheus.yml with this cluster's ports.
  static std::string PrometheusConfig(int probe_port) {
    std::ifstream shipped(TAROT_SOURCE_DIR "/deploy/prometheus/prometheus.yml");
    std::string text((std::istreambuf_iterator<char>(shipped)), std::istreambuf_iterator<char>());
    const auto at = [](const std::string& service) {
      return absl::StrCat("127.0.0.1:", cluster_->metrics_port(service));
    };
    return absl::StrReplaceAll(text,
                               {{"127.0.0.1:8100", at("gateway")},
                                {"127.0.0.1:8101", at("rules")},
                                {"127.0.0.1:8102", at("matchmaking")},
                                {"127.0.0.1:8103", at("bot")},
                                {"127.0.0.1:8104", at("ratings")},
                                {"127.0.0.1:8109", absl::StrCat("127.0.0.1:", probe_port)},
                                {"scrape_interval: 5s", "scrape_interval: 1s"},
                                {"levels.yml", TAROT_SOURCE_DIR "/deploy/prometheus/levels.yml"},
                                {"alerts.yml", TAROT_SOURCE_DIR "/deploy/prometheus/alerts.yml"}});
  }

  static Cluster* cluster_;
};

Cluster* PlatformTest::cluster_ = nullptr;

TEST_F(PlatformTest, RatingsMoveWithinAMinute) {
  const auto client = cluster_->SignIn("Visitor");
  ratings::v1::ListRatingsRequest request;
  request.set_show_provisional(true);
  EXPECT_TRUE(Eventually(absl::Minutes(1), [&] {
    const auto page = client->Call(&client::Ratings::ListRatings, request);
    return page.ok() && page->ratings_size() >= 4;
  }));
}

TEST_F(PlatformTest, PersonPlaysAMatchAndItsRecordsVerify) {
  PlayerThread player(cluster_->SignIn("Ada"), "Ada");
  player.Play("queues/casual4");
  ASSERT_TRUE(Eventually(absl::Minutes(2), [&] { return player.finished(); }));
  player.Join();
  EXPECT_EQ(player.error(), "");
  EXPECT_GT(player.acknowledged().size(), 10u);

  rules::v1::ListRecordsRequest list;
  list.set_player(player.id());
  const auto records = player.client().Call(&client::Records::ListRecords, list);
  ASSERT_TRUE(records.ok()) << records.status();
  ASSERT_GE(records->records_size(), 2);
  for (const auto& summary : records->records()) {
    rules::v1::GetRecordRequest get;
    get.set_name(summary.name());
    const auto record = player.client().Call(&client::Records::GetRecord, get);
    ASSERT_TRUE(record.ok()) << record.status();
    EXPECT_TRUE(IsProven(*cluster_, record->record())) << record->record().ShortDebugString();
    rules::v1::DealRecord forged = record->record();
    forged.mutable_result()->set_unit(12345);
    EXPECT_FALSE(IsProven(*cluster_, forged));
    for (const bool by_name : {false, true}) Analyze(player.client(), record->record(), by_name);
  }
}

// A guest at a table with three bots. At each of the guest's turns, the guest claims all tricks.
class Claimer {
 public:
  explicit Claimer(std::unique_ptr<client::Client> client) : client_(std::move(client)) {}

  client::Client& client() { return *client_; }

  // Opens a private room with bots and starts its match. Returns the name of the table, or an empty
  // text if this fails.
  std::string Sit(int deals) {
    using client::Rooms;
    matchmaking::v1::CreateRoomRequest create;
    create.set_visibility(matchmaking::v1::Room::PRIVATE);
    create.set_request_id(client_->NewRequestId());
    create.mutable_terms()->set_rule_set("fft");
    create.mutable_terms()->set_player_count(4);
    create.mutable_terms()->set_deal_count(static_cast<std::uint32_t>(deals));
    create.mutable_terms()->mutable_move_limit()->set_seconds(60);
    const auto room = client_->Call(&Rooms::CreateRoom, create);
    EXPECT_TRUE(room.ok()) << room.status();
    if (!room.ok()) return "";
    const std::string name = room->room().name();
    for (std::uint32_t seat = 1; seat < 4; ++seat) {
      matchmaking::v1::SetBotRequest bot;
      bot.set_name(name);
      bot.set_seat(seat);
      bot.set_bot_level("novice");
      EXPECT_TRUE(client_->Call(&Rooms::SetBot, bot).ok());
    }
    matchmaking::v1::StartMatchRequest start;
    start.set_name(name);
    start.set_request_id(client_->NewRequestId());
    EXPECT_TRUE(client_->Call(&Rooms::StartMatch, start).ok());
    matchmaking::v1::GetRoomRequest get;
    get.set_name(name);
    std::string table;
    Eventually(absl::Minutes(1), [&] {
      const auto now = client_->Call(&Rooms::GetRoom, get);
      if (now.ok()) table = now->room().table();
      return !table.empty();
    });
    return table;
  }

  // Plays at `name` until a claim is accepted, and returns the table after this claim. Returns
  // nullopt if the match ends before a claim is accepted.
  std::optional<rules::v1::Table> PlayToAClaim(const std::string& name) {
    std::mutex mutex;
    std::condition_variable changed;
    bool over = false;
    std::optional<rules::v1::Table> newest;
    const auto watch = client_->WatchTable(
        name, std::nullopt,
        [&](const rules::v1::Table& table) {
          const std::lock_guard lock(mutex);
          newest = table;
          changed.notify_one();
        },
        [&](const absl::Status& status) {
          EXPECT_TRUE(status.ok()) << status;
          const std::lock_guard lock(mutex);
          over = true;
          changed.notify_one();
        });
    while (!testing::Test::HasFailure()) {
      rules::v1::Table table;
      {
        std::unique_lock lock(mutex);
        changed.wait(lock, [&] { return over || newest; });
        if (!newest) break;
        table = *std::exchange(newest, std::nullopt);
      }
      const rules::v1::DealView& deal = table.deal();
      if (!deal.has_turn() || deal.turn() != table.viewer()) continue;
      // The server plays the last trick of a deal for all seats.
      const bool plays = deal.phase() == rules::v1::PLAYING;
      if (plays && deal.hand_size() == 1) continue;
      if (plays) {
        auto after = Claim(table);
        if (after) return after;
      }
      Act(table);
    }
    return std::nullopt;
  }

  int refused() const { return refused_; }

 private:
  std::optional<rules::v1::Table> Claim(const rules::v1::Table& table) {
    rules::v1::ClaimTricksRequest request;
    request.set_name(table.name());
    request.set_expected_revision(table.revision());
    request.set_request_id(client_->NewRequestId());
    const auto answer = client_->Call(&client::Tables::ClaimTricks, request);
    if (answer.ok()) return answer->table();
    EXPECT_EQ(GetErrorDetails(answer.status()).reason, "CLAIM_REFUSED") << answer.status();
    ++refused_;
    return std::nullopt;
  }

  void Act(const rules::v1::Table& table) {
    const auto view = wire::DecodeView(table.deal());
    ASSERT_TRUE(view.ok()) << view.status();
    rules::v1::SubmitActionRequest request;
    request.set_name(table.name());
    request.set_expected_revision(table.revision());
    request.set_request_id(client_->NewRequestId());
    wire::EncodeAction(ai::FindPolicy("novice")->Choose(*view, Rng(1), {}).action,
                       request.mutable_action());
    const absl::Status status = client_->Call(&client::Tables::SubmitAction, request).status();
    EXPECT_TRUE(status.ok()) << status;
  }

  const std::unique_ptr<client::Client> client_;
  int refused_ = 0;
};

TEST_F(PlatformTest, AGuestClaimsTheRestAndTheRecordIsProven) {
  Claimer guest(cluster_->SignIn("Cleo"));
  const std::string name = guest.Sit(/*deals=*/40);
  ASSERT_NE(name, "");
  const auto table = guest.PlayToAClaim(name);
  ASSERT_TRUE(table.has_value()) << "no claim was accepted";
  EXPECT_GT(guest.refused(), 0);
  const rules::v1::DealResult& result = table->deal().result();
  ASSERT_TRUE(result.has_claim_seat());
  EXPECT_EQ(result.claim_seat(), table->viewer());
  ASSERT_GE(result.claim_trick(), 2u);
  rules::v1::GetRecordRequest get;
  get.set_name(absl::StrCat(name, "/deals/", table->deal_number()));
  const auto answer = guest.client().Call(&client::Records::GetRecord, get);
  ASSERT_TRUE(answer.ok()) << answer.status();
  const rules::v1::DealRecord& record = answer->record();
  EXPECT_EQ(record.result().claim_seat(), result.claim_seat());
  EXPECT_EQ(record.result().claim_trick(), result.claim_trick());
  EXPECT_TRUE(IsProven(*cluster_, record)) << record.ShortDebugString();
  Analyze(*cluster_->SignIn("Dora"), record, /*by_name=*/false);
  rules::v1::DealRecord shorter = record;
  shorter.mutable_entries()->RemoveLast();
  EXPECT_FALSE(IsProven(*cluster_, shorter));
}

// A player at a live table gets no analysis, not even of an earlier deal of the same match.
TEST_F(PlatformTest, APlayerAtALiveTableGetsNoAnalysis) {
  PlayerThread player(cluster_->SignIn("Bea"), "Bea");
  const auto reason = [&](const std::string& deal) {
    bot::v1::AnalyzeDealRequest request;
    request.set_name(deal);
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + player.client().session().token());
    const auto stream = bot::v1::AnalysisService::NewStub(
                            rpc::MakeChannel(absl::StrCat("127.0.0.1:", cluster_->port("gateway"))))
                            ->AnalyzeDeal(&context, request);
    bot::v1::AnalyzeDealResponse response;
    while (stream->Read(&response)) continue;
    return GetErrorDetails(status::FromGrpc(stream->Finish())).reason;
  };
  const std::string unknown = "tables/00000000-0000-4000-8000-000000000001/deals/1";
  EXPECT_EQ(reason(unknown), "RECORD_NOT_FOUND");
  player.Play("queues/casual4");
  ASSERT_TRUE(Eventually(absl::Minutes(2), [&] { return !player.acknowledged().empty(); }));
  EXPECT_EQ(reason(unknown), "SEATED_AT_TABLE");
  ASSERT_TRUE(Eventually(absl::Minutes(2), [&] { return player.finished(); }));
  player.Join();
  EXPECT_EQ(reason(unknown), "RECORD_NOT_FOUND");
}

TEST_F(PlatformTest, TheProbeCountsItsRoundsAndTheStepThatFails) {
  prometheus::Registry registry;
  probe::Metrics metrics(registry);
  RealClock clock;
  RealScheduler scheduler;
  OsEntropy entropy;
  bool stopping = false;
  const auto play = [&](const std::string& service) {
    return probe::PlayRound({.address = absl::StrCat("127.0.0.1:", cluster_->port(service)),
                             .metrics = metrics,
                             .clock = clock,
                             .scheduler = scheduler,
                             .entropy = entropy,
                             .stopping = [&] { return stopping; }});
  };
  const auto series = [&] { return prometheus::TextSerializer().Serialize(registry.Collect()); };
  EXPECT_EQ(play("gateway"), absl::OkStatus());
  EXPECT_THAT(series(), HasSubstr("tarot_probe_rounds_total 1"));
  EXPECT_THAT(series(), HasSubstr("tarot_probe_step_seconds_count{step=\"deal\"} 1"));
  EXPECT_THAT(series(), Not(HasSubstr("tarot_probe_move_seconds_count 0")));
  // The rules service lets no player sign in, so this round of the probe must fail.
  EXPECT_FALSE(play("rules").ok());
  EXPECT_THAT(series(), HasSubstr("tarot_probe_failures_total{step=\"sign_in\"} 1"));
  stopping = true;
  EXPECT_TRUE(absl::IsCancelled(play("gateway")));
  EXPECT_THAT(series(), HasSubstr("tarot_probe_rounds_total 1"));
  EXPECT_THAT(series(), HasSubstr("tarot_probe_failures_total{step=\"table\"} 0"));
}

TEST_F(PlatformTest, VectorsPassOverGrpc) {
  const std::string data = TAROT_SOURCE_DIR "/tests/data/vectors";
  EXPECT_EQ(Run(absl::StrCat(
                TAROT_BIN_DIR, "/tarot-lab vectors --address 127.0.0.1:", cluster_->port("rules"),
                " ", data, "/score.json ", data, "/fullplay_4.jsonl ", data, "/fullplay_3.jsonl ",
                data, "/fullplay_5.jsonl ", data, "/presets.jsonl >/dev/null")),
            0);
}

// During this test, people play one ranked match and one casual match. Without these matches, some
// queries would have no value.
TEST_F(PlatformTest, EveryDashboardQueryHasAnAnswer) {
  const int port = FreePorts(2);
  const int probe_port = port + 1;
  const std::string directory = cluster_->directory();
  std::ofstream(directory + "/prometheus.yml") << PrometheusConfig(probe_port);
  // The probe plays until the end of this test.
  ASSERT_EQ(
      Run(absl::StrCat(TAROT_BIN_DIR, "/tarot-probe --pause=1s --door_address=127.0.0.1:",
                       cluster_->port("gateway"), " --metrics_address=127.0.0.1:", probe_port, " >",
                       directory, "/probe.log 2>&1 & echo $! >", directory, "/probe.pid")),
      0);
  ASSERT_EQ(Run(absl::StrCat("prometheus --config.file=", directory, "/prometheus.yml",
                             " --storage.tsdb.path=", directory, "/tsdb",
                             " --web.listen-address=127.0.0.1:", port, " >", directory,
                             "/prometheus.log 2>&1 & echo $! >", directory, "/prometheus.pid")),
            0);
  std::vector<std::unique_ptr<PlayerThread>> people;
  for (const char* queue : {"ranked4", "ranked4", "ranked4", "ranked4", "casual4"}) {
    const std::string name = absl::StrCat("P", people.size());
    people.push_back(std::make_unique<PlayerThread>(cluster_->SignIn(name), name));
    people.back()->Play(absl::StrCat("queues/", queue));
  }
  const bool proven = Eventually(absl::Seconds(100), [&] {
    return Run(absl::StrCat(TAROT_SOURCE_DIR,
                            "/tools/check-dashboards --prometheus http://127.0.0.1:", port, " ",
                            TAROT_SOURCE_DIR, "/deploy/grafana/dashboards/*.json",
                            // This cluster has one cell, no exporters and no metrics of HAProxy.
                            " --without pg_ node_ tarot:disk_ patroni_ haproxy_"
                            " tarot_matchmaking_cell_ >",
                            directory, "/dashboards.txt 2>&1")) == 0;
  });
  Run(absl::StrCat("kill $(cat ", directory, "/prometheus.pid ", directory, "/probe.pid)"));
  std::string text;
  std::ifstream report(directory + "/dashboards.txt");
  std::getline(report, text, '\0');
  EXPECT_TRUE(proven) << text;
}

// Returns whether `text` contains cards, a token, or the seed in any spelling.
bool Tells(const std::string& text, const std::string& seed) {
  const std::string start = seed.substr(0, 9);
  const std::string secrets[] = {start,
                                 absl::BytesToHexString(start),
                                 absl::Base64Escape(start),
                                 absl::WebSafeBase64Escape(start),
                                 absl::CHexEscape(start),
                                 "hand:",
                                 "\"hand\"",
                                 "cards:",
                                 "payload",
                                 "Bearer "};
  for (const std::string& secret : secrets) {
    if (absl::StrContains(text, secret)) return true;
  }
  return false;
}

// Returns all seeds in the database, also the seeds of deals that have not started yet.
std::set<std::string> Seeds(const Cluster& cluster) {
  const auto keys = ReadKeyFile(cluster.directory() + "/seed.keys");
  pqxx::connection connection(cluster.dsn());
  pqxx::nontransaction transaction(connection);
  const auto matches = rules_service::ReadMatches(transaction, dealing::SecretBox(*keys));
  EXPECT_TRUE(matches.ok()) << matches.status();
  std::set<std::string> seeds;
  for (const auto& [table, stored] : *matches) {
    const auto add = [&seeds](const dealing::DealSeed& seed) {
      seeds.insert(std::string(seed.begin(), seed.end()));
    };
    add(*stored.config.first_seed);
    for (const rules_service::LogEntry& entry : stored.log) {
      const auto* dealt = std::get_if<rules_service::DealStarted>(&entry.body);
      if (dealt == nullptr) continue;
      add(dealt->start->provenance.seed);
      add(dealt->start->next_seed);
    }
  }
  return seeds;
}

TEST_F(PlatformTest, LogsAndMetricsContainNoSeedOrHiddenCard) {
  const std::set<std::string> seeds = Seeds(*cluster_);
  ASSERT_FALSE(seeds.empty());
  const std::string& planted = *seeds.begin();
  EXPECT_TRUE(Tells("a line with " + absl::BytesToHexString(planted), planted));
  EXPECT_TRUE(Tells("seed: \"" + absl::CHexEscape(planted) + "\"", planted));
  EXPECT_TRUE(Tells("deal { hand: 12 hand: 13 }", planted));
  for (const char* service : {"rules", "matchmaking", "bot", "ratings", "gateway"}) {
    const std::string metrics = absl::StrCat(cluster_->directory(), "/metrics.txt");
    ASSERT_EQ(Run(absl::StrCat("curl -sf http://127.0.0.1:", cluster_->metrics_port(service),
                               "/metrics -o ", metrics)),
              0);
    std::ifstream file(metrics);
    const std::string text((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
    EXPECT_GT(text.size(), 1000u);
    for (const std::string& seed : seeds) {
      EXPECT_FALSE(Tells(cluster_->LogOf(service), seed)) << service;
      EXPECT_FALSE(Tells(text, seed)) << service;
    }
  }
}

}  // namespace
}  // namespace tarot::e2e
