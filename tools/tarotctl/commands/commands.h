// Every command of tarotctl, one file each.
#pragma once

#include <string>
#include <vector>

#include "tools/tarotctl/cli/command_line.h"
#include "tools/tarotctl/cli/context.h"
#include "tools/tarotctl/cli/exit_code.h"

namespace tarot::tarotctl {

struct Command {
  std::string name;
  std::string usage;    // "record TABLE/N"
  std::string summary;  // One line.
  std::string help;     // Examples first, then the options.
  std::vector<OptionSpec> options;
  std::size_t words_min = 0;
  std::size_t words_max = 0;
  int attempts_max = 4;  // Of each call, when the gateway does not answer.
  ExitCode (*run)(Context&) = nullptr;
};

Command PlayCommand();
Command NonceCommand();
Command WatchCommand();
Command LadderCommand();
Command PlayerCommand();
Command RecordCommand();
Command TablesCommand();
Command QueuesCommand();
Command VerifyCommand();
Command AnalyzeCommand();
Command AuditCommand();
Command RulesetsCommand();
Command VectorsCommand();
Command EngineCommand();
Command ArenaCommand();

// In the order of the help.
std::vector<Command> Commands();

// The whole program: `args` without its name.
int Run(const std::vector<std::string>& args, const Context::World& world);

}  // namespace tarot::tarotctl
