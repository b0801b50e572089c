// Defines the contract test of PlayerStore. The fake store and the store on Postgres pass the same
// tests.
#pragma once

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/base/entropy.h"
#include "libs/testkit/status_matchers.h"
#include "services/matchmaking/app/player_store.h"
#include "services/matchmaking/app/waiting_tickets.h"
#include "services/matchmaking/limits.h"
#include "services/matchmaking/testing/room_store_contract.h"

namespace tarot::matchmaking_service {

// `Factory::Make()` returns TestStores.
template <typename Factory>
class PlayerStoreContract : public testing::Test {
 protected:
  PlayerStoreContract() {
    EXPECT_THAT(stores_.tickets->WriteCatalog(TestCatalog()), testkit::IsOk());
  }

  PlayerStore& players() { return *stores_.players; }
  PlayerId NewPlayer() { return PlayerId{entropy_.NewUuid()}; }

  PlayerId Seen(const std::string& name) {
    const PlayerId player = NewPlayer();
    EXPECT_THAT(players().See(player, name, now_), testkit::IsOk());
    return player;
  }

  FriendOutcome Ask(PlayerId player, PlayerId other) {
    return players().AskFriend(player, other, /*accepts=*/false, now_).value();
  }
  FriendOutcome Accept(PlayerId player, PlayerId other) {
    return players().AskFriend(player, other, /*accepts=*/true, now_).value();
  }
  void MakeFriends(PlayerId player, PlayerId other) {
    EXPECT_EQ(Ask(player, other), FriendOutcome::kRequested);
    EXPECT_EQ(Ask(other, player), FriendOutcome::kFriends);
  }

  std::vector<KnownPlayer> List(PlayerId player, int size = 100,
                                std::optional<FriendKey> after = std::nullopt) {
    return players()
        .ListFriends({.player = player,
                      .size = size,
                      .after = after,
                      .online_since = now_ - absl::Seconds(90)})
        .value();
  }
  std::vector<Relation> Relations(PlayerId player) {
    std::vector<Relation> relations;
    for (const KnownPlayer& known : List(player)) relations.push_back(known.relation);
    return relations;
  }
  Presence PresenceOfTheOnlyFriend(PlayerId player) {
    const std::vector<KnownPlayer> known = List(player);
    return known.size() == 1 ? known[0].presence : Presence();
  }

  Room NewRoom(PlayerId host, RoomVisibility visibility) {
    Room room{.id = RoomId{entropy_.NewUuid()},
              .code = room_code_,
              .visibility = visibility,
              .terms = {.rule_set = "fft", .move_limit = absl::Seconds(20)},
              .seats = std::vector<RoomSeat>(3),
              .create_time = now_};
    ++room_code_.back();
    room.seats[0] = {.player = host, .request_id = RequestId{entropy_.NewUuid()}};
    EXPECT_THAT(stores_.rooms->CreateRoom(room), testkit::IsOk());
    return room;
  }
  Room Get(const Room& room) { return stores_.rooms->GetRooms({room.id}).value().at(0); }
  void Change(Room& room) {
    EXPECT_EQ(stores_.rooms->ChangeRoom(room, now_).value(), RoomChange::kDone);
    room = Get(room);
  }

  // Returns a table of the room's players. The rules service has made this table.
  TableId Play(Room& room) {
    room.table = TableId{entropy_.NewUuid()};
    room.start_request_id = RequestId{entropy_.NewUuid()};
    PlannedTable table{.id = room.table, .terms = room.terms, .create_time = now_};
    for (const RoomSeat& seat : room.seats) {
      table.seats.push_back({.player = seat.player, .bot_level = seat.bot_level});
    }
    EXPECT_EQ(stores_.rooms->StartMatch(room, table).value().outcome, RoomStart::Outcome::kStarted);
    EXPECT_THAT(stores_.tickets->Confirm({table.id}), testkit::IsOk());
    return table.id;
  }

  PlayerReport ReportOf(PlayerId reporter, PlayerId player, TableId table, int deal = 1) {
    return {.reporter = reporter,
            .player = player,
            .table = table,
            .deal_number = deal,
            .reason = ReportReason::kDelaysTheGame,
            .report_time = now_};
  }

