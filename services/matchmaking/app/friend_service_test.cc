#include "services/matchmaking/app/friend_service.h"

#include <memory>
#include <optional>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/testkit/status_matchers.h"
#include "services/matchmaking/limits.h"
#include "services/matchmaking/testing/process.h"

namespace tarot::matchmaking_service {
namespace {

using ::testing::SizeIs;
using testkit::HasReason;
using testkit::IsOk;

class FriendServiceTest : public testing::Test {
 protected:
  FriendServiceTest() {
    for (const FriendCaller& caller : {ada_, bea_, cleo_}) EXPECT_THAT(List(caller), SizeIs(0));
  }

  FriendService& friends() { return process_.friends; }
  RoomService& rooms() { return process_.rooms; }
  PlayerId NewPlayer() { return PlayerId{environment_.entropy.NewUuid()}; }
  RequestId NewRequest() { return RequestId{environment_.entropy.NewUuid()}; }
  void Wait(absl::Duration time) { environment_.time.Advance(time); }

  std::vector<KnownPlayer> List(const FriendCaller& caller) {
    return friends().List(caller, 50, std::nullopt).value().friends;
  }
  void MakeFriends(const FriendCaller& a, const FriendCaller& b) {
    EXPECT_EQ(*friends().Request(a, b.player), Relation::kRequestSent);
    EXPECT_THAT(friends().Accept(b, a.player), IsOk());
  }

  Room CreateRoom(const FriendCaller& host) {
    return rooms()
        .Create({.host = host.player,
                 .display_name = host.display_name,
                 .request_id = NewRequest(),
                 .terms = {.rule_set = "fft", .deal_count = 1, .move_limit = absl::Seconds(30)},
                 .player_count = 3,
                 .visibility = RoomVisibility::kOpen})
        .value()
        .room;
  }
  absl::StatusOr<RoomView> Join(const Room& room, const FriendCaller& player) {
    return rooms().Join({.player = player.player,
                         .display_name = player.display_name,
                         .request_id = NewRequest(),
                         .code = room.code});
  }

