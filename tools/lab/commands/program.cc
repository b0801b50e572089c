#include "tools/lab/commands/commands.h"

namespace tarot::lab {

cli::Program TarotLab() {
  return {
      .name = "tarot-lab",
      .about =
          "Developers' commands for bots, records and rules on this machine. Only vectors\n"
          "--address uses a network.\n\n"
          "  tarot-lab arena club novice       duplicate matches of two bots\n"
          "  tarot-lab verify deal.tdn         prove the records of a file\n"
          "  tarot-lab rulesets booklet        every parameter of a rule set\n",
      .footer =
          "Exit codes: 0 done, 1 failed or untrue, 2 wrong usage, 3 --address does not answer,\n"
          "5 no such file. Data goes to stdout, messages go to stderr.\n",
      .commands = {ArenaCommand(), EngineCommand(), AnalyzeCommand(), BidCommand(), VerifyCommand(),
                   RecordCommand(), AuditCommand(), VectorsCommand(), RulesetsCommand(),
                   FitCommand(), SeasonCommand(), MatchmakingCommand(), CollusionCommand()}};
}

}  // namespace tarot::lab
