// Shows rooms and rule sets as text. The functions are pure.
#pragma once

#include <string>
#include <vector>

#include "tarot/matchmaking/v1/room_service.pb.h"
#include "tarot/rules/v1/rule_set_service.pb.h"
#include "tools/cli/text.h"

namespace tarot::tarotctl {

// Returns one line for each rule set: its name, its numbers of players, and its description.
std::string RenderRuleSets(const rules::v1::ListRuleSetsResponse& sets);

// Returns the rule set with each parameter that differs from the federation's rules.
std::string RenderRuleSet(const rules::v1::RuleSetInfo& set, const cli::TextStyle& style);

// The three lists of ListRooms for one player.
struct RoomLists {
  matchmaking::v1::ListRoomsResponse mine;
  matchmaking::v1::ListRoomsResponse invited;
  matchmaking::v1::ListRoomsResponse open;
};

// Returns one line for each room. The last line has the id of `me`: another player needs this id to
// send an invitation.
std::string RenderRooms(const RoomLists& lists, const std::string& me);

// Returns the code, the terms of a match, and a line for each seat.
std::string RenderRoom(const matchmaking::v1::Room& room, const cli::TextStyle& style);

// Returns one line for each change of the seats, the host and the match.
std::vector<std::string> DescribeRoomChanges(const matchmaking::v1::Room& before,
                                             const matchmaking::v1::Room& after);

// Returns the number of seats that are free.
int FreeSeats(const matchmaking::v1::Room& room);

// Returns true if the viewer hosts the room.
bool IsHost(const matchmaking::v1::Room& room);

}  // namespace tarot::tarotctl
