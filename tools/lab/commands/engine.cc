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
  return {
      .name = "engine",
      .usage = "engine",
      .summary = "run a bot for another program, by the engine protocol on stdin and stdout",
      .help =
          "  tarot-lab engine                  answers until quit, or the end of the input\n"
          "  tarot-lab engine --level novice   a level; also: setoption level novice\n\n"
          "Type tarot to see the levels. docs/engine_protocol.md explains the lines. The command\n"
          "needs no platform.\n",
      .options = {{"level"}},
      .run = RunEngine};
}

}  // namespace tarot::lab
