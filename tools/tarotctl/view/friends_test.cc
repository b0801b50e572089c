#include "tools/tarotctl/view/friends.h"

#include <gtest/gtest.h>

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::Friend;
using matchmaking::v1::Presence;

constexpr char kMe[] = "players/5f3c2a10-0000-4000-8000-000000000001";

Friend& Add(matchmaking::v1::ListFriendsResponse& list, int id, const char* name,
            Friend::Relation relation) {
  Friend& known = *list.add_friends();
  known.set_player("players/5f3c2a10-0000-4000-8000-00000000000" + std::to_string(id));
  known.set_display_name(name);
  known.set_relation(relation);
  return known;
}

TEST(FriendsTest, ShowsWhereFriendsAre) {
  matchmaking::v1::ListFriendsResponse list;
  EXPECT_EQ(RenderFriends(list, kMe),
            "You have no friends yet.\nYour id: 5f3c2a10-0000-4000-8000-000000000001\n");
  Presence& playing = *Add(list, 2, "Ada", Friend::FRIEND).mutable_presence();
  playing.set_state(Presence::PLAYING);
  playing.set_table("tables/5f3c2a10-0000-4000-8000-000000000009");
  Presence& in_room = *Add(list, 3, "Zo\x1b[2J", Friend::FRIEND).mutable_presence();
  in_room.set_state(Presence::IN_ROOM);
  in_room.set_room("rooms/5f3c2a10-0000-4000-8000-000000000008");
  Add(list, 4, "", Friend::FRIEND);
  Add(list, 5, "Bea", Friend::REQUEST_RECEIVED);
  Add(list, 6, "Cleo", Friend::BLOCKED);
  EXPECT_EQ(RenderFriends(list, kMe),
            "Friends\n"
            "  Ada     5f3c2a10-0000-4000-8000-000000000002  plays (tarotctl watch "
            "5f3c2a10-0000-4000-8000-000000000009)\n"
            "  Zo?[2J  5f3c2a10-0000-4000-8000-000000000003  in a room (tarotctl join "
            "rooms/5f3c2a10-0000-4000-8000-000000000008)\n"
            "  ?       5f3c2a10-0000-4000-8000-000000000004  offline\n"
            "Requests to you\n"
            "  Bea  5f3c2a10-0000-4000-8000-000000000005\n"
            "Blocked\n"
            "  Cleo  5f3c2a10-0000-4000-8000-000000000006\n"
            "Your id: 5f3c2a10-0000-4000-8000-000000000001\n");
}

}  // namespace
}  // namespace tarot::tarotctl
