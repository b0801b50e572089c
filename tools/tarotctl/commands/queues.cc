#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/lists.h"

namespace tarot::tarotctl {
namespace {

cli::ExitCode RunQueues(Context& context) {
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto response = context.Call(&client::Matchmaking::ListQueues, {});
  if (!response.ok()) return context.Fail("list the queues", response.status());
  if (context.json()) {
    context.PrintJson(*response);
  } else {
    context.out() << RenderQueues(*response);
  }
  return cli::kOk;
}

}  // namespace

cli::Command QueuesCommand() {
  return {.name = "queues",
          .usage = "queues",
          .summary = "the queues for matches",
          .help =
              "  tarotctl queues\n"
              "  tarotctl queues --json\n",
          .options = {{"json", false}},
          .run = WithClient(RunQueues)};
}

}  // namespace tarot::tarotctl
