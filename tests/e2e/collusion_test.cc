// Plays a small season of ranked matches on the running platform, in which two of eight players
// help each other. The judge finds this pair in the records of the platform, an operator voids
// their matches, and all ratings are computed again while other matches go on.
#include <gmock/gmock.h>

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <pqxx/pqxx>
#include <regex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "libs/ai/policy.h"
#include "libs/base/error.h"
#include "libs/base/rng.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "libs/testkit/status_matchers.h"
#include "libs/wire/convert.h"
#include "libs/wire/values.h"
#include "services/ratings/service.h"
#include "tarot/ratings/v1/rating_ingest_service.grpc.pb.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"
#include "tests/e2e/operator.h"

namespace tarot::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;
using testkit::IsOk;

constexpr int kPlayers = 8;
// The players with these two numbers help each other.
constexpr int kFirstHelper = 2, kSecondHelper = 5;
constexpr int kSeats = 4;
constexpr int kDeals = 6;
constexpr int kJointMatches = 40;
constexpr int kThreads = 12;  // Play so many matches at the same time.
// Every player chooses 2 % of the cards at random.
constexpr int kRandomCardsPerMille = 20;
// The deals of the platform are random. With the default of 0.01, an honest pair would be flagged
// in about one of forty runs of this test.
constexpr char kFalseShare[] = "0.0001";
constexpr int kRecorders = 4;        // Threads that record results during the recomputation.
constexpr int kResultsBefore = 200;  // Matches that ratings has when the recomputation begins.

// The numbers of the four players of a match, in the order of the seats.
using Seats = std::array<int, kSeats>;

// A player's number of matches that count, and the mean and the variance of the skill.
using Standings = std::map<std::string, std::tuple<int, double, double>>;

bool AreHelpers(int a, int b) {
  return std::minmax(a, b) == std::minmax(kFirstHelper, kSecondHelper);
}

std::string NewTable() { return "tables/" + OsEntropy().NewUuid().ToString(); }

rules::Action RandomCard(rules::CardSet legal, Rng& rng) {
  for (int skipped = rng.Below(legal.Size()); skipped > 0; --skipped) legal.Erase(legal.First());
  return rules::Action::Play(legal.First());
}

// Remembers the tricks of a deal, because a view does not show the cards of earlier tricks.
class Memory {
 public:
  // Learns the tricks that `view` shows, and adds the cards of the other tricks to it.
  void Complete(std::uint32_t deal_number, rules::View& view) {
    if (deal_number != deal_number_) tricks_ = {};
    deal_number_ = deal_number;
    for (int i = 0; i < view.trick_count; ++i) {
      rules::Trick& shown = view.tricks[static_cast<std::size_t>(i)];
      rules::Trick& known = tricks_[static_cast<std::size_t>(i)];
      if (shown.size > 0) known = shown;
      shown = known;
    }
  }

 private:
  std::uint32_t deal_number_ = 0;
  decltype(rules::View::tricks) tricks_;
};

// Decides as level `novice` does. If `helps_taker` is true, the player plays each card as a partner
// of the taker would.
rules::Action Decide(rules::View view, bool helps_taker, Rng& rng) {
  if (view.phase == rules::Phase::kPlaying) {
    if (rng.Below(1000) < kRandomCardsPerMille) return RandomCard(view.legal.cards, rng);
    if (helps_taker) view.partner = view.viewer;
  }
  return ai::FindPolicy("novice")->Choose(view, Rng(1), {}).action;
}

// Threads that repeat tasks until Stop().
class Load {
 public:
  ~Load() { Stop(); }
  void Add(std::function<void()> task) {
    threads_.emplace_back([this, task = std::move(task)] {
      while (!stop_ && !testing::Test::HasFailure()) task();
    });
  }
  // Waits for the end of the tasks that run now.
  void Stop() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  std::vector<std::thread> threads_;
  std::atomic<bool> stop_ = false;
};

class CollusionTest : public testing::Test {
 protected:
  CollusionTest() {
    for (const char* name : {"Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gil", "Hana"}) {
      players_.push_back(cluster_.SignIn(name));
      ids_.push_back(players_.back()->session().player());
    }
  }

