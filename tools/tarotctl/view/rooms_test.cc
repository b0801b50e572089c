#include "tools/tarotctl/view/rooms.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/testkit/golden.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::Room;

const cli::TextStyle kPlain(false);

Room SampleRoom() {
  Room room;
  room.set_name("rooms/5f3c2a10-0000-4000-8000-000000000005");
  room.set_state(Room::GATHERING);
  room.set_visibility(Room::PRIVATE);
  room.set_code("K7M2QX");
  room.mutable_terms()->set_rule_set("pagat");
  room.mutable_terms()->set_player_count(4);
  room.mutable_terms()->set_deal_count(4);
  room.mutable_terms()->mutable_move_limit()->set_seconds(30);
  room.mutable_terms()->mutable_time_bank()->set_seconds(60);
  for (int seat = 0; seat < 4; ++seat) room.add_seats();
  room.mutable_seats(0)->set_player("players/a");
  room.mutable_seats(0)->set_display_name("Ada");
  room.mutable_seats(1)->set_player("players/b");
  room.mutable_seats(1)->set_display_name("Zo\x1b[2Jë");
  room.mutable_seats(2)->set_player("players/c");
  room.mutable_seats(2)->set_display_name("Papillon");
  room.mutable_seats(2)->set_bot_level("club");
  room.set_viewer(0);
  return room;
}

TEST(RoomsTest, MatchTheGoldenFile) {
  Room room = SampleRoom();
  std::string out = absl::StrCat("== a room\n", RenderRoom(room, kPlain));

  std::vector<std::string> lines;
  const auto change = [&](const auto& edit) {
    const Room before = room;
    edit();
    for (const std::string& line : DescribeRoomChanges(before, room)) lines.push_back(line);
  };
  change([&] { room.add_invited("players/5f3c2a10-0000-4000-8000-000000000009"); });
  change([&] { room.mutable_seats(2)->set_bot_level("strong"); });
  change([&] {
    room.mutable_seats(3)->set_player("players/d");
    room.mutable_seats(3)->set_display_name("Chloé");
  });
  change([&] { room.set_state(Room::STARTING); });
  change([&] {
    room.set_state(Room::GATHERING);
    room.set_start_refused(true);
  });
  absl::StrAppend(&out, "\n== after a refused start\n", RenderRoom(room, kPlain));
  change([&] {
    room.set_state(Room::PLAYING);
    room.set_start_refused(false);
    room.set_table("tables/5f3c2a10-0000-4000-8000-000000000001");
  });
  change([&] {
    room.mutable_seats(0)->Clear();
    room.clear_viewer();
    room.set_host_seat(1);
  });
  change([&] { room.set_state(Room::ENDED); });
  absl::StrAppend(&out, "\n== changes\n", absl::StrJoin(lines, "\n"), "\n");

  RoomLists lists;
  *lists.mine.add_rooms() = SampleRoom();
  *lists.invited.add_rooms() = SampleRoom();
  lists.invited.mutable_rooms(0)->mutable_terms()->set_rule_set("fft +direction=cw +mult=1,2,3,4");
  *lists.open.add_rooms() = SampleRoom();
  lists.open.set_next_page_token("dDE");
  absl::StrAppend(&out, "\n== rooms\n", RenderRooms(lists, "players/me"), "\n== no rooms\n",
                  RenderRooms({}, "players/me"));

  rules::v1::ListRuleSetsResponse sets;
  for (const char* name : {"fft", "booklet"}) {
    rules::v1::RuleSetInfo& set = *sets.add_rule_sets();
    set.set_name(name);
    set.set_description(absl::StrCat("The rules of ", name));
    for (std::uint32_t players = 3; players <= 5; ++players) set.add_player_counts(players);
  }
  rules::v1::ParameterDifference& differs = *sets.mutable_rule_sets(1)->add_differences();
  differs.set_parameter("mult");
  differs.set_value("[1,2,3,4]");
  differs.set_fft_value("[1,2,4,6]");
  differs.set_meaning("The multipliers.");
  absl::StrAppend(&out, "\n== rule sets\n", RenderRuleSets(sets), "\n== fft\n",
                  RenderRuleSet(sets.rule_sets(0), kPlain), "\n== booklet\n",
                  RenderRuleSet(sets.rule_sets(1), kPlain));
  EXPECT_TRUE(testkit::MatchesGolden(TAROT_SOURCE_DIR "/tests/golden/tarotctl_rooms.txt", out));
}

TEST(RoomsTest, KnowTheHostAndTheFreeSeats) {
  Room room = SampleRoom();
  EXPECT_EQ(FreeSeats(room), 1);
  EXPECT_TRUE(IsHost(room));
  room.set_viewer(1);
  EXPECT_FALSE(IsHost(room));
  room.clear_viewer();
  EXPECT_FALSE(IsHost(room)) << "a caller outside the room";
}

}  // namespace
}  // namespace tarot::tarotctl
