// Tests AnalyzeDeal over the wire.
#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>

#include "libs/ai/arena.h"
#include "libs/base/cell.h"
#include "libs/base/error.h"
#include "libs/dealing/provenance.h"
#include "libs/rpc/server.h"
#include "libs/testkit/status_matchers.h"
#include "libs/wire/convert.h"
#include "services/bot/testing/service_fixture.h"
#include "tarot/bot/v1/analysis_service.grpc.pb.h"
#include "tarot/rules/v1/record_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::bot_service {
namespace {

using testing::HasSubstr;
using testkit::HasReason;
using testkit::IsOk;

// Returns the record of a deal that bots of level `novice` played, as GetRecord would return it.
rules::v1::DealRecord Record(int players, std::uint8_t seed) {
  const rules::RuleSet& rules = rules::FindRuleSet("fft")->rules;
  dealing::Provenance from;
  from.seed.fill(seed);
  const rules::DealtCards cards =
      rules::DealOut(rules, players, 0, dealing::PackOf(rules, players, from));
  rules::Deal deal = rules::StartDeal(rules, players, 0, cards.hands, cards.dog);
  rules::v1::DealRecord record;
  record.set_procedure(2);
  record.set_seed(std::string(from.seed.begin(), from.seed.end()));
  record.set_rule_set("fft");
  record.set_dealer(static_cast<std::uint32_t>(deal.dealer));
  for (int seat = 0; seat < players; ++seat) {
    record.add_players();
    wire::EncodeCards(deal.dealt[static_cast<std::size_t>(seat)],
                      record.add_hands()->mutable_cards());
  }
  wire::EncodeCards(deal.dog, record.mutable_dog());
  while (deal.phase != rules::Phase::kDone) {
    auto decision = ai::FindPolicy("novice")->Choose(RememberedView(deal, deal.turn), Rng(1), {});
    const bool first = deal.phase == rules::Phase::kBidding && deal.bid_count == 0;
    // The first seat bids Prise, so the deal has a taker.
    if (first) decision.action = rules::Action::Bid(rules::Contract::kPrise);
    rules::v1::DealRecord::Entry* const entry = record.add_entries();
    entry->set_seat(static_cast<std::uint32_t>(deal.turn));
    wire::EncodeAction(decision.action, entry->mutable_action());
    EXPECT_TRUE(Apply(deal, deal.turn, decision.action).ok());
  }
  wire::EncodeResult(RememberedView(deal, rules::kNoSeat), record.mutable_result());
  return record;
}

// A fake rules service. The test sets its finished deals and live tables.
struct FakeRules {
  class Tables final : public rules::v1::TableService::CallbackService {
   public:
    explicit Tables(FakeRules& rules) : rules_(rules) {}
    grpc::ServerUnaryReactor* ListTables(grpc::CallbackServerContext* context,
                                         const rules::v1::ListTablesRequest* request,
                                         rules::v1::ListTablesResponse* response) override {
      ++rules_.lists;
      EXPECT_FALSE(request->show_finished());
      if (request->player() == rules_.seated) response->add_tables()->set_name("tables/live");
      for (const std::uint32_t cell : rules_.silent_cells) response->add_silent_cells(cell);
      return rules_.Finish(context, grpc::Status::OK);
    }

   private:
    FakeRules& rules_;
  };
  class Records final : public rules::v1::RecordService::CallbackService {
   public:
    explicit Records(FakeRules& rules) : rules_(rules) {}
    grpc::ServerUnaryReactor* GetRecord(grpc::CallbackServerContext* context,
                                        const rules::v1::GetRecordRequest* request,
                                        rules::v1::GetRecordResponse* response) override {
      ++rules_.gets;
      if (request->name() != rules_.record.name()) {
        return rules_.Finish(context,
                             status::ToGrpc(Error(absl::StatusCode::kNotFound, "RECORD_NOT_FOUND",
                                                  "There is no such finished deal.")));
      }
      *response->mutable_record() = rules_.record;
      return rules_.Finish(context, grpc::Status::OK);
    }

   private:
    FakeRules& rules_;
  };

