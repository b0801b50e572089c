#include "tools/cli/command_line.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tarot::cli {

absl::StatusOr<CommandLine> ParseCommandLine(const std::vector<std::string>& args,
                                             const std::vector<OptionSpec>& specs) {
  CommandLine line;
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i] == "--") {
      line.words.insert(line.words.end(), args.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                        args.end());
      break;
    }
    if (!absl::StartsWith(args[i], "--")) {
      line.words.push_back(args[i]);
      continue;
    }
    const std::size_t equals = args[i].find('=');
    const std::string name = args[i].substr(2, equals == std::string::npos ? equals : equals - 2);
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&](const OptionSpec& s) { return s.name == name; });
    if (spec == specs.end()) {
      return absl::InvalidArgumentError(absl::StrCat("there is no option --", name));
    }
    if (!spec->takes_value) {
      if (equals != std::string::npos) {
        return absl::InvalidArgumentError(absl::StrCat("--", name, " takes no value"));
      }
      line.options[name] = "";
    } else if (equals != std::string::npos) {
      line.options[name] = args[i].substr(equals + 1);
    } else if (i + 1 < args.size()) {
      line.options[name] = args[++i];
    } else {
      return absl::InvalidArgumentError(absl::StrCat("--", name, " needs a value"));
    }
  }
  return line;
}

ExitCode ExitCodeFor(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return kOk;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      return kUnreachable;
    case absl::StatusCode::kUnauthenticated:
      return kNotSignedIn;
    case absl::StatusCode::kNotFound:
      return kNotFound;
    default:
      return kFailed;
  }
}

}  // namespace tarot::cli
