// Tests the whole service over gRPC with a real Postgres. The rules service and the ratings service
// are fakes on a real server.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <map>
#include <mutex>
#include <pqxx/pqxx>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/real_clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/server.h"
#include "libs/status/wire.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "services/matchmaking/app/room.h"
#include "services/matchmaking/limits.h"
#include "services/matchmaking/service.h"
#include "services/matchmaking/transport/matchmaking_service.h"
#include "tarot/matchmaking/v1/friend_service.grpc.pb.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.grpc.pb.h"
#include "tarot/matchmaking/v1/matchmaking_service.grpc.pb.h"
#include "tarot/matchmaking/v1/room_service.grpc.pb.h"
#include "tarot/ratings/v1/rating_service.grpc.pb.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::matchmaking_service {
namespace {

namespace v1 = matchmaking::v1;

using absl::StatusCode;
using testing::ElementsAre;
using testing::SizeIs;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

// The test applies the shipped deploy/queues.json, so it also checks the values in this file.
constexpr char kQueuesFile[] = TAROT_SOURCE_DIR "/deploy/queues.json";

// Returns the request of deploy/queues.json, but with the move limits and time banks that these
// tests expect. New players may join ranked queues at once.
v1::ApplyQueuesRequest Queues() {
  v1::ApplyQueuesRequest request = ReadQueuesFile(kQueuesFile).value();
  for (v1::Queue& queue : *request.mutable_queues()) {
    queue.mutable_move_limit()->set_seconds(30);
    queue.mutable_time_bank()->set_seconds(queue.ranked() ? 120 : 60);
    queue.clear_required_matches();
  }
  return request;
}

rpc::KeyRing Keys() { return rpc::KeyRing({{.id = "k1", .secret = std::string(32, 'k')}}); }

class FakeRules final : public tarot::rules::v1::TableAdminService::CallbackService {
 public:
  grpc::ServerUnaryReactor* BatchCreateTables(
      grpc::CallbackServerContext* context,
      const tarot::rules::v1::BatchCreateTablesRequest* request,
      tarot::rules::v1::BatchCreateTablesResponse* response) override {
    const std::lock_guard lock(mutex);
    const auto caller =
        rpc::Authenticator(Keys(), clock)
            .Authenticate(*context, "tarot.rules.v1.TableAdminService/BatchCreateTables",
                          rpc::Access::kService);
    EXPECT_THAT(caller, IsOk());
    EXPECT_EQ(caller.value_or(rpc::Caller()).service, "matchmaking");
    for (const auto& table : request->requests()) {
      asked.push_back(table);
      response->add_results();
    }
    auto* reactor = context->DefaultReactor();
    reactor->Finish(answer);
    return reactor;
  }

  grpc::ServerUnaryReactor* GetMatchEnd(grpc::CallbackServerContext* context,
                                        const tarot::rules::v1::GetMatchEndRequest* request,
                                        tarot::rules::v1::GetMatchEndResponse* response) override {
    const std::lock_guard lock(mutex);
    response->set_over(over.contains(request->name()));
    for (const std::string& player : over[request->name()]) response->add_left_players(player);
    auto* reactor = context->DefaultReactor();
    reactor->Finish(answer);
    return reactor;
  }

  // Ends the match of the table. `left` are the names of the players who had left.
  void EndMatch(const std::string& table, const std::vector<std::string>& left) {
    const std::lock_guard lock(mutex);
    over[table] = left;
  }
  void set_answer(grpc::Status status) {
    const std::lock_guard lock(mutex);
    answer = std::move(status);
  }
  std::vector<tarot::rules::v1::CreateTableRequest> Asked() {
    const std::lock_guard lock(mutex);
    return asked;
  }

