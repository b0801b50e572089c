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

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/ai/policy.h"
#include "libs/base/error.h"
#include "libs/base/key_file.h"
#include "libs/dealing/secret_box.h"
#include "libs/rpc/call.h"
#include "libs/rpc/trace.h"
#include "libs/rules/action.h"
#include "libs/rules/cards.h"
#include "libs/status/wire.h"
#include "libs/wire/convert.h"
#include "services/rules/audit/audit_tables.h"
#include "tarot/bot/v1/analysis_service.grpc.pb.h"
#include "tarot/matchmaking/v1/friend_service.grpc.pb.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"
#include "tests/e2e/player_thread.h"
#include "tools/probe/probe.h"

namespace tarot::e2e {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSubsetOf;
using testing::IsSupersetOf;
using testing::Not;

class PlatformTest : public testing::Test {
 protected:
  // The gateway samples every call, so that each call of a player has lines in the logs.
  static void SetUpTestSuite() {
    cluster_ = new Cluster(
        {.population = 8, .gateway_flags = {"--trace_one_in=1"}, .replicas = {{"admin", 1}}});
  }
  static void TearDownTestSuite() {
    delete cluster_;
    cluster_ = nullptr;
  }

  // Signs a player in, and remembers the token of the session.
  static std::unique_ptr<client::Client> SignIn(const std::string& name) {
    auto player = cluster_->SignIn(name);
    tokens_.push_back(player->session().token());
    return player;
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
  static std::vector<std::string> tokens_;
};

Cluster* PlatformTest::cluster_ = nullptr;
std::vector<std::string> PlatformTest::tokens_;

TEST_F(PlatformTest, RatingsMoveWithinAMinute) {
  const auto client = SignIn("Visitor");
  ratings::v1::ListRatingsRequest request;
  request.set_show_provisional(true);
  EXPECT_TRUE(Eventually(absl::Minutes(1), [&] {
    const auto page = client->Call(&client::Ratings::ListRatings, request);
    return page.ok() && page->ratings_size() >= 4;
  }));
}

TEST_F(PlatformTest, PersonPlaysAMatchAndItsRecordsVerify) {
  PlayerThread player(SignIn("Ada"), "Ada");
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

// Sends `action` as the next action at `table`.
absl::Status Submit(client::Client& client, const rules::v1::Table& table,
                    const rules::Action& action) {
  rules::v1::SubmitActionRequest request;
  request.set_name(table.name());
  request.set_expected_revision(table.revision());
  request.set_request_id(client.NewRequestId());
  wire::EncodeAction(action, request.mutable_action());
  return client.Call(&client::Tables::SubmitAction, request).status();
}

// The result of a function that is called at a turn of a guest.
enum class Turn {
  kNothing,  // The guest still has to act.
  kActed,
  kEnd,  // The guest stops playing.
};

// A guest at a table with three bots.
class Guest {
 public:
  explicit Guest(std::unique_ptr<client::Client> client) : client_(std::move(client)) {}

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

  // Plays the match at `name`. At each turn of the guest, calls `at_turn` with the newest view of
  // the table. If `at_turn` does nothing, the guest acts like a novice bot.
  void Play(const std::string& name, absl::FunctionRef<Turn(const rules::v1::Table&)> at_turn) {
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
        if (!newest) return;
        table = *std::exchange(newest, std::nullopt);
      }
      const rules::v1::DealView& deal = table.deal();
      if (!deal.has_turn() || deal.turn() != table.viewer()) continue;
      // The server plays the last trick of a deal for all seats.
      if (deal.phase() == rules::v1::PLAYING && deal.hand_size() == 1) continue;
      const Turn turn = at_turn(table);
      if (turn == Turn::kEnd) return;
      if (turn == Turn::kActed) continue;
      const auto view = wire::DecodeView(deal);
      ASSERT_TRUE(view.ok()) << view.status();
      const absl::Status status =
          Submit(*client_, table, ai::FindPolicy("novice")->Choose(*view, Rng(1), {}).action);
      EXPECT_TRUE(status.ok()) << status;
    }
  }

