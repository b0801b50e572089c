// The commands of tarotctl. Each file has the commands of one noun.
#pragma once

#include "tools/cli/program.h"
#include "tools/tarotctl/session/context.h"

namespace tarot::tarotctl {

cli::Command PlayCommand();
cli::Command NonceCommand();
cli::Command WatchCommand();
cli::Command LadderCommand();
cli::Command PlayerCommand();
cli::Command MatchesCommand();
cli::Command RecordCommand();
cli::Command VerifyCommand();
cli::Command AnalyzeCommand();
cli::Command TablesCommand();
cli::Command QueuesCommand();

// Runs the whole program.
cli::Program Tarotctl();

}  // namespace tarot::tarotctl
