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

TEST_F(TicketServiceTest, OpensATicketForAQueueThatAnotherReplicaHasJustOpened) {
  Catalog catalog = TestCatalog();
  catalog.queues.push_back(catalog.queues[0]);
  catalog.queues.back().id = "new4";
  Joining joining = Request();
  joining.queue = "new4";
  EXPECT_THAT(tickets_.Create(joining), testkit::HasReason("QUEUE_NOT_FOUND"));
  ASSERT_THAT(environment_.store.WriteCatalog(catalog), testkit::IsOk());
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
  EXPECT_THAT(seen, SizeIs(before));  // Without a change there is no new view.
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