  // Plays at `name`, and claims all tricks at each turn, until a claim is accepted. Returns the
  // table after this claim. Returns nullopt if the match ends before a claim is accepted.
  std::optional<rules::v1::Table> PlayToAClaim(const std::string& name) {
    std::optional<rules::v1::Table> after;
    Play(name, [&](const rules::v1::Table& table) {
      if (table.deal().phase() == rules::v1::PLAYING) after = Claim(table);
      return after ? Turn::kEnd : Turn::kNothing;
    });
    return after;
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

  const std::unique_ptr<client::Client> client_;
  int refused_ = 0;
};

TEST_F(PlatformTest, AGuestClaimsTheRestAndTheRecordIsProven) {
  Guest guest(SignIn("Cleo"));
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
  Analyze(*SignIn("Dora"), record, /*by_name=*/false);
  rules::v1::DealRecord shorter = record;
  shorter.mutable_entries()->RemoveLast();
  EXPECT_FALSE(IsProven(*cluster_, shorter));
}

// A player at a live table gets no analysis, not even of an earlier deal of the same match.
TEST_F(PlatformTest, APlayerAtALiveTableGetsNoAnalysis) {
  PlayerThread player(SignIn("Bea"), "Bea");
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

// Returns the trace's id that the gateway has sent with the answer of a call.
std::string TraceIdOf(const grpc::ClientContext& context) {
  const auto& metadata = context.GetServerInitialMetadata();
  const auto found = metadata.find(rpc::kTraceIdMetadata);
  return found == metadata.end() ? "" : std::string(found->second.data(), found->second.size());
}

TEST_F(PlatformTest, MatchmakingAndBotPassTheTraceOnToRules) {
  const auto guest = SignIn("Gil");
  const auto channel = rpc::MakeChannel(absl::StrCat("127.0.0.1:", cluster_->port("gateway")));
  const std::string token = "Bearer " + guest->session().token();
  const std::string table = "tables/00000000-0000-7000-8000-000000000001";

  grpc::ClientContext reporting;
  reporting.AddMetadata("authorization", token);
  matchmaking::v1::ReportPlayerRequest report;
  report.set_player("players/00000000-0000-4000-8000-000000000001");
  report.set_table(table);
  report.set_deal_number(1);
  report.set_reason(matchmaking::v1::PlayerReport::DELAYS_THE_GAME);
  matchmaking::v1::ReportPlayerResponse reported;
  const grpc::Status refused =
      matchmaking::v1::FriendService::NewStub(channel)->ReportPlayer(&reporting, report, &reported);
  EXPECT_EQ(GetErrorDetails(status::FromGrpc(refused)).reason, "TABLE_NOT_FOUND");

  grpc::ClientContext analyzing;
  analyzing.AddMetadata("authorization", token);
  bot::v1::AnalyzeDealRequest analyze;
  analyze.set_name(table + "/deals/1");
  const auto stream = bot::v1::AnalysisService::NewStub(channel)->AnalyzeDeal(&analyzing, analyze);
  stream->WaitForInitialMetadata();
  EXPECT_EQ(GetErrorDetails(status::FromGrpc(stream->Finish())).reason, "RECORD_NOT_FOUND");

  for (const grpc::ClientContext* context : {&reporting, &analyzing}) {
    const std::string trace = TraceIdOf(*context);
    ASSERT_EQ(trace.size(), 32u);
    EXPECT_THAT(cluster_->LogOf("rules"), HasSubstr(trace));
  }
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
    people.push_back(std::make_unique<PlayerThread>(SignIn(name), name));
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

// Returns the words of `text` that are the name of a card or of a suit.
std::set<std::string> CardWords(const std::string& text) {
  static const auto* const names = [] {
    auto* const set = new absl::flat_hash_set<std::string>({"spade", "spades", "heart", "hearts",
                                                            "diamond", "diamonds", "club", "clubs",
                                                            "trump", "trumps", "king", "kings"});
    for (const rules::Card card : rules::CardSet::All()) {
      set->insert({absl::AsciiStrToLower(rules::CardName(card)),
                   absl::AsciiStrToLower(rules::CardText(card))});
    }
    return set;
  }();
  std::set<std::string> found;
  const std::string lower = absl::AsciiStrToLower(text);
  for (std::size_t i = 0; i < lower.size(); ++i) {
    const std::size_t start = i;
    while (i < lower.size() && absl::ascii_isalnum(static_cast<unsigned char>(lower[i]))) ++i;
    if (names->contains(lower.substr(start, i - start)))
      found.insert(lower.substr(start, i - start));
  }
  return found;
}

// Sends actions that the rules refuse.
class Refusals {
 public:
  // Call this function at each turn of the guest. It returns kEnd when it has got all refusals of
  // kWanted.
  Turn AtTurn(client::Client& client, const rules::v1::Table& table) {
    const auto view = wire::DecodeView(table.deal());
    EXPECT_TRUE(view.ok()) << view.status();
    if (!view.ok()) return Turn::kEnd;
    const rules::LegalActions& legal = view->legal;
    // Only the taker has an écart, so the guest bids.
    constexpr auto kBid = rules::Contract::kGarde;
    if (view->phase == rules::Phase::kBidding && legal.bids[static_cast<std::size_t>(kBid)]) {
      const absl::Status status = Submit(client, table, rules::Action::Bid(kBid));
      EXPECT_TRUE(status.ok()) << status;
      return Turn::kActed;
    }
    if (view->phase == rules::Phase::kDiscarding) {
      const rules::CardSet kings = view->hand & rules::CardSet::Kings();
      if (kings.Empty()) return Turn::kNothing;
      rules::CardSet cards{kings.First()};
      for (const rules::Card card : legal.discards) {
        if (cards.Size() < legal.discard_count) cards.Insert(card);
      }
      Send(client, table, rules::Action::Discard(cards));
    } else if (view->phase == rules::Phase::kPlaying) {
      Send(client, table, rules::Action::Play((rules::CardSet::All() - view->hand).First()));
      const rules::CardSet refused = view->hand - legal.cards;
      if (!refused.Empty()) Send(client, table, rules::Action::Play(refused.First()));
    }
    for (const char* const why : kWanted) {
      if (!why_.contains(why)) return Turn::kNothing;
    }
    return Turn::kEnd;
  }

  // The refusals of AtTurn. Their texts tell cards of the guest's hand.
  static constexpr const char* kWanted[] = {"DISCARD_KING", "CARD_NOT_HELD", "MUST_FOLLOW_SUIT",
                                            "MUST_OVERTRUMP"};
  const std::set<std::string>& why() const { return why_; }

 private:
  void Send(client::Client& client, const rules::v1::Table& table, const rules::Action& action) {
    const absl::Status status = Submit(client, table, action);
    EXPECT_TRUE(absl::IsFailedPrecondition(status)) << status;
    const std::string why = GetErrorDetails(status).metadata["why"];
    if (why == "DISCARD_KING" || why == "CARD_NOT_HELD" || why == "MUST_FOLLOW_SUIT") {
      EXPECT_THAT(CardWords(std::string(status.message())), Not(IsEmpty())) << status;
    }
    why_.insert(why);
  }

  std::set<std::string> why_;
};

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

TEST_F(PlatformTest, LogsAndMetricsContainNoSeedTokenOrHiddenCard) {
  const std::string directory = cluster_->directory();
  // The probe writes into its log too.
  ASSERT_EQ(Run(absl::StrCat(TAROT_BIN_DIR, "/tarot-probe --pause=1s --door_address=127.0.0.1:",
                             cluster_->port("gateway"), " >>", directory,
                             "/probe.log 2>&1 & echo $! >", directory, "/probe.pid")),
            0);
  Guest guest(SignIn("Fay"));
  const std::string table = guest.Sit(/*deals=*/40);
  ASSERT_NE(table, "");
  Refusals refusals;
  guest.Play(table,
             [&](const rules::v1::Table& now) { return refusals.AtTurn(guest.client(), now); });
  EXPECT_THAT(refusals.why(), IsSupersetOf(Refusals::kWanted));
  // An operator reads the log of the table, and one call of the operator fails.
  const auto admin = [&](const std::string& words) {
    return Run(absl::StrCat(TAROT_BIN_DIR, "/tarotctl admin ", words, " --why 'a test' --admin ",
                            cluster_->AddressOf("admin"), " --key ", directory, "/operator.keys >>",
                            directory, "/operator.txt 2>&1"));
  };
  EXPECT_EQ(admin("log " + table), 0);
  EXPECT_NE(admin("delete " + guest.client().session().player()), 0);
  Run(absl::StrCat("kill $(cat ", directory, "/probe.pid)"));

  const std::set<std::string> seeds = Seeds(*cluster_);
  ASSERT_FALSE(seeds.empty());
  const std::string& planted = *seeds.begin();
  EXPECT_TRUE(Tells("a line with " + absl::BytesToHexString(planted), planted));
  EXPECT_TRUE(Tells("seed: \"" + absl::CHexEscape(planted) + "\"", planted));
  EXPECT_TRUE(Tells("deal { hand: 12 hand: 13 }", planted));
  EXPECT_THAT(CardWords(R"("why":"You do not hold T17.","card":"HK")"), ElementsAre("hk", "t17"));
  const auto check = [&](const std::string& text, const std::string& of) {
    for (const std::string& seed : seeds) EXPECT_FALSE(Tells(text, seed)) << of;
    for (const std::string& token : tokens_) {
      EXPECT_THAT(text, Not(HasSubstr(token.substr(token.size() - 20)))) << of;
    }
  };
  for (const char* service : {"rules", "matchmaking", "bot", "ratings", "gateway", "admin"}) {
    const std::string file_name = absl::StrCat(directory, "/metrics.txt");
    ASSERT_EQ(Run(absl::StrCat("curl -sf http://127.0.0.1:", cluster_->metrics_port(service),
                               "/metrics -o ", file_name)),
              0);
    std::ifstream file(file_name);
    const std::string metrics((std::istreambuf_iterator<char>(file)),
                              std::istreambuf_iterator<char>());
    EXPECT_GT(metrics.size(), 1000u);
    check(metrics, absl::StrCat("metrics of ", service));
    // The metrics of all tables together have a label for refusals, such as DISCARD_KING, and
    // "club" is a level of the bots.
    EXPECT_THAT(CardWords(metrics), IsSubsetOf({"club", "king", "trump", "trumps"})) << service;
    EXPECT_THAT(metrics, Not(HasSubstr("table=\""))) << service;
  }
  for (const char* process :
       {"rules", "matchmaking", "bot", "ratings", "gateway", "admin", "probe"}) {
    check(cluster_->LogOf(process), absl::StrCat("log of ", process));
    EXPECT_THAT(CardWords(cluster_->LogOf(process)), IsEmpty()) << process;
  }
  // The refused calls have lines.
  EXPECT_THAT(cluster_->LogOf("rules"), HasSubstr(R"("reason":"ILLEGAL_CARD")"));
  EXPECT_THAT(cluster_->LogOf("gateway"), HasSubstr(R"("reason":"ILLEGAL_ACTION")"));
  EXPECT_THAT(cluster_->LogOf("admin"), HasSubstr(R"("reason":"PLAYER_BUSY")"));
}

}  // namespace
}  // namespace tarot::e2e
