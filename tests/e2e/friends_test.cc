// Tests friends, blocks and reports on real processes, with guests' tokens and the public API only.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/eventually.h"
#include "tests/e2e/player_thread.h"

namespace tarot::e2e {
namespace {

using client::Friends;
using client::Rooms;
using matchmaking::v1::Friend;
using matchmaking::v1::Presence;

std::string ReasonOf(const absl::Status& status) { return GetErrorDetails(status).reason; }

// Calls a method of FriendService about another player.
template <typename Request, typename Response>
absl::Status Tell(PlayerThread& player, client::Method<Friends, Request, Response> method,
                  const PlayerThread& other) {
  Request request;
  request.set_player(other.id());
  return player.client().Call(method, request).status();
}

// Returns the entry of `other` in the list that `player` gets. If the list has no such entry,
// returns an empty Friend.
Friend Seen(PlayerThread& player, const PlayerThread& other) {
  const auto list = player.client().Call(&Friends::ListFriends, {});
  EXPECT_TRUE(list.ok()) << list.status();
  if (!list.ok()) return {};
  for (const Friend& known : list->friends()) {
    if (known.player() == other.id()) return known;
  }
  return {};
}

absl::StatusOr<matchmaking::v1::Room> OpenRoom(PlayerThread& host) {
  matchmaking::v1::CreateRoomRequest request;
  request.set_visibility(matchmaking::v1::Room::OPEN);
  request.set_request_id(host.client().NewRequestId());
  request.mutable_terms()->set_rule_set("fft");
  request.mutable_terms()->set_player_count(4);
  request.mutable_terms()->set_deal_count(1);
  request.mutable_terms()->mutable_move_limit()->set_seconds(30);
  TAROT_ASSIGN_OR_RETURN(const auto response, host.client().Call(&Rooms::CreateRoom, request));
  return response.room();
}

absl::Status Join(PlayerThread& player, const std::string& room) {
  matchmaking::v1::JoinRoomRequest request;
  request.set_name(room);
  request.set_request_id(player.client().NewRequestId());
  return player.client().Call(&Rooms::JoinRoom, request).status();
}

absl::Status Report(PlayerThread& player, const PlayerThread& other, const std::string& table,
                    std::uint32_t deal_number = 1) {
  matchmaking::v1::ReportPlayerRequest request;
  request.set_table(table);
  request.set_deal_number(deal_number);
  request.set_player(other.id());
  request.set_reason(matchmaking::v1::PlayerReport::DELAYS_THE_GAME);
  return player.client().Call(&Friends::ReportPlayer, request).status();
}

class FriendsTest : public testing::Test {
 protected:
  std::unique_ptr<PlayerThread> SignIn(const std::string& name, const std::string& gateway) {
    auto player = std::make_unique<PlayerThread>(cluster_.SignIn(name, gateway), name);
    EXPECT_TRUE(player->client().Call(&Friends::ListFriends, {}).ok());
    return player;
  }

