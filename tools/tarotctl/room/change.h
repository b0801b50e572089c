// Changes of a room that a person asks for, on the command line or in the room's screen.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/tarotctl/session/context.h"

namespace tarot::tarotctl {

// Returns the room where the player of this terminal sits. Returns NOT_FOUND if there is none.
absl::StatusOr<matchmaking::v1::Room> FindOwnRoom(Context& context);

// Makes the change that `words` describe, and returns the room after the change. The words have one
// of these forms, in which seats count from 1:
//   start, leave, invite PLAYER, remove SEAT|NAME, bot SEAT|all LEVEL|none.
// After "leave", returns the room as it was before. Returns INVALID_ARGUMENT with the usage if the
// words have none of these forms, NOT_FOUND for an unknown player, or the server's error.
absl::StatusOr<matchmaking::v1::Room> ChangeRoom(Context& context,
                                                 const matchmaking::v1::Room& room,
                                                 const std::vector<std::string>& words);

// Returns true if `level` is a level of bots.
bool IsBotLevel(const std::string& level);

// The help about the words that ChangeRoom takes, one line for each.
inline constexpr char kRoomUsage[] =
    "  start              starts the match, also a return match\n"
    "  bot SEAT LEVEL     puts a bot into a seat; all takes every free seat;\n"
    "                     LEVEL is novice, club, sociable, strong, expert, or none\n"
    "  invite PLAYER      by the id that `tarotctl rooms` shows, or a name on the ladder\n"
    "  remove SEAT        takes the seat from a player or a bot\n"
    "  leave              gives your seat up\n";

}  // namespace tarot::tarotctl
