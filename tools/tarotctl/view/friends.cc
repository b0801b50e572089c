#include "tools/tarotctl/view/friends.h"

#include <array>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::Friend;
using matchmaking::v1::Presence;

constexpr std::array kTitles = {
    std::pair{Friend::FRIEND, "Friends"}, std::pair{Friend::REQUEST_RECEIVED, "Requests to you"},
    std::pair{Friend::REQUEST_SENT, "Your requests"}, std::pair{Friend::BLOCKED, "Blocked"}};

std::string PlaceOf(const Presence& presence) {
  std::string room;
  if (!presence.room().empty()) {
    room = absl::StrCat(" (tarotctl join ", cli::Safe(presence.room()), ")");
  }
  switch (presence.state()) {
    case Presence::ONLINE:
      return "online";
    case Presence::IN_ROOM:
      return absl::StrCat("in a room", room);
    case Presence::WAITING:
      return "waits in a queue";
    case Presence::PLAYING:
      return absl::StrCat("plays (tarotctl watch ", cli::Safe(IdOf(presence.table())), ")");
    default:
      return "offline";
  }
}

}  // namespace

std::string RenderFriends(const matchmaking::v1::ListFriendsResponse& list, const std::string& me) {
  std::string out;
  for (const auto& [relation, title] : kTitles) {
    std::vector<std::vector<std::string>> rows;
    for (const Friend& known : list.friends()) {
      if (known.relation() != relation) continue;
      const std::string name = known.display_name().empty() ? "?" : cli::Safe(known.display_name());
      std::vector<std::string> row = {absl::StrCat("  ", name), cli::Safe(IdOf(known.player()))};
      if (relation == Friend::FRIEND) row.push_back(PlaceOf(known.presence()));
      rows.push_back(std::move(row));
    }
    if (!rows.empty()) absl::StrAppend(&out, title, "\n", cli::Columns(rows, {}));
  }
  if (out.empty()) out = "You have no friends yet.\n";
  return absl::StrCat(out, "Your id: ", IdOf(me), "\n");
}

}  // namespace tarot::tarotctl
