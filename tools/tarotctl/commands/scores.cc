#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/score_sheet.h"

namespace tarot::tarotctl {
namespace {

cli::ExitCode RunScores(Context& context) {
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto& words = context.line().words;
  const auto table = words.empty() ? OwnNewestTable(context) : ResolveTable(context, words[0]);
  if (!table.ok()) return context.Fail("find the table", table.status());
  rules::v1::GetScoreSheetRequest request;
  request.set_name(*table);
  const auto response = context.Call(&client::Records::GetScoreSheet, request);
  if (!response.ok()) return context.Fail("read the score sheet", response.status());
  if (context.json()) {
    context.PrintJson(*response);
  } else {
    context.out() << RenderScoreSheet(response->sheet(), context.style());
  }
  return cli::kOk;
}

}  // namespace

cli::Command ScoresCommand() {
  return {.name = "scores",
          .usage = "scores [TABLE]",
          .summary = "the score sheet of a match: each deal, its arithmetic, the totals",
          .help =
              "  tarotctl scores            your newest table, in play or finished\n"
              "  tarotctl scores 9a41c07e   a table by its id or the last letters of it\n"
              "  tarotctl scores --json     the answer of the gateway\n",
          .options = {{"json", false}},
          .words_min = 0,
          .words_max = 1,
          .run = WithClient(RunScores)};
}

}  // namespace tarot::tarotctl