  // Makes a ranked table, as matchmaking does. Returns its name.
  std::string MakeTable(const Seats& seats, int deals) {
    rules::v1::CreateTableRequest request;
    request.set_name(NewTable());
    request.set_rule_set("fft");
    request.set_deal_count(static_cast<std::uint32_t>(deals));
    request.set_ranked(true);
    request.mutable_clocks()->mutable_move_limit()->set_seconds(60);
    request.mutable_clocks()->mutable_time_bank()->set_seconds(60);
    for (const int player : seats) {
      rules::v1::Seat* const seat = request.add_seats();
      seat->set_player(Id(player));
      seat->set_display_name(Player(player).session().display_name());
    }
    grpc::ClientContext context;
    rpc::SetTimeout(context, absl::Seconds(20));
    identity_.Sign(context, rpc::Caller{.service = "matchmaking"});
    rules::v1::CreateTableResponse response;
    const auto rules =
        rules::v1::TableAdminService::NewStub(rpc::MakeChannel(cluster_.AddressOf("rules")));
    EXPECT_THAT(status::FromGrpc(rules->CreateTable(&context, request, &response)), IsOk());
    return request.name();
  }

  // Plays a match through the gateway, each move by the player who sits there. Returns its table.
  std::string PlayMatch(const Seats& seats, int deals) {
    const std::string name = MakeTable(seats, deals);
    Rng rng(OsEntropy().NewSeed());
    Memory memory;
    rules::v1::GetTableRequest get;
    get.set_name(name);
    std::uint32_t seat = 0;
    while (!HasFailure()) {
      const int player = seats[seat];
      const auto answer = Player(player).Call(&client::Tables::GetTable, get);
      EXPECT_THAT(answer, IsOk());
      if (!answer.ok() || answer->table().state() == rules::v1::Table::FINISHED) break;
      const rules::v1::Table& table = answer->table();
      // The server deals, and plays the last trick of a deal for all seats.
      if (table.state() != rules::v1::Table::PLAYING || !table.deal().has_turn() ||
          (table.deal().phase() == rules::v1::PLAYING && table.deal().hand_size() == 1)) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        continue;
      }
      if (table.deal().turn() != seat) {
        seat = table.deal().turn();
        continue;
      }
      absl::StatusOr<rules::View> view = wire::DecodeView(table.deal());
      EXPECT_THAT(view, IsOk());
      if (!view.ok()) break;
      memory.Complete(table.deal_number(), *view);
      const bool helps = view->taker != rules::kNoSeat &&
                         AreHelpers(player, seats[static_cast<std::size_t>(view->taker)]);
      rules::v1::SubmitActionRequest submit;
      submit.set_name(name);
      submit.set_expected_revision(table.revision());
      submit.set_request_id(Player(player).NewRequestId());
      wire::EncodeAction(Decide(*view, helps, rng), submit.mutable_action());
      const auto moved = Player(player).Call(&client::Tables::SubmitAction, submit);
      EXPECT_THAT(moved, IsOk());
      if (moved.ok() && moved->table().deal().has_turn()) seat = moved->table().deal().turn();
    }
    return name;
  }

  // Plays the matches, several at the same time, and waits until ratings has all of them.
  void PlayAll(const std::vector<Seats>& matches) {
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    std::vector<std::string> tables(matches.size());
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (std::size_t match = next++; match < matches.size(); match = next++) {
          tables[match] = PlayMatch(matches[match], kDeals);
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    tables_.insert(tables_.end(), tables.begin(), tables.end());
    ASSERT_TRUE(Eventually(absl::Seconds(20), [&] { return RatedMatches() == Size(tables_); }));
  }

  long RatedMatches() { return Count(cluster_.dsn(), "SELECT count(*) FROM ratings.matches"); }
  static long Size(const std::vector<std::string>& tables) {
    return static_cast<long>(tables.size());
  }

  // Lets the honest players play on at two tables.
  void PlayOn(Load& load) {
    for (const Seats& seats : {Seats{0, 1, 3, 4}, Seats{7, 6, 4, 1}}) {
      load.Add([this, seats] {
        PlayMatch(seats, /*deals=*/1);
        ++played_;
      });
    }
  }

  // Records results of the honest players at a high rate, as rules does.
  void RecordResults(Load& load) {
    const std::shared_ptr<ratings::v1::RatingIngestService::Stub> ingest =
        ratings::v1::RatingIngestService::NewStub(rpc::MakeChannel(cluster_.AddressOf("ratings")));
    for (int i = 0; i < kRecorders; ++i) {
      load.Add([this, ingest] {
        const ratings::v1::RecordMatchRequest request = RandomMatch();
        {
          const std::lock_guard lock(recorded_mutex_);
          recorded_[request.table()] = request;
        }
        Record(*ingest, request);
      });
    }
  }

  ratings::v1::RecordMatchRequest RandomMatch() {
    Rng rng(OsEntropy().NewSeed());
    std::vector<int> honest = {0, 1, 3, 4, 6, 7};
    rng.Shuffle(honest);
    ratings::v1::RecordMatchRequest request;
    request.set_table(NewTable());
    request.set_deal_count(kDeals);
    wire::EncodeTime(absl::FromUnixMicros(absl::ToUnixMicros(clock_.Now())),
                     request.mutable_match_time());
    int rest = 0;
    for (int seat = 0; seat < kSeats; ++seat) {
      ratings::v1::MatchPlayer* const player = request.add_players();
      player->set_player(Id(honest[static_cast<std::size_t>(seat)]));
      player->set_display_name(
          Player(honest[static_cast<std::size_t>(seat)]).session().display_name());
      player->set_total(seat == kSeats - 1 ? -rest : 2 * rng.Below(200) - 200);
      rest += player->total();
    }
    return request;
  }

  // Records the match. Repeats the call while the service is busy, as rules does.
  void Record(ratings::v1::RatingIngestService::Stub& ingest,
              const ratings::v1::RecordMatchRequest& request) {
    absl::Status status;
    EXPECT_TRUE(Eventually(absl::Seconds(20), [&] {
      grpc::ClientContext context;
      rpc::SetTimeout(context, absl::Seconds(20));
      identity_.Sign(context, rpc::Caller{.service = "rules"});
      ratings::v1::RecordMatchResponse response;
      status = status::FromGrpc(ingest.RecordMatch(&context, request, &response));
      return !absl::IsUnavailable(status);
    }));
    EXPECT_THAT(status, IsOk());
  }

  // Returns the rated matches that are not void, in the order in which ratings stored them.
  std::vector<ratings::v1::RecordMatchRequest> ValidMatches() {
    pqxx::connection connection(cluster_.dsn());
    pqxx::nontransaction tx(connection);
    std::vector<ratings::v1::RecordMatchRequest> matches;
    for (const pqxx::row& row :
         tx.exec("SELECT m.table_id, m.sequence, m.deal_count, s.rule_values,"
                 "       array_to_string(s.seats, ',') AS seats,"
                 "       (extract(epoch FROM m.match_time) * 1000000)::bigint AS micros"
                 " FROM ratings.matches m LEFT JOIN ratings.match_sheets s USING (sequence)"
                 " WHERE m.sequence NOT IN (SELECT sequence FROM ratings.voided_matches)"
                 " ORDER BY m.sequence")) {
      const std::string table = absl::StrCat("tables/", row["table_id"].c_str());
      const auto recorded = recorded_.find(table);
      if (recorded != recorded_.end()) {
        matches.push_back(recorded->second);
        continue;
      }
      ratings::v1::RecordMatchRequest& match = matches.emplace_back();
      match.set_table(table);
      match.set_deal_count(row["deal_count"].as<std::uint32_t>());
      match.set_rule_values(row["rule_values"].c_str());
      wire::EncodeTime(absl::FromUnixMicros(row["micros"].as<std::int64_t>()),
                       match.mutable_match_time());
      for (const absl::string_view id : absl::StrSplit(row["seats"].c_str(), ',')) {
        match.add_players()->set_player(absl::StrCat("players/", id));
      }
      AddDeals(tx, row["sequence"].as<std::int64_t>(), match);
    }
    return matches;
  }

  static void AddDeals(pqxx::nontransaction& tx, std::int64_t sequence,
                       ratings::v1::RecordMatchRequest& match) {
    for (const pqxx::row& row :
         tx.exec_params("SELECT number, dealer, encode(pack, 'hex') AS pack, outcome,"
                        "       array_to_string(scores, ',') AS scores"
                        " FROM ratings.match_deals WHERE sequence = $1 ORDER BY number",
                        sequence)) {
      ratings::v1::DealtDeal* const deal = match.add_deals();
      deal->set_number(row["number"].as<std::uint32_t>());
      deal->set_dealer(row["dealer"].as<std::uint32_t>());
      deal->set_pack(absl::HexStringToBytes(row["pack"].c_str()));
      deal->set_outcome(static_cast<ratings::v1::DealtDeal::Outcome>(row["outcome"].as<int>()));
      int seat = 0;
      for (const absl::string_view text : absl::StrSplit(row["scores"].c_str(), ',')) {
        int score = 0;
        EXPECT_TRUE(absl::SimpleAtoi(text, &score));
        deal->add_scores(score);
        ratings::v1::MatchPlayer* const player = match.mutable_players(seat++);
        player->set_total(player->total() + score);
      }
    }
  }

  // Rates the matches by a new ratings service with a database of its own. Returns the standings.
  Standings Rate(const std::vector<ratings::v1::RecordMatchRequest>& matches) {
    const ratings_service::Options options{.listen_address = "127.0.0.1:0",
                                           .internal_key_file = Key("internal"),
                                           .dsn = cluster_.postgres().NewDatabase()};
    EXPECT_THAT(ratings_service::MigrateSchema(options), IsOk());
    RealScheduler scheduler;
    const auto service = ratings_service::StartService(
        options, {clock_, scheduler, entropy_, std::make_shared<prometheus::Registry>()});
    EXPECT_THAT(service, IsOk());
    if (!service.ok()) return {};
    const std::string address = absl::StrCat("127.0.0.1:", (*service)->port());
    StartSeason(address);
    const auto ingest = ratings::v1::RatingIngestService::NewStub(rpc::MakeChannel(address));
    for (const auto& match : matches) Record(*ingest, match);
    return ReadStandings(options.dsn);
  }

  // Lets the ratings service at `address` rate by the numbers that the platform is shipped with.
  void StartSeason(const std::string& address) {
    EXPECT_THAT(operator_.Run(absl::StrCat("tarot-start-season --file=", TAROT_SOURCE_DIR,
                                           "/deploy/ladder_numbers.json --ratings_address=",
                                           address, " --internal_key_file=", Key("internal"))),
                HasSubstr("season 1 begins"));
  }

  static Standings ReadStandings(const std::string& dsn) {
    pqxx::connection connection(dsn);
    pqxx::nontransaction tx(connection);
    Standings standings;
    for (const pqxx::row& row :
         tx.exec("SELECT player_id, match_count, mu, variance FROM ratings.ratings")) {
      standings[absl::StrCat("players/", row[0].c_str())] = {row[1].as<int>(), row[2].as<double>(),
                                                             row[3].as<double>()};
    }
    return standings;
  }

  // Returns the calls of operators: "OPERATOR METHOD SUBJECT: OUTCOME, WHY".
  std::vector<std::string> Calls() {
    pqxx::connection connection(cluster_.dsn());
    pqxx::nontransaction tx(connection);
    std::vector<std::string> calls;
    for (const pqxx::row& row :
         tx.exec("SELECT operator_name || ' ' || method || ' ' || subject || ': ' ||"
                 " coalesce(outcome, 'unknown') || ', ' || why"
                 " FROM admin.calls LEFT JOIN admin.outcomes USING (call_id)")) {
      calls.push_back(row[0].c_str());
    }
    return calls;
  }

  // Checks that each deal of the evidence is a deal in which the named player defended, and the
  // other player took. `flags` is the output of `tarotctl admin flags`.
  void CheckEvidence(const std::string& flags) {
    static const std::regex pair(R"((players/\S+) and (players/\S+): z)");
    std::smatch players;
    ASSERT_TRUE(std::regex_search(flags, players, pair)) << flags;
    ASSERT_EQ(std::set<std::string>({players[1], players[2]}),
              std::set<std::string>({Id(kFirstHelper), Id(kSecondHelper)}));
    static const std::regex line(R"(-[\d.]+, the (first|second) defends: (\S+))");
    int count = 0;
    for (std::sregex_iterator deal(flags.begin(), flags.end(), line), end; deal != end; ++deal) {
      ++count;
      const bool first_defends = (*deal)[1] == "first";
      rules::v1::GetRecordRequest get;
      get.set_name((*deal)[2]);
      const auto answer = Player(0).Call(&client::Records::GetRecord, get);
      ASSERT_THAT(answer, IsOk()) << get.name();
      const rules::v1::DealRecord& record = answer->record();
      EXPECT_EQ(record.players(static_cast<int>(record.result().taker())).player(),
                players[first_defends ? 2 : 1])
          << (*deal)[0];
    }
    EXPECT_EQ(count, 10);
  }

  client::Client& Player(int number) { return *players_[static_cast<std::size_t>(number)]; }
  const std::string& Id(int number) { return ids_[static_cast<std::size_t>(number)]; }
  std::string Key(const std::string& name) {
    return absl::StrCat(cluster_.directory(), "/", name, ".keys");
  }

  // The matches are played much faster than people play. So the limits of a player's calls are
  // higher here.
  Cluster cluster_{{.population = 0,
                    .rules_flags = {"--bot_delay=1ms", "--bots_only_delay=1ms", "--deal_pause=1ms"},
                    .gateway_flags = {"--calls_per_second=100000", "--call_burst=100000",
                                      "--address_calls_per_second=100000"},
                    .replicas = {{"admin", 1}},
                    .fsync = false}};
  Operator operator_{cluster_};
  RealClock clock_;
  OsEntropy entropy_;
  rpc::Authenticator identity_{rpc::KeyRing::FromFile(Key("internal")).value(), clock_};
  std::vector<std::unique_ptr<client::Client>> players_;
  std::vector<std::string> ids_;
  std::vector<std::string> tables_;  // The tables of the season.
  std::atomic<int> played_ = 0;      // The number of matches of PlayOn() that are over.
  std::mutex recorded_mutex_;
  std::map<std::string, ratings::v1::RecordMatchRequest> recorded_;  // The key is the table.
};

