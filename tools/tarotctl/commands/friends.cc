#include "tools/tarotctl/view/friends.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/base/error.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/room/change.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::Friend;
using matchmaking::v1::ListFriendsResponse;
using matchmaking::v1::PlayerReport;

// The words for the reasons of a report.
constexpr std::array kReasons = {std::pair{"helps-another-seat", PlayerReport::HELPS_ANOTHER_SEAT},
                                 std::pair{"loses-on-purpose", PlayerReport::LOSES_ON_PURPOSE},
                                 std::pair{"delays", PlayerReport::DELAYS_THE_GAME},
                                 std::pair{"name", PlayerReport::OFFENSIVE_NAME}};

// Returns true if `verb` can change something for a player with this relation.
bool Fits(const std::string& verb, Friend::Relation relation) {
  if (verb == "accept") return relation == Friend::REQUEST_RECEIVED;
  if (verb == "unblock") return relation == Friend::BLOCKED;
  if (verb == "remove") return relation != Friend::BLOCKED;
  return true;
}

// Returns "players/…" for the player whose display name is `typed`. Looks first in the caller's
// list of friends, requests and blocked players. There it looks only at the players for whom `verb`
// can change something. Then looks at the persons in the caller's own room. If no name fits,
// returns the result of ResolvePlayer().
absl::StatusOr<std::string> ResolveFriend(Context& context, const std::string& verb,
                                          const std::string& typed) {
  TAROT_ASSIGN_OR_RETURN(const ListFriendsResponse list, ListAllFriends(context));
  std::string found;
  for (const Friend& known : list.friends()) {
    if (!absl::EqualsIgnoreCase(known.display_name(), typed)) continue;
    if (!Fits(verb, known.relation())) continue;
    if (!found.empty()) return Ambiguous(typed);
    found = known.player();
  }
  if (!found.empty()) return found;
  const auto room = FindOwnRoom(context);
  if (room.ok()) {
    for (const matchmaking::v1::RoomSeat& seat : room->seats()) {
      if (seat.bot_level().empty() && absl::EqualsIgnoreCase(seat.display_name(), typed)) {
        return seat.player();
      }
    }
  }
  return ResolvePlayer(context, typed);
}

template <typename Request, typename Response>
absl::Status Change(Context& context, client::Method<client::Friends, Request, Response> method,
                    const std::string& player) {
  Request request;
  request.set_player(player);
  return context.Call(method, request).status();
}

absl::Status ChangeFriend(Context& context, const std::string& verb, const std::string& player) {
  using client::Friends;
  if (verb == "request") return Change(context, &Friends::RequestFriend, player);
  if (verb == "accept") return Change(context, &Friends::AcceptFriend, player);
  if (verb == "remove") return Change(context, &Friends::RemoveFriend, player);
  if (verb == "block") return Change(context, &Friends::BlockPlayer, player);
  return Change(context, &Friends::UnblockPlayer, player);
}

cli::ExitCode RunFriends(Context& context) {
  const std::vector<std::string>& words = context.line().words;
  const std::string verb = words.empty() ? "" : absl::AsciiStrToLower(words[0]);
  const bool known = verb == "request" || verb == "accept" || verb == "remove" || verb == "block" ||
                     verb == "unblock";
  if (!words.empty() && (!known || words.size() != 2)) {
    context.err() << "tarotctl: expected: friends [request|accept|remove|block|unblock PLAYER]\n";
    return cli::kUsage;
  }
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  if (!words.empty()) {
    const auto player = ResolveFriend(context, verb, words[1]);
    if (!player.ok()) return context.Fail("find the player", player.status());
    const absl::Status changed = ChangeFriend(context, verb, *player);
    if (!changed.ok()) return context.Fail(absl::StrCat(verb, " the player"), changed);
  }
  const auto list = ListAllFriends(context);
  if (!list.ok()) return context.Fail("list the friends", list.status());
  if (context.json()) {
    context.PrintJson(*list);
  } else {
    context.out() << RenderFriends(*list, context.me());
  }
  return cli::kOk;
}

