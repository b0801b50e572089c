// Runs two cells, each with a Postgres and a replica of rules of its own. Players play in both.
// Then one cell fails, and the players of the other cell must not notice it.
#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "libs/base/cell.h"
#include "libs/base/check.h"
#include "libs/base/clock.h"
#include "libs/base/error.h"
#include "libs/rpc/call.h"
#include "libs/rpc/server.h"
#include "libs/status/wire.h"
#include "tarot/bot/v1/analysis_service.grpc.pb.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/matches.h"

namespace tarot::e2e {
namespace {

// Returns the cell of tables/{uuid}.
int CellOfName(const std::string& table) {
  const auto id = TableId::Parse(table.substr(std::string("tables/").size()));
  TAROT_CHECK(id.has_value());
  return CellOf(id->uuid);
}

class CellsTest : public testing::Test {
 protected:
  // Four new players join the queue.
  void JoinFour() {
    for (int i = 0; i < 4; ++i) {
      const std::string name = absl::StrCat("Player ", players_.size() + 1);
      players_.push_back(std::make_unique<PlayerThread>(cluster_.SignIn(name), name));
      players_.back()->Play("queues/ranked4");
    }
  }
  // Returns the tables of the players in this cell, from the player number `first` on.
  std::set<std::string> TablesIn(int cell, std::size_t first = 0) {
    std::set<std::string> tables;
    for (std::size_t i = first; i < players_.size(); ++i) {
      const std::string table = players_[i]->table();
      if (!table.empty() && CellOfName(table) == cell) tables.insert(table);
    }
    return tables;
  }
  // Players join until each cell has a table. Matchmaking chooses the cells at random.
  [[nodiscard]] bool PlayInBothCells() {
    for (int i = 0; i < 30; ++i) {
      JoinFour();
      const bool seated = Eventually(absl::Seconds(60), [&] {
        return TablesIn(0).size() + TablesIn(1).size() == players_.size() / 4;
      });
      if (!seated) return false;
      if (!TablesIn(0).empty() && !TablesIn(1).empty()) return true;
    }
    return false;
  }
  [[nodiscard]] bool AllFinish() {
    return Eventually(absl::Seconds(300), [&] {
      return std::all_of(players_.begin(), players_.end(),
                         [](const auto& player) { return player->finished(); });
    });
  }
  long CountIn(int cell, const std::string& sql) { return Count(cluster_.dsn(cell), sql); }

  // Returns the tables of all pages.
  static std::vector<std::string> List(client::Client& client, int page_size) {
    std::vector<std::string> names;
    rules::v1::ListTablesRequest request;
    request.set_page_size(page_size);
    request.set_show_finished(true);
    do {
      const auto page = client.Call(&client::Tables::ListTables, request);
      EXPECT_TRUE(page.ok()) << page.status();
      if (!page.ok()) break;
      EXPECT_EQ(page->silent_cells_size(), 0);
      for (const auto& table : page->tables()) names.push_back(table.name());
      request.set_page_token(page->next_page_token());
    } while (!request.page_token().empty());
    return names;
  }

  // Returns the error reason of an analysis of a deal that does not exist.
  std::string AnalysisReason(const client::Client& client) {
    bot::v1::AnalyzeDealRequest request;
    request.set_name("tables/00000000-0000-4000-8000-000000000001/deals/1");
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + client.session().token());
    const auto stream =
        bot::v1::AnalysisService::NewStub(rpc::MakeChannel(cluster_.AddressOf("gateway")))
            ->AnalyzeDeal(&context, request);
    bot::v1::AnalyzeDealResponse response;
    while (stream->Read(&response)) continue;
    return GetErrorDetails(status::FromGrpc(stream->Finish())).reason;
  }

  // A replica of rules knows after this time that its database does not answer.
  static constexpr absl::Duration kNoticed = absl::Seconds(5);

