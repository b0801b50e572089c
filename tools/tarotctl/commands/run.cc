#include <algorithm>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/rpc/channel.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/text/columns.h"

namespace tarot::tarotctl {
namespace {

constexpr char kDefaultGateway[] = "127.0.0.1:7100";

std::vector<OptionSpec> GlobalOptions() { return {{"gateway"}, {"color"}, {"help", false}}; }

std::string Overview() {
  std::string out =
      "Play French Tarot and look around, from a terminal.\n\n"
      "  tarotctl play --name Ada          queue for a match and play it\n"
      "  tarotctl watch                    look on at the newest table\n"
      "  tarotctl ladder --around me       your place among the players\n\n"
      "Commands:\n";
  std::vector<std::vector<std::string>> rows;
  for (const Command& command : Commands()) {
    rows.push_back({"", "tarotctl " + command.usage, command.summary});
  }
  return absl::StrCat(
      out, Columns(rows, {}),
      "\nFor all of them:\n"
      "  --gateway HOST:PORT[,...]  where the platform is ($TAROT_GATEWAY, or ",
      kDefaultGateway,
      ")\n"
      "  --color always|never|auto  auto colours terminals, unless NO_COLOR is set\n"
      "  --help                     of the program or of a command\n\n"
      "Exit codes: 0 done, 1 failed, refused or untrue, 2 wrong usage, 3 nobody answers at the\n"
      "gateway, --address or --dsn, 4 not signed in, 5 no such table, deal, player or file,\n"
      "130 interrupted. Data on stdout, messages on stderr.\n");
}

ExitCode UsageError(const Context::World& world, const std::string& problem,
                    const std::string& command) {
  world.err << "tarotctl: " << Safe(problem) << "\nSee: tarotctl " << command
            << (command.empty() ? "" : " ") << "--help\n";
  return kUsage;
}

std::string Gateway(const CommandLine& line) {
  const char* env = std::getenv("TAROT_GATEWAY");
  return line.Get("gateway", env == nullptr || *env == '\0' ? kDefaultGateway : env);
}

// The options of every command may also stand before it: they move behind it.
std::vector<std::string> CommandFirst(std::vector<std::string> args) {
  auto command = args.begin();
  while (command != args.end() && absl::StartsWith(*command, "--") && *command != "--help") {
    const bool value_follows = *command == "--gateway" || *command == "--color";
    command += value_follows && args.end() - command > 1 ? 2 : 1;
  }
  if (command != args.end()) std::rotate(args.begin(), command, command + 1);
  return args;
}

int RunCommand(const Command& command, const std::vector<std::string>& args,
               const Context::World& world) {
  std::vector<OptionSpec> options = GlobalOptions();
  options.insert(options.end(), command.options.begin(), command.options.end());
  absl::StatusOr<CommandLine> line = ParseCommandLine(args, options);
  if (!line.ok()) return UsageError(world, std::string(line.status().message()), command.name);
  if (line->Has("help")) {
    world.out << command.summary << "\n\n" << command.help;
    return kOk;
  }
  const std::string color = line->Get("color", "auto");
  if (color != "auto" && color != "always" && color != "never") {
    return UsageError(world, "--color takes always, never or auto", command.name);
  }
  if (line->words.size() < command.words_min || line->words.size() > command.words_max) {
    return UsageError(world, "expected: tarotctl " + command.usage, command.name);
  }
  const Style style(
      WantColor(color, world.out_is_terminal, std::getenv("NO_COLOR"), std::getenv("TERM")));
  const std::string gateway = Gateway(*line);
  if (!rpc::IsTarget(gateway)) {
    return UsageError(
        world,
        absl::StrCat("--gateway, or TAROT_GATEWAY, takes HOST:PORT[,...], not '", gateway, "'"),
        command.name);
  }
  Context context(world, *std::move(line), style, gateway, command.attempts_max);
  return command.run(context);
}

}  // namespace

std::vector<Command> Commands() {
  return {PlayCommand(),   NonceCommand(),    WatchCommand(),   LadderCommand(), PlayerCommand(),
          RecordCommand(), VerifyCommand(),   AnalyzeCommand(), AuditCommand(),  TablesCommand(),
          QueuesCommand(), RulesetsCommand(), VectorsCommand(), EngineCommand(), ArenaCommand()};
}

int Run(const std::vector<std::string>& typed, const Context::World& world) {
  const std::vector<std::string> args = CommandFirst(typed);
  if (args.empty() || (absl::StartsWith(args[0], "--") && args[0] != "--help")) {
    world.err << Overview();
    return kUsage;
  }
  if (args[0] == "--help" || args[0] == "help" || args[0] == "-h") {
    world.out << Overview();
    return kOk;
  }
  const std::vector<Command> commands = Commands();
  const auto command = std::find_if(commands.begin(), commands.end(),
                                    [&](const Command& c) { return c.name == args[0]; });
  if (command == commands.end()) {
    return UsageError(world, absl::StrCat("there is no command '", args[0], "'"), "");
  }
  return RunCommand(*command, {args.begin() + 1, args.end()}, world);
}

}  // namespace tarot::tarotctl
