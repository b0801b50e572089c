#include "tools/tarotctl/room/change.h"

#include <algorithm>
#include <array>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/rooms.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::Room;

constexpr std::array kLevels = {"novice", "club", "sociable", "strong", "expert"};

absl::Status Usage() {
  return absl::InvalidArgumentError(
      "expected: start, leave, invite PLAYER, remove SEAT, or bot SEAT|all LEVEL|none");
}

// Returns the index of the seat that a person names by its number or by its player's name.
std::optional<std::uint32_t> FindSeat(const Room& room, const std::string& typed) {
  int number = 0;
  if (absl::SimpleAtoi(typed, &number) && number >= 1 && number <= room.seats_size()) {
    return static_cast<std::uint32_t>(number - 1);
  }
  for (int i = 0; i < room.seats_size(); ++i) {
    if (typed.empty() || room.seats(i).player().empty()) continue;
    const matchmaking::v1::RoomSeat& seat = room.seats(i);
    if (absl::EqualsIgnoreCase(seat.display_name(), typed) ||
        absl::EqualsIgnoreCase(MarkedName(seat.display_name(), !seat.bot_level().empty()), typed)) {
      return static_cast<std::uint32_t>(i);
    }
  }
  return std::nullopt;
}

absl::Status NoSeat(const Room& room, const std::string& typed) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", typed, "' is not a seat of this room: seats are 1 to ", room.seats_size()));
}

absl::StatusOr<Room> SetBot(Context& context, const Room& room, std::uint32_t seat,
                            const std::string& level) {
  matchmaking::v1::SetBotRequest request;
  request.set_name(room.name());
  request.set_seat(seat);
  request.set_bot_level(level);
  TAROT_ASSIGN_OR_RETURN(const auto response, context.Call(&client::Rooms::SetBot, request));
  return response.room();
}

absl::StatusOr<Room> SetBots(Context& context, const Room& room, const std::string& typed,
                             const std::string& level) {
  if (level != "none" && !IsBotLevel(level)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'", level, "' is not a level: novice, club, sociable, strong, expert, or none"));
  }
  const std::string wanted = level == "none" ? "" : level;
  if (typed != "all") {
    const auto seat = FindSeat(room, typed);
    if (!seat) return NoSeat(room, typed);
    return SetBot(context, room, *seat, wanted);
  }
  std::optional<Room> changed;
  for (int i = 0; i < room.seats_size(); ++i) {
    const bool fits =
        wanted.empty() ? !room.seats(i).bot_level().empty() : room.seats(i).player().empty();
    if (!fits) continue;
    auto set = SetBot(context, room, static_cast<std::uint32_t>(i), wanted);
    // A person may have taken the seat since `room` was read.
    if (GetErrorDetails(set.status()).reason == "SEAT_TAKEN") continue;
    if (!set.ok()) return set;
    changed = *std::move(set);
  }
  if (changed) return *changed;
  return absl::FailedPreconditionError(wanted.empty() ? "no bot sits in the room"
                                                      : "no seat of the room is free");
}

absl::StatusOr<Room> Leave(Context& context, const Room& room, const std::string& player) {
  matchmaking::v1::LeaveRoomRequest request;
  request.set_name(room.name());
  request.set_player(player);
  TAROT_RETURN_IF_ERROR(context.Call(&client::Rooms::LeaveRoom, request).status());
  return room;
}

absl::StatusOr<Room> Remove(Context& context, const Room& room, const std::string& typed) {
  const auto seat = FindSeat(room, typed);
  if (!seat) return NoSeat(room, typed);
  const matchmaking::v1::RoomSeat& found = room.seats(static_cast<int>(*seat));
  if (found.player().empty() || !found.bot_level().empty()) {
    return SetBot(context, room, *seat, "");
  }
  TAROT_RETURN_IF_ERROR(Leave(context, room, found.player()).status());
  matchmaking::v1::GetRoomRequest get;
  get.set_name(room.name());
  TAROT_ASSIGN_OR_RETURN(const auto response, context.Call(&client::Rooms::GetRoom, get));
  return response.room();
}

absl::StatusOr<Room> Invite(Context& context, const Room& room, const std::string& typed) {
  matchmaking::v1::InvitePlayerRequest request;
  request.set_name(room.name());
  TAROT_ASSIGN_OR_RETURN(*request.mutable_player(), ResolvePlayer(context, typed));
  TAROT_ASSIGN_OR_RETURN(const auto response, context.Call(&client::Rooms::InvitePlayer, request));
  return response.room();
}

absl::StatusOr<Room> Start(Context& context, const Room& room) {
  matchmaking::v1::StartMatchRequest request;
  request.set_name(room.name());
  request.set_request_id(context.client().NewRequestId());
  TAROT_ASSIGN_OR_RETURN(const auto response, context.Call(&client::Rooms::StartMatch, request));
  return response.room();
}

}  // namespace

bool IsBotLevel(const std::string& level) {
  return std::find(kLevels.begin(), kLevels.end(), level) != kLevels.end();
}

absl::StatusOr<Room> FindOwnRoom(Context& context) {
  matchmaking::v1::ListRoomsRequest request;
  request.set_filter(matchmaking::v1::ListRoomsRequest::MINE);
  TAROT_ASSIGN_OR_RETURN(const auto response, context.Call(&client::Rooms::ListRooms, request));
  if (response.rooms_size() > 0) return response.rooms(0);
  return absl::NotFoundError(
      "you do not sit in a room; open one with `tarotctl open`, or join one with `tarotctl join "
      "CODE`");
}

absl::StatusOr<Room> ChangeRoom(Context& context, const Room& room,
                                const std::vector<std::string>& words) {
  if (words.empty()) return Usage();
  const std::string verb = absl::AsciiStrToLower(words[0]);
  if (words.size() == 1 && verb == "start") return Start(context, room);
  if (words.size() == 1 && verb == "leave") return Leave(context, room, "");
  if (words.size() == 2 && verb == "invite") return Invite(context, room, words[1]);
  if (words.size() == 2 && verb == "remove") return Remove(context, room, words[1]);
  if (words.size() == 3 && verb == "bot") {
    return SetBots(context, room, words[1], absl::AsciiStrToLower(words[2]));
  }
  return Usage();
}

}  // namespace tarot::tarotctl
