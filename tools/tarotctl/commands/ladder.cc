#include "absl/strings/numbers.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/lists.h"

namespace tarot::tarotctl {
namespace {

cli::ExitCode RunLadder(Context& context) {
  ratings::v1::ListRatingsRequest request;
  std::uint32_t players = 4;
  int count = 20;
  if (!absl::SimpleAtoi(context.line().Get("players", "4"), &players) || players < 3 ||
      players > 5 || !absl::SimpleAtoi(context.line().Get("count", "20"), &count) || count < 1 ||
      count > 100) {
    context.err() << "tarotctl: --players takes 3, 4 or 5 and --count 1 to 100\n";
    return cli::kUsage;
  }
  if (context.line().Has("around") && context.line().Has("friends")) {
    context.err() << "tarotctl: --around and --friends cannot go together\n";
    return cli::kUsage;
  }
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  request.set_player_count(players);
  request.set_page_size(count);
  request.set_show_provisional(true);
  if (context.line().Has("around")) {
    const auto player = ResolvePlayer(context, context.line().Get("around"));
    if (!player.ok()) return context.Fail("find the player", player.status());
    request.set_around(*player);
    request.set_show_provisional(false);
  }
  request.set_country(context.line().Get("country"));
  if (context.line().Has("friends")) {
    const auto friends = ListAllFriends(context);
    if (!friends.ok()) return context.Fail("list the friends", friends.status());
    request.add_players(context.me());
    for (const matchmaking::v1::Friend& each : friends->friends()) {
      if (each.relation() == matchmaking::v1::Friend::FRIEND) request.add_players(each.player());
    }
  }
  const auto response = context.Call(&client::Ratings::ListRatings, request);
  if (!response.ok()) return context.Fail("read the ladder", response.status());
  if (context.json()) {
    context.PrintJson(*response);
  } else {
    context.out() << RenderLadder(*response, context.me(), context.style());
  }
  return cli::kOk;
}

}  // namespace

cli::Command LadderCommand() {
  return {
      .name = "ladder",
      .usage = "ladder",
      .summary = "places and ratings",
      .help =
          "  tarotctl ladder                    the first places, then players without a place\n"
          "  tarotctl ladder --around me        the places around yours\n"
          "  tarotctl ladder --around Ada --count 9\n"
          "  tarotctl ladder --friends          you and your friends, with your places\n"
          "  tarotctl ladder --country FR       the players of a country; see tarotctl country\n"
          "  tarotctl ladder --players 5        the ladder of tables of five\n\n"
          "The column `week` shows how many places a player has gained since Monday.\n\n"
          "  --around me|ID|NAME  --friends  --country CODE  --count 1..100  --players 3|4|5  "
          "--json\n",
      .options =
          {{"json", false}, {"around"}, {"friends", false}, {"country"}, {"count"}, {"players"}},
      .run = WithClient(RunLadder)};
}

}  // namespace tarot::tarotctl