 private:
  RealClock clock;
  std::mutex mutex;
  grpc::Status answer;
  std::vector<tarot::rules::v1::CreateTableRequest> asked;
  std::map<std::string, std::vector<std::string>> over;
};

// A rules service without tables.
class FakeTables final : public tarot::rules::v1::TableService::CallbackService {
 public:
  grpc::ServerUnaryReactor* GetTable(grpc::CallbackServerContext* context,
                                     const tarot::rules::v1::GetTableRequest*,
                                     tarot::rules::v1::GetTableResponse*) override {
    auto* reactor = context->DefaultReactor();
    reactor->Finish(status::ToGrpc(
        Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND", "There is no such table.")));
    return reactor;
  }
};

class FakeRatings final : public tarot::ratings::v1::RatingService::CallbackService {
 public:
  grpc::ServerUnaryReactor* BatchGetRatings(
      grpc::CallbackServerContext* context,
      const tarot::ratings::v1::BatchGetRatingsRequest* request,
      tarot::ratings::v1::BatchGetRatingsResponse* response) override {
    EXPECT_EQ(request->player_count(), 4u);
    for (const std::string& player : request->players()) {
      auto* rating = response->add_ratings();
      rating->set_player(player);
      rating->set_rating(1533.4);
    }
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

class PgServiceTest : public testing::Test {
 protected:
  PgServiceTest() {
    const std::string key_file = testing::TempDir() + "/matchmaking_internal_key";
    std::ofstream(key_file) << "k1:" << absl::Base64Escape(std::string(32, 'k')) << "\n";
    ::chmod(key_file.c_str(), 0600);
    upstreams_ = *rpc::Server::Start({}, {&rules_, &tables_, &ratings_});
    const std::string upstreams = absl::StrCat("127.0.0.1:", upstreams_->port());
    options_ = {.listen_address = "127.0.0.1:0",
                .internal_key_file = key_file,
                .dsn = testkit::PgCluster::Shared().NewDatabase(),
                .rules_address = upstreams,
                .ratings_address = upstreams};
    EXPECT_THAT(MigrateSchema(options_), IsOk());
    Start();
    EXPECT_THAT(Apply(operator_, Queues()), IsOk());
  }

  void Start() {
    service_ = nullptr;
    registry_ = std::make_shared<prometheus::Registry>();
    auto started = StartService(options_, {clock_, scheduler_, entropy_, registry_});
    ASSERT_THAT(started, IsOk());
    service_ = *std::move(started);
    const auto channel = rpc::MakeChannel(absl::StrCat("127.0.0.1:", service_->port()));
    stub_ = v1::MatchmakingService::NewStub(channel);
    admin_ = v1::MatchmakingAdminService::NewStub(channel);
    rooms_ = v1::RoomService::NewStub(channel);
    friends_ = v1::FriendService::NewStub(channel);
  }

  rpc::Caller NewPlayer() {
    return {.player = PlayerId{entropy_.NewUuid()}, .display_name = "Zoë"};
  }

  void Prepare(grpc::ClientContext& context, const rpc::Caller& caller) {
    rpc::SetTimeout(context, absl::Seconds(20));
    const bool stranger = caller.player.empty() && caller.service.empty();
    if (!stranger) identity_.Sign(context, caller);
  }

  absl::StatusOr<v1::Ticket> Create(const rpc::Caller& caller, const std::string& queue,
                                    const std::string& request_id) {
    grpc::ClientContext context;
    Prepare(context, caller);
    v1::CreateTicketRequest request;
    request.set_queue(queue);
    request.set_request_id(request_id);
    v1::CreateTicketResponse response;
    const grpc::Status status = stub_->CreateTicket(&context, request, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return response.ticket();
  }
  absl::StatusOr<v1::Ticket> Create(const rpc::Caller& caller) {
    return Create(caller, "queues/ranked4", entropy_.NewUuid().ToString());
  }

  absl::StatusOr<v1::Ticket> Get(const rpc::Caller& caller, const std::string& name) {
    grpc::ClientContext context;
    Prepare(context, caller);
    v1::GetTicketRequest request;
    request.set_name(name);
    v1::GetTicketResponse response;
    const grpc::Status status = stub_->GetTicket(&context, request, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return response.ticket();
  }

  absl::StatusOr<v1::Ticket> Delete(const rpc::Caller& caller, const std::string& name) {
    grpc::ClientContext context;
    Prepare(context, caller);
    v1::DeleteTicketRequest request;
    request.set_name(name);
    v1::DeleteTicketResponse response;
    const grpc::Status status = stub_->DeleteTicket(&context, request, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return response.ticket();
  }

  // Reads the stream of a ticket until it ends, and returns all views.
  absl::StatusOr<std::vector<v1::Ticket>> Watch(const rpc::Caller& caller,
                                                const std::string& name) {
    grpc::ClientContext context;
    Prepare(context, caller);
    v1::WatchTicketRequest request;
    request.set_name(name);
    const auto reader = stub_->WatchTicket(&context, request);
    std::vector<v1::Ticket> seen;
    for (v1::WatchTicketResponse response; reader->Read(&response);) {
      seen.push_back(response.ticket());
    }
    const absl::Status status = status::FromGrpc(reader->Finish());
    if (!status.ok()) return status;
    return seen;
  }

  absl::Status Release(const rpc::Caller& caller, const std::string& table) {
    grpc::ClientContext context;
    Prepare(context, caller);
    v1::ReleaseTableRequest request;
    request.set_table(table);
    v1::ReleaseTableResponse response;
    return status::FromGrpc(admin_->ReleaseTable(&context, request, &response));
  }

  absl::StatusOr<std::vector<std::string>> Apply(const rpc::Caller& caller,
                                                 const v1::ApplyQueuesRequest& request) {
    grpc::ClientContext context;
    Prepare(context, caller);
    v1::ApplyQueuesResponse response;
    const grpc::Status status = admin_->ApplyQueues(&context, request, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return std::vector<std::string>(response.changes().begin(), response.changes().end());
  }

  absl::StatusOr<v1::ListHouseBotsResponse> ListHouseBots(const rpc::Caller& caller) {
    grpc::ClientContext context;
    Prepare(context, caller);
    v1::ListHouseBotsResponse response;
    const grpc::Status status = admin_->ListHouseBots(&context, {}, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return response;
  }

  absl::StatusOr<v1::ExplainTicketResponse> Explain(const rpc::Caller& caller,
                                                    const std::string& name) {
    grpc::ClientContext context;
    Prepare(context, caller);
    v1::ExplainTicketRequest request;
    request.set_name(name);
    v1::ExplainTicketResponse response;
    const grpc::Status status = admin_->ExplainTicket(&context, request, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return response;
  }

  template <typename Request, typename Response>
  absl::StatusOr<Response> Room(const rpc::Caller& caller,
                                grpc::Status (v1::RoomService::Stub::*method)(grpc::ClientContext*,
                                                                              const Request&,
                                                                              Response*),
                                const std::type_identity_t<Request>& request) {
    grpc::ClientContext context;
    Prepare(context, caller);
    Response response;
    const grpc::Status status = ((*rooms_).*method)(&context, request, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return response;
  }

  template <typename Request, typename Response>
  absl::StatusOr<Response> Friend(const rpc::Caller& caller,
                                  grpc::Status (v1::FriendService::Stub::*method)(
                                      grpc::ClientContext*, const Request&, Response*),
                                  const std::type_identity_t<Request>& request) {
    grpc::ClientContext context;
    Prepare(context, caller);
    Response response;
    const grpc::Status status = ((*friends_).*method)(&context, request, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return response;
  }

  absl::StatusOr<v1::ListQueuesResponse> ListQueues(const rpc::Caller& caller) {
    grpc::ClientContext context;
    Prepare(context, caller);
    v1::ListQueuesResponse response;
    const grpc::Status status = stub_->ListQueues(&context, {}, &response);
    if (!status.ok()) return status::FromGrpc(status);
    return response;
  }

  RealClock clock_;
  RealScheduler scheduler_;
  OsEntropy entropy_;
  const rpc::Authenticator identity_{Keys(), clock_};
  const rpc::Caller stranger_;
  const rpc::Caller rules_service_{.service = "rules"};
  const rpc::Caller operator_{.service = "operator"};
  const rpc::Caller admin_service_{.service = "admin"};
  FakeRules rules_;
  FakeTables tables_;
  FakeRatings ratings_;
  std::unique_ptr<rpc::Server> upstreams_;
  Options options_;
  std::shared_ptr<prometheus::Registry> registry_;
  std::unique_ptr<rpc::Service> service_;
  std::unique_ptr<v1::MatchmakingService::Stub> stub_;
  std::unique_ptr<v1::MatchmakingAdminService::Stub> admin_;
  std::unique_ptr<v1::RoomService::Stub> rooms_;
  std::unique_ptr<v1::FriendService::Stub> friends_;
};

TEST_F(PgServiceTest, MatchesPlayersAndReleasesThem) {
  const rpc::Caller zoe = NewPlayer();
  const v1::Ticket ticket = *Create(zoe);
  EXPECT_EQ(ticket.state(), v1::Ticket::WAITING);
  EXPECT_EQ(ticket.queue(), "queues/ranked4");
  EXPECT_EQ(ticket.position(), 1u);
  EXPECT_EQ(ticket.waiting_count(), 1u);
  EXPECT_EQ(ticket.wait_reason(), v1::Ticket::NEXT_WAVE);
  EXPECT_EQ(ticket.rating_window(), 80u);
  for (int i = 0; i < 3; ++i) ASSERT_THAT(Create(NewPlayer()), IsOk());

  const auto seen = Watch(zoe, ticket.name());
  ASSERT_THAT(seen, IsOk());
  const v1::Ticket& last = seen->back();
  EXPECT_EQ(last.state(), v1::Ticket::MATCHED);
  ASSERT_THAT(rules_.Asked(), SizeIs(1));
  const tarot::rules::v1::CreateTableRequest asked = rules_.Asked()[0];
  EXPECT_EQ(asked.name(), last.table());
  EXPECT_EQ(asked.rule_set(), "fft");
  EXPECT_EQ(asked.deal_count(), 6u);
  EXPECT_EQ(asked.clocks().move_limit().seconds(), 30);
  EXPECT_EQ(asked.clocks().time_bank().seconds(), 120);
  EXPECT_TRUE(asked.ranked());
  ASSERT_EQ(asked.seats_size(), 4);
  EXPECT_EQ(asked.seats(0).display_name(), "Zoë");
  EXPECT_EQ(asked.seats(0).bot_level(), "");

  const absl::Status busy = Create(zoe).status();
  EXPECT_THAT(busy, StatusIs(StatusCode::kAlreadyExists));
  EXPECT_THAT(busy, HasReason("TICKET_EXISTS"));
  EXPECT_EQ(
      GetErrorDetails(busy).metadata,
      (std::map<std::string, std::string>{{"ticket", ticket.name()}, {"table", last.table()}}));
  const absl::Status late = Delete(zoe, ticket.name()).status();
  EXPECT_THAT(late, StatusIs(StatusCode::kFailedPrecondition));
  EXPECT_THAT(late, HasReason("TICKET_MATCHED"));

  EXPECT_THAT(Release(rules_service_, last.table()), IsOk());
  EXPECT_EQ(Get(zoe, ticket.name())->state(), v1::Ticket::CLOSED);
  EXPECT_EQ(Get(zoe, ticket.name())->table(), last.table());
  EXPECT_THAT(Create(zoe), IsOk());
}

TEST_F(PgServiceTest, APlayerQueuesAgainBeforeTheEndOfTheMatchIsReported) {
  const std::vector<rpc::Caller> four = {NewPlayer(), NewPlayer(), NewPlayer(), NewPlayer()};
  v1::Ticket ticket;
  for (const rpc::Caller& player : four) ticket = *Create(player);
  const std::string table = Watch(four[3], ticket.name())->back().table();
  EXPECT_THAT(Create(four[0]), HasReason("TICKET_EXISTS"));
  rules_.EndMatch(table, {absl::StrCat("players/", four[1].player.ToString())});
  EXPECT_THAT(Create(four[0]), IsOk());
  EXPECT_THAT(Create(four[1]), HasReason("LEAVER_PENALTY"));
  EXPECT_EQ(Get(four[3], ticket.name())->state(), v1::Ticket::CLOSED);
}

TEST_F(PgServiceTest, ACasualTableIsFilledWithBots) {
  const rpc::Caller zoe = NewPlayer();
  const v1::Ticket ticket = *Create(zoe, "queues/casual4", entropy_.NewUuid().ToString());
  ASSERT_THAT(Watch(zoe, ticket.name()), IsOk());
  ASSERT_THAT(rules_.Asked(), SizeIs(1));
  const tarot::rules::v1::CreateTableRequest asked = rules_.Asked()[0];
  EXPECT_FALSE(asked.ranked());
  std::multiset<bool> bots;
  for (const auto& seat : asked.seats()) bots.insert(!seat.bot_level().empty());
  EXPECT_THAT(bots, ElementsAre(false, true, true, true));
}

TEST_F(PgServiceTest, RestartWhileRulesIsAwayKeepsTicketsAndTable) {
  rules_.set_answer({grpc::StatusCode::UNAVAILABLE, "away"});
  const rpc::Caller zoe = NewPlayer();
  const v1::Ticket ticket = *Create(zoe);
  for (int i = 0; i < 3; ++i) ASSERT_THAT(Create(NewPlayer()), IsOk());
  grpc::ClientContext context;
  Prepare(context, zoe);
  v1::WatchTicketRequest request;
  request.set_name(ticket.name());
  const auto reader = stub_->WatchTicket(&context, request);
  v1::WatchTicketResponse response;
  while (response.ticket().state() != v1::Ticket::PLACING) ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(Get(zoe, ticket.name())->wait_reason(), v1::Ticket::MAKING_TABLE);
  Start();
  rules_.set_answer(grpc::Status::OK);
  const auto seen = Watch(zoe, ticket.name());
  ASSERT_THAT(seen, IsOk());
  EXPECT_EQ(seen->back().table(), rules_.Asked()[0].name());
  for (const auto& asked : rules_.Asked()) {
    EXPECT_EQ(asked.SerializeAsString(), rules_.Asked()[0].SerializeAsString());
  }
}

TEST_F(PgServiceTest, RepeatedRequestsChangeNothing) {
  const rpc::Caller zoe = NewPlayer();
  const std::string request_id = entropy_.NewUuid().ToString();
  const auto first = Create(zoe, "queues/ranked4", request_id);
  ASSERT_THAT(first, IsOk());
  EXPECT_EQ(Create(zoe, "queues/ranked4", request_id)->name(), first->name());
  for (int twice = 0; twice < 2; ++twice) {
    const auto deleted = Delete(zoe, first->name());
    ASSERT_THAT(deleted, IsOk());
    EXPECT_EQ(deleted->state(), v1::Ticket::CANCELLED);
  }
  const auto seen = Watch(zoe, first->name());
  ASSERT_THAT(seen, IsOk());
  ASSERT_THAT(*seen, SizeIs(1));
  EXPECT_EQ(seen->at(0).state(), v1::Ticket::CANCELLED);
}

TEST_F(PgServiceTest, ListsItsQueues) {
  const auto queues = ListQueues(NewPlayer());
  ASSERT_THAT(queues, IsOk());
  std::vector<std::string> names;
  for (const v1::Queue& queue : queues->queues()) {
    names.push_back(queue.name());
    EXPECT_EQ(queue.name(),
              absl::StrCat("queues/", queue.ranked() ? "ranked" : "casual", queue.player_count()));
    EXPECT_EQ(queue.bot_fill_delay().seconds(), queue.ranked() ? 0 : 8);
  }
  EXPECT_THAT(names, ElementsAre("queues/ranked3", "queues/ranked4", "queues/ranked5",
                                 "queues/casual3", "queues/casual4", "queues/casual5"));
}

TEST_F(PgServiceTest, RefusesMalformedRequests) {
  const rpc::Caller zoe = NewPlayer();
  const std::string id = entropy_.NewUuid().ToString();
  for (const std::string name : {"", "tickets/", "tickets/7", "tables/x", "queues/ranked4"}) {
    SCOPED_TRACE(name);
    EXPECT_THAT(Get(zoe, name), HasReason("BAD_REQUEST"));
    EXPECT_THAT(Delete(zoe, name), HasReason("BAD_REQUEST"));
    EXPECT_THAT(Watch(zoe, name), HasReason("BAD_REQUEST"));
    EXPECT_THAT(Release(rules_service_, name), HasReason("BAD_REQUEST"));
    EXPECT_THAT(Create(zoe, "queues/ranked4", name), HasReason("BAD_REQUEST"));
  }
  for (const std::string queue : {"", "ranked4", "queues/"}) {
    EXPECT_THAT(Create(zoe, queue, id), HasReason("BAD_REQUEST"));
  }
  const absl::Status bad = Create(zoe, "queues/ranked4", "soon").status();
  EXPECT_THAT(bad, StatusIs(StatusCode::kInvalidArgument));
  EXPECT_EQ(GetErrorDetails(bad).metadata.at("field"), "request_id");
  EXPECT_THAT(Create(zoe, "queues/ranked4", std::string(2 << 20, 'x')),
              // If a message is too large, gRPC itself returns this error.
              StatusIs(StatusCode::kResourceExhausted));
}

TEST_F(PgServiceTest, ReturnsNotFoundForUnknownQueueAndTicket) {
  const rpc::Caller zoe = NewPlayer();
  const std::string id = entropy_.NewUuid().ToString();
  EXPECT_THAT(Create(zoe, "queues/ranked9", id), StatusIs(StatusCode::kNotFound));
  EXPECT_THAT(Create(zoe, "queues/ranked9", id), HasReason("QUEUE_NOT_FOUND"));
  const std::string others = Create(NewPlayer())->name();
  for (const std::string& name : {others, absl::StrCat("tickets/", id)}) {
    EXPECT_THAT(Get(zoe, name), StatusIs(StatusCode::kNotFound));
    EXPECT_THAT(Get(zoe, name), HasReason("TICKET_NOT_FOUND"));
    EXPECT_THAT(Delete(zoe, name), HasReason("TICKET_NOT_FOUND"));
    EXPECT_THAT(Watch(zoe, name), HasReason("TICKET_NOT_FOUND"));
  }
  EXPECT_THAT(Release(rules_service_, absl::StrCat("tables/", id)), IsOk());
}

TEST_F(PgServiceTest, RefusesCallersWithoutTokenOrOfWrongKind) {
  const rpc::Caller zoe = NewPlayer();
  const std::string ticket = Create(zoe)->name();
  const std::string table = absl::StrCat("tables/", entropy_.NewUuid().ToString());
  for (const auto& [caller, reason] :
       {std::pair{stranger_, "BAD_TOKEN"}, std::pair{rules_service_, "NOT_A_PLAYER"}}) {
    EXPECT_THAT(ListQueues(caller), HasReason(reason));
    EXPECT_THAT(Create(caller), HasReason(reason));
    EXPECT_THAT(Get(caller, ticket), HasReason(reason));
    EXPECT_THAT(Delete(caller, ticket), HasReason(reason));
    EXPECT_THAT(Watch(caller, ticket), HasReason(reason));
  }
  EXPECT_THAT(Get(stranger_, ticket), StatusIs(StatusCode::kUnauthenticated));
  EXPECT_THAT(Release(stranger_, table), HasReason("BAD_TOKEN"));
  EXPECT_THAT(Release(zoe, table), StatusIs(StatusCode::kPermissionDenied));
  EXPECT_THAT(Release(zoe, table), HasReason("NOT_A_SERVICE"));
  EXPECT_EQ(Get(zoe, ticket)->state(), v1::Ticket::WAITING);
}

TEST_F(PgServiceTest, ShutdownEndsOpenWatchesAtOnce) {
  const rpc::Caller zoe = NewPlayer();
  grpc::ClientContext context;
  Prepare(context, zoe);
  v1::WatchTicketRequest request;
  request.set_name(Create(zoe)->name());
  const auto reader = stub_->WatchTicket(&context, request);
  v1::WatchTicketResponse response;
  ASSERT_TRUE(reader->Read(&response));
  const absl::Time start = clock_.Now();
  service_->Shutdown();
  while (reader->Read(&response)) {
  }
  EXPECT_THAT(status::FromGrpc(reader->Finish()), HasReason("SHUTTING_DOWN"));
  EXPECT_LT(clock_.Now() - start, absl::Seconds(3));
}

TEST_F(PgServiceTest, ExportsEverySeriesFromTheStart) {
  Start();  // At the second start, the database already has queues.
  std::set<std::string> names;
  for (const prometheus::MetricFamily& family : registry_->Collect()) names.insert(family.name);
  EXPECT_THAT(names, testing::IsSupersetOf(
                         {"tarot_matchmaking_tickets_waiting", "tarot_matchmaking_wait_seconds",
                          "tarot_matchmaking_rating_spread", "tarot_matchmaking_tables_total",
                          "tarot_matchmaking_waves_missed_total", "tarot_matchmaking_wave_seconds",
                          "tarot_matchmaking_queue_active", "tarot_matchmaking_nodes",
                          "tarot_matchmaking_beats_total", "tarot_pg_statement_seconds",
                          "grpc_server_handled_total", "grpc_client_handled_total"}));
}

TEST_F(PgServiceTest, RefusesPopulationThatIsTooLarge) {
  for (const int size : {33, 29, -1}) {
    // If the population has 29 bots, too few bots are left to fill a casual table.
    options_.population = size;
    EXPECT_THAT(StartService(options_, {clock_, scheduler_, entropy_,
                                        std::make_shared<prometheus::Registry>()}),
                HasReason("BAD_REQUEST"));
  }
  options_.population = 28;
  Start();
}

TEST_F(PgServiceTest, RefusesStoredQueueWithUnknownRuleSet) {
  pqxx::connection connection(options_.dsn);
  pqxx::nontransaction(connection).exec0("UPDATE matchmaking.queues SET rule_set = 'unknown'");
  const absl::Status refused = StartService(options_, {clock_, scheduler_, entropy_,
                                                       std::make_shared<prometheus::Registry>()})
                                   .status();
  EXPECT_THAT(refused, HasReason("BAD_REQUEST"));
  EXPECT_EQ(GetErrorDetails(refused).metadata.at("field"), "queues[0].rule_set");
}

TEST_F(PgServiceTest, AppliesQueuesOnceAndReportsNoChangeTheSecondTime) {
  v1::ApplyQueuesRequest request = Queues();
  EXPECT_THAT(Apply(operator_, request).value(), testing::IsEmpty());
  ASSERT_EQ(request.queues(1).name(), "queues/ranked4");
  request.mutable_queues(1)->mutable_move_limit()->set_seconds(20);
  EXPECT_THAT(Apply(operator_, request).value(), ElementsAre(testing::HasSubstr("move limit 20s")));
  EXPECT_THAT(Apply(operator_, request).value(), testing::IsEmpty());
  EXPECT_EQ(ListQueues(NewPlayer())->queues(1).move_limit().seconds(), 20);

  for (int i = 0; i < 3; ++i) ASSERT_THAT(Create(NewPlayer()), IsOk());
  const rpc::Caller zoe = NewPlayer();
  ASSERT_THAT(Watch(zoe, Create(zoe)->name()), IsOk());
  EXPECT_EQ(rules_.Asked()[0].clocks().move_limit().seconds(), 20) << "in the next match";
}

TEST_F(PgServiceTest, ListsTheBotsOfTheHouseToServicesOnly) {
  const v1::ApplyQueuesRequest applied = Queues();
  const auto listed = ListHouseBots({.service = "gateway"});
  ASSERT_THAT(listed, IsOk());
  const std::vector<Bot> in_rooms = RoomBots();
  ASSERT_EQ(listed->bots_size(), applied.bots_size() + static_cast<int>(in_rooms.size()));
  EXPECT_EQ(listed->bots(applied.bots_size()).display_name(), in_rooms[0].display_name);
  for (int i = 0; i < applied.bots_size(); ++i) {
    EXPECT_EQ(listed->bots(i).SerializeAsString(), applied.bots(i).SerializeAsString());
  }
  EXPECT_THAT(ListHouseBots(NewPlayer()).status(), HasReason("NOT_A_SERVICE"));
}

TEST_F(PgServiceTest, ANewPlayerLearnsWhatToDoBeforeARankedMatch) {
  v1::ApplyQueuesRequest queues = Queues();
  for (v1::Queue& queue : *queues.mutable_queues()) {
    if (queue.ranked()) queue.set_required_matches(3);
  }
  EXPECT_THAT(Apply(operator_, queues), IsOk());
  EXPECT_EQ(ListQueues(NewPlayer())->queues(0).required_matches(), 3u);
  const absl::Status refused = Create(NewPlayer()).status();
  EXPECT_THAT(refused, HasReason("MATCHES_MISSING"));
  EXPECT_THAT(std::string(refused.message()),
              testing::HasSubstr("finish 3 more matches of casual"));
  queues.mutable_queues(0)->set_required_matches(101);
  EXPECT_THAT(Apply(operator_, queues).status(), HasReason("BAD_REQUEST"));
}

TEST_F(PgServiceTest, ExplainsTicketsToServicesOnly) {
  const rpc::Caller zoe = NewPlayer();
  const v1::Ticket ticket = *Create(zoe);
  ASSERT_THAT(Create(NewPlayer()), IsOk());
  absl::StatusOr<v1::ExplainTicketResponse> explained;
  do {
    explained = Explain(admin_service_, ticket.name());
    ASSERT_THAT(explained, IsOk());
  } while (!explained->has_wave_time() || explained->others().fitting() == 0);
  EXPECT_EQ(explained->ticket().name(), ticket.name());
  EXPECT_EQ(explained->ticket().wait_reason(), v1::Ticket::TOO_FEW_PLAYERS);
  EXPECT_EQ(explained->player(), absl::StrCat("players/", zoe.player.ToString()));
  EXPECT_EQ(explained->bot_level(), "");
  EXPECT_EQ(explained->rating(), 1533);
  EXPECT_EQ(explained->others().ratings_too_far(), 0u);
  EXPECT_THAT(Explain(zoe, ticket.name()).status(), HasReason("NOT_A_SERVICE"));
  EXPECT_THAT(Explain(admin_service_, "tickets/none").status(), HasReason("BAD_REQUEST"));
  EXPECT_THAT(
      Explain(admin_service_, absl::StrCat("tickets/", entropy_.NewUuid().ToString())).status(),
      HasReason("TICKET_NOT_FOUND"));
}

using Friends = v1::FriendService::Stub;

template <typename Request>
Request About(const rpc::Caller& other) {
  Request request;
  request.set_player(absl::StrCat("players/", other.player.ToString()));
  return request;
}

TEST_F(PgServiceTest, MakesFriendsAndBlocks) {
  const rpc::Caller zoe = NewPlayer(), bob = NewPlayer();
  EXPECT_THAT(Friend(zoe, &Friends::ListFriends, {}), IsOk());
  EXPECT_THAT(Friend(zoe, &Friends::RequestFriend, About<v1::RequestFriendRequest>(bob)),
              HasReason("PLAYER_NOT_FOUND"));
  EXPECT_THAT(Friend(bob, &Friends::ListFriends, {}), IsOk());
  EXPECT_EQ(Friend(zoe, &Friends::RequestFriend, About<v1::RequestFriendRequest>(bob))->relation(),
            v1::Friend::REQUEST_SENT);
  EXPECT_THAT(Friend(bob, &Friends::AcceptFriend, About<v1::AcceptFriendRequest>(zoe)), IsOk());
  const auto list = Friend(bob, &Friends::ListFriends, {});
  ASSERT_EQ(list->friends_size(), 1);
  EXPECT_EQ(list->friends(0).display_name(), "Zoë");
  EXPECT_EQ(list->friends(0).relation(), v1::Friend::FRIEND);
  EXPECT_EQ(list->friends(0).presence().state(), v1::Presence::ONLINE);
  EXPECT_THAT(Friend(bob, &Friends::BlockPlayer, About<v1::BlockPlayerRequest>(zoe)), IsOk());
  EXPECT_EQ(Friend(zoe, &Friends::ListFriends, {})->friends_size(), 0);
  EXPECT_THAT(Friend(zoe, &Friends::RequestFriend, About<v1::RequestFriendRequest>(bob)),
              HasReason("BLOCKED"));
  EXPECT_THAT(Friend(bob, &Friends::UnblockPlayer, About<v1::UnblockPlayerRequest>(zoe)), IsOk());
  EXPECT_THAT(Friend(zoe, &Friends::RequestFriend, About<v1::RequestFriendRequest>(bob)), IsOk());
  EXPECT_THAT(Friend(bob, &Friends::RemoveFriend, About<v1::RemoveFriendRequest>(zoe)), IsOk());
  EXPECT_EQ(Friend(zoe, &Friends::ListFriends, {})->friends_size(), 0);

  v1::ListFriendsRequest page;
  page.set_page_token("?");
  EXPECT_THAT(Friend(zoe, &Friends::ListFriends, page), HasReason("BAD_REQUEST"));
  page.clear_page_token();
  page.set_page_size(101);
  EXPECT_THAT(Friend(zoe, &Friends::ListFriends, page), HasReason("BAD_REQUEST"));
  auto report = About<v1::ReportPlayerRequest>(bob);
  report.set_table("tables/5f3c2a10-0000-4000-8000-000000000009");
  report.set_reason(v1::PlayerReport::DELAYS_THE_GAME);
  EXPECT_THAT(Friend(zoe, &Friends::ReportPlayer, report), HasReason("BAD_REQUEST"));
  report.set_deal_number(1);
  EXPECT_THAT(Friend(zoe, &Friends::ReportPlayer, report), HasReason("TABLE_NOT_FOUND"));
}

TEST_F(PgServiceTest, MarksPlayersAsOnlineForServicesOnly) {
  const rpc::Caller zoe = NewPlayer();
  const auto mark = [&](const rpc::Caller& caller, const std::vector<std::string>& players) {
    grpc::ClientContext context;
    Prepare(context, caller);
    v1::MarkOnlineRequest request;
    for (const std::string& player : players) request.add_players(player);
    v1::MarkOnlineResponse response;
    return status::FromGrpc(admin_->MarkOnline(&context, request, &response));
  };
  const rpc::Caller gateway = {.service = "gateway"};
  const std::string name = absl::StrCat("players/", zoe.player.ToString());
  EXPECT_THAT(mark(gateway, {name}), IsOk());
  EXPECT_THAT(mark(zoe, {name}), HasReason("NOT_A_SERVICE"));
  EXPECT_THAT(mark(gateway, {}), HasReason("BAD_REQUEST"));
  EXPECT_THAT(mark(gateway, {"zoe"}), HasReason("BAD_REQUEST"));
  EXPECT_THAT(mark(gateway, std::vector<std::string>(1'001, name)), HasReason("BAD_REQUEST"));
}

TEST_F(PgServiceTest, ListsReportsToServicesOnly) {
  const auto list = [&](const rpc::Caller& caller, const std::string& page_token) {
    grpc::ClientContext context;
    Prepare(context, caller);
    v1::ListReportsRequest request;
    request.set_page_token(page_token);
    v1::ListReportsResponse response;
    return status::FromGrpc(admin_->ListReports(&context, request, &response));
  };
  EXPECT_THAT(list(admin_service_, ""), IsOk());
  EXPECT_THAT(list(admin_service_, "?"), HasReason("BAD_REQUEST"));
  EXPECT_THAT(list(NewPlayer(), ""), HasReason("NOT_A_SERVICE"));
}

using Rooms = v1::RoomService::Stub;

v1::CreateRoomRequest NewRoomRequest(Entropy& entropy) {
  v1::CreateRoomRequest request;
  request.set_visibility(v1::Room::PRIVATE);
  request.set_request_id(entropy.NewUuid().ToString());
  v1::RoomTerms& terms = *request.mutable_terms();
  terms.set_rule_set("pagat");
  terms.set_player_count(3);
  terms.set_deal_count(2);
  terms.mutable_move_limit()->set_seconds(20);
  return request;
}

TEST_F(PgServiceTest, PlaysAMatchOfARoom) {
  const rpc::Caller zoe = NewPlayer(), bob = NewPlayer(), eve = NewPlayer();
  v1::CreateRoomRequest create = NewRoomRequest(entropy_);
  create.mutable_terms()->mutable_rules()->set_preset("pagat");
  create.mutable_terms()->mutable_rules()->set_cut_min(5);
  const v1::Room room = Room(zoe, &Rooms::CreateRoom, create)->room();
  EXPECT_EQ(room.state(), v1::Room::GATHERING);
  EXPECT_EQ(room.viewer(), 0u);
  EXPECT_THAT(room.terms().rule_set(), testing::HasSubstr("+cut_min=5"));
  EXPECT_EQ(room.terms().rules().cut_min(), 5u);
  EXPECT_EQ(room.seats_size(), 3);

  v1::JoinRoomRequest join;
  join.set_code(absl::AsciiStrToLower(room.code()));
  join.set_request_id(entropy_.NewUuid().ToString());
  EXPECT_EQ(Room(bob, &Rooms::JoinRoom, join)->room().viewer(), 1u);
  v1::SetBotRequest bot;
  bot.set_name(room.name());
  bot.set_seat(2);
  bot.set_bot_level("expert");
  EXPECT_EQ(Room(zoe, &Rooms::SetBot, bot)->room().seats(2).bot_level(), "expert");

  grpc::ClientContext context;
  Prepare(context, bob);
  v1::WatchRoomRequest watch;
  watch.set_name(room.name());
  const auto reader = rooms_->WatchRoom(&context, watch);
  v1::WatchRoomResponse seen;
  ASSERT_TRUE(reader->Read(&seen));
  v1::StartMatchRequest start;
  start.set_name(room.name());
  start.set_request_id(entropy_.NewUuid().ToString());
  EXPECT_EQ(Room(zoe, &Rooms::StartMatch, start)->room().state(), v1::Room::STARTING);
  while (seen.room().state() != v1::Room::PLAYING) ASSERT_TRUE(reader->Read(&seen));
  ASSERT_THAT(rules_.Asked(), SizeIs(1));
  const tarot::rules::v1::CreateTableRequest asked = rules_.Asked()[0];
  EXPECT_EQ(asked.name(), seen.room().table());
  EXPECT_EQ(asked.rules().cut_min(), 5u);
  EXPECT_EQ(asked.rule_set(), "");
  EXPECT_EQ(asked.deal_count(), 2u);
  EXPECT_FALSE(asked.ranked());
  ASSERT_EQ(asked.seats_size(), 3);
  EXPECT_EQ(asked.seats(1).player(), seen.room().seats(1).player());
  EXPECT_EQ(asked.seats(2).bot_level(), "expert");

  v1::GetRoomRequest get;
  get.set_name(room.name());
  EXPECT_THAT(Room(eve, &Rooms::GetRoom, get), HasReason("ROOM_NOT_FOUND"));
  EXPECT_THAT(Release(rules_service_, asked.name()), IsOk());
  while (seen.room().state() != v1::Room::GATHERING) ASSERT_TRUE(reader->Read(&seen));
  EXPECT_EQ(seen.room().table(), asked.name());

  v1::LeaveRoomRequest leave;
  leave.set_name(room.name());
  EXPECT_THAT(Room(zoe, &Rooms::LeaveRoom, leave), IsOk());
  EXPECT_THAT(Room(bob, &Rooms::LeaveRoom, leave), IsOk());
  v1::Room last;
  while (reader->Read(&seen)) last = seen.room();
  EXPECT_EQ(last.state(), v1::Room::ENDED);
  EXPECT_TRUE(reader->Finish().ok());
}

// A stranger may not see three things of an open room: the code, the table and the invitations.
TEST_F(PgServiceTest, ShowsStrangersOnlyWhatTheyNeedToJoin) {
  const rpc::Caller zoe = NewPlayer(), bob = NewPlayer();
  v1::ListRoomsRequest list;
  ASSERT_THAT(Room(bob, &Rooms::ListRooms, list), IsOk());
  v1::CreateRoomRequest create = NewRoomRequest(entropy_);
  create.set_visibility(v1::Room::OPEN);
  const v1::Room room = Room(zoe, &Rooms::CreateRoom, create)->room();
  v1::InvitePlayerRequest invite;
  invite.set_name(room.name());
  invite.set_player(absl::StrCat("players/", bob.player.ToString()));
  EXPECT_THAT(Room(zoe, &Rooms::InvitePlayer, invite)->room().invited(),
              ElementsAre(invite.player()));
  const v1::ListRoomsResponse listed = *Room(bob, &Rooms::ListRooms, list);
  ASSERT_EQ(listed.rooms_size(), 1);
  const v1::Room& shown = listed.rooms(0);
  EXPECT_EQ(shown.name(), room.name());
  EXPECT_EQ(shown.terms().SerializeAsString(), room.terms().SerializeAsString());
  EXPECT_EQ(shown.seats(0).display_name(), "Zoë");
  EXPECT_EQ(shown.code(), "");
  EXPECT_EQ(shown.table(), "");
  EXPECT_EQ(shown.invited_size(), 0);
  EXPECT_FALSE(shown.has_viewer());
  list.set_filter(v1::ListRoomsRequest::MINE);
  EXPECT_EQ(Room(bob, &Rooms::ListRooms, list)->rooms_size(), 0);
  EXPECT_EQ(Room(zoe, &Rooms::ListRooms, list)->rooms(0).code(), room.code());
}

TEST_F(PgServiceTest, ListsRoomsByPages) {
  v1::CreateRoomRequest create = NewRoomRequest(entropy_);
  create.set_visibility(v1::Room::OPEN);
  std::vector<std::string> made;
  for (int i = 0; i < 5; ++i) {
    create.set_request_id(entropy_.NewUuid().ToString());
    made.insert(made.begin(), Room(NewPlayer(), &Rooms::CreateRoom, create)->room().name());
  }
  const rpc::Caller reader = NewPlayer();
  v1::ListRoomsRequest list;
  list.set_page_size(2);
  std::vector<std::string> listed;
  do {
    const v1::ListRoomsResponse page = *Room(reader, &Rooms::ListRooms, list);
    EXPECT_LE(page.rooms_size(), 2);
    for (const v1::Room& room : page.rooms()) listed.push_back(room.name());
    list.set_page_token(page.next_page_token());
  } while (!list.page_token().empty());
  EXPECT_EQ(listed, made);
}

TEST_F(PgServiceTest, RefusesMalformedRequestsAboutRooms) {
  const rpc::Caller zoe = NewPlayer();
  const auto field_of = [&](auto change) {
    v1::CreateRoomRequest request = NewRoomRequest(entropy_);
    change(request);
    const absl::Status status = Room(zoe, &Rooms::CreateRoom, request).status();
    EXPECT_THAT(status, HasReason("BAD_REQUEST"));
    return GetErrorDetails(status).metadata["field"];
  };
  EXPECT_EQ(field_of([](auto& r) { r.set_request_id("x"); }), "request_id");
  EXPECT_EQ(field_of([](auto& r) { r.clear_visibility(); }), "visibility");
  EXPECT_EQ(field_of([](auto& r) { r.mutable_terms()->clear_move_limit(); }), "terms.move_limit");
  EXPECT_EQ(field_of([](auto& r) { r.mutable_terms()->mutable_move_limit()->set_nanos(1); }),
            "terms.move_limit");
  EXPECT_EQ(field_of([](auto& r) { r.mutable_terms()->set_player_count(~0u); }),
            "terms.player_count");
  EXPECT_EQ(field_of([](auto& r) { r.mutable_terms()->set_deal_count(~0u); }), "terms.deal_count");
  v1::CreateRoomRequest contradiction = NewRoomRequest(entropy_);
  contradiction.mutable_terms()->mutable_rules()->mutable_dog()->set_three(7);
  const absl::Status two = Room(zoe, &Rooms::CreateRoom, contradiction).status();
  EXPECT_THAT(two, HasReason("BAD_REQUEST"));
  EXPECT_THAT(GetErrorDetails(two).metadata["field"], testing::StartsWith("terms.rules."));
  EXPECT_THAT(GetErrorDetails(two).metadata["other_field"], testing::StartsWith("terms.rules."));
  v1::CreateRoomRequest unknown = NewRoomRequest(entropy_);
  unknown.mutable_terms()->set_rule_set("fftt");
  EXPECT_THAT(Room(zoe, &Rooms::CreateRoom, unknown), HasReason("RULE_SET_NOT_FOUND"));

  v1::JoinRoomRequest join;
  join.set_request_id(entropy_.NewUuid().ToString());
  EXPECT_THAT(Room(zoe, &Rooms::JoinRoom, join), HasReason("BAD_REQUEST"));
  for (const char* code : {"ABCDEF", "ABCDE", "ABCDE0", "ABCDEFG", "'; --"}) {
    join.set_code(code);
    EXPECT_THAT(Room(zoe, &Rooms::JoinRoom, join), HasReason("CODE_NOT_FOUND")) << code;
  }
  v1::ListRoomsRequest list;
  list.set_page_size(kRoomPageMax + 1);
  EXPECT_THAT(Room(zoe, &Rooms::ListRooms, list), HasReason("BAD_REQUEST"));
  list.set_page_size(0);
  list.set_page_token("x");
  EXPECT_THAT(Room(zoe, &Rooms::ListRooms, list), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Room(stranger_, &Rooms::ListRooms, {}), HasReason("BAD_TOKEN"));
}

TEST_F(PgServiceTest, RefusesInvalidQueuesByFieldAndChangesNothing) {
  const v1::ApplyQueuesRequest valid = Queues();
  const auto field_of = [&](const v1::ApplyQueuesRequest& request) {
    const absl::Status status = Apply(operator_, request).status();
    EXPECT_THAT(status, HasReason("BAD_REQUEST"));
    return GetErrorDetails(status).metadata["field"];
  };
  v1::ApplyQueuesRequest request = valid;
  request.mutable_queues(0)->set_name("ranked4");
  EXPECT_EQ(field_of(request), "queues[0].name");
  request = valid;
  request.mutable_queues(1)->mutable_time_bank()->set_nanos(1);
  EXPECT_EQ(field_of(request), "queues[1].time_bank");
  request = valid;
  request.mutable_queues(1)->set_rule_set("fftt");
  EXPECT_EQ(field_of(request), "queues[1].rule_set");
  request = valid;
  request.mutable_queues(0)->set_waiting_count(1);
  EXPECT_EQ(field_of(request), "queues[0].waiting_count");
  request = valid;
  request.mutable_bots(5)->set_player("b0700000");
  EXPECT_EQ(field_of(request), "bots[5].player");
  EXPECT_THAT(Apply(NewPlayer(), valid), HasReason("NOT_A_SERVICE"));
  EXPECT_THAT(Apply(stranger_, valid), HasReason("BAD_TOKEN"));
  EXPECT_THAT(Apply(operator_, valid).value(), testing::IsEmpty()) << "nothing changed before";
}

TEST_F(PgServiceTest, RefusesQueuesFileWithUnknownFieldByName) {
  const std::string file = testing::TempDir() + "/queues.json";
  std::ofstream(file) << R"({"queues": [{"name": "queues/ranked4", "turn_time": "30s"}]})";
  EXPECT_THAT(std::string(ReadQueuesFile(file).status().message()),
              testing::HasSubstr("turn_time"));
  EXPECT_THAT(ReadQueuesFile(file + ".missing"), HasReason("BAD_REQUEST"));
}

}  // namespace
}  // namespace tarot::matchmaking_service
