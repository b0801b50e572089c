#include "services/matchmaking/app/ticket_service.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/base/error.h"
#include "libs/testkit/status_matchers.h"
#include "services/matchmaking/testing/process.h"

namespace tarot::matchmaking_service {
namespace {

using ::testing::SizeIs;

class TicketServiceTest : public testing::Test {
 protected:
  Joining Request() {
    return {.player = PlayerId{environment_.entropy.NewUuid()},
            .display_name = "Zoë",
            .queue = "ranked4",
            .request_id = RequestId{environment_.entropy.NewUuid()}};
  }

  ProcessEnvironment environment_;
  Process process_{environment_};
  TicketService& tickets_ = process_.tickets;
};

TEST_F(TicketServiceTest, NewTicketWaitsForNextWave) {
  process_.JoinNew();
  environment_.time.Advance(absl::Seconds(2));
  const auto view = tickets_.Create(Request());
  ASSERT_THAT(view, testkit::IsOk());
  EXPECT_EQ(view->wait_reason, TicketWaitReason::kNextWave);
  EXPECT_EQ(view->position, 2);
  EXPECT_EQ(view->waiting_count, 2);
  EXPECT_EQ(view->rating_window, 80);
}

TEST_F(TicketServiceTest, ReturnsReasonWhyTicketWaits) {
  const Ticket first = process_.JoinNew(1100);
  environment_.time.Advance(absl::Milliseconds(1));
  process_.JoinNew(1500);
  environment_.time.Advance(absl::Seconds(2));
  EXPECT_EQ(tickets_.Get(first.player, first.id)->wait_reason, TicketWaitReason::kTooFewPlayers);
  process_.JoinNew(1500);
  process_.JoinNew(1500);
  environment_.time.Advance(absl::Seconds(8));
  const auto view = tickets_.Get(first.player, first.id);
  EXPECT_EQ(view->wait_reason, TicketWaitReason::kRatingsTooFar);
  EXPECT_EQ(view->position, 1);
  EXPECT_EQ(view->waiting_count, 4);
  EXPECT_EQ(view->rating_window,
            matching::RatingWindow(absl::Seconds(10), matching::Widening(1100, 1, 4)));
  EXPECT_EQ(tickets_.WaitingCount(TestCatalog().queues[0]), 4);
}

TEST_F(TicketServiceTest, ReturnsMetJustNowForPlayersOfLastMatch) {
  std::vector<PlayerId> players;
  for (int i = 0; i < 4; ++i) players.push_back(process_.JoinNew().player);
  environment_.time.Advance(absl::Seconds(1));
  ASSERT_THAT(environment_.tables.asked, SizeIs(1));
  ASSERT_THAT(tickets_.Release(environment_.tables.asked[0].id), testkit::IsOk());
  Ticket again;
  for (const PlayerId player : players) again = process_.Join(player);
  environment_.time.Advance(absl::Seconds(2));
  EXPECT_EQ(tickets_.Get(again.player, again.id)->wait_reason, TicketWaitReason::kMetJustNow);
  environment_.time.Advance(absl::Seconds(30));
  EXPECT_THAT(environment_.tables.asked, SizeIs(2));
}

TEST_F(TicketServiceTest, ExplainsATicketToOperators) {
  const Ticket first = process_.JoinNew(1500);
  const PlayerId enemy{environment_.entropy.NewUuid()};
  EXPECT_TRUE(*environment_.store.Block(enemy, first.player, environment_.time.Now()));
  process_.Join(enemy);
  process_.JoinNew(1560);
  process_.JoinNew(1900);
  EXPECT_EQ(tickets_.Explain(first.id)->wave_time, std::nullopt) << "No wave saw it yet.";
  environment_.time.Advance(absl::Seconds(3));
  const auto explained = tickets_.Explain(first.id);
  ASSERT_THAT(explained, testkit::IsOk());
  EXPECT_EQ(explained->view.wait_reason, TicketWaitReason::kRatingsTooFar);
  EXPECT_EQ(explained->rating, 1500);
  EXPECT_GE(explained->wave_time, environment_.time.Now() - absl::Seconds(2));
  EXPECT_EQ(explained->others,
            (std::map<matching::Obstacle, int>{{matching::Obstacle::kNone, 1},
                                               {matching::Obstacle::kBlocked, 1},
                                               {matching::Obstacle::kRatingsTooFar, 1}}));
  EXPECT_THAT(tickets_.Explain(TicketId{environment_.entropy.NewUuid()}),
              testkit::HasReason("TICKET_NOT_FOUND"));
}

TEST_F(TicketServiceTest, ReturnsBlockedIfOnlyABlockForbidsTheTable) {
  const Ticket first = process_.JoinNew(), second = process_.JoinNew();
  process_.JoinNew();
  process_.JoinNew();
  EXPECT_TRUE(*environment_.store.Block(first.player, second.player, environment_.time.Now()));
  environment_.time.Advance(absl::Seconds(3));
  for (const Ticket& ticket : {first, second}) {
    EXPECT_EQ(tickets_.Get(ticket.player, ticket.id)->wait_reason, TicketWaitReason::kBlocked);
  }
}

TEST_F(TicketServiceTest, OpensATicketForAQueueThatAnotherReplicaHasJustOpened) {
  Catalog catalog = TestCatalog();
  catalog.queues.push_back(catalog.queues[0]);
  catalog.queues.back().id = "new4";
  Joining joining = Request();
  joining.queue = "new4";
  EXPECT_THAT(tickets_.Create(joining), testkit::HasReason("QUEUE_NOT_FOUND"));
  ASSERT_THAT(environment_.store.WriteCatalog(catalog), testkit::IsOk());
  EXPECT_THAT(tickets_.Create(joining), testkit::HasReason("QUEUE_NOT_FOUND"))
      << "The catalog is read at most once per second.";
  environment_.time.Advance(absl::Seconds(1));
  EXPECT_THAT(tickets_.Create(joining), testkit::IsOk());
}

TEST_F(TicketServiceTest, ReturnsFirstTicketForRepeatedRequest) {
  const Joining request = Request();
  const auto first = tickets_.Create(request);
  const auto second = tickets_.Create(request);
  ASSERT_THAT(second, testkit::IsOk());
  EXPECT_EQ(second->ticket, first->ticket);
  environment_.time.Advance(absl::Seconds(3));
  EXPECT_EQ(tickets_.WaitingCount(TestCatalog().queues[0]), 1);
}

TEST_F(TicketServiceTest, RefusesRankedTicketsOfALeaverForSomeTime) {
  std::vector<Ticket> four;
  for (int i = 0; i < 4; ++i) four.push_back(process_.JoinNew());
  environment_.time.Advance(absl::Seconds(1));
  ASSERT_THAT(environment_.tables.asked, SizeIs(1));
  const PlayerId leaver = four[0].player;
  ASSERT_THAT(tickets_.Release(environment_.tables.asked[0].id, {leaver}), testkit::IsOk());
  Joining request = Request();
  request.player = leaver;
  const absl::Status refused = tickets_.Create(request).status();
  EXPECT_THAT(refused, testkit::StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(refused, testkit::HasReason("LEAVER_PENALTY"));
  EXPECT_EQ(GetErrorDetails(refused).metadata.at("seconds_left"), "600");
  EXPECT_THAT(process_.Join(four[1].player).id, testing::Not(TicketId()));
  Joining casual = request;
  casual.queue = "casual4";
  casual.request_id = RequestId{environment_.entropy.NewUuid()};
  EXPECT_THAT(tickets_.Create(casual), testkit::IsOk()) << "Casual queues stay open.";
  environment_.time.Advance(absl::Minutes(10));
  const auto later = tickets_.Create(request);
  ASSERT_THAT(later, testkit::IsOk());
  // A repeated request gets the ticket of the first request, whatever has happened since then.
  ASSERT_THAT(tickets_.Cancel(leaver, later->ticket.id), testkit::IsOk());
  environment_.store.SetStanding(leaver, {.penalty_end = absl::InfiniteFuture()});
  EXPECT_EQ(tickets_.Create(request)->ticket.id, later->ticket.id);
}

TEST_F(TicketServiceTest, ANewPlayerFinishesCasualMatchesBeforeRankedOnes) {
  Catalog catalog = TestCatalog();
  catalog.queues[0].required_matches = 2;
  ASSERT_THAT(process_.catalog.Apply(catalog), testkit::IsOk());
  const Joining request = Request();
  const auto missing = [&] {
    const absl::Status refused = tickets_.Create(request).status();
    EXPECT_THAT(refused, testkit::HasReason("MATCHES_MISSING"));
    EXPECT_THAT(std::string(refused.message()),
                testing::StartsWith("Before ranked matches you must finish"));
    return GetErrorDetails(refused).metadata["missing"];
  };
  EXPECT_EQ(missing(), "2");
  for (int match = 0; match < 2; ++match) {
    process_.Join(request.player, "casual4");
    environment_.time.Advance(absl::Seconds(15));
    ASSERT_EQ(environment_.tables.asked.size(), static_cast<std::size_t>(match + 1));
    ASSERT_THAT(tickets_.Release(environment_.tables.asked.back().id), testkit::IsOk());
    if (match == 0) {
      EXPECT_EQ(missing(), "1");
    }
  }
  EXPECT_THAT(tickets_.Create(request), testkit::IsOk());
}

TEST_F(TicketServiceTest, PlayersOfOneNetworkDoNotShareARankedTable) {
  std::vector<Joining> requests;
  for (int i = 0; i < 4; ++i) {
    requests.push_back(Request());
    requests.back().network = i < 2 ? "0a00" : "";
    ASSERT_THAT(tickets_.Create(requests.back()), testkit::IsOk());
  }
  environment_.time.Advance(absl::Minutes(10));
  EXPECT_TRUE(environment_.tables.asked.empty());
  const Ticket waiting = environment_.store.ReadChanges(0)->tickets.front().ticket;
  EXPECT_EQ(tickets_.Get(waiting.player, waiting.id)->wait_reason, TicketWaitReason::kSameNetwork);
  for (Joining& request : requests) {
    request.queue = "casual4";
    request.request_id = RequestId{environment_.entropy.NewUuid()};
    ASSERT_THAT(tickets_.Create(request), testkit::IsOk());
  }
  environment_.time.Advance(absl::Seconds(3));
  ASSERT_THAT(environment_.tables.asked, SizeIs(1)) << "Friends at one place play casual matches.";
}

TEST_F(TicketServiceTest, PlayersOfDistantRegionsWaitLongerForATable) {
  Catalog catalog = TestCatalog();
  catalog.round_trips = {{"us", "eu", 200}};
  ASSERT_THAT(environment_.store.WriteCatalog(catalog), testkit::IsOk());
  for (int i = 0; i < 4; ++i) {
    Joining request = Request();
    request.region = i < 2 ? "eu" : "us";
    ASSERT_THAT(tickets_.Create(request), testkit::IsOk());
  }
  environment_.time.Advance(absl::Seconds(20));
  EXPECT_TRUE(environment_.tables.asked.empty());
  const Ticket waiting = environment_.store.ReadChanges(0)->tickets.front().ticket;
  EXPECT_EQ(tickets_.Get(waiting.player, waiting.id)->wait_reason, TicketWaitReason::kFarAway);
  environment_.time.Advance(absl::Seconds(20));
  EXPECT_THAT(environment_.tables.asked, SizeIs(1));
}

TEST_F(TicketServiceTest, RefusesUnknownQueue) {
  Joining request = Request();
  request.queue = "ranked9";
  EXPECT_THAT(tickets_.Create(request), testkit::HasReason("QUEUE_NOT_FOUND"));
}

TEST_F(TicketServiceTest, RefusesSecondTicketAndNamesTheFirst) {
  const Ticket ticket = process_.JoinNew();
  Joining request = Request();
  request.player = ticket.player;
  const absl::Status waiting = tickets_.Create(request).status();
  EXPECT_THAT(waiting, testkit::StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(waiting, testkit::HasReason("TICKET_EXISTS"));
  const std::string name = "tickets/" + ticket.id.ToString();
  EXPECT_EQ(GetErrorDetails(waiting).metadata,
            (std::map<std::string, std::string>{{"ticket", name}}));

  for (int i = 0; i < 3; ++i) process_.JoinNew();
  environment_.time.Advance(absl::Seconds(1));
  const std::string table = "tables/" + process_.Now(ticket).table.ToString();
  EXPECT_EQ(GetErrorDetails(tickets_.Create(request).status()).metadata,
            (std::map<std::string, std::string>{{"ticket", name}, {"table", table}}));
}

TEST_F(TicketServiceTest, ReturnsNotFoundForTicketOfAnotherPlayer) {
  const Ticket ticket = process_.JoinNew();
  const PlayerId stranger{environment_.entropy.NewUuid()};
  EXPECT_THAT(tickets_.Get(stranger, ticket.id), testkit::HasReason("TICKET_NOT_FOUND"));
  EXPECT_THAT(tickets_.Cancel(stranger, ticket.id), testkit::HasReason("TICKET_NOT_FOUND"));
  const auto watcher = std::make_shared<const Lobby::Watcher>([](const TicketView&) { FAIL(); });
  EXPECT_THAT(tickets_.Watch(stranger, ticket.id, watcher), testkit::HasReason("TICKET_NOT_FOUND"));
  EXPECT_THAT(tickets_.Get(stranger, TicketId{environment_.entropy.NewUuid()}),
              testkit::HasReason("TICKET_NOT_FOUND"));
}

TEST_F(TicketServiceTest, CancelsTicketOnlyBeforeTheMatch) {
  const Ticket ticket = process_.JoinNew();
  for (int twice = 0; twice < 2; ++twice) {
    const auto cancelled = tickets_.Cancel(ticket.player, ticket.id);
    ASSERT_THAT(cancelled, testkit::IsOk());
    EXPECT_EQ(cancelled->ticket.state, TicketState::kCancelled);
  }
  const Ticket again = process_.Join(ticket.player);
  for (int i = 0; i < 3; ++i) process_.JoinNew();
  environment_.time.Advance(absl::Seconds(1));
  const absl::Status late = tickets_.Cancel(again.player, again.id).status();
  EXPECT_THAT(late, testkit::StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(late, testkit::HasReason("TICKET_MATCHED"));
  EXPECT_EQ(GetErrorDetails(late).metadata.at("table"),
            "tables/" + process_.Now(again).table.ToString());
}

TEST_F(TicketServiceTest, ReleasedPlayerMayQueueAgain) {
  const Ticket ticket = process_.JoinNew();
  for (int i = 0; i < 3; ++i) process_.JoinNew();
  environment_.time.Advance(absl::Seconds(1));
  const TableId table = process_.Now(ticket).table;
  for (int twice = 0; twice < 2; ++twice) EXPECT_THAT(tickets_.Release(table), testkit::IsOk());
  EXPECT_THAT(tickets_.Release(TableId{environment_.entropy.NewUuid()}), testkit::IsOk());
  EXPECT_EQ(tickets_.Get(ticket.player, ticket.id)->ticket.state, TicketState::kClosed);
  EXPECT_EQ(process_.Join(ticket.player).last_tables[0], table);
}

TEST_F(TicketServiceTest, APlayerQueuesAgainBeforeTheEndOfTheMatchIsReported) {
  std::vector<Ticket> four;
  for (int i = 0; i < 4; ++i) four.push_back(process_.JoinNew());
  environment_.time.Advance(absl::Seconds(1));
  const TableId table = process_.Now(four[0]).table;
  Joining request = Request();
  request.player = four[0].player;
  EXPECT_THAT(tickets_.Create(request), testkit::HasReason("TICKET_EXISTS"));
  environment_.tables.over[table] = {four[1].player};
  environment_.tables.match_end_failure = absl::UnavailableError("The rules service is away.");
  EXPECT_THAT(tickets_.Create(request), testkit::HasReason("TICKET_EXISTS"));

  environment_.tables.match_end_failure = absl::OkStatus();
  const auto again = tickets_.Create(request);
  ASSERT_THAT(again, testkit::IsOk());
  EXPECT_EQ(again->ticket.last_tables[0], table);
  EXPECT_EQ(process_.Now(four[2]).state, TicketState::kClosed);
  request = Request();
  request.player = four[1].player;
  EXPECT_THAT(tickets_.Create(request), testkit::HasReason("LEAVER_PENALTY"))
      << "The player who left gets the penalty.";
  // The report of the rules service comes late and changes nothing.
  ASSERT_THAT(tickets_.Release(table, {four[1].player}), testkit::IsOk());
  EXPECT_EQ(environment_.store.GetStanding(four[0].player)->finished_count, 1);
  EXPECT_EQ(process_.Now(again->ticket).state, TicketState::kWaiting);
}

// Runs an action once, right after the first statement of the store.
class AfterFirstStatement final : public testkit::StatementGate {
 public:
  explicit AfterFirstStatement(std::function<void()> action) : action_(std::move(action)) {}
  absl::Status Pass(const std::function<void()>& commit) override {
    commit();
    if (auto action = std::exchange(action_, nullptr)) action();
    return absl::OkStatus();
  }

 private:
  std::function<void()> action_;
};

// For example, all four players of a finished match queue again at nearly the same moment.
TEST_F(TicketServiceTest, APlayerQueuesAgainWhileAnotherCallReleasesTheTable) {
  std::vector<Ticket> four;
  for (int i = 0; i < 4; ++i) four.push_back(process_.JoinNew(1500, "casual4"));
  environment_.time.Advance(absl::Seconds(1));
  const TableId table = process_.Now(four[0]).table;
  ASSERT_FALSE(table.empty());
  Joining request = Request();
  request.player = four[0].player;
  request.queue = "casual4";
  // Create() below finds the old ticket with its first statement. Then Release() closes this
  // ticket.
  AfterFirstStatement gate([&] { EXPECT_THAT(tickets_.Release(table), testkit::IsOk()); });
  environment_.store.set_gate(gate);
  const auto again = tickets_.Create(request);
  ASSERT_THAT(again, testkit::IsOk());
  EXPECT_EQ(again->ticket.last_tables[0], table);
}

TEST_F(TicketServiceTest, TheLastRequiredMatchCountsBeforeItsEndIsReported) {
  Catalog catalog = TestCatalog();
  catalog.queues[0].required_matches = 1;
  ASSERT_THAT(process_.catalog.Apply(catalog), testkit::IsOk());
  const Joining request = Request();
  const Ticket casual = process_.Join(request.player, "casual4");
  environment_.time.Advance(absl::Seconds(15));
  EXPECT_THAT(tickets_.Create(request), testkit::HasReason("MATCHES_MISSING"));
  environment_.tables.over[process_.Now(casual).table] = {};
  EXPECT_THAT(tickets_.Create(request), testkit::IsOk());
}

TEST_F(TicketServiceTest, TellsOnePersonAmongBotsThatTooFewPlayersWait) {
  const Ticket person = process_.JoinNew();
  environment_.time.Advance(absl::Seconds(3));
  const auto reason = [&] { return tickets_.Get(person.player, person.id)->wait_reason; };
  EXPECT_EQ(reason(), TicketWaitReason::kTooFewPlayers) << "The population has no bots.";
  EXPECT_TRUE(tickets_.Explain(person.id)->others.empty());

  // Six bots join the queue. Their level is too weak for a table with people. This replica hosts
  // nothing now, so it neither dismisses these bots nor gives them tables.
  process_.is_host = false;
  for (int i = 0; i < 6; ++i) {
    ASSERT_THAT(environment_.store.Create({.id = TicketId{environment_.entropy.NewUuid()},
                                           .queue = "ranked4",
                                           .player = PlayerId{environment_.entropy.NewUuid()},
                                           .bot_level = "novice",
                                           .request_id = RequestId{environment_.entropy.NewUuid()},
                                           .create_time = environment_.time.Now()}),
                testkit::IsOk());
  }
  environment_.time.Advance(absl::Seconds(3));
  EXPECT_EQ(reason(), TicketWaitReason::kTooFewPlayers);
  EXPECT_EQ(tickets_.Explain(person.id)->others,
            (std::map<matching::Obstacle, int>{{matching::Obstacle::kBotsOnly, 2}}))
      << "The other four get a table of their own.";
}

TEST_F(TicketServiceTest, WatcherSeesEachChangeOnce) {
  const Ticket ticket = process_.JoinNew();
  std::vector<TicketView> seen;
  auto watcher = std::make_shared<const Lobby::Watcher>(
      [&seen](const TicketView& view) { seen.push_back(view); });
  ASSERT_THAT(tickets_.Watch(ticket.player, ticket.id, watcher), testkit::IsOk());
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(seen[0].wait_reason, TicketWaitReason::kNextWave);
  environment_.time.Advance(absl::Seconds(2));
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_EQ(seen[1].wait_reason, TicketWaitReason::kTooFewPlayers);
  EXPECT_EQ(seen[1].rating_window, 88);

  environment_.tables.answer = std::nullopt;
  for (int i = 0; i < 3; ++i) process_.JoinNew();
  environment_.time.Advance(absl::Seconds(1));
  EXPECT_EQ(seen.back().wait_reason, TicketWaitReason::kMakingTable);
  const std::size_t before = seen.size();
  environment_.time.Advance(absl::Seconds(4));
  EXPECT_THAT(seen, SizeIs(before));  // If nothing has changed, the watcher gets no view.
  environment_.tables.answer = absl::OkStatus();
  environment_.time.Advance(absl::Seconds(9));
  EXPECT_EQ(seen.back().ticket.state, TicketState::kMatched);
  EXPECT_FALSE(seen.back().ticket.table.empty());

  const std::size_t last = seen.size();
  watcher.reset();
  ASSERT_THAT(tickets_.Release(seen.back().ticket.table), testkit::IsOk());
  EXPECT_THAT(seen, SizeIs(last));
}

TEST_F(TicketServiceTest, ReturnsStorageAwayWhenStoreFails) {
  environment_.store.set_failure(Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "away"));
  EXPECT_THAT(tickets_.Create(Request()), testkit::HasReason("STORAGE_AWAY"));
  EXPECT_THAT(tickets_.Release(TableId{environment_.entropy.NewUuid()}),
              testkit::HasReason("STORAGE_AWAY"));
}

}  // namespace
}  // namespace tarot::matchmaking_service