  grpc::ServerUnaryReactor* Finish(grpc::CallbackServerContext* context,
                                   const grpc::Status& status) const {
    grpc::ServerUnaryReactor* const reactor = context->DefaultReactor();
    EXPECT_EQ(context->client_metadata().count(rpc::kCallerMetadata), 1u);
    reactor->Finish(away ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone") : status);
    return reactor;
  }

  std::string seated;  // The player who sits at a live table.
  rules::v1::DealRecord record;
  std::atomic<bool> away = false;
  std::atomic<int> lists = 0;
  std::atomic<int> gets = 0;
  std::vector<std::uint32_t> silent_cells;  // The cells that lack in the list of tables.
  Tables tables{*this};
  Records records{*this};
  std::unique_ptr<rpc::Server> server =
      rpc::Server::Start({.address = "127.0.0.1:0"}, {&tables, &records}).value();
};

class AnalysisWireTest : public BotServiceTest {
 protected:
  void SetUp() override {
    StartBots(absl::StrCat("127.0.0.1:", rules_.server->port()));
    analysis_ = v1::AnalysisService::NewStub(
        rpc::MakeChannel(absl::StrCat("127.0.0.1:", service_->port())));
  }

  static v1::AnalyzeDealRequest Request(int players = 4) {
    v1::AnalyzeDealRequest request;
    *request.mutable_record() = Record(players, 6);
    request.set_level("club");
    request.set_node_budget(500);
    request.set_open_node_budget(2000);
    return request;
  }

  std::unique_ptr<grpc::ClientReader<v1::AnalyzeDealResponse>> Start(
      const v1::AnalyzeDealRequest& request, grpc::ClientContext& context,
      const rpc::Caller& caller) {
    rpc::SetTimeout(context, absl::Seconds(60));
    rpc::Authenticator(*rpc::KeyRing::FromFile(key_file_), clock_).Sign(context, caller);
    return analysis_->AnalyzeDeal(&context, request);
  }

  // Makes one call and appends all its messages to `responses`.
  absl::Status Call(const v1::AnalyzeDealRequest& request,
                    std::vector<v1::AnalyzeDealResponse>& responses) {
    grpc::ClientContext context;
    const auto reader = Start(request, context, player_);
    v1::AnalyzeDealResponse response;
    while (reader->Read(&response)) responses.push_back(response);
    return status::FromGrpc(reader->Finish());
  }

