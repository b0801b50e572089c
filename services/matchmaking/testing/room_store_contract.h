// Defines the contract test of RoomStore. The fake store and the store on Postgres pass the same
// tests.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/base/entropy.h"
#include "libs/testkit/status_matchers.h"
#include "services/matchmaking/app/player_store.h"
#include "services/matchmaking/app/room_service.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/testing/fake_ticket_store.h"

namespace tarot::matchmaking_service {

// The stores of one new, empty database.
struct TestStores {
  std::shared_ptr<TicketStore> tickets;
  std::shared_ptr<RoomStore> rooms;
  std::shared_ptr<PlayerStore> players;
};

// `Factory::Make()` returns TestStores.
template <typename Factory>
class RoomStoreContract : public testing::Test {
 protected:
  using Created = CreatedRoom::Outcome;
  using Started = RoomStart::Outcome;

  RoomStoreContract() {
    EXPECT_THAT(stores_.tickets->WriteCatalog(TestCatalog()), testkit::IsOk());
  }

  RoomSeat NewPerson() {
    return {.player = PlayerId{entropy_.NewUuid()},
            .display_name = R"(Zoë "la \reine")",
            .request_id = RequestId{entropy_.NewUuid()}};
  }

  // Returns a room that is not stored yet, with one person.
  Room Draft(int age_seconds = 0) {
    Room room{.id = RoomId{entropy_.NewUuid()},
              .code = room_code_,
              .visibility = RoomVisibility::kOpen,
              .terms = {.rule_set = "pagat",
                        .deal_count = 7,
                        .move_limit = absl::Seconds(20),
                        .time_bank = absl::Seconds(90),
                        .breaks = true},
              .seats = std::vector<RoomSeat>(3),
              .create_time = now_ - absl::Seconds(age_seconds)};
    ++room_code_.back();
    room.seats[0] = NewPerson();
    return room;
  }

  Room Create(const Room& draft) {
    const absl::StatusOr<CreatedRoom> created = rooms().CreateRoom(draft);
    EXPECT_THAT(created, testkit::IsOk());
    if (!created.ok()) return Room();
    EXPECT_EQ(created->outcome, Created::kCreated);
    return created->room;
  }
  Room Create() { return Create(Draft()); }

  // Returns a stored room with three persons.
  Room CreateFull() {
    Room room = Create();
    room.Seat(1, NewPerson());
    room.Seat(2, NewPerson());
    EXPECT_EQ(Change(room), RoomChange::kDone);
    return Get(room.id);
  }

  Room Get(RoomId id) {
    const auto found = rooms().GetRooms({id});
    EXPECT_THAT(found, testkit::IsOk());
    return found.ok() && found->size() == 1 ? found->at(0) : Room();
  }

  RoomChange Change(const Room& room) { return rooms().ChangeRoom(room, now_).value(); }

  RoomStart Start(Room& room) {
    room.table = TableId{entropy_.NewUuid()};
    room.start_request_id = RequestId{entropy_.NewUuid()};
    PlannedTable table{.id = room.table, .terms = room.terms, .create_time = now_};
    for (const RoomSeat& seat : room.seats) {
      table.seats.push_back(
          {.player = seat.player, .display_name = seat.display_name, .bot_level = seat.bot_level});
    }
    planned_ = table;
    return rooms().StartMatch(room, table).value();
  }

  std::vector<RoomId> List(RoomPage::Filter filter, PlayerId player, int size = 10,
                           std::optional<RoomKey> after = std::nullopt) {
    std::vector<RoomId> ids;
    const auto listed =
        rooms().ListRooms({.filter = filter, .player = player, .size = size, .after = after});
    EXPECT_THAT(listed, testkit::IsOk());
    for (const Room& room : *listed) {
      EXPECT_EQ(room, Get(room.id));
      ids.push_back(room.id);
    }
    return ids;
  }

  int Sweep(absl::Duration after) {
    const absl::Time now = now_ + after;
    return rooms().SweepRooms(now, now - absl::Minutes(10), now - absl::Hours(1)).value();
  }

  RoomStore& rooms() { return *stores_.rooms; }
  TicketStore& tickets() { return *stores_.tickets; }