  // Returns the token of a new player.
  std::string Token(const std::string& name) { return cluster_.SignIn(name)->session().token(); }
  std::shared_ptr<grpc::Channel> NewChannel() const {
    return rpc::MakeChannel(cluster_.AddressOf("gateway"), true);
  }
  // The end of a call that the client does not repeat.
  struct Timed {
    absl::Status status;
    absl::Duration time;
  };
  template <typename Stub, typename Method, typename Request, typename Response>
  static Timed TimedCall(const std::string& token, Stub& stub, Method method,
                         const Request& request, Response& response) {
    grpc::ClientContext context;
    context.AddMetadata("authorization", "Bearer " + token);
    rpc::SetTimeout(context, absl::Seconds(30));
    const Stopwatch watch;
    const grpc::Status status = (stub.*method)(&context, request, &response);
    return {.status = status::FromGrpc(status), .time = watch.Elapsed()};
  }

  Cluster cluster_{{.population = 0,
                    .deal_count = 1,
                    .gateway_flags = {"--calls_per_second=100000", "--call_burst=100000",
                                      "--address_calls_per_second=100000"},
                    .cells = 2}};
  std::vector<std::unique_ptr<PlayerThread>> players_;
};

TEST_F(CellsTest, PlayersPlayInBothCellsAndSeeOneList) {
  ASSERT_TRUE(PlayInBothCells());
  ASSERT_TRUE(AllFinish());
  for (auto& player : players_) {
    player->Join();
    EXPECT_EQ(player->error(), "");
  }
  const long tables = static_cast<long>(players_.size() / 4);
  for (const int cell : {0, 1}) {
    EXPECT_EQ(CountIn(cell, "SELECT count(*) FROM rules.tables"),
              static_cast<long>(TablesIn(cell).size()));
  }
  // Ratings and matchmaking know all matches.
  EXPECT_TRUE(Eventually(absl::Seconds(60), [&] {
    return CountIn(0, "SELECT count(*) FROM rules.outbox") +
               CountIn(1, "SELECT count(*) FROM rules.outbox") ==
           0;
  }));
  EXPECT_EQ(CountIn(0, "SELECT count(*) FROM matchmaking.tables"), tables);
  const std::string scored = "SELECT count(*) FROM rules.tables WHERE deals_scored > 0";
  EXPECT_EQ(CountIn(0, "SELECT count(*) FROM ratings.matches"),
            CountIn(0, scored) + CountIn(1, scored));

  client::Client& anna = players_[0]->client();
  std::set<std::string> all = TablesIn(0);
  all.merge(TablesIn(1));
  const std::vector<std::string> whole = List(anna, 100);
  EXPECT_EQ(std::set<std::string>(whole.begin(), whole.end()), all);
  EXPECT_EQ(whole.size(), all.size());
  // The order is that of the ids, because an id begins with its time.
  EXPECT_EQ(List(anna, 1), whole);

  for (const std::string& table : all) {
    rules::v1::ListRecordsRequest of_table;
    of_table.set_table(table);
    const auto list = anna.Call(&client::Records::ListRecords, of_table);
    ASSERT_TRUE(list.ok()) << list.status();
    ASSERT_GE(list->records_size(), 1) << table;
    rules::v1::GetRecordRequest get;
    get.set_name(list->records(0).name());
    const auto record = anna.Call(&client::Records::GetRecord, get);
    ASSERT_TRUE(record.ok()) << record.status();
    EXPECT_FALSE(record->record().entries().empty());
    rules::v1::GetScoreSheetRequest sheet;
    sheet.set_name(table);
    EXPECT_TRUE(anna.Call(&client::Records::GetScoreSheet, sheet).ok());
  }
  const auto records = anna.Call(&client::Records::ListRecords, {});
  ASSERT_TRUE(records.ok()) << records.status();
  std::set<std::string> listed;
  for (const auto& record : records->records()) {
    listed.insert(record.name().substr(0, record.name().find("/deals/")));
  }
  EXPECT_EQ(listed, all);
}

TEST_F(CellsTest, AFrozenPostgresStopsOnlyTheTablesOfItsCell) {
  ASSERT_TRUE(PlayInBothCells());
  cluster_.postgres(1).Freeze();
  // Matchmaking notices within some seconds that the cell does not answer. Tables that it placed
  // there before wait. All later tables are in the other cell.
  const std::size_t first = players_.size();
  JoinFour();
  std::size_t later = first;
  ASSERT_TRUE(Eventually(absl::Seconds(120), [&] {
    later = players_.size();
    JoinFour();
    return Eventually(absl::Seconds(20), [&] { return TablesIn(0, later).size() == 1; });
  }));
  ASSERT_TRUE(Eventually(absl::Seconds(120), [&] {
    return std::all_of(players_.begin() + static_cast<std::ptrdiff_t>(later), players_.end(),
                       [](const auto& player) { return player->finished(); });
  }));
  for (std::size_t i = later; i < players_.size(); ++i) EXPECT_EQ(players_[i]->error(), "");

  // Lists have the tables of the other cell, and say which cell is missing.
  client::Client& anna = players_.back()->client();
  for (int i = 0; i < 6; ++i) {  // The gateway sends the calls to both cells in turn.
    rules::v1::ListTablesRequest request;
    request.set_show_finished(true);
    request.set_page_size(100);
    const auto list = anna.Call(&client::Tables::ListTables, request);
    ASSERT_TRUE(list.ok()) << list.status();
    ASSERT_EQ(list->silent_cells_size(), 1);
    EXPECT_EQ(list->silent_cells(0), 1u);
    std::set<std::string> names;
    for (const auto& table : list->tables()) names.insert(table.name());
    EXPECT_EQ(names, TablesIn(0));
  }
  // A player who may sit at a table of the frozen cell gets no analysis.
  EXPECT_EQ(AnalysisReason(anna), "SERVICE_AWAY");
  // A gateway starts without the frozen cell.
  cluster_.Kill("gateway", SIGKILL);
  cluster_.Start("gateway");

  cluster_.postgres(1).Thaw();
  // The client library gives up after some time without an answer. Such a player comes back, after
  // matchmaking has got the answer for the table.
  ASSERT_TRUE(Eventually(absl::Seconds(300), [&] {
    bool all = true;
    for (auto& player : players_) {
      if (player->finished() && player->error() != "" && !player->table().empty()) {
        player->PlayAt(player->table());
      }
      all = all && player->finished();
    }
    return all && CountIn(1, "SELECT count(*) FROM rules.tables WHERE finish_time IS NULL") == 0;
  }));
  EXPECT_TRUE(Eventually(absl::Seconds(60), [&] {
    return CountIn(0, "SELECT count(*) FROM rules.outbox") == 0 &&
           CountIn(1, "SELECT count(*) FROM rules.outbox") == 0;
  }));
  EXPECT_EQ(
      CountIn(0, "SELECT count(*) FROM matchmaking.tables WHERE state IN ('placed', 'refused')"),
      0);
  EXPECT_EQ(CountIn(0, "SELECT count(*) FROM rules.tables") +
                CountIn(1, "SELECT count(*) FROM rules.tables"),
            CountIn(0, "SELECT count(*) FROM matchmaking.tables"));
  EXPECT_TRUE(
      Eventually(absl::Seconds(20), [&] { return AnalysisReason(anna) == "RECORD_NOT_FOUND"; }));
}

// The players of the frozen cell ask for its records all the time. Their calls hold the threads for
// lists of this cell, while the gateway sends half of the other players' lists to this cell.
TEST_F(CellsTest, AFrozenPostgresDelaysNoListOfTheOtherCell) {
  constexpr int kAsking = 12, kListing = 4;
  ASSERT_TRUE(PlayInBothCells());
  const std::string frozen = *TablesIn(1).begin();
  std::atomic<bool> stopping = false;
  std::vector<std::thread> asking;
  for (int i = 0; i < kAsking; ++i) {
    asking.emplace_back([&, token = Token(absl::StrCat("Asking ", i))] {
      const auto stub = rules::v1::RecordService::NewStub(NewChannel());
      rules::v1::GetScoreSheetRequest request;
      request.set_name(frozen);
      while (!stopping) {
        rules::v1::GetScoreSheetResponse response;
        (void)TimedCall(token, *stub, &rules::v1::RecordService::Stub::GetScoreSheet, request,
                        response);
        absl::SleepFor(absl::Milliseconds(20));
      }
    });
  }
  std::vector<std::string> tokens;
  for (int i = 0; i < kListing; ++i) tokens.push_back(Token(absl::StrCat("Listing ", i)));

  cluster_.postgres(1).Freeze();
  const Stopwatch since_freeze;
  std::mutex mutex;
  std::vector<absl::Duration> soon, later;  // How long the lists took, by the time of their start.
  const auto list = [&](const std::string& token) {
    const auto tables = rules::v1::TableService::NewStub(NewChannel());
    const auto records = rules::v1::RecordService::NewStub(NewChannel());
    const auto rule_sets = rules::v1::RuleSetService::NewStub(NewChannel());
    rules::v1::ListTablesRequest all;
    all.set_show_finished(true);
    const auto note = [&](const Timed& call) {
      EXPECT_TRUE(call.status.ok()) << call.status;
      const std::lock_guard lock(mutex);
      (since_freeze.Elapsed() - call.time < kNoticed ? soon : later).push_back(call.time);
    };
    while (since_freeze.Elapsed() < absl::Seconds(20)) {
      rules::v1::ListTablesResponse listed;
      note(TimedCall(token, *tables, &rules::v1::TableService::Stub::ListTables, all, listed));
      EXPECT_GE(listed.tables_size(), 1);
      rules::v1::ListRecordsResponse deals;
      note(TimedCall(token, *records, &rules::v1::RecordService::Stub::ListRecords,
                     rules::v1::ListRecordsRequest(), deals));
      if (since_freeze.Elapsed() > kNoticed + absl::Seconds(1)) {
        EXPECT_THAT(listed.silent_cells(), testing::ElementsAre(1));
        EXPECT_THAT(deals.silent_cells(), testing::ElementsAre(1));
      }
      rules::v1::ListRuleSetsResponse sets;
      note(TimedCall(token, *rule_sets, &rules::v1::RuleSetService::Stub::ListRuleSets,
                     rules::v1::ListRuleSetsRequest(), sets));
      absl::SleepFor(absl::Milliseconds(20));
    }
  };
  std::vector<std::thread> listing;
  for (const std::string& token : tokens) listing.emplace_back(list, token);
  for (std::thread& thread : listing) thread.join();

  // A list that needs only the frozen cell is refused at once, and says why.
  const auto records = rules::v1::RecordService::NewStub(NewChannel());
  rules::v1::ListRecordsRequest of_table;
  of_table.set_table(frozen);
  rules::v1::ListRecordsResponse none;
  const Timed refused =
      TimedCall(tokens[0], *records, &rules::v1::RecordService::Stub::ListRecords, of_table, none);
  EXPECT_EQ(GetErrorDetails(refused.status).reason, "STORAGE_AWAY") << refused.status;
  EXPECT_LT(refused.time, absl::Seconds(1));

  cluster_.postgres(1).Thaw();
  stopping = true;
  for (std::thread& thread : asking) thread.join();
  // In the first seconds, before the cell knows that its database is silent, a list may wait for
  // this cell once. No list waits longer.
  const auto slowest = [](const std::vector<absl::Duration>& times) {
    return *std::max_element(times.begin(), times.end());
  };
  ASSERT_FALSE(soon.empty());
  ASSERT_GT(later.size(), 100u);
  EXPECT_LT(slowest(soon), absl::Seconds(4));
  std::sort(later.begin(), later.end());
  RecordProperty("slowest_soon", absl::FormatDuration(slowest(soon)));
  RecordProperty("slowest_later", absl::FormatDuration(later.back()));
  EXPECT_LT(later[later.size() * 99 / 100], absl::Milliseconds(500));
  EXPECT_LT(later.back(), absl::Seconds(4));
}

TEST_F(CellsTest, APausedReplicaStopsOnlyTheTablesOfItsCell) {
  ASSERT_TRUE(PlayInBothCells());
  cluster_.Signal("rules.2", SIGSTOP);
  std::size_t later = 0;
  ASSERT_TRUE(Eventually(absl::Seconds(120), [&] {
    later = players_.size();
    JoinFour();
    return Eventually(absl::Seconds(20), [&] { return TablesIn(0, later).size() == 1; });
  }));
  cluster_.Kill("gateway", SIGKILL);
  cluster_.Start("gateway");
  const auto list = players_.back()->client().Call(&client::Tables::ListTables, {});
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->silent_cells_size(), 1);
  cluster_.Signal("rules.2", SIGCONT);
  EXPECT_TRUE(Eventually(absl::Seconds(60), [&] {
    const auto again = players_.back()->client().Call(&client::Tables::ListTables, {});
    return again.ok() && again->silent_cells_size() == 0;
  }));
}

}  // namespace
}  // namespace tarot::e2e
