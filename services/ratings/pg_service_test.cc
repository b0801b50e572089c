// Tests the whole service over gRPC with a real Postgres.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <functional>
#include <pqxx/pqxx>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/status/wire.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "services/ratings/service.h"
#include "tarot/ratings/v1/rating_ingest_service.grpc.pb.h"
#include "tarot/ratings/v1/rating_service.grpc.pb.h"

namespace tarot::ratings_service {
namespace {

namespace v1 = ratings::v1;

using absl::StatusCode;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

std::string PlayerName(int number) {
  return absl::StrCat("players/00000000-0000-4000-8000-0000000000", 10 + number);
}
std::string TableName(int number) {
  return absl::StrCat("tables/00000000-0000-4000-8000-0000000001", 10 + number);
}

class PgServiceTest : public testing::Test {
 protected:
  PgServiceTest() {
    const std::string key_file = testing::TempDir() + "/ratings_internal_key";
    std::ofstream(key_file) << "k1:" << absl::Base64Escape(std::string(32, 'k')) << "\n";
    ::chmod(key_file.c_str(), 0600);
    options_ = {.listen_address = "127.0.0.1:0",
                .internal_key_file = key_file,
                .dsn = testkit::PgCluster::Shared().NewDatabase()};
    EXPECT_THAT(MigrateSchema(options_), IsOk());
    Start();
  }

  void Start() {
    service_ = nullptr;
    auto started =
        StartService(options_, {time_, time_, entropy_, std::make_shared<prometheus::Registry>()});
    ASSERT_THAT(started, IsOk());
    service_ = *std::move(started);
    const auto channel = rpc::MakeChannel(absl::StrCat("127.0.0.1:", service_->port()));
    ratings_ = v1::RatingService::NewStub(channel);
    ingest_ = v1::RatingIngestService::NewStub(channel);
  }

  v1::RecordMatchRequest Match(int table, const std::vector<int>& totals) {
    v1::RecordMatchRequest request;
    request.set_table(TableName(table));
    request.set_deal_count(8);
    int number = 0;
    for (const int total : totals) {
      v1::MatchPlayer& player = *request.add_players();
      player.set_player(PlayerName(++number));
      player.set_display_name(absl::StrCat("Player ", number));
      player.set_bot(number == 4);
      player.set_total(total);
    }
    request.mutable_match_time()->set_seconds(absl::ToUnixSeconds(time_.Now()));
    return request;
  }

  absl::StatusOr<bool> Record(const v1::RecordMatchRequest& request,
                              const rpc::Caller& caller = {.service = "rules"}) {
    grpc::ClientContext context;
    rpc::SetTimeout(context, absl::Seconds(20));
    authenticator_.Sign(context, caller);
    v1::RecordMatchResponse response;
    const absl::Status status =
        status::FromGrpc(ingest_->RecordMatch(&context, request, &response));
    if (!status.ok()) return status;
    return response.replayed();
  }

  template <typename Response, typename Request, typename Method>
  absl::StatusOr<Response> Ask(Method method, const Request& request) {
    grpc::ClientContext context;
    rpc::SetTimeout(context, absl::Seconds(20));
    Response response;
    const absl::Status status =
        status::FromGrpc((ratings_.get()->*method)(&context, request, &response));
    if (!status.ok()) return status;
    return response;
  }

  absl::StatusOr<v1::Rating> Get(const std::string& player, std::uint32_t player_count = 0) {
    v1::GetRatingRequest request;
    request.set_player(player);
    request.set_player_count(player_count);
    auto response = Ask<v1::GetRatingResponse>(&v1::RatingService::Stub::GetRating, request);
    if (!response.ok()) return response.status();
    return response->rating();
  }

  absl::StatusOr<v1::ListRatingsResponse> List(const v1::ListRatingsRequest& request) {
    return Ask<v1::ListRatingsResponse>(&v1::RatingService::Stub::ListRatings, request);
  }

