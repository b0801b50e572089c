// The words of a command line, and the exit codes of the programs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tarot::cli {

struct OptionSpec {
  std::string name;  // The name without "--".
  bool takes_value = true;
};

struct CommandLine {
  std::vector<std::string> words;
  std::map<std::string, std::string> options;  // A switch has the value "".

  bool Has(const std::string& name) const { return options.count(name) > 0; }
  std::string Get(const std::string& name, const std::string& fallback = "") const {
    const auto found = options.find(name);
    return found == options.end() ? fallback : found->second;
  }
};

// Parses the words of a command line. They may contain --name=value, --name value and --switch in
// any order. "--" ends the options. The message of INVALID_ARGUMENT names the problem.
absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& args,
                                             const std::vector<OptionSpec>& specs);

enum ExitCode : int {
  kOk = 0,
  kFailed = 1,
  kUsage = 2,
  kUnreachable = 3,
  kNotSignedIn = 4,
  kNotFound = 5,
  kInterrupted = 130,
};

ExitCode ExitCodeFor(const absl::Status& status);

}  // namespace tarot::cli
