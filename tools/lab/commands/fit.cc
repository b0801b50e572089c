#include "tools/lab/fit/fit.h"

#include <iostream>

#include "absl/strings/numbers.h"
#include "tools/lab/commands/commands.h"

namespace tarot::lab {
namespace {

cli::ExitCode RunFit(const cli::Invocation& run) {
  const cli::CommandLine& line = run.line();
  int players = 0, deals = 0;
  std::uint64_t seed = 0;
  if (!absl::SimpleAtoi(line.Get("players", "4"), &players) || players < 3 || players > 5 ||
      !absl::SimpleAtoi(line.Get("deals", "300"), &deals) || deals < 1 ||
      !absl::SimpleAtoi(line.Get("seed", "1"), &seed)) {
    return run.Fail("--players takes 3 to 5, --deals 1 or more, --seed a whole number",
                    cli::kUsage);
  }
  const std::string& what = line.words[0];
  if (what == "samples") {
    ai::PrintDealSamples(players, deals, seed, line.Has("untouched"));
  } else if (what == "bidding") {
    return ai::FitBidding(std::cin) ? cli::kOk : cli::kFailed;
  } else if (what == "odds") {
    ai::FitOdds(deals, seed);
  } else if (what == "promises") {
    ai::FitPromises(deals, seed);
  } else if (what == "style") {
    ai::FitStyle(deals);
  } else {
    return run.Fail("fit takes samples, bidding, odds, promises or style", cli::kUsage);
  }
  return cli::kOk;
}

}  // namespace

cli::Command FitCommand() {
  return {
      .name = "fit",
      .usage = "fit samples|bidding|odds|promises|style",
      .summary = "learn the weights of libs/ai from games of the bots",
      .help =
          "  tarot-lab fit samples --players 3 --deals 4000 --seed 3000000 >samples.txt\n"
          "  tarot-lab fit samples --players 3 --deals 4000 --seed 3500000 --untouched\n"
          "                                     samples of random deals, for the bidding\n"
          "  tarot-lab fit bidding <samples.txt >libs/ai/bid_weights.cc\n"
          "                                     needs samples of three, four and five players\n"
          "  tarot-lab fit odds --deals 8000 --seed 6000000 >libs/ai/bid_odds.cc\n"
          "                                     how likely each bid is with a hand\n"
          "  tarot-lab fit promises --deals 300 --seed 7000000 >libs/ai/promise_weights.cc\n"
          "                                     what comes of the values of cards\n"
          "  tarot-lab fit style --deals 300 >libs/ai/style_weights.cc\n\n"
          "docs/bots.md describes the method and the samples that were used.\n\n"
          "  --players N --deals N --seed S     for samples (4, 300, 1); for odds and promises "
          "--deals and\n"
          "                                     --seed, for style only --deals\n"
          "  --untouched                        only hands nearly strong enough for a Garde sans\n",
      .options = {{"players"}, {"deals"}, {"seed"}, {"untouched", false}},
      .words_min = 1,
      .words_max = 1,
      .run = RunFit};
}

}  // namespace tarot::lab
