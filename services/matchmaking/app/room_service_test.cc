#include "services/matchmaking/app/room_service.h"

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/ai/policy.h"
#include "libs/base/error.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/testkit/status_matchers.h"
#include "services/matchmaking/limits.h"
#include "services/matchmaking/testing/process.h"

namespace tarot::matchmaking_service {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::SizeIs;
using testkit::HasReason;
using testkit::IsOk;
using testkit::StatusIs;

TEST(RoomTest, HasBotsOfEveryLevelThatSitsAtTables) {
  std::vector<std::string> levels;
  std::set<PlayerId> players;
  std::set<std::string> names;
  for (const Bot& bot : RoomBots()) {
    if (levels.empty() || levels.back() != bot.level) levels.push_back(bot.level);
    players.insert(bot.player);
    names.insert(bot.display_name);
  }
  EXPECT_EQ(levels, ai::Levels());
  EXPECT_THAT(players, SizeIs(25));
  EXPECT_THAT(names, SizeIs(25));
  EXPECT_EQ(RoomBot("oracle", 0), std::nullopt);
}

class RoomServiceTest : public testing::Test {
 protected:
  RoomServiceTest() { process_.emplace(environment_); }

  RoomService& rooms() { return process_->rooms; }
  RequestId NewRequest() { return RequestId{environment_.entropy.NewUuid()}; }
  PlayerId NewPlayer() { return PlayerId{environment_.entropy.NewUuid()}; }

  NewRoom Request(RoomVisibility visibility = RoomVisibility::kPrivate) {
    return {.host = host_,
            .display_name = "Zoë",
            .request_id = NewRequest(),
            .terms = {.rule_set = "pagat",
                      .deal_count = 3,
                      .move_limit = absl::Seconds(30),
                      .time_bank = absl::Seconds(60)},
            .player_count = 4,
            .visibility = visibility};
  }
  Room Create(RoomVisibility visibility = RoomVisibility::kPrivate) {
    const absl::StatusOr<RoomView> view = rooms().Create(Request(visibility));
    EXPECT_THAT(view, IsOk());
    return view.ok() ? view->room : Room();
  }

  absl::StatusOr<RoomView> Join(const Room& room, PlayerId player) {
    return rooms().Join(
        {.player = player, .display_name = "Guest", .request_id = NewRequest(), .code = room.code});
  }
  absl::StatusOr<RoomView> JoinByName(const Room& room, PlayerId player) {
    return rooms().Join(
        {.player = player, .display_name = "Guest", .request_id = NewRequest(), .room = room.id});
  }
  absl::StatusOr<RoomView> Start(const Room& room, PlayerId caller) {
    return rooms().StartMatch(caller, room.id, NewRequest());
  }

  // Returns a room with two persons and two bots.
  Room CreateFull() {
    Room room = Create();
    EXPECT_THAT(Join(room, guest_), IsOk());
    EXPECT_THAT(rooms().SetBot(host_, room.id, 2, "novice"), IsOk());
    EXPECT_THAT(rooms().SetBot(host_, room.id, 3, "expert"), IsOk());
    return Now(room);
  }

  // Returns the room as it is in the store now.
  Room Now(const Room& room) { return environment_.store.GetRooms({room.id})->at(0); }
  void Wait(absl::Duration time) { environment_.time.Advance(time); }