  testkit::ManualTime time_;
  SeededEntropy entropy_{1};
  rpc::Authenticator authenticator_{rpc::KeyRing({{"k1", std::string(32, 'k')}}), time_};
  Options options_;
  std::unique_ptr<rpc::Service> service_;
  std::unique_ptr<v1::RatingService::Stub> ratings_;
  std::unique_ptr<v1::RatingIngestService::Stub> ingest_;
};

TEST(MigrateSchemaTest, BringsTheSchemaUpToDateWithoutKeys) {
  const Options options = {.listen_address = "127.0.0.1:0",
                           .dsn = testkit::PgCluster::Shared().NewDatabase()};
  for (int run = 0; run < 2; ++run) ASSERT_THAT(MigrateSchema(options), IsOk());
  pqxx::connection connection(options.dsn);
  pqxx::work tx(connection);
  EXPECT_GT(tx.exec1("SELECT count(*) FROM ratings.migrations")[0].as<int>(), 10);
}

TEST_F(PgServiceTest, RatesMatchOnceAlsoAfterRestart) {
  EXPECT_THAT(Get(PlayerName(1)), IsOk());
  EXPECT_FALSE(Record(Match(1, {300, -100, -100, -100})).value());
  const v1::Rating rated = Get(PlayerName(1)).value();
  EXPECT_GT(rated.rating(), 1500);
  EXPECT_LT(rated.deviation(), 300);
  EXPECT_EQ(rated.player_count(), 4u);
  EXPECT_EQ(rated.match_count(), 1u);
  EXPECT_EQ(rated.display_name(), "Player 1");
  EXPECT_FALSE(rated.has_rank());
  EXPECT_EQ(rated.update_time().seconds(), absl::ToUnixSeconds(time_.Now()));
  EXPECT_TRUE(Get(PlayerName(4)).value().bot());
  EXPECT_FALSE(Get(PlayerName(1), 3).value().has_update_time()) << "no match on that ladder";

  Start();
  EXPECT_TRUE(Record(Match(1, {300, -100, -100, -100})).value());
  EXPECT_EQ(Get(PlayerName(1)).value().mu(), rated.mu());
}

TEST_F(PgServiceTest, ListsBoardAndHistory) {
  for (int table = 1; table <= 40; ++table) {
    ASSERT_THAT(Record(Match(table, {300, 100, -150, -250})), IsOk());
  }
  v1::ListRatingsRequest request;
  request.set_page_size(3);
  const v1::ListRatingsResponse first = List(request).value();
  ASSERT_EQ(first.ratings_size(), 3);
  EXPECT_EQ(first.ratings(0).player(), PlayerName(1));
  EXPECT_EQ(first.ratings(2).rank(), 3u);
  request.set_page_token(first.next_page_token());
  const v1::ListRatingsResponse second = List(request).value();
  ASSERT_EQ(second.ratings_size(), 1);
  EXPECT_EQ(second.ratings(0).player(), PlayerName(4)) << "bots are listed too";
  EXPECT_EQ(second.ratings(0).rank(), 4u);
  EXPECT_TRUE(second.next_page_token().empty());

  request.clear_page_token();
  request.set_around(PlayerName(3));
  EXPECT_EQ(List(request).value().ratings(1).player(), PlayerName(3));

  v1::ListRatingChangesRequest changes;
  changes.set_player(PlayerName(2));
  const auto history =
      Ask<v1::ListRatingChangesResponse>(&v1::RatingService::Stub::ListRatingChanges, changes)
          .value();
  ASSERT_EQ(history.changes_size(), 20);
  EXPECT_EQ(history.changes(0).table(), TableName(40));
  EXPECT_EQ(history.changes(0).points_per_deal(), 12.5);
  EXPECT_FALSE(history.next_page_token().empty());

  v1::BatchGetRatingsRequest batch;
  for (const int number : {3, 9, 1}) batch.add_players(PlayerName(number));
  const auto several =
      Ask<v1::BatchGetRatingsResponse>(&v1::RatingService::Stub::BatchGetRatings, batch).value();
  ASSERT_EQ(several.ratings_size(), 3);
  EXPECT_FALSE(several.ratings(0).has_rank()) << "only GetRating and lists have ranks";
  EXPECT_EQ(Get(PlayerName(3)).value().rank(), 3u);
  EXPECT_EQ(several.ratings(1).rating(), 1500);
  EXPECT_EQ(several.ratings(2).player(), PlayerName(1));
}

TEST_F(PgServiceTest, RefusesResultsFromPlayers) {
  const auto match = Match(1, {300, -100, -100, -100});
  const rpc::Caller player{.player = *PlayerId::Parse(PlayerName(1).substr(8))};
  EXPECT_THAT(Record(match, player),
              testing::AllOf(StatusIs(StatusCode::kPermissionDenied), HasReason("NOT_A_SERVICE")));
  grpc::ClientContext context;
  v1::RecordMatchResponse response;
  EXPECT_THAT(status::FromGrpc(ingest_->RecordMatch(&context, match, &response)),
              testing::AllOf(StatusIs(StatusCode::kUnauthenticated), HasReason("BAD_TOKEN")));
  EXPECT_EQ(Get(PlayerName(1)).value().match_count(), 0u);
}

TEST_F(PgServiceTest, RefusesInvalidMatchAndChangesNothing) {
  const std::vector<std::pair<std::string, std::function<void(v1::RecordMatchRequest&)>>> spoilers =
      {{"table", [](auto& m) { m.set_table("tables/x"); }},
       {"table", [](auto& m) { m.clear_table(); }},
       {"deal_count", [](auto& m) { m.clear_deal_count(); }},
       {"deal_count", [](auto& m) { m.set_deal_count(0xFFFF'FFFF); }},
       {"players[1].player", [](auto& m) { m.mutable_players(1)->set_player("tables/1"); }},
       {"players[1].player",
        [](auto& m) { m.mutable_players(1)->set_player(m.players(0).player()); }},
       {"players", [](auto& m) { m.mutable_players(0)->set_total(301); }},
       {"players",
        [](auto& m) {
          m.mutable_players()->RemoveLast();
          m.mutable_players()->RemoveLast();
        }},
       {"match_time", [](auto& m) { m.clear_match_time(); }},
       {"match_time", [](auto& m) { m.mutable_match_time()->set_seconds(1LL << 62); }},
       {"match_time", [](auto& m) { m.mutable_match_time()->set_nanos(-1); }},
       {"deals[0].outcome", [](auto& m) { m.add_deals()->set_number(1); }},
       {"rule_values", [](auto& m) {
          m.add_deals()->set_outcome(v1::DealtDeal::SCORED);
          m.set_rule_values("unknown");
        }}};
  for (const auto& [field, spoil] : spoilers) {
    auto match = Match(1, {300, -100, -100, -100});
    spoil(match);
    const absl::Status status = Record(match).status();
    EXPECT_THAT(status,
                testing::AllOf(StatusIs(StatusCode::kInvalidArgument), HasReason("BAD_REQUEST")));
    EXPECT_EQ(GetErrorDetails(status).metadata["field"], field);
  }
  EXPECT_EQ(Get(PlayerName(1)).value().match_count(), 0u);
}

TEST_F(PgServiceTest, RefusesInvalidRequests) {
  EXPECT_THAT(Get("players/"), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Get(PlayerName(1), 2), HasReason("BAD_REQUEST"));
  EXPECT_THAT(Get(PlayerName(1), 0xFFFF'FFFF), HasReason("BAD_REQUEST"));
  v1::ListRatingsRequest request;
  request.set_around(PlayerName(1));
  EXPECT_THAT(List(request),
              testing::AllOf(StatusIs(StatusCode::kNotFound), HasReason("NOT_RANKED")));
  request.set_around("Ada");
  EXPECT_THAT(List(request), HasReason("BAD_REQUEST"));
  request.clear_around();
  request.set_page_token("zzzz");
  EXPECT_THAT(List(request), HasReason("BAD_REQUEST"));
  v1::BatchGetRatingsRequest batch;
  for (int i = 0; i < 201; ++i) batch.add_players(PlayerName(1));
  EXPECT_THAT(Ask<v1::BatchGetRatingsResponse>(&v1::RatingService::Stub::BatchGetRatings, batch),
              HasReason("BAD_REQUEST"));
}

TEST_F(PgServiceTest, RefusesPlaceDeviationOfPrior) {
  options_.place_deviation_max = 300;
  EXPECT_THAT(
      StartService(options_, {time_, time_, entropy_, std::make_shared<prometheus::Registry>()})
          .status(),
      HasReason("BAD_REQUEST"));
}

}  // namespace
}  // namespace tarot::ratings_service