  const TestStores stores_ = Factory::Make();
  SeededEntropy entropy_{7};
  std::string room_code_ = "ABCDEA";
  const absl::Time now_ = absl::FromUnixSeconds(1'800'000'000);
};

TYPED_TEST_SUITE_P(PlayerStoreContract);

TYPED_TEST_P(PlayerStoreContract, RemembersPlayers) {
  const PlayerId player = this->NewPlayer();
  EXPECT_FALSE(this->players().HasSeen(player).value());
  EXPECT_THAT(this->players().SeeAgain({player}, this->now_), testkit::IsOk());
  EXPECT_FALSE(this->players().HasSeen(player).value()) << "SeeAgain stores only known players.";
  EXPECT_THAT(this->players().See(player, "Zoë", this->now_), testkit::IsOk());
  EXPECT_THAT(this->players().See(player, "Zoë", this->now_), testkit::IsOk());
  EXPECT_TRUE(this->players().HasSeen(player).value());
  const PlayerId queued = this->NewPlayer();
  EXPECT_THAT(this->stores_.tickets->Create({.id = TicketId{this->entropy_.NewUuid()},
                                             .queue = "ranked4",
                                             .player = queued,
                                             .request_id = RequestId{this->entropy_.NewUuid()},
                                             .create_time = this->now_}),
              testkit::IsOk());
  EXPECT_TRUE(this->players().HasSeen(queued).value());
}

TYPED_TEST_P(PlayerStoreContract, ForgetsUnusedPlayersWithTheirRelations) {
  const PlayerId present = this->Seen("A"), away = this->Seen("B"), alone = this->Seen("C");
  this->MakeFriends(present, away);
  const absl::Time later = this->now_ + absl::Hours(1);
  EXPECT_THAT(this->players().ForgetPlayers(this->now_, later), testkit::IsOk());
  EXPECT_TRUE(this->players().HasSeen(away).value());
  EXPECT_THAT(this->players().SeeAgain({present, alone}, later), testkit::IsOk());
  EXPECT_THAT(this->players().ForgetPlayers(later, later), testkit::IsOk());
  EXPECT_FALSE(this->players().HasSeen(away).value());
  EXPECT_THAT(this->Relations(present), testing::IsEmpty());
  EXPECT_TRUE(this->players().HasSeen(alone).value()) << "The player was seen again.";
  EXPECT_THAT(this->players().ForgetPlayers(later + absl::Seconds(1), later), testkit::IsOk());
  EXPECT_FALSE(this->players().HasSeen(alone).value());
}

TYPED_TEST_P(PlayerStoreContract, ForgetsGuestsWhoCameOnce) {
  const PlayerId guest = this->Seen("A"), host = this->Seen("B"), played = this->Seen("C"),
                 asks = this->Seen("D"), asked = this->Seen("E"), old = this->Seen("F");
  this->NewRoom(host, RoomVisibility::kOpen);
  EXPECT_EQ(this->Ask(asks, asked), FriendOutcome::kRequested);
  const TableId table{this->entropy_.NewUuid()};
  PlannedTable planned{.id = table, .queue = "casual4", .terms = {.rule_set = "fft"}};
  planned.create_time = this->now_;
  const TicketId ticket{this->entropy_.NewUuid()};
  EXPECT_THAT(this->stores_.tickets->Create({.id = ticket,
                                             .queue = "casual4",
                                             .player = played,
                                             .request_id = RequestId{this->entropy_.NewUuid()},
                                             .create_time = this->now_}),
              testkit::IsOk());
  planned.seats.push_back({.player = played, .ticket = ticket});
  EXPECT_THAT(this->stores_.tickets->Place({planned}), testkit::IsOk());
  const absl::Time until = this->now_ + absl::Hours(1);
  EXPECT_EQ(this->players().ForgetGuests(this->now_ - absl::Hours(1), this->now_).value(), 0);
  EXPECT_THAT(this->players().SeeAgain({old}, until), testkit::IsOk());
  EXPECT_EQ(this->players().ForgetGuests(this->now_, until).value(), 1);
  EXPECT_FALSE(this->players().HasSeen(guest).value());
  for (const PlayerId stays : {host, played, asks, asked, old}) {
    EXPECT_TRUE(this->players().HasSeen(stays).value());
  }
}

TYPED_TEST_P(PlayerStoreContract, ForgetsCancelledTickets) {
  const auto create = [&](PlayerId player) {
    const TicketId id{this->entropy_.NewUuid()};
    EXPECT_THAT(this->stores_.tickets->Create({.id = id,
                                               .queue = "casual4",
                                               .player = player,
                                               .request_id = RequestId{this->entropy_.NewUuid()},
                                               .create_time = this->now_}),
                testkit::IsOk());
    return id;
  };
  const PlayerId left = this->NewPlayer(), waits = this->NewPlayer();
  const TicketId cancelled = create(left);
  create(waits);
  EXPECT_THAT(this->stores_.tickets->Cancel(cancelled, left), testkit::IsOk());
  EXPECT_THAT(this->players().ForgetTickets(this->now_), testkit::IsOk());
  EXPECT_TRUE(this->players().HasSeen(left).value()) << "The ticket is not old enough.";
  EXPECT_THAT(this->players().ForgetTickets(this->now_ + absl::Seconds(1)), testkit::IsOk());
  EXPECT_FALSE(this->players().HasSeen(left).value());
  EXPECT_TRUE(this->players().HasSeen(waits).value());
}

TYPED_TEST_P(PlayerStoreContract, ForgetsOldMatchesWithTheirTickets) {
  struct Placed {
    PlayerId player;
    TicketId ticket;
    PlannedTable table;
  };
  const auto place = [&](absl::Time time) {
    Placed placed{.player = this->NewPlayer(), .ticket = {this->entropy_.NewUuid()}};
    EXPECT_THAT(this->stores_.tickets->Create({.id = placed.ticket,
                                               .queue = "casual4",
                                               .player = placed.player,
                                               .request_id = RequestId{this->entropy_.NewUuid()},
                                               .create_time = time}),
                testkit::IsOk());
    placed.table = {
        .id = TableId{this->entropy_.NewUuid()}, .queue = "casual4", .terms = {.rule_set = "fft"}};
    placed.table.create_time = time;
    placed.table.seats.push_back({.player = placed.player, .ticket = placed.ticket});
    EXPECT_THAT(this->stores_.tickets->Place({placed.table}), testkit::IsOk());
    return placed;
  };
  const Placed old = place(this->now_), plays = place(this->now_),
               fresh = place(this->now_ + absl::Seconds(1));
  for (const Placed* placed : {&old, &fresh}) {
    EXPECT_THAT(this->stores_.tickets->Release({.table = placed->table.id}), testkit::IsOk());
  }
  EXPECT_THAT(this->players().ForgetMatches(this->now_ + absl::Seconds(1)), testkit::IsOk());
  EXPECT_FALSE(this->players().HasSeen(old.player).value());
  EXPECT_TRUE(this->players().HasSeen(plays.player).value()) << "The match is not over.";
  EXPECT_TRUE(this->players().HasSeen(fresh.player).value()) << "The match is not old enough.";
  const auto report = [&](const Placed& placed) {
    return this->players().Report({.reporter = placed.player,
                                   .player = this->NewPlayer(),
                                   .table = placed.table.id,
                                   .deal_number = 1,
                                   .report_time = this->now_});
  };
  EXPECT_EQ(report(old).value(), ReportOutcome::kNoTable);
  EXPECT_NE(report(fresh).value(), ReportOutcome::kNoTable);
  EXPECT_THAT(this->players().ForgetMatches(this->now_ + absl::Seconds(2)), testkit::IsOk());
  EXPECT_FALSE(this->players().HasSeen(fresh.player).value());
}

TYPED_TEST_P(PlayerStoreContract, MakesFriendsOfTwoPlayersWhoAskEachOther) {
  const PlayerId ada = this->Seen("Ada"), bea = this->Seen("Bea");
  EXPECT_EQ(this->Accept(bea, ada), FriendOutcome::kNoRequest);
  EXPECT_EQ(this->Ask(ada, bea), FriendOutcome::kRequested);
  EXPECT_EQ(this->Ask(ada, bea), FriendOutcome::kRequested) << "A repeat changes nothing.";
  EXPECT_EQ(this->Accept(ada, bea), FriendOutcome::kNoRequest);
  EXPECT_THAT(this->Relations(ada), testing::ElementsAre(Relation::kRequestSent));
  EXPECT_THAT(this->Relations(bea), testing::ElementsAre(Relation::kRequestReceived));
  EXPECT_EQ(this->Accept(bea, ada), FriendOutcome::kFriends);
  EXPECT_EQ(this->Accept(bea, ada), FriendOutcome::kFriends);
  EXPECT_EQ(this->List(ada)[0].display_name, "Bea");
  EXPECT_EQ(this->List(ada)[0].relation, Relation::kFriend);
  EXPECT_EQ(this->List(bea)[0].player, ada);
  EXPECT_EQ(this->List(bea)[0].presence.activity, Activity::kOnline);
  EXPECT_THAT(this->players().RemoveFriend(ada, bea), testkit::IsOk());
  EXPECT_THAT(this->players().RemoveFriend(ada, bea), testkit::IsOk());
  EXPECT_TRUE(this->List(ada).empty());
  EXPECT_TRUE(this->List(bea).empty());
}

TYPED_TEST_P(PlayerStoreContract, ABlockEndsAFriendshipAndRefusesRequests) {
  const PlayerId ada = this->Seen("Ada"), bea = this->Seen("Bea"), cleo = this->Seen("Cleo");
  this->MakeFriends(ada, bea);
  EXPECT_FALSE(this->players().HasBlock({ada, cleo}, {bea}).value());
  EXPECT_TRUE(this->players().Block(ada, bea, this->now_).value());
  EXPECT_TRUE(this->players().Block(ada, bea, this->now_).value());
  EXPECT_THAT(this->Relations(ada), testing::ElementsAre(Relation::kBlocked));
  EXPECT_TRUE(this->List(bea).empty()) << "The blocked player does not see the block.";
  EXPECT_EQ(this->Ask(bea, ada), FriendOutcome::kBlocked);
  EXPECT_EQ(this->Ask(ada, bea), FriendOutcome::kBlocked);
  EXPECT_TRUE(this->players().HasBlock({cleo, ada}, {bea}).value());
  EXPECT_TRUE(this->players().HasBlock({bea}, {cleo, ada}).value());
  EXPECT_FALSE(this->players().HasBlock({cleo}, {ada, bea}).value());
  EXPECT_THAT(this->players().Unblock(bea, ada), testkit::IsOk());
  EXPECT_TRUE(this->players().HasBlock({ada}, {bea}).value()) << "Only Ada can end her block.";
  EXPECT_THAT(this->players().RemoveFriend(ada, bea), testkit::IsOk());
  EXPECT_TRUE(this->players().HasBlock({ada}, {bea}).value());
  EXPECT_THAT(this->players().Unblock(ada, bea), testkit::IsOk());
  EXPECT_FALSE(this->players().HasBlock({ada}, {bea}).value());
  EXPECT_EQ(this->Ask(bea, ada), FriendOutcome::kRequested);
}

TYPED_TEST_P(PlayerStoreContract, ABlockTakesInvitationsAwayAndHidesOpenRooms) {
  const PlayerId ada = this->Seen("Ada"), bea = this->Seen("Bea"), cleo = this->Seen("Cleo");
  Room of_ada = this->NewRoom(ada, RoomVisibility::kOpen);
  of_ada.invited = {cleo, bea};
  this->Change(of_ada);
  Room of_bea = this->NewRoom(bea, RoomVisibility::kOpen);
  of_bea.invited = {ada, cleo};
  this->Change(of_bea);
  const auto open = [&](PlayerId player) {
    return this->stores_.rooms->ListRooms({.player = player, .size = 9}).value().size();
  };
  EXPECT_EQ(open(ada), 2);
  EXPECT_TRUE(this->players().Block(ada, bea, this->now_).value());
  EXPECT_THAT(this->Get(of_ada).invited, testing::ElementsAre(cleo));
  EXPECT_THAT(this->Get(of_bea).invited, testing::ElementsAre(cleo));
  EXPECT_EQ(this->Get(of_ada).revision, of_ada.revision + 1);
  // The change `of_ada` invites a blocked player. Its room was read before the block, so the store
  // must refuse it.
  of_ada.invited = {bea};
  EXPECT_EQ(this->stores_.rooms->ChangeRoom(of_ada, this->now_).value(), RoomChange::kStale);
  EXPECT_EQ(open(ada), 1);
  EXPECT_EQ(open(bea), 1);
  EXPECT_EQ(open(cleo), 2);
}

TYPED_TEST_P(PlayerStoreContract, ABlockInARoomStopsAStartThatHasNotSeenIt) {
  const PlayerId ada = this->Seen("Ada"), bea = this->Seen("Bea");
  Room room = this->NewRoom(ada, RoomVisibility::kOpen);
  room.seats[1] = {.player = bea, .request_id = RequestId{this->entropy_.NewUuid()}};
  this->Change(room);
  const Room seen = this->Get(room);
  EXPECT_TRUE(this->players().Block(bea, ada, this->now_).value());
  room.table = TableId{this->entropy_.NewUuid()};
  room.start_request_id = RequestId{this->entropy_.NewUuid()};
  const PlannedTable table{.id = room.table,
                           .terms = room.terms,
                           .seats = {{.player = ada}, {.player = bea}},
                           .create_time = this->now_};
  EXPECT_EQ(this->stores_.rooms->StartMatch(room, table).value().outcome,
            RoomStart::Outcome::kStale);
  EXPECT_EQ(this->Get(room).revision, seen.revision + 1);
  EXPECT_EQ(this->Get(room).Persons(), seen.Persons());
}

TYPED_TEST_P(PlayerStoreContract, LimitsFriendsRequestsAndBlocks) {
  const PlayerId ada = this->Seen("Ada"), bea = this->Seen("Bea");
  for (int i = 0; i < kFriendsAskedMax; ++i) {
    EXPECT_EQ(this->Ask(ada, this->NewPlayer()), FriendOutcome::kRequested);
  }
  EXPECT_EQ(this->Ask(ada, bea), FriendOutcome::kFull);
  EXPECT_EQ(this->Ask(bea, ada), FriendOutcome::kRequested);
  for (int i = 1; i < kFriendsAskingMax; ++i) {
    EXPECT_EQ(this->Ask(this->NewPlayer(), ada), FriendOutcome::kRequested);
  }
  EXPECT_EQ(this->Ask(this->NewPlayer(), ada), FriendOutcome::kFull);
  // Ada has asked this player before. So the player can still accept, although Ada now has the
  // maximum number of friends and requests.
  const PlayerId asked =
      this->List(ada, 1, FriendKey{.relation = Relation::kRequestSent})[0].player;
  EXPECT_EQ(this->Accept(asked, ada), FriendOutcome::kFriends);
  for (int i = 0; i < kBlocksMax; ++i) {
    EXPECT_TRUE(this->players().Block(ada, this->NewPlayer(), this->now_).value());
  }
  EXPECT_FALSE(this->players().Block(ada, bea, this->now_).value());
  EXPECT_EQ(this->Relations(bea).size(), 1) << "A refused block ends no request.";
}

TYPED_TEST_P(PlayerStoreContract, ListsFriendsByPages) {
  const PlayerId ada = this->Seen("Ada");
  for (int i = 0; i < 3; ++i) {
    this->MakeFriends(ada, this->NewPlayer());
    this->Ask(this->NewPlayer(), ada);
    this->Ask(ada, this->NewPlayer());
    EXPECT_TRUE(this->players().Block(ada, this->NewPlayer(), this->now_).value());
  }
  const std::vector<KnownPlayer> all = this->List(ada);
  ASSERT_EQ(all.size(), 12);
  std::vector<KnownPlayer> pages;
  std::optional<FriendKey> after;
  while (true) {
    const std::vector<KnownPlayer> page = this->List(ada, 5, after);
    if (page.empty()) break;
    pages.insert(pages.end(), page.begin(), page.end());
    after = FriendKey{.relation = page.back().relation, .player = page.back().player};
  }
  EXPECT_EQ(pages, all);
  EXPECT_EQ(all.front().relation, Relation::kFriend);
  EXPECT_EQ(all.back().relation, Relation::kBlocked);
}

TYPED_TEST_P(PlayerStoreContract, TellsWhereAFriendIs) {
  const PlayerId ada = this->Seen("Ada"), bea = this->NewPlayer(), cleo = this->NewPlayer();
  EXPECT_THAT(this->players().See(bea, "Bea", this->now_ - absl::Minutes(5)), testkit::IsOk());
  this->MakeFriends(ada, bea);
  EXPECT_EQ(this->PresenceOfTheOnlyFriend(ada), Presence());
  EXPECT_THAT(this->players().SeeAgain({bea}, this->now_), testkit::IsOk());
  EXPECT_EQ(this->PresenceOfTheOnlyFriend(ada), Presence{.activity = Activity::kOnline});

  Room room = this->NewRoom(bea, RoomVisibility::kPrivate);
  EXPECT_EQ(this->PresenceOfTheOnlyFriend(ada), Presence{.activity = Activity::kInRoom});
  room.invited = {ada};
  this->Change(room);
  EXPECT_EQ(this->PresenceOfTheOnlyFriend(ada),
            (Presence{.activity = Activity::kInRoom, .room = room.id}));
  EXPECT_TRUE(this->players().Block(cleo, ada, this->now_).value());
  room.seats[1] = {.player = cleo, .request_id = RequestId{this->entropy_.NewUuid()}};
  this->Change(room);
  EXPECT_EQ(this->PresenceOfTheOnlyFriend(ada), Presence{.activity = Activity::kInRoom})
      << "A block with another player of the room hides it.";
  EXPECT_THAT(this->players().Unblock(cleo, ada), testkit::IsOk());
  room.invited = {};
  room.seats[2] = {.player = RoomBot("club", 2)->player, .bot_level = "club"};
  this->Change(room);
  const TableId table = this->Play(room);
  EXPECT_EQ(this->PresenceOfTheOnlyFriend(ada),
            (Presence{.activity = Activity::kPlaying, .table = table}));
  EXPECT_THAT(this->stores_.tickets->Release({table}), testkit::IsOk());
  EXPECT_EQ(this->PresenceOfTheOnlyFriend(ada), Presence{.activity = Activity::kInRoom});
  EXPECT_THAT(this->stores_.tickets->Create({.id = TicketId{this->entropy_.NewUuid()},
                                             .queue = "ranked4",
                                             .player = bea,
                                             .request_id = RequestId{this->entropy_.NewUuid()},
                                             .create_time = this->now_}),
              testkit::IsOk());
  EXPECT_EQ(this->PresenceOfTheOnlyFriend(ada), Presence{.activity = Activity::kWaiting});
  this->Ask(cleo, bea);
  EXPECT_EQ(this->List(cleo)[0].presence, Presence()) << "Only friends see where a player is.";
}

TYPED_TEST_P(PlayerStoreContract, ShowsTheTableOnlyToFriendsOfItsPlayers) {
  const PlayerId ada = this->Seen("Ada"), bea = this->Seen("Bea"), cleo = this->Seen("Cleo");
  this->MakeFriends(ada, bea);
  this->MakeFriends(cleo, bea);
  Room room = this->NewRoom(this->Seen("Dora"), RoomVisibility::kPrivate);
  room.seats[1] = {.player = bea, .request_id = RequestId{this->entropy_.NewUuid()}};
  room.seats[2] = {.player = RoomBot("club", 2)->player, .bot_level = "club"};
  this->Change(room);
  const TableId table = this->Play(room);
  room = this->Get(room);
  room.Free(1);
  this->Change(room);
  const Presence plays{.activity = Activity::kPlaying, .table = table};
  EXPECT_EQ(this->PresenceOfTheOnlyFriend(ada), plays)
      << "Bea has left the room and still plays at its table.";

  room.seats[1] = {.player = cleo, .request_id = RequestId{this->entropy_.NewUuid()}};
  this->Change(room);
  EXPECT_EQ(this->PresenceOfTheOnlyFriend(cleo), plays);
  const auto of_bea = this->List(bea);
  ASSERT_EQ(of_bea.size(), 2u);
  for (const KnownPlayer& known : of_bea) {
    EXPECT_EQ(known.presence.activity, known.player == cleo ? Activity::kInRoom : Activity::kOnline)
        << "Cleo has joined the room during the match and has no seat at its table.";
  }
  EXPECT_THAT(this->stores_.tickets->Release({table}), testkit::IsOk());
  EXPECT_EQ(this->PresenceOfTheOnlyFriend(ada), Presence{.activity = Activity::kOnline});
}

TYPED_TEST_P(PlayerStoreContract, StoresReportsOfPlayersAtOneTable) {
  const PlayerId ada = this->NewPlayer(), bea = this->NewPlayer(), cleo = this->NewPlayer();
  Room room = this->NewRoom(ada, RoomVisibility::kOpen);
  room.seats[1] = {.player = bea, .request_id = RequestId{this->entropy_.NewUuid()}};
  room.seats[2] = {.player = RoomBot("club", 2)->player, .bot_level = "club"};
  this->Change(room);
  const TableId table = this->Play(room);
  const auto report = [&](const PlayerReport& made) {
    return this->players().Report(made).value();
  };
  EXPECT_EQ(report(this->ReportOf(cleo, bea, table)), ReportOutcome::kNoTable);
  EXPECT_EQ(report(this->ReportOf(ada, bea, TableId{this->entropy_.NewUuid()})),
            ReportOutcome::kNoTable);
  EXPECT_EQ(report(this->ReportOf(ada, cleo, table)), ReportOutcome::kNotAtTable);
  EXPECT_EQ(report(this->ReportOf(ada, room.seats[2].player, table)), ReportOutcome::kBot);
  const PlayerReport first = this->ReportOf(ada, bea, table);
  EXPECT_EQ(report(first), ReportOutcome::kStored);
  EXPECT_EQ(report(first), ReportOutcome::kRepeated);
  EXPECT_EQ(report(this->ReportOf(ada, bea, table, 2)), ReportOutcome::kRepeated);
  const auto stored = this->stores_.players->ListReports({.size = 10, .after = std::nullopt});
  ASSERT_THAT(stored, testkit::IsOk());
  ASSERT_EQ(stored->size(), 1u);
  EXPECT_EQ((*stored)[0].deal_number, 2) << "The last report names the deal.";
  PlayerReport late = this->ReportOf(bea, ada, table);
  late.report_time += kReportedTableMax;
  EXPECT_EQ(report(late), ReportOutcome::kNoTable) << "The match was too long ago.";
  TableId last = table;
  const auto next_match = [&] {
    EXPECT_THAT(this->stores_.tickets->Release({last}), testkit::IsOk());
    room = this->Get(room);
    last = this->Play(room);
  };
  for (int match = 2; match <= kReportsPerDayMax; ++match) {
    next_match();
    EXPECT_EQ(report(this->ReportOf(ada, bea, last)), ReportOutcome::kStored);
  }
  next_match();
  EXPECT_EQ(report(this->ReportOf(ada, bea, last)), ReportOutcome::kFull);
  EXPECT_EQ(report(this->ReportOf(bea, ada, table)), ReportOutcome::kStored);

  std::vector<PlayerReport> pages;
  std::optional<PlayerReport> after;
  while (true) {
    const auto page = this->players().ListReports({.size = 6, .after = after}).value();
    if (page.empty()) break;
    pages.insert(pages.end(), page.begin(), page.end());
    after = page.back();
  }
  EXPECT_EQ(pages.size(), kReportsPerDayMax + 1);
  PlayerReport last_word = first;
  last_word.deal_number = 2;
  EXPECT_THAT(pages, testing::Contains(last_word));
  EXPECT_THAT(this->players().ForgetPlayers(this->now_, this->now_), testkit::IsOk());
  EXPECT_FALSE(this->players().ListReports({.size = 6}).value().empty());
  EXPECT_THAT(this->players().ForgetPlayers(this->now_, this->now_ + absl::Seconds(1)),
              testkit::IsOk());
  EXPECT_TRUE(this->players().ListReports({.size = 6}).value().empty());
}

TYPED_TEST_P(PlayerStoreContract, ListsTheBlocksOfWaitingPlayers) {
  const PlayerId ada = this->NewPlayer(), bea = this->NewPlayer(), cleo = this->NewPlayer();
  EXPECT_TRUE(this->players().Block(ada, bea, this->now_).value());
  EXPECT_TRUE(this->players().Block(cleo, ada, this->now_).value());
  this->Ask(bea, cleo);
  for (const PlayerId player : {ada, bea}) {
    EXPECT_THAT(this->stores_.tickets->Create({.id = TicketId{this->entropy_.NewUuid()},
                                               .queue = "ranked4",
                                               .player = player,
                                               .request_id = RequestId{this->entropy_.NewUuid()},
                                               .create_time = this->now_}),
                testkit::IsOk());
  }
  WaitingTickets waiting(*this->stores_.tickets);
  ASSERT_THAT(waiting.Refresh(), testkit::IsOk());
  const BlockLists both = {{ada, {bea}}};
  EXPECT_EQ(waiting.blocks(), both);
  EXPECT_THAT(this->players().Unblock(ada, bea), testkit::IsOk());
  EXPECT_TRUE(this->players().Block(bea, cleo, this->now_).value());
  ASSERT_THAT(waiting.Refresh(), testkit::IsOk());
  const BlockLists changed = {{bea, {cleo}}};
  EXPECT_EQ(waiting.blocks(), changed) << "Blocks change while the players wait.";
}

TYPED_TEST_P(PlayerStoreContract, ForgetsADeletedPlayerUnlessTheyPlay) {
  const PlayerId ada = this->Seen("Ada of Nowhere"), bea = this->Seen("Bea");
  this->MakeFriends(ada, bea);
  EXPECT_THAT(*this->players().ExportPlayer(ada), testing::HasSubstr("Ada of Nowhere"));
  const NewTicket draft{.id = TicketId{this->entropy_.NewUuid()},
                        .queue = "ranked4",
                        .player = ada,
                        .display_name = "Ada of Nowhere",
                        .request_id = RequestId{this->entropy_.NewUuid()},
                        .create_time = this->now_};
  const Ticket ticket = this->stores_.tickets->Create(draft)->ticket;
  const PlannedTable table{
      .id = TableId{this->entropy_.NewUuid()},
      .queue = "ranked4",
      .terms = TestCatalog().queues[0].terms,
      .seats = {{.player = ada, .display_name = "Ada of Nowhere", .ticket = ticket.id}},
      .create_time = this->now_};
  ASSERT_EQ(this->stores_.tickets->Place({table})->size(), 1u);
  EXPECT_EQ(*this->players().DeletePlayer(ada), table.id);
  EXPECT_EQ(this->Relations(bea).size(), 1u) << "Nothing has changed.";
  ASSERT_THAT(this->stores_.tickets->Release({.table = table.id}), testkit::IsOk());

  for (int twice = 0; twice < 2; ++twice) EXPECT_TRUE(this->players().DeletePlayer(ada)->empty());
  EXPECT_TRUE(this->Relations(bea).empty());
  EXPECT_FALSE(this->players().HasSeen(ada).value());
  EXPECT_TRUE(this->stores_.tickets->Get({ticket.id})->empty());
  EXPECT_EQ(this->stores_.tickets->GetStanding(ada)->finished_count, 0);
  EXPECT_THAT(*this->players().ExportPlayer(ada),
              testing::Not(testing::HasSubstr("Ada of Nowhere")));
}

REGISTER_TYPED_TEST_SUITE_P(
    PlayerStoreContract, ForgetsADeletedPlayerUnlessTheyPlay, RemembersPlayers,
    ForgetsUnusedPlayersWithTheirRelations, ForgetsGuestsWhoCameOnce, ForgetsCancelledTickets,
    ForgetsOldMatchesWithTheirTickets, MakesFriendsOfTwoPlayersWhoAskEachOther,
    ABlockEndsAFriendshipAndRefusesRequests, ABlockTakesInvitationsAwayAndHidesOpenRooms,
    ABlockInARoomStopsAStartThatHasNotSeenIt, LimitsFriendsRequestsAndBlocks, ListsFriendsByPages,
    TellsWhereAFriendIs, ShowsTheTableOnlyToFriendsOfItsPlayers, StoresReportsOfPlayersAtOneTable,
    ListsTheBlocksOfWaitingPlayers);

}  // namespace tarot::matchmaking_service
