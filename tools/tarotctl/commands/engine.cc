#include "tools/tarotctl/engine/engine.h"

#include <unistd.h>

#include "libs/ai/policy.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/engine/line_input.h"
#include "tools/tarotctl/text/columns.h"

namespace tarot::tarotctl {
namespace {

ExitCode RunEngine(Context& context) {
  const std::string level = context.line().Get("level", "club");
  if (ai::FindOpponent(level) == nullptr) {
    context.err() << "tarotctl: there is no level '" << Safe(level) << "'; there are "
                  << LevelNames(", ") << "\n";
    return kUsage;
  }
  LineInput input(STDIN_FILENO);
  Engine engine(level, context.out(), [&input] { return input.NextIs("stop"); });
  for (std::optional<std::string> line = input.Next(); line && engine.Take(*line);) {
    line = input.Next();
  }
  return kOk;
}

}  // namespace

Command EngineCommand() {
  return {.name = "engine",
          .usage = "engine",
          .summary = "our bots for other programs: the engine protocol on stdin and stdout",
          .help =
              "  tarotctl engine                  answers until quit, or the end of the input\n"
              "  tarotctl engine --level novice   which bot; also: setoption level novice\n\n"
              "Type tarot to see the levels. The lines are those of docs/engine_protocol.md. No\n"
              "platform is asked.\n",
          .options = {{"level"}},
          .run = RunEngine};
}

}  // namespace tarot::tarotctl