TEST_F(CollusionTest, HelpersAreFoundAndVoidedWhilePlayGoesOn) {
  StartSeason(cluster_.AddressOf("ratings"));

  // At first, the helpers sit at different tables. These matches stay valid.
  PlayAll({{0, 1, kFirstHelper, 3}, {4, kSecondHelper, 6, 7}, {kFirstHelper, 6, 4, 1}});
  const absl::Time since = clock_.Now();
  std::vector<Seats> season = {{kSecondHelper, 0, 3, 6}};
  Rng rng(1);
  std::vector<int> honest = {0, 1, 3, 4, 6, 7};
  for (int match = 0; match < kJointMatches; ++match) {
    rng.Shuffle(honest);
    Seats seats = {kFirstHelper, kSecondHelper, honest[0], honest[1]};
    for (std::size_t i = seats.size(); i > 1; --i) {
      std::swap(seats[i - 1], seats[static_cast<std::size_t>(rng.Below(static_cast<int>(i)))]);
    }
    season.push_back(seats);
  }
  PlayAll(season);
  ASSERT_FALSE(HasFailure());

  // The judge flags exactly this pair. It counts a deal once, also if it gets a record twice.
  const std::string records = cluster_.directory() + "/season.tarotrec";
  const std::string exported =
      operator_.Run(absl::StrCat("tarot-rules-records --dsn='", cluster_.DsnOf("rules"),
                                 "' --seed_key_file=", Key("seed"), " --out=", records));
  ASSERT_EQ(exported, absl::StrCat(tables_.size() * kDeals, " deals\n"));
  const std::string flag_file = cluster_.directory() + "/flags.json";
  const std::string judged =
      operator_.Run(absl::StrCat("tarot-lab collusion ", records, " ", records,
                                 " --flags=", flag_file, " --false-share=", kFalseShare));
  ASSERT_EQ(operator_.exit_code(), 0) << judged;
  ASSERT_THAT(judged, AllOf(HasSubstr(absl::StrCat("\n", exported.substr(0, exported.size() - 1))),
                            HasSubstr(" pairs tested, 1 flagged\n")));

  // The flag waits in the queue of the operators, with its deals.
  EXPECT_EQ(operator_.Admin("add-flags " + flag_file, "the records of the season"),
            "1 flags are new\n");
  EXPECT_EQ(operator_.Admin("add-flags " + flag_file), "0 flags are new\n");
  const std::string flags = operator_.Admin("flags");
  ASSERT_THAT(flags, testing::StartsWith("flags/1  "));
  CheckEvidence(flags);

  // The operator voids the matches of the first helper, and then judges the flag, which voids those
  // of the second helper. Meanwhile the honest players play on.
  Load play;
  PlayOn(play);
  ASSERT_TRUE(Eventually(absl::Seconds(20), [&] { return played_ >= 2; }));
  const std::string time = absl::FormatTime(absl::RFC3339_full, since, absl::UTCTimeZone());
  EXPECT_THAT(
      operator_.Admin(absl::StrCat("void-player ", Id(kFirstHelper), " --since ", time), "flag 1"),
      HasSubstr(absl::StrCat(kJointMatches, " matches are void")));
  EXPECT_THAT(operator_.Admin("judge 1 collusion --since " + time, "the deals show it"),
              HasSubstr("the flag is judged; 1 matches are void"));
  EXPECT_THAT(operator_.Admin("judge 1 dismissed"), HasSubstr("ALREADY_JUDGED"));
  Load results;
  RecordResults(results);
  long before = 0, counted = 0, after = 0;
  ASSERT_TRUE(Eventually(absl::Seconds(20), [&] {
    before = RatedMatches();
    if (before < kResultsBefore) return HasFailure();
    const std::string answer = operator_.Admin("recompute", "flag 1 is judged");
    after = RatedMatches();
    EXPECT_EQ(operator_.exit_code(), 0) << answer;
    EXPECT_THAT(answer, HasSubstr(absl::StrCat(", ", kJointMatches + 1, " of them void, ")));
    counted = std::stol(answer.substr(answer.find(": ") + 2));
    return after > before || HasFailure();
  })) << "no match was recorded during a recomputation";
  results.Stop();
  EXPECT_GE(counted, before);
  EXPECT_LE(counted, after);
  const int played = played_;
  ASSERT_TRUE(Eventually(absl::Seconds(20), [&] { return played_ >= played + 2; }))
      << "play does not go on";
  play.Stop();
  ASSERT_TRUE(Eventually(absl::Seconds(20), [&] {
    return Count(cluster_.dsn(), "SELECT count(*) FROM rules.outbox") == 0;
  }));

  // The ratings are those of a service that has never seen the void matches.
  const Standings fresh = Rate(ValidMatches());
  EXPECT_EQ(ReadStandings(cluster_.dsn()), fresh);
  EXPECT_EQ(fresh.size(), static_cast<std::size_t>(kPlayers));
  EXPECT_EQ(std::get<0>(fresh.at(Id(kFirstHelper))), 2);
  EXPECT_EQ(std::get<0>(fresh.at(Id(kSecondHelper))), 1);
  EXPECT_THAT(operator_.Run("tarot-ratings-audit --dsn='" + cluster_.dsn() + "'"),
              HasSubstr(" 0 problems\n"));
  ratings::v1::GetRatingRequest rating;
  rating.set_player(Id(kFirstHelper));
  const auto shown = Player(0).Call(&client::Ratings::GetRating, rating);
  ASSERT_THAT(shown, IsOk());
  EXPECT_EQ(shown->rating().mu(), std::get<1>(fresh.at(Id(kFirstHelper))));

  // The flag is closed. The tables of the admin service and of ratings say who decided and why.
  EXPECT_EQ(operator_.Admin("flags"), "");
  EXPECT_THAT(operator_.Admin("flags --all"), HasSubstr("COLLUSION by test: the deals show it\n"));
  EXPECT_THAT(Calls(),
              IsSupersetOf({std::string("test AddCollusionFlags : OK, the records of the season"),
                            absl::StrCat("test VoidPlayer ", Id(kFirstHelper), ": OK, flag 1"),
                            std::string("test JudgeCollusionFlag flags/1: OK, the deals show it"),
                            std::string("test JudgeCollusionFlag flags/1: ALREADY_JUDGED, a test"),
                            std::string("test Recompute : OK, flag 1 is judged")}));
  EXPECT_EQ(Count(cluster_.dsn(),
                  "SELECT count(*) FROM ratings.voids WHERE operator_name = 'test'"
                  " AND reason IN ('flag 1', 'the deals show it')"),
            2);
}

}  // namespace
}  // namespace tarot::e2e
