#include "tools/cli/program.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/base/real_clock.h"
#include "tools/cli/text.h"

namespace tarot::cli {
namespace {

// Opens /dev/null in place of each standard stream that the caller has closed. If a stream stayed
// closed, the next file that the program opens, perhaps a network connection, would get the number
// of this stream. A read from /dev/null gets nothing, and a write to it fails, because it is opened
// for reading only.
void OccupyStandardStreams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd) {
    if (fcntl(fd, F_GETFD) == -1) open("/dev/null", O_RDONLY);
  }
}

// Runs OccupyStandardStreams() before the constructors of the libraries, because gRPC's
// constructors open files.
[[gnu::section(".preinit_array"), gnu::used]] void (*occupy_first)() = OccupyStandardStreams;

bool ReaderHasLeft() {
  pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

std::string Overview(const Program& program) {
  std::vector<std::vector<std::string>> rows;
  for (const Command& command : program.commands) {
    rows.push_back({"", absl::StrCat(program.name, " ", command.usage), command.summary});
  }
  return absl::StrCat(
      program.about, "\nCommands:\n", Columns(rows, {}), "\nOptions of every command:\n",
      program.options,
      "  --color always|never|auto  auto colours terminals, unless NO_COLOR is set\n"
      "  --help                     help for the program or for one command\n\n",
      program.footer);
}

ExitCode UsageError(const Program& program, const Environment& environment,
                    const std::string& problem, const std::string& command) {
  environment.err << program.name << ": " << Safe(problem) << "\nSee: " << program.name << " "
                  << command << (command.empty() ? "" : " ") << "--help\n";
  return kUsage;
}

std::vector<OptionSpec> CommonOptions(const Program& program) {
  std::vector<OptionSpec> options = program.common_options;
  options.push_back({"color"});
  options.push_back({"help", false});
  return options;
}

// If common options stand before the command, moves the command in front of them.
std::vector<std::string> CommandFirst(const Program& program, std::vector<std::string> args) {
  const std::vector<OptionSpec> common = CommonOptions(program);
  auto command = args.begin();
  while (command != args.end() && absl::StartsWith(*command, "--") && *command != "--help") {
    const bool value_follows = std::any_of(
        common.begin(), common.end(),
        [&](const OptionSpec& spec) { return spec.takes_value && *command == "--" + spec.name; });
    command += value_follows && args.end() - command > 1 ? 2 : 1;
  }
  if (command != args.end()) std::rotate(args.begin(), command, command + 1);
  return args;
}

int RunCommand(const Program& program, const Command& command, const std::vector<std::string>& args,
               const Environment& environment) {
  std::vector<OptionSpec> options = CommonOptions(program);
  options.insert(options.end(), command.options.begin(), command.options.end());
  absl::StatusOr<CommandLine> line = ParseCommandLine(args, options);
  if (!line.ok()) {
    return UsageError(program, environment, std::string(line.status().message()), command.name);
  }
  if (line->Has("help")) {
    environment.out << command.summary << "\n\n" << command.help;
    return kOk;
  }
  const std::string color = line->Get("color", "auto");
  if (color != "auto" && color != "always" && color != "never") {
    return UsageError(program, environment, "--color takes always, never or auto", command.name);
  }
  if (line->words.size() < command.words_min || line->words.size() > command.words_max) {
    return UsageError(program, environment,
                      absl::StrCat("expected: ", program.name, " ", command.usage), command.name);
  }
  const TextStyle style(
      WantColor(color, environment.out_is_terminal, std::getenv("NO_COLOR"), std::getenv("TERM")));
  return command.run(Invocation(program.name, environment, *std::move(line), style));
}

}  // namespace

ExitCode Invocation::Fail(absl::string_view message, ExitCode code) const {
  environment_.err << program_ << ": " << message << "\n";
  return code;
}

ExitCode Invocation::FailFile(absl::string_view name, const absl::Status& status) const {
  return Fail(absl::StrCat(Safe(name), ": ", Safe(status.message())), ExitCodeFor(status));
}

int Run(const Program& program, const std::vector<std::string>& typed,
        const Environment& environment) {
  const std::vector<std::string> args = CommandFirst(program, typed);
  if (args.empty() || (absl::StartsWith(args[0], "--") && args[0] != "--help")) {
    environment.err << Overview(program);
    return kUsage;
  }
  if (args[0] == "--help" || args[0] == "help" || args[0] == "-h") {
    environment.out << Overview(program);
    return kOk;
  }
  const auto command = std::find_if(program.commands.begin(), program.commands.end(),
                                    [&](const Command& c) { return c.name == args[0]; });
  if (command == program.commands.end()) {
    return UsageError(program, environment, absl::StrCat("there is no command '", args[0], "'"),
                      "");
  }
  return RunCommand(program, *command, {args.begin() + 1, args.end()}, environment);
}

int Main(const Program& program, int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  RealClock clock;
  RealScheduler scheduler;
  OsEntropy entropy;
  const int code = Run(program, std::vector<std::string>(argv + 1, argv + argc),
                       {.out = std::cout,
                        .err = std::cerr,
                        .clock = clock,
                        .scheduler = scheduler,
                        .entropy = entropy,
                        .out_is_terminal = isatty(STDOUT_FILENO) == 1,
                        .err_is_terminal = isatty(STDERR_FILENO) == 1});
  std::cout.flush();
  if (std::cout.good() || ReaderHasLeft()) return code;
  std::cerr << program.name << ": could not write the whole output\n";
  return kFailed;
}

namespace {

absl::Status WhyNot(int error) {
  return {absl::ErrnoToStatusCode(error), absl::StrCat("cannot be read: ", std::strerror(error))};
}

}  // namespace

// The function does not use std::ifstream, because the iterators of std::ifstream throw on a
// directory.
absl::StatusOr<std::string> ReadFile(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             &std::fclose);
  if (file == nullptr) return WhyNot(errno);
  std::string text;
  std::array<char, 1 << 16> block;
  while (const std::size_t size = std::fread(block.data(), 1, block.size(), file.get())) {
    text.append(block.data(), size);
  }
  if (std::ferror(file.get()) != 0) return WhyNot(errno);
  return text;
}

}  // namespace tarot::cli