// Returns the result of FindPlayerAt(), or the result of ResolvePlayer() if no seat has this name.
absl::StatusOr<std::string> ResolveAtTable(Context& context, const std::string& table,
                                           const std::string& typed) {
  rules::v1::GetTableRequest request;
  request.set_name(table);
  const auto response = context.Call(&client::Tables::GetTable, request);
  if (response.ok()) {
    const auto found = FindPlayerAt(response->table(), typed);
    if (!absl::IsNotFound(found.status())) return found;
  }
  return ResolvePlayer(context, typed);
}

cli::ExitCode RunReport(Context& context) {
  const std::vector<std::string>& words = context.line().words;
  const std::string deal = absl::StrReplaceAll(words[0], {{"/deals/", "/"}});
  const std::size_t slash = deal.rfind('/');
  matchmaking::v1::ReportPlayerRequest request;
  std::uint32_t number = 0;
  if (slash == std::string::npos || !absl::SimpleAtoi(deal.substr(slash + 1), &number)) {
    context.err() << "tarotctl: a deal is TABLE/N, for instance 5f3c2a10-…/1\n";
    return cli::kUsage;
  }
  request.set_deal_number(number);
  for (const auto& [word, reason] : kReasons) {
    if (words[2] == word) request.set_reason(reason);
  }
  if (request.reason() == PlayerReport::REASON_UNSPECIFIED) {
    context.err() << "tarotctl: a reason is helps-another-seat, loses-on-purpose, delays or name\n";
    return cli::kUsage;
  }
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto table = ResolveTable(context, deal.substr(0, slash));
  if (!table.ok()) return context.Fail("find the table", table.status());
  request.set_table(*table);
  const auto player = ResolveAtTable(context, *table, words[1]);
  if (!player.ok()) return context.Fail("find the player", player.status());
  request.set_player(*player);
  const auto response = context.Call(&client::Friends::ReportPlayer, request);
  if (!response.ok()) return context.Fail("report the player", response.status());
  context.out() << (context.json() ? "{}\n" : "The operators have your report.\n");
  return cli::kOk;
}

}  // namespace

absl::StatusOr<ListFriendsResponse> ListAllFriends(Context& context) {
  ListFriendsResponse all;
  matchmaking::v1::ListFriendsRequest request;
  request.set_page_size(100);
  do {
    TAROT_ASSIGN_OR_RETURN(const auto page, context.Call(&client::Friends::ListFriends, request));
    all.MergeFrom(page);
    request.set_page_token(page.next_page_token());
  } while (!request.page_token().empty());
  all.clear_next_page_token();
  return all;
}

cli::Command FriendsCommand() {
  return {.name = "friends",
          .usage = "friends [request|accept|remove|block|unblock PLAYER]",
          .summary = "your friends and where they are, requests, and blocked players",
          .help =
              "  tarotctl friends\n"
              "  tarotctl friends request 5f3c2a10-0000-4000-8000-000000000003\n"
              "  tarotctl friends accept Zoë     makes you friends\n"
              "  tarotctl friends remove Zoë     also declines or takes back a request\n"
              "  tarotctl friends block Zoë      you no longer meet in rooms and casual queues\n"
              "  tarotctl friends unblock Zoë\n\n"
              "PLAYER is an id, a name in this list, or a name on the ladder. The last line has\n"
              "your id. Others need this id to ask you.\n",
          .options = {{"json", false}},
          .words_min = 0,
          .words_max = 2,
          .run = WithClient(RunFriends)};
}

cli::Command ReportCommand() {
  return {.name = "report",
          .usage = "report TABLE/N PLAYER REASON",
          .summary = "report a player's conduct in a deal to the operators",
          .help =
              "  tarotctl report 5f3c2a10-…/2 Zoë helps-another-seat\n\n"
              "PLAYER is the name of a seat at the table, or an id. REASON is one of these:\n"
              "  helps-another-seat   plays for another seat, or shares cards with it\n"
              "  loses-on-purpose\n"
              "  delays               delays the game\n"
              "  name                 has an offensive name\n",
          .options = {{"json", false}},
          .words_min = 3,
          .words_max = 3,
          .run = WithClient(RunReport)};
}

}  // namespace tarot::tarotctl
