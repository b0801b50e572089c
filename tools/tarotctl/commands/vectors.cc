#include <limits>

#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/vectors/check_files.h"

namespace tarot::tarotctl {
namespace {

ExitCode RunVectors(Context& context) {
  const std::string address = context.line().Get("address");
  const auto referee = address.empty() ? MakeLocalReferee() : MakeRemoteReferee(address);
  const Tally tally = CheckFiles(context.line().words, *referee, context.out());
  return tally.failed == 0 ? kOk : kFailed;
}

}  // namespace

Command VectorsCommand() {
  return {.name = "vectors",
          .usage = "vectors FILE...",
          .summary = "check files of expected results against the referee",
          .help =
              "  tarotctl vectors score.json fullplay_4.jsonl       by the library, here\n"
              "  tarotctl vectors --address 127.0.0.1:7101 FILE...  by a rules service\n\n"
              "Lists every mismatch and ends with \"N passed, M failed\"; 1 when any failed.\n",
          .options = {{"address"}},
          .words_min = 1,
          .words_max = std::numeric_limits<std::size_t>::max(),
          .run = RunVectors};
}

}  // namespace tarot::tarotctl