  ProcessEnvironment environment_;
  std::optional<Process> process_;
  const PlayerId host_ = NewPlayer();
  const PlayerId guest_ = NewPlayer();
};

TEST_F(RoomServiceTest, MakesARoomWithACodeThatPeopleCanRead) {
  const Room room = Create();
  EXPECT_THAT(room.code, SizeIs(kRoomCodeLength));
  EXPECT_EQ(room.code.find_first_not_of(kRoomCodeCharacters), std::string::npos);
  EXPECT_EQ(std::string(kRoomCodeCharacters).find_first_of("0O1IL"), std::string::npos);
  EXPECT_TRUE(room.HostedBy(host_));
  EXPECT_EQ(room.state, RoomState::kGathering);
}

TEST_F(RoomServiceTest, RefusesTermsOutOfBounds) {
  const auto refused = [&](auto change, const std::string& field) {
    NewRoom request = Request();
    change(request);
    const absl::Status status = rooms().Create(request).status();
    EXPECT_THAT(status, HasReason("BAD_REQUEST")) << field;
    EXPECT_EQ(GetErrorDetails(status).metadata.at("field"), field);
  };
  refused([](NewRoom& r) { r.terms.rule_set = "fftt"; }, "terms.rule_set");
  refused([](NewRoom& r) { r.player_count = 2; }, "terms.player_count");
  refused([](NewRoom& r) { r.player_count = 6; }, "terms.player_count");
  refused([](NewRoom& r) { r.terms.deal_count = 0; }, "terms.deal_count");
  refused([](NewRoom& r) { r.terms.deal_count = 101; }, "terms.deal_count");
  refused([](NewRoom& r) { r.terms.move_limit = absl::ZeroDuration(); }, "terms.move_limit");
  refused([](NewRoom& r) { r.terms.move_limit = absl::Seconds(601); }, "terms.move_limit");
  refused([](NewRoom& r) { r.terms.time_bank = absl::Seconds(3'601); }, "terms.time_bank");
  refused([](NewRoom& r) { r.terms.time_bank = absl::Milliseconds(1'500); }, "terms.time_bank");
  EXPECT_TRUE(rooms()
                  .List({.filter = RoomPage::Filter::kMine, .player = host_, .size = 1}, "Zoë")
                  ->rooms.empty());
}

TEST_F(RoomServiceTest, NamesBothParametersThatContradictEachOther) {
  NewRoom request = Request();
  request.terms.rules = rules::FindRuleSet("fft")->rules;
  request.terms.rules->hand_size[1] = 17;
  const absl::Status status = rooms().Create(request).status();
  EXPECT_THAT(status, HasReason("BAD_REQUEST"));
  EXPECT_FALSE(GetErrorDetails(status).metadata.at("field").empty());
  EXPECT_FALSE(GetErrorDetails(status).metadata.at("other_field").empty());
}

TEST_F(RoomServiceTest, AcceptsEveryRuleSetAtEachOfItsSizes) {
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int players = named.rules.players_min; players <= named.rules.players_max; ++players) {
      NewRoom request = Request();
      request.host = NewPlayer();
      request.terms.rule_set = std::string(named.name);
      request.player_count = players;
      const absl::StatusOr<RoomView> view = rooms().Create(request);
      ASSERT_THAT(view, IsOk()) << named.name << " " << players;
      for (int seat = 1; seat < players; ++seat) {
        EXPECT_THAT(rooms().SetBot(request.host, view->room.id, seat, "novice"), IsOk());
      }
      EXPECT_THAT(Start(view->room, request.host), IsOk());
      Wait(absl::Milliseconds(1));
      ASSERT_FALSE(environment_.tables.asked.empty());
      EXPECT_EQ(environment_.tables.asked.back().terms, request.terms);
      EXPECT_THAT(environment_.tables.asked.back().seats, SizeIs(players));
    }
  }
}

TEST_F(RoomServiceTest, RepeatsTheFirstOutcomeOfARequest) {
  const NewRoom request = Request();
  const Room room = rooms().Create(request)->room;
  EXPECT_EQ(rooms().Create(request)->room, room);
  const RoomJoining joining{
      .player = guest_, .display_name = "Guest", .request_id = NewRequest(), .code = room.code};
  const Room joined = rooms().Join(joining)->room;
  EXPECT_EQ(rooms().Join(joining)->room, joined);
  EXPECT_THAT(rooms().SetBot(host_, room.id, 2, "club"), IsOk());
  EXPECT_THAT(rooms().SetBot(host_, room.id, 3, "club"), IsOk());
  const int revision = Now(room).revision;
  EXPECT_THAT(rooms().SetBot(host_, room.id, 3, "club"), IsOk());
  EXPECT_EQ(Now(room).revision, revision);
  const RequestId start = NewRequest();
  EXPECT_THAT(rooms().StartMatch(host_, room.id, start), IsOk());
  Wait(absl::Milliseconds(1));
  ASSERT_THAT(environment_.tables.asked, SizeIs(1));
  EXPECT_THAT(rooms().StartMatch(host_, room.id, start), IsOk());
  EXPECT_THAT(process_->tickets.Release(environment_.tables.asked[0].id), IsOk());
  EXPECT_EQ(rooms().StartMatch(host_, room.id, start)->room.state, RoomState::kGathering);
  Wait(absl::Seconds(5));
  EXPECT_THAT(environment_.tables.asked, SizeIs(1)) << "No second match starts.";
}

TEST_F(RoomServiceTest, RefusesToJoin) {
  const Room room = Create();
  EXPECT_THAT(Join({.code = "ZZZZZZ"}, guest_),
              AllOf(StatusIs(absl::StatusCode::kNotFound), HasReason("CODE_NOT_FOUND")));
  EXPECT_THAT(JoinByName(room, guest_), HasReason("ROOM_NOT_FOUND")) << "The room is private.";
  const absl::Status twice = Join(room, host_).status();
  EXPECT_THAT(twice, HasReason("IN_ROOM"));
  EXPECT_EQ(GetErrorDetails(twice).metadata.at("room"), "rooms/" + room.id.ToString());
  NewRoom other = Request();
  other.host = guest_;
  const Room elsewhere = rooms().Create(other)->room;
  const absl::Status in_other = Join(room, guest_).status();
  EXPECT_THAT(in_other, HasReason("IN_ROOM"));
  EXPECT_EQ(GetErrorDetails(in_other).metadata.at("room"), "rooms/" + elsewhere.id.ToString());
  EXPECT_THAT(rooms().Create(Request()), HasReason("IN_ROOM"));
  EXPECT_EQ(in_other.message(), "You already sit in a room.");
  for (int i = 0; i < 3; ++i) EXPECT_THAT(Join(room, NewPlayer()), IsOk());
  EXPECT_THAT(Join(room, NewPlayer()), HasReason("ROOM_FULL"));
  EXPECT_EQ(Now(room).revision, 3);
}

TEST_F(RoomServiceTest, ACodeStopsWorkingWhenTheRoomEnds) {
  const Room room = Create();
  EXPECT_THAT(rooms().Leave(host_, room.id, host_), IsOk());
  EXPECT_THAT(Join(room, guest_), HasReason("CODE_NOT_FOUND"));
  EXPECT_THAT(rooms().Get(host_, room.id), HasReason("ROOM_NOT_FOUND"));
  EXPECT_THAT(rooms().Leave(host_, room.id, host_), IsOk()) << "A repeat does nothing.";
}

TEST_F(RoomServiceTest, ShowsAPrivateRoomToItsPlayersAndGuests) {
  const Room room = Create();
  EXPECT_THAT(rooms().Get(guest_, room.id), HasReason("ROOM_NOT_FOUND"));
  EXPECT_THAT(rooms().Invite(host_, room.id, guest_), HasReason("PLAYER_NOT_FOUND"));
  const RoomPage invited{.filter = RoomPage::Filter::kInvited, .player = guest_, .size = 5};
  // This call makes the service know the guest.
  EXPECT_TRUE(rooms().List(invited, "Guest")->rooms.empty());
  EXPECT_THAT(rooms().Invite(guest_, room.id, guest_), HasReason("ROOM_NOT_FOUND"));
  EXPECT_THAT(rooms().Invite(host_, room.id, guest_), IsOk());
  EXPECT_THAT(rooms().Invite(host_, room.id, guest_), IsOk());
  const absl::Status invited_twice = rooms().Invite(host_, room.id, host_).status();
  EXPECT_THAT(invited_twice, HasReason("IN_ROOM"));
  EXPECT_EQ(invited_twice.message(), "This player sits in the room already.");
  EXPECT_THAT(rooms().List(invited, "Guest")->rooms, SizeIs(1));
  EXPECT_EQ(rooms().Get(guest_, room.id)->viewer, std::nullopt);
  EXPECT_EQ(JoinByName(room, guest_)->viewer, 1);
  EXPECT_TRUE(rooms().List(invited, "Guest")->rooms.empty());
}

TEST_F(RoomServiceTest, InvitesNoBotsAndNotTooMany) {
  const Room room = Create();
  EXPECT_THAT(rooms().Invite(host_, room.id, process_->bots[0].player), HasReason("PLAYER_IS_BOT"));
  EXPECT_THAT(rooms().Invite(host_, room.id, RoomBot("club", 2)->player),
              HasReason("PLAYER_IS_BOT"));
  for (std::size_t i = 0; i <= kRoomInvitationsMax; ++i) {
    const PlayerId player = NewPlayer();
    EXPECT_THAT(environment_.store.See(player, "Guest", environment_.time.Now()), IsOk());
    const auto view = rooms().Invite(host_, room.id, player);
    if (i < kRoomInvitationsMax) {
      EXPECT_THAT(view, IsOk());
    } else {
      EXPECT_THAT(view, HasReason("INVITATIONS_FULL"));
    }
  }
}

TEST_F(RoomServiceTest, OnlyTheHostSetsBotsAndStarts) {
  const Room room = Create();
  EXPECT_THAT(Join(room, guest_), IsOk());
  EXPECT_THAT(rooms().SetBot(guest_, room.id, 2, "club"), HasReason("NOT_HOST"));
  EXPECT_THAT(rooms().SetBot(NewPlayer(), room.id, 2, "club"), HasReason("ROOM_NOT_FOUND"));
  EXPECT_THAT(rooms().SetBot(host_, room.id, 1, "club"), HasReason("SEAT_TAKEN"));
  EXPECT_THAT(rooms().SetBot(host_, room.id, 4, "club"), HasReason("BAD_REQUEST"));
  EXPECT_THAT(rooms().SetBot(host_, room.id, 2, "oracle"), HasReason("BAD_REQUEST"));
  const absl::Status early = Start(room, host_).status();
  EXPECT_THAT(early, HasReason("SEATS_FREE"));
  EXPECT_EQ(GetErrorDetails(early).metadata.at("free_seats"), "2");
  EXPECT_THAT(rooms().SetBot(host_, room.id, 2, "club"), IsOk());
  EXPECT_THAT(rooms().SetBot(host_, room.id, 3, "club"), IsOk());
  EXPECT_THAT(Start(room, guest_), HasReason("NOT_HOST"));
  EXPECT_THAT(Start(room, NewPlayer()), HasReason("ROOM_NOT_FOUND"));
  EXPECT_THAT(rooms().SetBot(host_, room.id, 3, ""), IsOk());
  EXPECT_THAT(Start(room, host_), HasReason("SEATS_FREE"));
}

TEST_F(RoomServiceTest, PlaysSeveralMatchesWithTheSamePlayers) {
  const Room room = CreateFull();
  EXPECT_EQ(Start(room, host_)->room.state, RoomState::kStarting);
  EXPECT_THAT(Start(room, host_), HasReason("MATCH_RUNNING"));
  Wait(absl::Milliseconds(1));
  ASSERT_THAT(environment_.tables.asked, SizeIs(1));
  const PlannedTable first = environment_.tables.asked[0];
  EXPECT_FALSE(first.terms.ranked);
  EXPECT_THAT(first.seats,
              ElementsAre(Field(&PlannedSeat::player, host_), Field(&PlannedSeat::player, guest_),
                          Field(&PlannedSeat::bot_level, "novice"),
                          Field(&PlannedSeat::bot_level, "expert")));
  EXPECT_EQ(Now(room).state, RoomState::kPlaying);
  EXPECT_EQ(Now(room).table, first.id);
  EXPECT_THAT(Start(room, host_), HasReason("MATCH_RUNNING"));
  EXPECT_THAT(rooms().SetBot(host_, room.id, 2, "club"), HasReason("MATCH_RUNNING"));
  EXPECT_THAT(process_->tickets.Release(first.id), IsOk());
  EXPECT_EQ(Now(room).state, RoomState::kGathering);
  EXPECT_EQ(Now(room).table, first.id) << "The room shows the last table.";
  EXPECT_THAT(Start(room, host_), IsOk());
  Wait(absl::Milliseconds(1));
  ASSERT_THAT(environment_.tables.asked, SizeIs(2));
  EXPECT_EQ(environment_.tables.asked[1].seats, first.seats);
  EXPECT_NE(environment_.tables.asked[1].id, first.id);
  EXPECT_EQ(process_->metrics.room_matches.Value(), 2);
}

TEST_F(RoomServiceTest, StartsTheNextMatchBeforeTheEndOfTheLastOneIsReported) {
  const Room room = CreateFull();
  EXPECT_THAT(Start(room, host_), IsOk());
  Wait(absl::Milliseconds(1));
  EXPECT_THAT(Start(room, host_), HasReason("MATCH_RUNNING"));
  environment_.tables.over[Now(room).table] = {};
  EXPECT_THAT(rooms().SetBot(host_, room.id, 2, "club"), IsOk());
  EXPECT_THAT(Start(room, host_), IsOk());
  Wait(absl::Milliseconds(1));
  environment_.tables.over[Now(room).table] = {};
  EXPECT_THAT(rooms().PartySize(host_, room.id), IsOk());
}

TEST_F(RoomServiceTest, TheHostMayStartAgainAfterARefusal) {
  environment_.tables.answer = absl::ResourceExhaustedError("full");
  const Room room = CreateFull();
  EXPECT_THAT(Start(room, host_), IsOk());
  Wait(absl::Milliseconds(1));
  EXPECT_EQ(Now(room).state, RoomState::kGathering);
  EXPECT_TRUE(Now(room).start_refused);
  environment_.tables.answer = absl::OkStatus();
  EXPECT_THAT(Start(room, host_), IsOk());
  Wait(absl::Milliseconds(1));
  EXPECT_EQ(Now(room).state, RoomState::kPlaying);
  EXPECT_FALSE(Now(room).start_refused);
}

TEST_F(RoomServiceTest, StartsNoMatchWhileAPersonWaitsInAQueue) {
  const Room room = CreateFull();
  const Ticket ticket = process_->Join(guest_);
  const absl::Status busy = Start(room, host_).status();
  EXPECT_THAT(busy, HasReason("PLAYER_BUSY"));
  EXPECT_EQ(GetErrorDetails(busy).metadata.at("player"), "players/" + guest_.ToString());
  EXPECT_THAT(process_->tickets.Cancel(guest_, ticket.id), IsOk());
  EXPECT_THAT(Start(room, host_), IsOk());
}

// A replica stores the table of a match, and dies before it requests the table. The next replica
// requests the table, with the same id and seats.
TEST_F(RoomServiceTest, AMatchStartsAlthoughTheReplicaDies) {
  const Room room = CreateFull();
  EXPECT_EQ(Start(room, host_)->room.state, RoomState::kStarting);
  const Room stored = Now(room);
  EXPECT_THAT(environment_.tables.asked, SizeIs(0));
  process_->executor.Stop();  // The task that requests the table is lost.
  process_.emplace(environment_);
  Wait(absl::Seconds(5));
  ASSERT_THAT(environment_.tables.asked, SizeIs(1));
  EXPECT_EQ(environment_.tables.asked[0].id, stored.table);
  EXPECT_EQ(environment_.tables.asked[0].terms, room.terms);
  EXPECT_THAT(environment_.tables.asked[0].seats, SizeIs(4));
  EXPECT_EQ(Now(room).state, RoomState::kPlaying);
}

TEST_F(RoomServiceTest, RequestsTheSameTableUntilAnAnswerComes) {
  environment_.tables.answer.reset();
  const Room room = CreateFull();
  EXPECT_THAT(Start(room, host_), IsOk());
  Wait(absl::Seconds(15));
  environment_.tables.answer = absl::OkStatus();
  Wait(absl::Seconds(15));
  ASSERT_GE(environment_.tables.asked.size(), 2u);
  for (const PlannedTable& asked : environment_.tables.asked) {
    EXPECT_EQ(asked, environment_.tables.asked[0]);
  }
  EXPECT_EQ(Now(room).state, RoomState::kPlaying);
}

TEST_F(RoomServiceTest, TheNextPersonHostsWhenTheHostLeaves) {
  Room room = Create();
  EXPECT_THAT(rooms().SetBot(host_, room.id, 1, "club"), IsOk());
  EXPECT_THAT(Join(room, guest_), IsOk());
  const PlayerId third = NewPlayer();
  EXPECT_THAT(Join(room, third), IsOk());
  EXPECT_THAT(rooms().Leave(guest_, room.id, third), HasReason("NOT_HOST"));
  EXPECT_THAT(rooms().Leave(host_, room.id, host_), IsOk());
  EXPECT_EQ(Now(room).host_seat, 2) << "The bot in seat 1 cannot host.";
  EXPECT_THAT(rooms().Leave(guest_, room.id, third), IsOk()) << "The host removes a person.";
  EXPECT_EQ(Now(room).SeatOf(third), std::nullopt);
  EXPECT_THAT(rooms().Leave(guest_, room.id, guest_), IsOk());
  EXPECT_EQ(Now(room).state, RoomState::kEnded) << "Only a bot is left.";
}

TEST_F(RoomServiceTest, ListsOpenRoomsByPages) {
  std::vector<RoomId> made;
  for (int i = 0; i < 5; ++i) {
    NewRoom request = Request(RoomVisibility::kOpen);
    request.host = NewPlayer();
    made.insert(made.begin(), rooms().Create(request)->room.id);
    Wait(absl::Milliseconds(1));
  }
  RoomPage page{.player = guest_, .size = 2};
  std::vector<RoomId> listed;
  while (true) {
    const RoomList list = *rooms().List(page, "Zoë");
    for (const RoomView& view : list.rooms) listed.push_back(view.room.id);
    if (!list.next) break;
    page.after = list.next;
  }
  EXPECT_EQ(listed, made);
  EXPECT_THAT(JoinByName({.id = made[0]}, guest_), IsOk()) << "Any player may join.";
}

TEST_F(RoomServiceTest, ShowsEachChangeToTheWatchers) {
  const Room room = Create();
  std::vector<RoomView> seen;
  const auto watcher = std::make_shared<const RoomService::Watcher>(
      [&](const RoomView& view) { seen.push_back(view); });
  EXPECT_THAT(rooms().Watch(guest_, room.id, watcher), HasReason("ROOM_NOT_FOUND"));
  EXPECT_THAT(rooms().Watch(host_, room.id, watcher), IsOk());
  Wait(absl::Seconds(1));
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(seen[0].viewer, 0);
  EXPECT_THAT(Join(room, guest_), IsOk());
  Wait(absl::Milliseconds(200));
  ASSERT_THAT(seen, SizeIs(2));
  EXPECT_EQ(seen[1].room.SeatOf(guest_), 1);
  EXPECT_THAT(rooms().Leave(host_, room.id, host_), IsOk());
  Wait(absl::Milliseconds(200));
  ASSERT_THAT(seen, SizeIs(3));
  EXPECT_EQ(seen[2].viewer, std::nullopt);
  EXPECT_THAT(rooms().Leave(guest_, room.id, guest_), IsOk());
  Wait(absl::Milliseconds(200));
  EXPECT_EQ(seen.back().room.state, RoomState::kEnded);
}

// A store that calls `after_read` once, after its next read of rooms.
class HookedStore final : public FakePlayerStore {
 public:
  Rooms GetRooms(absl::Span<const RoomId> ids) override {
    Rooms rooms = FakeRoomStore::GetRooms(ids);
    if (after_read) std::exchange(after_read, nullptr)();
    return rooms;
  }

  std::function<void()> after_read;
};

// The background thread reads a room. Then a player joins and watches the room. Then the thread
// shows the state that it has read to the watchers. This older state must not reach the new player.
TEST_F(RoomServiceTest, ShowsNoViewFromBeforeTheJoinToAPlayerWhoWatches) {
  HookedStore store;
  Process& p = *process_;
  RoomService rooms(environment_.time, environment_.entropy, store, store, p.seen, p.catalog,
                    p.executor, p.placer, p.cells, p.tickets, p.metrics, p.report, p.hosts);
  rooms.Start();
  const Room room = rooms.Create(Request())->room;
  const auto quiet = std::make_shared<const RoomService::Watcher>([](const RoomView&) {});
  EXPECT_THAT(rooms.Watch(host_, room.id, quiet), IsOk());
  std::vector<RoomView> seen;
  const auto watcher = std::make_shared<const RoomService::Watcher>(
      [&](const RoomView& view) { seen.push_back(view); });
  const RoomJoining joining{
      .player = guest_, .display_name = "Guest", .request_id = NewRequest(), .code = room.code};
  store.after_read = [&] {
    EXPECT_THAT(rooms.Join(joining), IsOk());
    EXPECT_THAT(rooms.Watch(guest_, room.id, watcher), IsOk());
  };
  Wait(absl::Seconds(1));
  ASSERT_THAT(seen, SizeIs(1));
  EXPECT_EQ(seen[0].viewer, 1);
  // The same player opens a second stream. This stream must not get the older view either.
  const auto second = std::make_shared<const RoomService::Watcher>(
      [&](const RoomView& view) { seen.push_back(view); });
  store.after_read = [&] {
    EXPECT_THAT(rooms.SetBot(host_, room.id, 2, "club"), IsOk());
    EXPECT_THAT(rooms.Watch(guest_, room.id, second), IsOk());
  };
  Wait(absl::Seconds(1));
  ASSERT_THAT(seen, SizeIs(3));
  EXPECT_EQ(seen[1], seen[2]) << "Both streams see the bot once.";
  p.executor.Stop();
}

TEST_F(RoomServiceTest, ARemovedPersonReturnsOnlyByAnInvitation) {
  const Room room = CreateFull();
  EXPECT_THAT(rooms().Leave(host_, room.id, guest_), IsOk());
  EXPECT_THAT(Join(room, guest_), HasReason("REMOVED_FROM_ROOM"));
  EXPECT_THAT(rooms().Join({.player = guest_, .request_id = NewRequest(), .room = room.id}),
              HasReason("REMOVED_FROM_ROOM"));
  EXPECT_THAT(rooms().Invite(host_, room.id, guest_), IsOk());
  EXPECT_THAT(Join(room, guest_), IsOk());
  EXPECT_THAT(rooms().Leave(guest_, room.id, guest_), IsOk());
  EXPECT_THAT(Join(room, guest_), IsOk()) << "A person who has left may return.";
}

TEST_F(RoomServiceTest, NamesATableOnlyWhenItExists) {
  const Room room = CreateFull();
  EXPECT_EQ(Start(room, host_)->room.MadeTable(), TableId());
  const absl::Status starting = Start(room, host_).status();
  EXPECT_THAT(starting, HasReason("MATCH_RUNNING"));
  EXPECT_FALSE(GetErrorDetails(starting).metadata.contains("table"));
  Wait(absl::Milliseconds(1));
  const TableId first = Now(room).table;
  EXPECT_EQ(Now(room).MadeTable(), first);
  const absl::Status playing = Start(room, host_).status();
  EXPECT_EQ(GetErrorDetails(playing).metadata.at("table"), "tables/" + first.ToString());
  EXPECT_THAT(process_->tickets.Release(first), IsOk());
  environment_.tables.answer = absl::ResourceExhaustedError("full");
  for (int refused = 0; refused < 2; ++refused) {
    EXPECT_THAT(Start(room, host_), IsOk());
    Wait(absl::Milliseconds(1));
    EXPECT_TRUE(Now(room).start_refused);
    EXPECT_EQ(Now(room).MadeTable(), first) << "The room still shows its last match.";
  }
}

// A process that has just started does not know the free tables of the cells yet.
TEST_F(RoomServiceTest, SaysThatThePlatformIsFullOnlyAfterAllCellsHaveAnswered) {
  environment_.tables.free_tables = {{0, 0}, {1, 0}};
  environment_.tables.silent_cells = {1};
  process_.emplace(environment_, 0, std::vector{0, 1});
  const Room room = CreateFull();
  EXPECT_THAT(Start(room, host_), HasReason("SERVICE_AWAY")) << "no cell has answered";
  Wait(kCapacityEvery);
  EXPECT_THAT(Start(room, host_), HasReason("SERVICE_AWAY")) << "cell 1 may have a free table";
  environment_.tables.silent_cells = {};
  Wait(kCapacityEvery);
  EXPECT_THAT(Start(room, host_), HasReason("TABLES_FULL"));
  EXPECT_THAT(environment_.tables.asked, SizeIs(0));
  environment_.tables.free_tables[1] = 9;
  Wait(kCapacityEvery);
  EXPECT_THAT(Start(room, host_), IsOk());
}

// A copy of the first start request arrives after the second match. It must not start a third
// match.
TEST_F(RoomServiceTest, ALateDuplicateOfAStartStartsNothing) {
  const Room room = CreateFull();
  const RequestId request = NewRequest();
  EXPECT_THAT(rooms().StartMatch(host_, room.id, request), IsOk());
  Wait(absl::Milliseconds(1));
  EXPECT_THAT(process_->tickets.Release(Now(room).table), IsOk());
  EXPECT_THAT(Start(room, host_), IsOk());
  Wait(absl::Milliseconds(1));
  EXPECT_THAT(process_->tickets.Release(Now(room).table), IsOk());
  EXPECT_EQ(rooms().StartMatch(host_, room.id, request)->room, Now(room));
  Wait(absl::Seconds(5));
  EXPECT_THAT(environment_.tables.asked, SizeIs(2));
}

TEST_F(RoomServiceTest, HidesARoomFromACreatorWhoHasLeft) {
  const NewRoom request = Request();
  const Room room = rooms().Create(request)->room;
  EXPECT_THAT(Join(room, guest_), IsOk());
  EXPECT_THAT(rooms().Leave(guest_, room.id, host_), HasReason("NOT_HOST"));
  EXPECT_THAT(rooms().Leave(host_, room.id, host_), IsOk());
  const RoomView repeated = *rooms().Create(request);
  EXPECT_EQ(repeated.room.id, room.id);
  EXPECT_EQ(repeated.room.state, RoomState::kGathering);
  EXPECT_TRUE(repeated.room.seats.empty() && repeated.room.code.empty());
}

TEST_F(RoomServiceTest, CountsARefusalOnceAlthoughTheRequestWasRepeated) {
  environment_.tables.answer.reset();
  const Room room = CreateFull();
  EXPECT_THAT(Start(room, host_), IsOk());
  Wait(absl::Seconds(15));
  ASSERT_GE(environment_.tables.unanswered.size(), 2u);
  for (auto& answer : environment_.tables.unanswered) {
    answer(absl::ResourceExhaustedError("full"));
  }
  Wait(absl::Seconds(1));
  EXPECT_TRUE(Now(room).start_refused);
  EXPECT_EQ(process_->metrics.Tables("", Metrics::kRefused).Value(), 1);
}

TEST_F(RoomServiceTest, EndsARoomThatIsNotUsed) {
  const Room unused = Create();
  NewRoom request = Request();
  request.host = guest_;
  const Room watched = rooms().Create(request)->room;
  const auto watcher = std::make_shared<const RoomService::Watcher>([](const RoomView&) {});
  EXPECT_THAT(rooms().Watch(guest_, watched.id, watcher), IsOk());
  Wait(absl::Minutes(9));
  EXPECT_EQ(Now(unused).state, RoomState::kGathering);
  EXPECT_EQ(process_->metrics.rooms_open.Value(), 2);
  Wait(absl::Minutes(2));
  EXPECT_EQ(Now(unused).state, RoomState::kEnded);
  EXPECT_EQ(Now(watched).state, RoomState::kGathering);
  EXPECT_EQ(process_->metrics.rooms_open.Value(), 1);
  EXPECT_THAT(rooms().Create(Request()), IsOk()) << "The host may open another room.";
}

// The only replica does not run for longer than kRoomUnusedMax. Some seconds after its restart, a
// player comes back, so the room must not end.
TEST_F(RoomServiceTest, ARoomSurvivesItsReplica) {
  const Room room = Create();
  process_->executor.Stop();
  Wait(absl::Minutes(30));
  process_.emplace(environment_);
  Wait(absl::Seconds(5));
  const auto watcher = std::make_shared<const RoomService::Watcher>([](const RoomView&) {});
  EXPECT_THAT(rooms().Watch(host_, room.id, watcher), IsOk());
  Wait(absl::Minutes(15));
  EXPECT_EQ(Now(room).state, RoomState::kGathering);
}

// The outage is longer than kRoomUnusedMax. After the outage, the sweep of one replica runs first,
// and this replica does not know the watchers of the other replica.
TEST_F(RoomServiceTest, AWatchedRoomSurvivesAnOutageOfTheDatabase) {
  Wait(absl::Seconds(10));
  Process other(environment_);
  const Room room = Create();
  const auto watcher = std::make_shared<const RoomService::Watcher>([](const RoomView&) {});
  EXPECT_THAT(other.rooms.Watch(host_, room.id, watcher), IsOk());
  Wait(absl::Minutes(1));
  environment_.store.set_failure(absl::UnavailableError("away"));
  Wait(absl::Minutes(30));
  environment_.store.set_failure(absl::OkStatus());
  Wait(absl::Minutes(15));
  EXPECT_EQ(Now(room).state, RoomState::kGathering);
}

// All replicas pause. After the pause, the replica that ends unused rooms may run first, and the
// replica whose player watches the room may run later.
TEST_F(RoomServiceTest, AWatchedRoomSurvivesAPauseOfThePlatform) {
  Wait(absl::Seconds(10));
  Process other(environment_);
  const Room room = Create();
  const auto watcher = std::make_shared<const RoomService::Watcher>([](const RoomView&) {});
  EXPECT_THAT(other.rooms.Watch(host_, room.id, watcher), IsOk());
  Wait(absl::Minutes(5));
  process_->pool.full = other.pool.full = true;  // After this line, no task runs.
  Wait(absl::Minutes(30));
  process_->pool.full = other.pool.full = false;
  Wait(absl::Minutes(15));
  EXPECT_EQ(Now(room).state, RoomState::kGathering);
}

TEST_F(RoomServiceTest, AnotherReplicaEndsTheRoomsOfADeadOne) {
  const Room room = Create();
  process_->executor.Stop();
  process_.emplace(environment_);
  Wait(absl::Minutes(12));
  EXPECT_EQ(Now(room).state, RoomState::kEnded);
}

TEST_F(RoomServiceTest, AFailedStatementChangesNothing) {
  const Room room = CreateFull();
  environment_.store.set_failure(absl::UnavailableError("away"));
  EXPECT_THAT(Start(room, host_), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_THAT(Join(room, NewPlayer()), StatusIs(absl::StatusCode::kUnavailable));
  Wait(absl::Minutes(1));
  environment_.store.set_failure(absl::OkStatus());
  EXPECT_EQ(Now(room), room);
}

}  // namespace
}  // namespace tarot::matchmaking_service
