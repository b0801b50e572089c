#include "absl/strings/str_cat.h"
#include "tools/tarotctl/commands/commands.h"

namespace tarot::tarotctl {

cli::Program Tarotctl() {
  return {
      .name = "tarotctl",
      .about =
          "Play French Tarot and look around, from a terminal.\n\n"
          "  tarotctl play --name Ada          queue for a match and play it\n"
          "  tarotctl watch                    watch the newest table\n"
          "  tarotctl ladder --around me       your place among the players\n",
      .options =
          absl::StrCat("  --gateway HOST:PORT[,...]  where the platform is ($TAROT_GATEWAY, or ",
                       kDefaultGateway, ")\n"),
      .footer =
          "Exit codes: 0 done, 1 failed, refused or untrue, 2 wrong usage, 3 the gateway does not\n"
          "answer, 4 not signed in, 5 no such table, deal or player, 130 interrupted. Data goes "
          "to\n"
          "stdout, messages go to stderr.\n",
      .common_options = {{"gateway"}},
      .commands = {PlayCommand(), NonceCommand(), WatchCommand(), LadderCommand(), PlayerCommand(),
                   MatchesCommand(), RecordCommand(), VerifyCommand(), AnalyzeCommand(),
                   TablesCommand(), QueuesCommand()}};
}

}  // namespace tarot::tarotctl