  Cluster cluster_{{.population = 0, .replicas = {{"matchmaking", 2}, {"gateway", 2}}}};
};

TEST_F(FriendsTest, FriendsFindEachOtherAndBlockedPlayersDoNotMeet) {
  const auto ada = SignIn("Ada", "gateway"), bea = SignIn("Bea", "gateway.2"),
             cleo = SignIn("Cleo", "gateway"), dora = SignIn("Dora", "gateway.2");
  EXPECT_EQ(ReasonOf(Tell(*ada, &Friends::AcceptFriend, *bea)), "REQUEST_NOT_FOUND");
  ASSERT_TRUE(Tell(*ada, &Friends::RequestFriend, *bea).ok());
  EXPECT_EQ(Seen(*bea, *ada).relation(), Friend::REQUEST_RECEIVED);
  EXPECT_FALSE(Seen(*ada, *bea).has_presence()) << "Only friends see where a player is.";
  ASSERT_TRUE(Tell(*bea, &Friends::AcceptFriend, *ada).ok());
  ASSERT_TRUE(Tell(*ada, &Friends::RequestFriend, *cleo).ok());
  ASSERT_TRUE(Tell(*cleo, &Friends::RequestFriend, *ada).ok());
  EXPECT_EQ(Seen(*ada, *bea).display_name(), "Bea");
  EXPECT_EQ(Seen(*ada, *bea).presence().state(), Presence::ONLINE);

  const auto room = OpenRoom(*bea);
  ASSERT_TRUE(room.ok()) << room.status();
  EXPECT_EQ(Seen(*ada, *bea).presence().state(), Presence::IN_ROOM);
  EXPECT_EQ(Seen(*ada, *bea).presence().room(), room->name());

  ASSERT_TRUE(Tell(*ada, &Friends::BlockPlayer, *bea).ok());
  EXPECT_EQ(Seen(*bea, *ada).player(), "");
  EXPECT_EQ(ReasonOf(Join(*ada, room->name())), "BLOCKED");
  matchmaking::v1::InvitePlayerRequest invite;
  invite.set_name(room->name());
  invite.set_player(ada->id());
  EXPECT_EQ(ReasonOf(bea->client().Call(&Rooms::InvitePlayer, invite).status()), "BLOCKED");
  EXPECT_EQ(ReasonOf(Tell(*bea, &Friends::RequestFriend, *ada)), "BLOCKED");
  const auto open = ada->client().Call(&Rooms::ListRooms, {});
  ASSERT_TRUE(open.ok()) << open.status();
  EXPECT_EQ(open->rooms_size(), 0);
  ASSERT_TRUE(Join(*cleo, room->name()).ok());

  // Ada and Bea never sit at one table. Dora plays with one of them. The other player gets a table
  // with bots.
  for (PlayerThread* const player : {ada.get(), bea.get(), dora.get()}) {
    player->Play("queues/casual4");
  }
  ASSERT_TRUE(Eventually(
      absl::Seconds(60),
      [&] { return !ada->table().empty() && !bea->table().empty() && !dora->table().empty(); }))
      << ada->error() << bea->error() << dora->error();
  EXPECT_NE(ada->table(), bea->table());
  PlayerThread& with_dora = ada->table() == dora->table() ? *ada : *bea;
  PlayerThread& without_dora = ada->table() == dora->table() ? *bea : *ada;
  EXPECT_EQ(with_dora.table(), dora->table());
  EXPECT_EQ(Seen(*cleo, *ada).presence().state(), Presence::PLAYING);
  EXPECT_EQ(Seen(*cleo, *ada).presence().table(), ada->table());

  const auto dealt = [&](PlayerThread& player) {
    rules::v1::GetTableRequest request;
    request.set_name(player.table());
    const auto response = player.client().Call(&client::Tables::GetTable, request);
    return response.ok() && response->table().deal_number() > 0;
  };
  ASSERT_TRUE(Eventually(absl::Seconds(20), [&] { return dealt(*ada) && dealt(*dora); }));
  EXPECT_EQ(ReasonOf(Report(with_dora, without_dora, dora->table())), "NOT_AT_TABLE");
  EXPECT_EQ(ReasonOf(Report(with_dora, *dora, dora->table(), 1000)), "DEAL_NOT_FOUND");
  EXPECT_EQ(ReasonOf(Report(*cleo, *ada, ada->table())), "TABLE_NOT_FOUND");
  EXPECT_TRUE(Report(with_dora, *dora, dora->table()).ok());
  EXPECT_TRUE(Report(with_dora, *dora, dora->table()).ok());
  for (PlayerThread* const player : {ada.get(), bea.get(), dora.get()}) {
    player->Join();
    EXPECT_EQ(player->error(), "");
  }
}

TEST_F(FriendsTest, AFriendWhoLeavesTheRoomDuringAMatchIsShownAtTheTable) {
  const auto ada = SignIn("Ada", "gateway"), bea = SignIn("Bea", "gateway.2");
  ASSERT_TRUE(Tell(*ada, &Friends::RequestFriend, *bea).ok());
  ASSERT_TRUE(Tell(*bea, &Friends::AcceptFriend, *ada).ok());
  const auto room = OpenRoom(*bea);
  ASSERT_TRUE(room.ok()) << room.status();
  for (int seat = 1; seat < 4; ++seat) {
    matchmaking::v1::SetBotRequest bot;
    bot.set_name(room->name());
    bot.set_seat(static_cast<std::uint32_t>(seat));
    bot.set_bot_level("novice");
    ASSERT_TRUE(bea->client().Call(&Rooms::SetBot, bot).ok());
  }
  matchmaking::v1::StartMatchRequest start;
  start.set_name(room->name());
  start.set_request_id(bea->client().NewRequestId());
  ASSERT_TRUE(bea->client().Call(&Rooms::StartMatch, start).ok());
  ASSERT_TRUE(Eventually(absl::Seconds(20),
                         [&] { return Seen(*ada, *bea).presence().state() == Presence::PLAYING; }));
  const std::string table = Seen(*ada, *bea).presence().table();
  matchmaking::v1::LeaveRoomRequest leave;
  leave.set_name(room->name());
  ASSERT_TRUE(bea->client().Call(&Rooms::LeaveRoom, leave).ok());
  EXPECT_EQ(Seen(*ada, *bea).presence().state(), Presence::PLAYING);
  EXPECT_EQ(Seen(*ada, *bea).presence().table(), table);
  bea->PlayAt(table);
  bea->Join();
  EXPECT_EQ(bea->error(), "");
  EXPECT_TRUE(Eventually(absl::Seconds(20),
                         [&] { return Seen(*ada, *bea).presence().state() == Presence::ONLINE; }));
}

absl::StatusOr<matchmaking::v1::Ticket> Queue(PlayerThread& player, const std::string& party) {
  matchmaking::v1::CreateTicketRequest request;
  request.set_queue("queues/casual4");
  request.set_request_id(player.client().NewRequestId());
  request.set_party(party);
  TAROT_ASSIGN_OR_RETURN(const auto response,
                         player.client().Call(&client::Matchmaking::CreateTicket, request));
  return response.ticket();
}

// Returns the table of a ticket, or an empty text before there is one.
std::string TableOf(PlayerThread& player, const std::string& ticket) {
  matchmaking::v1::GetTicketRequest request;
  request.set_name(ticket);
  const auto response = player.client().Call(&client::Matchmaking::GetTicket, request);
  EXPECT_TRUE(response.ok()) << response.status();
  return response.ok() ? response->ticket().table() : "";
}

TEST_F(FriendsTest, APartyPlaysAtOneTableOfACasualQueue) {
  const auto ada = SignIn("Ada", "gateway"), bea = SignIn("Bea", "gateway.2"),
             cleo = SignIn("Cleo", "gateway"), dora = SignIn("Dora", "gateway.2");
  const auto room = OpenRoom(*ada);
  ASSERT_TRUE(room.ok()) << room.status();
  ASSERT_TRUE(Join(*bea, room->name()).ok());
  ASSERT_TRUE(Join(*cleo, room->name()).ok());
  EXPECT_EQ(ReasonOf(Queue(*dora, room->name()).status()), "ROOM_NOT_FOUND");

  const auto first = Queue(*ada, room->name()), second = Queue(*bea, room->name());
  ASSERT_TRUE(first.ok() && second.ok()) << first.status() << second.status();
  EXPECT_EQ(first->party(), room->name());
  matchmaking::v1::DeleteTicketRequest leave;
  leave.set_name(second->name());
  ASSERT_TRUE(bea->client().Call(&client::Matchmaking::DeleteTicket, leave).ok());
  matchmaking::v1::GetTicketRequest get;
  get.set_name(first->name());
  const auto cancelled = ada->client().Call(&client::Matchmaking::GetTicket, get);
  ASSERT_TRUE(cancelled.ok()) << cancelled.status();
  EXPECT_EQ(cancelled->ticket().state(), matchmaking::v1::Ticket::CANCELLED);

  const std::vector<PlayerThread*> party = {ada.get(), bea.get(), cleo.get()};
  std::vector<std::string> tickets;
  for (PlayerThread* const player : party) {
    const auto ticket = Queue(*player, room->name());
    ASSERT_TRUE(ticket.ok()) << ticket.status();
    tickets.push_back(ticket->name());
  }
  ASSERT_TRUE(Eventually(absl::Seconds(60), [&] { return !TableOf(*cleo, tickets[2]).empty(); }));
  const std::string table = TableOf(*cleo, tickets[2]);
  EXPECT_EQ(TableOf(*ada, tickets[0]), table);
  EXPECT_EQ(TableOf(*bea, tickets[1]), table);
  for (PlayerThread* const player : party) player->PlayAt(table);
  for (PlayerThread* const player : party) {
    player->Join();
    EXPECT_EQ(player->error(), "");
  }
}

}  // namespace
}  // namespace tarot::e2e