  ProcessEnvironment environment_;
  Process process_{environment_};
  const FriendCaller ada_{NewPlayer(), "Ada"}, bea_{NewPlayer(), "Bea"}, cleo_{NewPlayer(), "Cleo"};
};

// During each change, this store makes another caller ask the same player. So several changes about
// one player run at the same time. In the real service this happens when calls wait for a lock in
// the database.
class CrowdedStore final : public FakePlayerStore {
 public:
  using FakePlayerStore::FakePlayerStore;
  absl::StatusOr<FriendOutcome> AskFriend(PlayerId player, PlayerId other, bool accepts,
                                          absl::Time now) override {
    ++running;
    most = std::max(most, running);
    if (!callers.empty()) {
      const FriendCaller next = callers.back();
      callers.pop_back();
      answers.push_back(friends->Request(next, other).status());
    }
    --running;
    return FakePlayerStore::AskFriend(player, other, accepts, now);
  }
  FriendService* friends = nullptr;
  std::vector<FriendCaller> callers;
  std::vector<absl::Status> answers;
  int running = 0, most = 0;
};

TEST_F(FriendServiceTest, FewChangesOfOnePlayerRunAtOnce) {
  CrowdedStore store;
  SeenPlayers seen(environment_.time, store);
  FriendService service(environment_.time, store, seen, process_.catalog, environment_.tables);
  store.friends = &service;
  ASSERT_THAT(seen.See(bea_.player, "Bea"), IsOk());
  for (int i = 0; i < 8; ++i) store.callers.push_back({NewPlayer(), "Eve"});
  EXPECT_THAT(service.Request(ada_, bea_.player).status(), IsOk());
  EXPECT_EQ(store.most, kPairChangesPerPlayerMax);
  ASSERT_THAT(store.answers, SizeIs(2));
  EXPECT_THAT(store.answers[0], HasReason("OVERLOADED")) << "It came last.";
  EXPECT_THAT(store.answers[1], IsOk());
}

TEST_F(FriendServiceTest, RefusesTheCallerBotsAndUnknownPlayers) {
  EXPECT_THAT(friends().Request(ada_, ada_.player), HasReason("BAD_REQUEST"));
  EXPECT_THAT(friends().Block(ada_, ada_.player), HasReason("BAD_REQUEST"));
  EXPECT_THAT(friends().Request(ada_, process_.bots[0].player), HasReason("PLAYER_IS_BOT"));
  const absl::Status blocked = friends().Block(ada_, RoomBot("club", 1)->player);
  EXPECT_THAT(blocked, HasReason("PLAYER_IS_BOT"));
  EXPECT_EQ(blocked.message(),
            "This player is a bot. Bots cannot be friends, be blocked or be reported.");
  EXPECT_THAT(friends().Request(ada_, NewPlayer()), HasReason("PLAYER_NOT_FOUND"));
  EXPECT_THAT(friends().Block(ada_, NewPlayer()), HasReason("PLAYER_NOT_FOUND"));
  EXPECT_THAT(friends().Accept(ada_, bea_.player), HasReason("REQUEST_NOT_FOUND"));
  EXPECT_THAT(List(ada_), SizeIs(0));
}

TEST_F(FriendServiceTest, ShowsAFriendOnlineUntilTheLastCallIsOld) {
  MakeFriends(ada_, bea_);
  EXPECT_EQ(List(ada_)[0].presence.activity, Activity::kOnline);
  Wait(kOnlineFor + absl::Seconds(1));
  EXPECT_EQ(List(ada_)[0].presence.activity, Activity::kOffline);
  EXPECT_EQ(List(bea_)[0].presence.activity, Activity::kOnline);
}

TEST_F(FriendServiceTest, APlayerWhoWatchesARoomStaysOnline) {
  MakeFriends(ada_, bea_);
  const Room room = CreateRoom(bea_);
  const auto watcher = std::make_shared<const RoomService::Watcher>([](const RoomView&) {});
  EXPECT_THAT(rooms().Watch(bea_.player, room.id, watcher), IsOk());
  Wait(absl::Minutes(5));
  // Leave() does not store that the player is online. So if the player is online now, the reason is
  // the watch of the room.
  EXPECT_THAT(rooms().Leave(bea_.player, room.id, bea_.player), IsOk());
  EXPECT_EQ(List(ada_)[0].presence.activity, Activity::kOnline);
}

TEST_F(FriendServiceTest, APlayerWithAnOpenStreamStaysOnline) {
  MakeFriends(ada_, bea_);
  Wait(kOnlineFor + absl::Seconds(1));
  EXPECT_EQ(List(ada_)[0].presence.activity, Activity::kOffline);
  EXPECT_THAT(friends().MarkOnline({bea_.player}), IsOk());
  EXPECT_EQ(List(ada_)[0].presence.activity, Activity::kOnline);
  const PlayerId stranger = NewPlayer();
  EXPECT_THAT(friends().MarkOnline({stranger}), IsOk());
  EXPECT_FALSE(environment_.store.HasSeen(stranger).value());
}

TEST_F(FriendServiceTest, APlayerWhoOnlyQueuesAndPlaysIsShown) {
  MakeFriends(ada_, bea_);
  Wait(kOnlineFor + absl::Seconds(1));
  const Ticket ticket = process_.Join(bea_.player, "casual4");
  EXPECT_EQ(List(ada_)[0].presence, Presence{.activity = Activity::kWaiting});
  Wait(absl::Seconds(15));
  const TableId table = process_.Now(ticket).table;
  Wait(kOnlineFor + absl::Seconds(1));
  EXPECT_EQ(List(ada_)[0].presence, (Presence{.activity = Activity::kPlaying, .table = table}));
}

TEST_F(FriendServiceTest, APlayerWhoLeavesTheRoomDuringTheMatchStillPlays) {
  MakeFriends(ada_, bea_);
  const Room room = CreateRoom(bea_);
  EXPECT_THAT(rooms().SetBot(bea_.player, room.id, 1, "club"), IsOk());
  EXPECT_THAT(rooms().SetBot(bea_.player, room.id, 2, "club"), IsOk());
  EXPECT_THAT(rooms().StartMatch(bea_.player, room.id, NewRequest()), IsOk());
  Wait(absl::Seconds(1));
  const TableId table = environment_.store.GetRooms({room.id})->at(0).table;
  EXPECT_THAT(rooms().Leave(bea_.player, room.id, bea_.player), IsOk());
  Wait(kOnlineFor + absl::Seconds(1));
  EXPECT_EQ(List(ada_)[0].presence, (Presence{.activity = Activity::kPlaying, .table = table}));
}

TEST_F(FriendServiceTest, ABlockRefusesRequestsInvitationsAndJoins) {
  MakeFriends(ada_, bea_);
  const Room room = CreateRoom(ada_);
  EXPECT_THAT(friends().Block(bea_, ada_.player), IsOk());
  EXPECT_THAT(List(ada_), SizeIs(0));
  EXPECT_THAT(friends().Request(ada_, bea_.player), HasReason("BLOCKED"));
  EXPECT_THAT(friends().Accept(ada_, bea_.player), HasReason("BLOCKED"));
  EXPECT_THAT(rooms().Invite(ada_.player, room.id, bea_.player), HasReason("BLOCKED"));
  EXPECT_THAT(Join(room, bea_), HasReason("BLOCKED"));
  const Room now = environment_.store.GetRooms({room.id})->at(0);
  EXPECT_EQ(now.revision, room.revision + 1) << "Only the block has changed the room.";
  EXPECT_THAT(Join(room, cleo_), IsOk());
  EXPECT_THAT(friends().Unblock(bea_, ada_.player), IsOk());
  EXPECT_THAT(Join(room, bea_), IsOk());
}

TEST_F(FriendServiceTest, ARoomWithABlockStartsNoMatch) {
  const Room room = CreateRoom(ada_);
  EXPECT_THAT(Join(room, bea_), IsOk());
  EXPECT_THAT(Join(room, cleo_), IsOk());
  EXPECT_THAT(friends().Block(cleo_, bea_.player), IsOk());
  EXPECT_THAT(rooms().StartMatch(ada_.player, room.id, NewRequest()), HasReason("BLOCKED"));
  EXPECT_THAT(rooms().Leave(ada_.player, room.id, bea_.player), IsOk());
  EXPECT_THAT(rooms().SetBot(ada_.player, room.id, 1, "club"), IsOk());
  EXPECT_THAT(rooms().StartMatch(ada_.player, room.id, NewRequest()), IsOk());
}

TEST_F(FriendServiceTest, ReportsOnlyPlayersOfTheOwnTable) {
  const Room room = CreateRoom(ada_);
  EXPECT_THAT(Join(room, bea_), IsOk());
  EXPECT_THAT(rooms().SetBot(ada_.player, room.id, 2, "club"), IsOk());
  EXPECT_THAT(rooms().StartMatch(ada_.player, room.id, NewRequest()), IsOk());
  Wait(absl::Seconds(1));
  const TableId table = environment_.store.GetRooms({room.id})->at(0).table;
  EXPECT_THAT(friends().Report(cleo_, {.player = ada_.player, .table = table}),
              HasReason("TABLE_NOT_FOUND"));
  EXPECT_THAT(friends().Report(ada_, {.player = cleo_.player, .table = table}),
              HasReason("NOT_AT_TABLE"));
  EXPECT_THAT(friends().Report(ada_, {.player = RoomBot("club", 2)->player, .table = table}),
              HasReason("PLAYER_IS_BOT"));
  EXPECT_THAT(friends().Report(ada_, {.player = ada_.player, .table = table}),
              HasReason("BAD_REQUEST"));
  EXPECT_THAT(friends().Report(ada_, {.player = bea_.player, .table = table}), IsOk());
  const ReportList list = friends().ListReports(5, std::nullopt).value();
  ASSERT_THAT(list.reports, SizeIs(1));
  EXPECT_EQ(list.reports[0].reporter, ada_.player);
}

TEST_F(FriendServiceTest, RefusesAReportOfADealThatWasNotDealt) {
  const Room room = CreateRoom(ada_);
  EXPECT_THAT(Join(room, bea_), IsOk());
  EXPECT_THAT(rooms().SetBot(ada_.player, room.id, 2, "club"), IsOk());
  EXPECT_THAT(rooms().StartMatch(ada_.player, room.id, NewRequest()), IsOk());
  Wait(absl::Seconds(1));
  const TableId table = environment_.store.GetRooms({room.id})->at(0).table;
  environment_.tables.deals = 2;
  const auto report = [&](int deal) {
    return friends().Report(ada_, {.player = bea_.player, .table = table, .deal_number = deal});
  };
  const absl::Status refused = report(3);
  EXPECT_THAT(refused, HasReason("DEAL_NOT_FOUND"));
  EXPECT_EQ(GetErrorDetails(refused).metadata["deals_dealt"], "2");
  environment_.tables.deals = absl::UnavailableError("The rules service is away.");
  EXPECT_EQ(report(2).code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(friends().ListReports(5, std::nullopt)->reports, SizeIs(0));
  environment_.tables.deals = 2;
  EXPECT_THAT(report(2), IsOk());
  EXPECT_THAT(friends().ListReports(5, std::nullopt)->reports, SizeIs(1));
}

// Returns the number of tables where both players sit.
int SharedTables(const std::vector<PlannedTable>& tables, PlayerId a, PlayerId b) {
  int shared = 0;
  for (const PlannedTable& table : tables) {
    int found = 0;
    for (const PlannedSeat& seat : table.seats) found += seat.player == a || seat.player == b;
    shared += found == 2;
  }
  return shared;
}

TEST_F(FriendServiceTest, ACasualQueueNeverSeatsABlockedPair) {
  EXPECT_THAT(friends().Block(ada_, bea_.player), IsOk());
  process_.Join(ada_.player, "casual4");
  process_.Join(bea_.player, "casual4");
  process_.JoinNew(1500, "casual4");
  process_.JoinNew(1500, "casual4");
  Wait(absl::Seconds(30));
  EXPECT_THAT(environment_.tables.asked, SizeIs(2)) << "Bots fill the seats of two tables.";
  EXPECT_EQ(SharedTables(environment_.tables.asked, ada_.player, bea_.player), 0);
}

TEST_F(FriendServiceTest, ARankedQueueSeatsABlockedPairOnlyAfterAWait) {
  EXPECT_THAT(friends().Block(ada_, bea_.player), IsOk());
  process_.Join(ada_.player);
  process_.Join(bea_.player);
  process_.JoinNew();
  process_.JoinNew();
  Wait(kBlockWait - absl::Seconds(4));
  EXPECT_THAT(environment_.tables.asked, SizeIs(0));
  Wait(absl::Seconds(8));
  EXPECT_EQ(SharedTables(environment_.tables.asked, ada_.player, bea_.player), 1);
}

TEST_F(FriendServiceTest, ForgetsPlayersAfterALongTime) {
  MakeFriends(ada_, bea_);
  const PlayerId old = NewPlayer();
  const absl::Time long_ago = environment_.time.Now() - kPlayerForgottenAfter;
  EXPECT_THAT(environment_.store.See(old, "Old", long_ago), IsOk());
  Wait(kRoomTouchesMin * kRoomSweepEvery + absl::Seconds(1));
  EXPECT_FALSE(environment_.store.HasSeen(old).value());
  EXPECT_TRUE(environment_.store.HasSeen(cleo_.player).value());
}

}  // namespace
}  // namespace tarot::matchmaking_service