  const TestStores stores_ = Factory::Make();
  SeededEntropy entropy_{5};
  std::string room_code_ = "ABCDEA";
  const absl::Time now_ = absl::FromUnixSeconds(1'800'000'000);
  PlannedTable planned_;
};

TYPED_TEST_SUITE_P(RoomStoreContract);

TYPED_TEST_P(RoomStoreContract, StoresARoomWithAllItsValues) {
  Room draft = this->Draft();
  draft.terms.rules = rules::FindRuleSet("club")->rules;
  draft.terms.rules->cut_min = 5;
  draft.terms.rule_set = "fft +cut_min=5";
  const Room created = this->Create(draft);
  EXPECT_EQ(created, draft);
  EXPECT_EQ(this->Get(draft.id), draft);
  EXPECT_EQ(this->rooms().FindRoom(draft.code).value(), draft);
  EXPECT_EQ(this->rooms().FindRoom("ZZZZZZ").value(), std::nullopt);
  EXPECT_TRUE(this->rooms().GetRooms({RoomId{this->entropy_.NewUuid()}})->empty());
}

TYPED_TEST_P(RoomStoreContract, ReturnsTheFirstRoomOfARepeatedRequest) {
  const Room first = this->Create();
  Room again = this->Draft();
  again.seats[0] = first.seats[0];
  const CreatedRoom replayed = *this->rooms().CreateRoom(again);
  EXPECT_EQ(replayed.outcome, CreatedRoom::Outcome::kReplayed);
  EXPECT_EQ(replayed.room, first);
}

TYPED_TEST_P(RoomStoreContract, KeepsAPersonInOneRoom) {
  const Room first = this->Create();
  Room second = this->Draft();
  second.seats[0].player = first.seats[0].player;
  const CreatedRoom refused = *this->rooms().CreateRoom(second);
  EXPECT_EQ(refused.outcome, CreatedRoom::Outcome::kInRoom);
  EXPECT_EQ(refused.room, first);
  Room third = this->Create();
  third.seats[1] = second.seats[0];
  EXPECT_EQ(this->Change(third), RoomChange::kInRoom);
  EXPECT_TRUE(this->Get(third.id).seats[1].free());
}

TYPED_TEST_P(RoomStoreContract, SeatsOneBotInManyRooms) {
  for (int i = 0; i < 2; ++i) {
    Room room = this->Create();
    const Bot bot = *RoomBot("expert", 1);
    room.Seat(1, {.player = bot.player, .display_name = bot.display_name, .bot_level = bot.level});
    EXPECT_EQ(this->Change(room), RoomChange::kDone);
    EXPECT_EQ(this->Get(room.id).seats[1].bot_level, "expert");
  }
}

TYPED_TEST_P(RoomStoreContract, RefusesACodeThatALiveRoomHas) {
  Room first = this->Create();
  Room second = this->Draft();
  second.code = first.code;
  EXPECT_EQ(this->rooms().CreateRoom(second)->outcome, CreatedRoom::Outcome::kCodeTaken);
  EXPECT_TRUE(this->rooms().GetRooms({second.id})->empty());
  first.End();
  EXPECT_EQ(this->Change(first), RoomChange::kDone);
  EXPECT_EQ(this->rooms().FindRoom(first.code).value(), std::nullopt);
  EXPECT_EQ(this->rooms().CreateRoom(second)->outcome, CreatedRoom::Outcome::kCreated);
}

TYPED_TEST_P(RoomStoreContract, AcceptsOneOfTwoChangesOfARevision) {
  const Room base = this->Create();
  Room one = base, two = base;
  one.Seat(1, this->NewPerson());
  one.invited = {this->NewPerson().player, this->NewPerson().player};
  one.removed = {this->NewPerson().player};
  two.Seat(1, this->NewPerson());
  EXPECT_EQ(this->Change(one), RoomChange::kDone);
  EXPECT_EQ(this->Change(two), RoomChange::kStale);
  ++one.revision;
  EXPECT_EQ(this->Get(base.id), one);
}

TYPED_TEST_P(RoomStoreContract, FreesAllPersonsWhenARoomEnds) {
  Room room = this->CreateFull();
  const RoomSeat guest = room.seats[1];
  room.End();
  EXPECT_EQ(this->Change(room), RoomChange::kDone);
  const Room ended = this->Get(room.id);
  EXPECT_EQ(ended.state, RoomState::kEnded);
  EXPECT_TRUE(ended.seats[0].free() && ended.seats[1].free() && ended.seats[2].free());
  EXPECT_EQ(this->Change(ended), RoomChange::kStale) << "An ended room does not change.";
  Room next = this->Draft();
  next.seats[0] = guest;
  this->Create(next);
}

TYPED_TEST_P(RoomStoreContract, ListsOpenRoomsWithFreeSeatsByPages) {
  using Filter = RoomPage::Filter;
  const PlayerId stranger{this->entropy_.NewUuid()};
  const Room oldest = this->Create(this->Draft(30));
  const Room middle = this->Create(this->Draft(20));
  const Room newest = this->Create(this->Draft(10));
  Room hidden = this->Draft();
  hidden.visibility = RoomVisibility::kPrivate;
  this->Create(hidden);
  this->CreateFull();
  EXPECT_EQ(this->List(Filter::kOpenSeats, stranger),
            (std::vector{newest.id, middle.id, oldest.id}));
  EXPECT_EQ(this->List(Filter::kOpenSeats, stranger, 2), (std::vector{newest.id, middle.id}));
  EXPECT_EQ(this->List(Filter::kOpenSeats, stranger, 2,
                       RoomKey{.create_time = middle.create_time, .room = middle.id}),
            (std::vector{oldest.id}));
}

TYPED_TEST_P(RoomStoreContract, ListsTheRoomsOfAPersonAndOfAGuest) {
  using Filter = RoomPage::Filter;
  Room room = this->CreateFull();
  const PlayerId guest{this->entropy_.NewUuid()};
  EXPECT_TRUE(this->List(Filter::kInvited, guest).empty());
  room.invited = {this->NewPerson().player, guest};
  EXPECT_EQ(this->Change(room), RoomChange::kDone);
  EXPECT_EQ(this->List(Filter::kInvited, guest), (std::vector{room.id}));
  EXPECT_TRUE(this->List(Filter::kMine, guest).empty());
  EXPECT_EQ(this->List(Filter::kMine, room.seats[2].player), (std::vector{room.id}));
  ++room.revision;
  room.End();
  EXPECT_EQ(this->Change(room), RoomChange::kDone);
  EXPECT_TRUE(this->List(Filter::kInvited, guest).empty());
}

TYPED_TEST_P(RoomStoreContract, FollowsTheStateOfItsTable) {
  Room room = this->CreateFull();
  EXPECT_EQ(room.state, RoomState::kGathering);
  ASSERT_EQ(this->Start(room).outcome, RoomStart::Outcome::kStarted);
  EXPECT_EQ(this->Get(room.id).state, RoomState::kStarting);
  EXPECT_EQ(this->Get(room.id).start_request_id, room.start_request_id);
  const auto placed = this->tickets().ListPlaced();
  ASSERT_THAT(placed, testkit::IsOk());
  EXPECT_THAT(*placed, testing::ElementsAre(this->planned_));
  EXPECT_TRUE(this->tickets().Confirm({room.table})->empty());
  EXPECT_EQ(this->Get(room.id).state, RoomState::kPlaying);
  EXPECT_TRUE(this->tickets().ListPlaced()->empty());
  EXPECT_TRUE(this->tickets().Release({room.table})->empty());
  EXPECT_EQ(this->Get(room.id).state, RoomState::kGathering);
  EXPECT_EQ(this->Get(room.id).table, room.table);

  room = this->Get(room.id);
  ASSERT_EQ(this->Start(room).outcome, RoomStart::Outcome::kStarted);
  EXPECT_TRUE(this->tickets().Refuse({room.table})->empty());
  EXPECT_EQ(this->Get(room.id).state, RoomState::kGathering);
  EXPECT_TRUE(this->Get(room.id).start_refused);
}

TYPED_TEST_P(RoomStoreContract, StartsOneOfTwoMatchesOfARevision) {
  const Room base = this->CreateFull();
  Room one = base, two = base;
  EXPECT_EQ(this->Start(one).outcome, RoomStart::Outcome::kStarted);
  // The persons sit at the table of the first start now. If the start is repeated, the result must
  // be kStale, not kBusy.
  EXPECT_EQ(this->Start(two).outcome, RoomStart::Outcome::kStale);
  Room next = this->Get(base.id);
  EXPECT_EQ(this->Start(next).outcome, RoomStart::Outcome::kBusy);
  EXPECT_TRUE(this->tickets().Confirm({one.table}).ok() &&
              this->tickets().Release({one.table}).ok());
  EXPECT_EQ(this->Start(two).outcome, RoomStart::Outcome::kStale);
  EXPECT_EQ(this->Get(base.id).table, one.table);
  EXPECT_TRUE(this->tickets().ListPlaced()->empty());
}

TYPED_TEST_P(RoomStoreContract, StartsOneMatchByARequest) {
  Room first = this->CreateFull();
  ASSERT_EQ(this->Start(first).outcome, RoomStart::Outcome::kStarted);
  EXPECT_TRUE(this->tickets().Confirm({first.table}).ok());
  EXPECT_TRUE(this->tickets().Release({first.table}).ok());
  Room second = this->Get(first.id);
  second.last_table = first.table;
  ASSERT_EQ(this->Start(second).outcome, RoomStart::Outcome::kStarted);
  EXPECT_EQ(this->Get(first.id).last_table, first.table);
  EXPECT_TRUE(this->tickets().Refuse({second.table}).ok());
  Room late = this->Get(first.id);
  late.table = TableId{this->entropy_.NewUuid()};
  late.start_request_id = first.start_request_id;
  PlannedTable table = this->planned_;
  table.id = late.table;
  EXPECT_EQ(this->rooms().StartMatch(late, table)->outcome, RoomStart::Outcome::kRepeated);
  EXPECT_EQ(this->Get(first.id).table, second.table);
  EXPECT_EQ(this->Get(first.id).revision, late.revision);
}

TYPED_TEST_P(RoomStoreContract, StartsNoMatchWhileAPersonHasALiveTicket) {
  Room room = this->CreateFull();
  const PlayerId busy = room.seats[1].player;
  const Ticket ticket = this->tickets()
                            .Create({.id = TicketId{this->entropy_.NewUuid()},
                                     .queue = "ranked4",
                                     .player = busy,
                                     .request_id = RequestId{this->entropy_.NewUuid()},
                                     .create_time = this->now_})
                            ->ticket;
  const RoomStart start = this->Start(room);
  EXPECT_EQ(start.outcome, RoomStart::Outcome::kBusy);
  EXPECT_EQ(start.busy, busy);
  EXPECT_EQ(this->Get(room.id).revision, room.revision);
  EXPECT_THAT(this->tickets().Cancel(ticket.id, busy), testkit::IsOk());
  EXPECT_EQ(this->Start(room).outcome, RoomStart::Outcome::kStarted);
}

TYPED_TEST_P(RoomStoreContract, CancelsAllWaitingTicketsOfAParty) {
  Room room = this->CreateFull();
  const auto join = [&](const char* queue, PlayerId player, RoomId party) {
    return this->tickets()
        .Create({.id = TicketId{this->entropy_.NewUuid()},
                 .queue = queue,
                 .player = player,
                 .request_id = RequestId{this->entropy_.NewUuid()},
                 .create_time = this->now_,
                 .party = party,
                 .party_size = 3})
        .value()
        .ticket;
  };
  const auto get = [&](const Ticket& ticket) { return this->tickets().Get({ticket.id}).value(); };
  const auto state = [&](const Ticket& ticket) { return get(ticket).at(0).state; };
  const PlayerId ada = room.seats[0].player, bea = room.seats[1].player;
  const PlayerId cleo = room.seats[2].player;
  const Ticket stranger = join("casual4", this->NewPerson().player, RoomId());
  const Ticket of_ada = join("casual4", ada, room.id), of_bea = join("casual4", bea, room.id);
  const Ticket of_cleo = join("casual4", cleo, room.id);
  const Ticket other_queue = join("ranked4", bea, room.id);
  EXPECT_EQ(get(of_ada).at(0).party, room.id);
  EXPECT_EQ(get(of_ada).at(0).party_size, 3);
  room.Free(2);
  ASSERT_EQ(this->Change(room), RoomChange::kDone);
  EXPECT_EQ(this->tickets().Cancel(of_ada.id, ada)->id, of_ada.id);
  EXPECT_EQ(state(of_ada), TicketState::kCancelled);
  EXPECT_EQ(state(of_bea), TicketState::kCancelled);
  EXPECT_EQ(state(of_cleo), TicketState::kWaiting) << "This player has left the room.";
  EXPECT_EQ(state(other_queue), TicketState::kWaiting);
  EXPECT_EQ(state(stranger), TicketState::kWaiting);

  const Ticket again_ada = join("casual4", ada, room.id), again_bea = join("casual4", bea, room.id);
  EXPECT_EQ(this->tickets().Cancel(of_cleo.id, cleo)->state, TicketState::kCancelled);
  EXPECT_EQ(state(again_ada), TicketState::kWaiting)
      << "A player outside cancels only the own one.";
  EXPECT_EQ(this->tickets().Cancel(again_ada.id, ada)->state, TicketState::kCancelled);
  EXPECT_EQ(state(again_bea), TicketState::kCancelled);
  EXPECT_EQ(get(of_ada).size(), 0u);
  EXPECT_EQ(get(of_bea).size(), 0u) << "Each player keeps one cancelled ticket.";
}

TYPED_TEST_P(RoomStoreContract, EndsRoomsThatAreNotUsed) {
  Room unused = this->Create();
  const Room watched = this->Create();
  Room playing = this->CreateFull();
  EXPECT_EQ(this->Start(playing).outcome, RoomStart::Outcome::kStarted);
  EXPECT_EQ(this->Sweep(absl::Minutes(9)), 3);
  EXPECT_THAT(this->rooms().TouchRooms({watched.id}, this->now_ + absl::Minutes(9)),
              testkit::IsOk());
  EXPECT_EQ(this->Sweep(absl::Minutes(11)), 2);
  EXPECT_EQ(this->Get(unused.id).state, RoomState::kEnded);
  EXPECT_EQ(this->Change(unused), RoomChange::kStale);
  EXPECT_EQ(this->Get(watched.id), watched) << "To watch a room does not change it.";

  // A room is in use until its match is over.
  EXPECT_EQ(this->Sweep(absl::Minutes(25)), 1);
  EXPECT_EQ(this->Get(playing.id).state, RoomState::kStarting);
  EXPECT_THAT(this->tickets().Confirm({playing.table}), testkit::IsOk());
  EXPECT_THAT(this->tickets().Release({playing.table}), testkit::IsOk());
  EXPECT_EQ(this->Sweep(absl::Minutes(34)), 1);
  EXPECT_EQ(this->Sweep(absl::Minutes(36)), 0);
}

TYPED_TEST_P(RoomStoreContract, ForgetsRoomsAfterTheirEnd) {
  Room room = this->Create();
  const Room other = this->Create();
  room.End();
  EXPECT_EQ(this->Change(room), RoomChange::kDone);
  EXPECT_THAT(this->rooms().TouchRooms({other.id}, this->now_ + absl::Minutes(59)),
              testkit::IsOk());
  EXPECT_EQ(this->Sweep(absl::Minutes(59)), 1);
  EXPECT_EQ(this->rooms().GetRooms({room.id})->size(), 1u);
  EXPECT_EQ(this->Sweep(absl::Minutes(61)), 1);
  EXPECT_EQ(this->rooms().GetRooms({room.id})->size(), 0u);
}

TYPED_TEST_P(RoomStoreContract, KeepsOneEndedRoomOfAPerson) {
  Room first = this->Create();
  const RoomSeat creator = first.seats[0];
  first.End();
  EXPECT_EQ(this->Change(first), RoomChange::kDone);
  EXPECT_EQ(this->rooms().GetRooms({first.id})->size(), 1u);
  const Room other = this->Create();
  EXPECT_EQ(this->rooms().GetRooms({first.id})->size(), 1u) << "Another person made it.";
  Room second = this->Draft();
  second.seats[0] = this->NewPerson();
  second.seats[0].player = creator.player;
  this->Create(second);
  EXPECT_EQ(this->rooms().GetRooms({first.id})->size(), 0u);
  EXPECT_EQ(this->Get(other.id), other);
}

REGISTER_TYPED_TEST_SUITE_P(RoomStoreContract, StoresARoomWithAllItsValues,
                            ReturnsTheFirstRoomOfARepeatedRequest, KeepsAPersonInOneRoom,
                            SeatsOneBotInManyRooms, RefusesACodeThatALiveRoomHas,
                            AcceptsOneOfTwoChangesOfARevision, FreesAllPersonsWhenARoomEnds,
                            ListsOpenRoomsWithFreeSeatsByPages, ListsTheRoomsOfAPersonAndOfAGuest,
                            FollowsTheStateOfItsTable, StartsOneOfTwoMatchesOfARevision,
                            StartsOneMatchByARequest, StartsNoMatchWhileAPersonHasALiveTicket,
                            CancelsAllWaitingTicketsOfAParty, EndsRoomsThatAreNotUsed,
                            ForgetsRoomsAfterTheirEnd, KeepsOneEndedRoomOfAPerson);

}  // namespace tarot::matchmaking_service
