#include "tools/lab/engine/engine.h"

#include <unistd.h>

#include "libs/ai/policy.h"
#include "tools/cli/text.h"
#include "tools/lab/commands/commands.h"
#include "tools/lab/engine/line_input.h"

namespace tarot::lab {
namespace {

cli::ExitCode RunEngine(const cli::Invocation& run) {
  const std::string level = run.line().Get("level", "club");
  if (ai::FindOpponent(level) == nullptr) {
    run.err() << "tarot-lab: there is no level '" << cli::Safe(level) << "'; there are "
              << LevelNames(", ") << "\n";
    return cli::kUsage;
  }
  LineInput input(STDIN_FILENO);
  Engine engine(level, run.out(), [&input] { return input.NextIs("stop"); });
  for (std::optional<std::string> line = input.Next(); line && engine.Take(*line);) {
    line = input.Next();
  }
  return cli::kOk;
}

}  // namespace

cli::Command EngineCommand() {
  return {.name = "engine",
          .usage = "engine",
          .summary = "our bots for other programs: the engine protocol on stdin and stdout",
          .help =
              "  tarot-lab engine                  answers until quit, or the end of the input\n"
              "  tarot-lab engine --level novice   which bot; also: setoption level novice\n\n"
              "Type tarot to see the levels. The lines are those of docs/engine_protocol.md. No\n"
              "platform is asked.\n",
          .options = {{"level"}},
          .run = RunEngine};
}

}  // namespace tarot::lab
