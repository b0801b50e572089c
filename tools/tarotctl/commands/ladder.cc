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
  const auto response = context.Call(&client::Ratings::ListRatings, request);
  if (!response.ok()) return context.Fail("read the ladder", response.status());
  if (context.json()) {
    context.PrintJson(*response);
  } else {
    context.out() << RenderLadder(response->ratings(), context.me(), context.style());
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
          "  tarotctl ladder --players 5        the ladder of tables of five\n\n"
          "  --around me|ID|NAME  --count 1..100  --players 3|4|5  --json\n",
      .options = {{"json", false}, {"around"}, {"count"}, {"players"}},
      .run = WithClient(RunLadder)};
}

}  // namespace tarot::tarotctl
