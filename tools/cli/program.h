// A program of several commands: finds the command that was typed, checks its options, prints help.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "tools/cli/command_line.h"
#include "tools/cli/text.h"

namespace tarot::cli {

// Everything outside the program that a command uses.
struct World {
  std::ostream& out;  // Data.
  std::ostream& err;  // Messages.
  Clock& clock;
  Scheduler& scheduler;
  Entropy& entropy;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};

// One run of one command.
class Invocation {
 public:
  Invocation(std::string program, const World& world, CommandLine line, const TextStyle& style)
      : program_(std::move(program)), world_(world), line_(std::move(line)), style_(style) {}

  const CommandLine& line() const { return line_; }
  const TextStyle& style() const { return style_; }
  bool json() const { return line_.Has("json"); }
  const World& world() const { return world_; }
  std::ostream& out() const { return world_.out; }
  std::ostream& err() const { return world_.err; }

  // Writes "PROGRAM: MESSAGE" to err and returns `code`.
  ExitCode Fail(absl::string_view message, ExitCode code) const;
  // Writes "PROGRAM: NAME: why" to err, for a file or a record called `name`; returns the exit
  // code.
  ExitCode FailFile(absl::string_view name, const absl::Status& status) const;

 private:
  std::string program_;
  World world_;
  CommandLine line_;
  TextStyle style_;
};

struct Command {
  std::string name;
  std::string usage;    // "record TABLE/N"
  std::string summary;  // One line.
  std::string help;     // Examples first, then the options.
  std::vector<OptionSpec> options;
  std::size_t words_min = 0;
  std::size_t words_max = 0;
  std::function<ExitCode(const Invocation&)> run;
};

struct Program {
  std::string name;
  std::string about;    // The purpose of the program, then examples.
  std::string options;  // Help lines of `common_options`.
  std::string footer;   // Ends the help, after the options: the exit codes.
  // Options of every command, besides --color and --help; they may stand before the command.
  std::vector<OptionSpec> common_options;
  std::vector<Command> commands;  // In the order of the help.
};

// Runs the command that `args` name (without the name of the program); returns the exit code.
int Run(const Program& program, const std::vector<std::string>& args, const World& world);

// The whole of main(): Run() on the real clock and the standard streams. A reader that closes our
// standard output early, as `| head` does, is not an error; a full disk is.
int Main(const Program& program, int argc, char** argv);

}  // namespace tarot::cli