  FakeRules rules_;
  const rpc::Caller player_{.player = {entropy_.NewUuid()}, .display_name = "Anna"};
  std::unique_ptr<v1::AnalysisService::Stub> analysis_;
};

TEST_F(AnalysisWireTest, StreamsEveryDecisionThenTheSummary) {
  for (const int players : {3, 5}) {
    const v1::AnalyzeDealRequest request = Request(players);
    std::vector<v1::AnalyzeDealResponse> responses;
    ASSERT_THAT(Call(request, responses), IsOk());
    const int entries = request.record().entries_size();
    ASSERT_EQ(static_cast<int>(responses.size()), entries + 1);
    std::vector<std::uint32_t> cost(static_cast<std::size_t>(players));
    for (int i = 0; i < entries; ++i) {
      const v1::AnalyzeDealResponse& response = responses[static_cast<std::size_t>(i)];
      EXPECT_EQ(response.decisions_done(), static_cast<std::uint32_t>(i + 1));
      EXPECT_EQ(response.decision().seat(), request.record().entries(i).seat());
      EXPECT_EQ(response.decision().played().SerializeAsString(),
                request.record().entries(i).action().SerializeAsString());
      cost[response.decision().seat()] += response.decision().expected_cost();
    }
    const v1::DealAnalysis& summary = responses.back().summary();
    ASSERT_EQ(summary.seats_size(), players);
    for (int seat = 0; seat < players; ++seat) {
      EXPECT_EQ(summary.seats(seat).expected_cost(), cost[static_cast<std::size_t>(seat)]);
    }
    std::vector<v1::AnalyzeDealResponse> again;
    ASSERT_THAT(Call(request, again), IsOk());
    EXPECT_EQ(again.back().SerializeAsString(), responses.back().SerializeAsString());
  }
}

// The record numbers the seats in another way than the analysis. So the seats of the reasons must
// be those of the record, too.
TEST_F(AnalysisWireTest, ExplainsFaults) {
  v1::AnalyzeDealRequest request = Request();
  request.set_node_budget(0);
  std::vector<v1::AnalyzeDealResponse> responses;
  ASSERT_THAT(Call(request, responses), IsOk());
  int reasons = 0, hands = 0;
  for (const v1::AnalyzeDealResponse& response : responses) {
    const v1::DecisionAnalysis& decision = response.decision();
    EXPECT_TRUE(decision.has_better() || decision.reasons().empty());
    EXPECT_TRUE(!decision.has_better() || decision.cost_low() > 0);
    for (const v1::Reason& reason : decision.reasons()) {
      ++reasons;
      EXPECT_NE(reason.kind(), v1::Reason::KIND_UNSPECIFIED);
      EXPECT_FALSE(reason.has_seat() && reason.seat() == decision.seat());
      EXPECT_LE(reason.number(), 1000u);
    }
    if (!decision.has_hand()) continue;
    ++hands;
    EXPECT_TRUE(decision.played().has_bid());
    std::uint32_t cards = decision.hand().trumps();
    for (const std::uint32_t length : decision.hand().suit_lengths()) cards += length;
    const auto excuse = static_cast<std::uint32_t>(rules::Index(rules::kExcuse));
    const auto& bouts = decision.hand().bouts();
    cards += std::find(bouts.begin(), bouts.end(), excuse) != bouts.end() ? 1 : 0;
    EXPECT_EQ(cards, 18u);
  }
  EXPECT_GT(reasons, 0);
  EXPECT_GT(hands, 0);
}

// AnalyzeDeal with the name of a finished deal gives the same answers as with the deal's record.
TEST_F(AnalysisWireTest, AnalyzesAFinishedDealByItsName) {
  for (const bool gathered : {false, true}) {
    rules_.record = Record(4, 6);
    rules_.record.set_name("tables/t/deals/1");
    v1::AnalyzeDealRequest request = Request();
    std::vector<v1::AnalyzeDealResponse> of_record, of_name;
    ASSERT_THAT(Call(request, of_record), IsOk());
    if (gathered) {
      rules_.record.clear_seed();
      for (std::uint32_t card = 0; card < 78; ++card) rules_.record.add_gathered(card);
    }
    request.clear_record();
    request.set_name("tables/t/deals/1");
    ASSERT_THAT(Call(request, of_name), IsOk()) << gathered;
    ASSERT_EQ(of_name.size(), of_record.size());
    for (std::size_t i = 0; i < of_name.size(); ++i) {
      EXPECT_EQ(of_name[i].SerializeAsString(), of_record[i].SerializeAsString());
    }
  }
}

TEST_F(AnalysisWireTest, RefusesANameWithoutAFinishedDeal) {
  std::vector<v1::AnalyzeDealResponse> none;
  v1::AnalyzeDealRequest request = Request();
  request.clear_record();
  request.set_name("tables/t/deals/7");
  EXPECT_THAT(Call(request, none), HasReason("RECORD_NOT_FOUND"));
  *request.mutable_record() = Record(4, 6);
  EXPECT_THAT(Call(request, none), HasReason("BAD_REQUEST")) << "a name and a record";
  EXPECT_TRUE(none.empty());
}

// A player at a live table could send an invented record that resembles the deal in play. So the
// service refuses every analysis for such a player.
TEST_F(AnalysisWireTest, RefusesAPlayerWhoSitsAtALiveTable) {
  rules_.seated = absl::StrCat("players/", player_.player.ToString());
  rules_.record = Record(4, 6);
  rules_.record.set_name("tables/t/deals/1");
  std::vector<v1::AnalyzeDealResponse> responses;
  v1::AnalyzeDealRequest request = Request();
  const absl::Status status = Call(request, responses);
  EXPECT_THAT(status, HasReason("SEATED_AT_TABLE"));
  EXPECT_EQ(GetErrorDetails(status).metadata["table"], "tables/live");
  request.clear_record();
  request.set_name("tables/t/deals/1");
  EXPECT_THAT(Call(request, responses), HasReason("SEATED_AT_TABLE"));
  EXPECT_TRUE(responses.empty());
  rules_.seated = "players/another";
  EXPECT_THAT(Call(request, responses), IsOk());
}

TEST_F(AnalysisWireTest, RefusesAnalysesWhileRulesIsAway) {
  rules_.away = true;
  std::vector<v1::AnalyzeDealResponse> none;
  EXPECT_THAT(Call(Request(), none), HasReason("SERVICE_AWAY"));
  EXPECT_TRUE(none.empty());
  rules_.away = false;
  EXPECT_THAT(Call(Request(), none), IsOk());
}

// The platform has the cells 0 and 2.
class AnalysisCellsTest : public AnalysisWireTest {
 protected:
  void SetUp() override {
    StartBots(absl::StrCat("0=127.0.0.1:", rules_.server->port(),
                           ";2=127.0.0.1:", rules_of_two_.server->port()));
    analysis_ = v1::AnalysisService::NewStub(
        rpc::MakeChannel(absl::StrCat("127.0.0.1:", service_->port())));
  }

