#include "tools/tarotctl/commands/read_records.h"

#include "libs/base/status_macros.h"
#include "tools/tarotctl/text/columns.h"
#include "tools/tarotctl/text/read_file.h"
#include "tools/tarotctl/view/record_notation.h"

namespace tarot::tarotctl {

absl::StatusOr<std::vector<notation::Document>> ReadRecords(const std::string& path) {
  TAROT_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
  return ParseRecords(text);
}

ExitCode FailFile(Context& context, const std::string& name, const absl::Status& status) {
  context.err() << "tarotctl: " << Safe(name) << ": " << Safe(status.message()) << "\n";
  return ExitCodeFor(status);
}

}  // namespace tarot::tarotctl
