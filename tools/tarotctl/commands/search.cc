#include "absl/strings/numbers.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/lists.h"

namespace tarot::tarotctl {
namespace {

cli::ExitCode RunSearch(Context& context) {
  std::uint32_t players = 4;
  if (!absl::SimpleAtoi(context.line().Get("players", "4"), &players) || players < 3 ||
      players > 5) {
    context.err() << "tarotctl: --players takes 3, 4 or 5\n";
    return cli::kUsage;
  }
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  ratings::v1::SearchPlayersRequest request;
  request.set_query(context.line().words[0]);
  request.set_player_count(players);
  request.set_page_token(context.line().Get("page"));
  const auto found = context.Call(&client::Ratings::SearchPlayers, request);
  if (!found.ok()) return context.Fail("search the players", found.status());
  if (context.json()) {
    context.PrintJson(*found);
  } else {
    context.out() << RenderFound(*found);
  }
  return cli::kOk;
}

}  // namespace

cli::Command SearchCommand() {
  return {.name = "search",
          .usage = "search NAME",
          .summary = "players whose name begins with NAME",
          .help =
              "  tarotctl search ad                 Ada, Adam and others, with their ids\n"
              "  tarotctl search emilie             also finds an Émilie\n"
              "  tarotctl search ad --players 5     with the ratings at tables of five\n\n"
              "  --players 3|4|5  --page TOKEN  --json\n",
          .options = {{"json", false}, {"players"}, {"page"}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(RunSearch)};
}

}  // namespace tarot::tarotctl
