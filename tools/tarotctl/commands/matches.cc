#include "absl/strings/numbers.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/lists.h"

namespace tarot::tarotctl {
namespace {

cli::ExitCode RunMatches(Context& context) {
  int count = 20;
  if (!absl::SimpleAtoi(context.line().Get("count", "20"), &count) || count < 1 || count > 100) {
    context.err() << "tarotctl: --count takes 1 to 100\n";
    return cli::kUsage;
  }
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto player = ResolvePlayer(context, context.line().Get("player", "me"));
  if (!player.ok()) return context.Fail("find the player", player.status());
  ratings::v1::ListMatchesRequest request;
  request.set_player(*player);
  request.set_page_size(count);
  request.set_page_token(context.line().Get("page"));
  const auto response = context.Call(&client::Ratings::ListMatches, request);
  if (!response.ok()) return context.Fail("read the matches", response.status());
  if (context.json()) {
    context.PrintJson(*response);
  } else {
    context.out() << RenderMatches(*response);
  }
  return cli::kOk;
}

}  // namespace

cli::Command MatchesCommand() {
  return {.name = "matches",
          .usage = "matches [--player me|ID|NAME]",
          .summary = "a player's finished matches, ranked and casual",
          .help =
              "  tarotctl matches                   your matches, newest first\n"
              "  tarotctl matches --player Ada      the matches of a player on the ladder\n"
              "  tarotctl matches --page TOKEN      the next page; the page before ends with it\n\n"
              "  --player me|ID|NAME  --count 1..100  --page TOKEN  --json\n",
          .options = {{"json", false}, {"player"}, {"count"}, {"page"}},
          .run = WithClient(RunMatches)};
}

}  // namespace tarot::tarotctl
