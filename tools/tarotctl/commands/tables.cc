#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/lists.h"

namespace tarot::tarotctl {
namespace {

cli::ExitCode RunTables(Context& context) {
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  rules::v1::ListTablesRequest request;
  request.set_show_finished(context.line().Has("all"));
  const auto response = context.Call(&client::Tables::ListTables, request);
  if (!response.ok()) return context.Fail("list the tables", response.status());
  if (context.json()) {
    context.PrintJson(*response);
  } else {
    context.out() << RenderTables(*response);
    if (response->silent_cells_size() > 0) {
      context.out() << "Some tables are missing: a part of the platform does not answer.\n";
    }
  }
  return cli::kOk;
}

}  // namespace

cli::Command TablesCommand() {
  return {.name = "tables",
          .usage = "tables",
          .summary = "the tables in play, newest first",
          .help =
              "  tarotctl tables\n"
              "  tarotctl tables --all --json    also matches that are over, as JSON\n",
          .options = {{"json", false}, {"all", false}},
          .run = WithClient(RunTables)};
}

}  // namespace tarot::tarotctl