  // Analyzes a deal of a table of `cell`.
  absl::Status AnalyzeDealOf(int cell) {
    const std::string name =
        absl::StrCat("tables/", NewTableUuid(entropy_, clock_.Now(), cell).ToString(), "/deals/1");
    for (FakeRules* rules : {&rules_, &rules_of_two_}) {
      rules->record = Record(4, 6);
      rules->record.set_name(name);
    }
    v1::AnalyzeDealRequest request = Request();
    request.clear_record();
    request.set_name(name);
    std::vector<v1::AnalyzeDealResponse> responses;
    return Call(request, responses);
  }

  FakeRules rules_of_two_;
};

TEST_F(AnalysisCellsTest, ReadsTheDealFromTheCellOfItsTable) {
  EXPECT_THAT(AnalyzeDealOf(2), IsOk());
  EXPECT_EQ(rules_of_two_.gets, 1);
  EXPECT_EQ(rules_.gets, 0);
  EXPECT_THAT(AnalyzeDealOf(0), IsOk());
  EXPECT_EQ(rules_of_two_.gets, 1);
  EXPECT_EQ(rules_.gets, 1);
}

TEST_F(AnalysisCellsTest, ADealOfACellThatIsAwayGetsAnErrorToRepeat) {
  rules_of_two_.away = true;
  EXPECT_THAT(AnalyzeDealOf(2), HasReason("SERVICE_AWAY"));
  EXPECT_THAT(AnalyzeDealOf(0), IsOk());
}

// The player may sit at a live table of the cell that does not answer.
TEST_F(AnalysisCellsTest, RefusesAnalysesWhileACellDoesNotListItsTables) {
  rules_.silent_cells = {2};
  EXPECT_THAT(AnalyzeDealOf(0), HasReason("SERVICE_AWAY"));
  EXPECT_EQ(rules_.lists, 1);
  EXPECT_EQ(rules_of_two_.lists, 0);
  EXPECT_EQ(rules_.gets, 0);
  rules_.silent_cells = {};
  EXPECT_THAT(AnalyzeDealOf(0), IsOk());
}

// A bad request must cause no call to the rules service.
TEST_F(AnalysisWireTest, AsksRulesOnlyAfterTheRequestIsChecked) {
  std::vector<v1::AnalyzeDealResponse> none;
  v1::AnalyzeDealRequest request = Request();
  request.mutable_record()->clear_seed();
  EXPECT_THAT(Call(request, none), HasReason("BAD_REQUEST"));
  request.set_level("champion");
  EXPECT_THAT(Call(request, none), HasReason("BAD_REQUEST"));
  EXPECT_EQ(rules_.lists, 0);
}

TEST_F(AnalysisWireTest, MasterJudgesADeal) {
  std::vector<v1::AnalyzeDealResponse> responses;
  v1::AnalyzeDealRequest request = Request();
  request.set_level("master");
  EXPECT_THAT(Call(request, responses), IsOk());
  EXPECT_FALSE(responses.empty());
}

TEST_F(AnalysisWireTest, RefusesBadRequests) {
  std::vector<v1::AnalyzeDealResponse> none;
  EXPECT_THAT(Call({}, none), HasReason("BAD_REQUEST"));
  v1::AnalyzeDealRequest request = Request();
  request.set_level("champion");
  EXPECT_THAT(Call(request, none), HasReason("BAD_REQUEST"));
  request = Request();
  request.set_open_node_budget(1'000'000'000'000);
  EXPECT_THAT(Call(request, none), HasReason("BAD_REQUEST"));
  request = Request();
  request.mutable_record()->mutable_dog()->Add(3);
  EXPECT_THAT(Call(request, none), HasReason("BAD_REQUEST"));
  request = Request();
  request.mutable_record()->mutable_entries(0)->set_seat(request.record().dealer());
  EXPECT_THAT(Call(request, none), HasReason("BAD_REQUEST"));
  EXPECT_TRUE(none.empty());
}

// The service must not analyze a deal in play, because a player could then ask for the best card.
TEST_F(AnalysisWireTest, RefusesDealsThatMayBeInPlay) {
  const auto problem_of = [&](const v1::AnalyzeDealRequest& request) {
    std::vector<v1::AnalyzeDealResponse> none;
    const absl::Status status = Call(request, none);
    EXPECT_THAT(status, HasReason("BAD_REQUEST"));
    EXPECT_TRUE(none.empty());
    return std::string(status.message());
  };
  v1::AnalyzeDealRequest unfinished = Request();
  unfinished.mutable_record()->mutable_entries()->RemoveLast();
  EXPECT_THAT(problem_of(unfinished), HasSubstr("to its end"));
  v1::AnalyzeDealRequest without_seed = Request();
  without_seed.mutable_record()->clear_seed();
  EXPECT_THAT(problem_of(without_seed), HasSubstr("must give the hands"));
  v1::AnalyzeDealRequest invented = Request();
  invented.mutable_record()->mutable_seed()->back() ^= 1;
  EXPECT_THAT(problem_of(invented), HasSubstr("must give the hands"));
  v1::AnalyzeDealRequest gathered = Request();
  for (std::uint32_t card = 0; card < 78; ++card) gathered.mutable_record()->add_gathered(card);
  EXPECT_THAT(problem_of(gathered), HasSubstr("give its name instead"));
}

TEST_F(AnalysisWireTest, AllowsOneCancellableAnalysisPerPlayer) {
  v1::AnalyzeDealRequest request = Request();
  {
    grpc::ClientContext context;
    const auto reader = Start(request, context, {.service = "rules"});
    v1::AnalyzeDealResponse response;
    EXPECT_FALSE(reader->Read(&response));
    EXPECT_THAT(status::FromGrpc(reader->Finish()), HasReason("NOT_A_PLAYER"));
  }
  // This budget is large enough that the analysis still runs at the second call.
  request.set_node_budget(1'000'000);
  grpc::ClientContext context;
  const auto reader = Start(request, context, player_);
  v1::AnalyzeDealResponse response;
  ASSERT_TRUE(reader->Read(&response));
  std::vector<v1::AnalyzeDealResponse> none;
  EXPECT_THAT(Call(request, none), HasReason("ANALYSIS_RUNNING"));
  context.TryCancel();
  while (reader->Read(&response)) continue;
  EXPECT_EQ(reader->Finish().error_code(), grpc::StatusCode::CANCELLED);
  // The queue learns that the client is gone only when the queue next calls Gone().
  absl::Status status;
  for (int i = 0; i < 2000; ++i) {
    std::vector<v1::AnalyzeDealResponse> responses;
    status = Call(Request(), responses);
    if (status.ok()) break;
    EXPECT_THAT(status, HasReason("ANALYSIS_RUNNING"));
    usleep(5000);
  }
  EXPECT_THAT(status, IsOk());
}

}  // namespace
}  // namespace tarot::bot_service
