// A program with several commands. It finds the command that was typed, checks its options, prints
// help and reads files.
#pragma once

#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "tools/cli/command_line.h"
#include "tools/cli/text.h"

namespace tarot::cli {

// Everything outside the program that a command uses.
struct Environment {
  std::ostream& out;  // Receives data.
  std::ostream& err;  // Receives messages.
  Clock& clock;
  Scheduler& scheduler;
  Entropy& entropy;
  bool out_is_terminal = false;
  bool err_is_terminal = false;
};

// One run of one command.
class Invocation {
 public:
  Invocation(std::string program, const Environment& environment, CommandLine line,
             const TextStyle& style)
      : program_(std::move(program)),
        environment_(environment),
        line_(std::move(line)),
        style_(style) {}

  const CommandLine& line() const { return line_; }
  const TextStyle& style() const { return style_; }
  bool json() const { return line_.Has("json"); }
  const Environment& environment() const { return environment_; }
  std::ostream& out() const { return environment_.out; }
  std::ostream& err() const { return environment_.err; }

  // Writes "PROGRAM: MESSAGE" to err and returns `code`.
  ExitCode Fail(absl::string_view message, ExitCode code) const;
  // Writes "PROGRAM: NAME: why" to err, where NAME is the `name` of a file or a record. Returns the
  // exit code.
  ExitCode FailFile(absl::string_view name, const absl::Status& status) const;

 private:
  std::string program_;
  Environment environment_;
  CommandLine line_;
  TextStyle style_;
};

struct Command {
  std::string name;
  std::string usage;    // For example "record TABLE/N".
  std::string summary;  // One line of help.
  std::string help;     // The help: examples first, then the options.
  std::vector<OptionSpec> options;
  std::size_t words_min = 0;
  std::size_t words_max = 0;
  std::function<ExitCode(const Invocation&)> run;
};

struct Program {
  std::string name;
  std::string about;    // The purpose of the program, then examples.
  std::string options;  // The lines of the help about `common_options`.
  std::string footer;   // The end of the help, after the options: the exit codes.
  // The options that every command has, except --color and --help. They may stand before the
  // command.
  std::vector<OptionSpec> common_options;
  std::vector<Command> commands;  // The commands, in the order in which the help shows them.
};

// Runs the command that `args` names; `args` does not contain the name of the program. Returns the
// exit code.
int Run(const Program& program, const std::vector<std::string>& args,
        const Environment& environment);

// The complete main(): calls Run() with the real clock and the standard streams. A reader may close
// our standard output early, as `| head` does; this is no error. A full disk is an error.
int Main(const Program& program, int argc, char** argv);

// Returns the bytes of the file. If that fails, the error's text is "cannot be read: " and the
// reason. The error's code is NOT_FOUND only if there is no such file.
absl::StatusOr<std::string> ReadFile(const std::string& path);

}  // namespace tarot::cli
