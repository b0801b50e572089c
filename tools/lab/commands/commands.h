// The commands of tarot-lab. Each command has a file of its own here.
#pragma once

#include "tools/cli/program.h"

namespace tarot::lab {

cli::Command ArenaCommand();
cli::Command EngineCommand();
cli::Command AnalyzeCommand();
cli::Command BidCommand();
cli::Command VerifyCommand();
cli::Command RecordCommand();
cli::Command AuditCommand();
cli::Command VectorsCommand();
cli::Command RulesetsCommand();
cli::Command FitCommand();
cli::Command SeasonCommand();
cli::Command MatchmakingCommand();
cli::Command CollusionCommand();

// Returns the program tarot-lab with all its commands.
cli::Program TarotLab();

}  // namespace tarot::lab
