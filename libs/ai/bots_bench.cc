// How strong and how fast the bots are: `bots_bench [deals]` prints a JSON list of figures.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "libs/ai/arena.h"
#include "libs/base/stopwatch.h"

namespace tarot::ai {
namespace {

class Report {
 public:
  void Add(const std::string& name, double value, const char* unit) {
    std::printf("%s{\"name\":\"%s\",\"value\":%.4f,\"unit\":\"%s\"}", first_ ? "[\n" : ",\n",
                name.c_str(), value, unit);
    first_ = false;
  }
  ~Report() { std::printf("\n]\n"); }

 private:
  bool first_ = true;
};

// Milliseconds of every decision in `deals` deals among equals.
std::vector<double> Times(const Policy& policy, int players, int deals) {
  std::vector<double> times;
  for (int i = 0; i < deals; ++i) {
    Rng rng(static_cast<std::uint64_t>(i));
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = MakeView(deal, deal.turn);
      const Stopwatch stopwatch;
      const Decision decision = policy.Choose(view, Rng(rng.Next()), 0);
      times.push_back(absl::ToDoubleMilliseconds(stopwatch.Elapsed()));
      Apply(deal, deal.turn, decision.action);
    }
  }
  std::sort(times.begin(), times.end());
  return times;
}

void Run(int deals) {
  Report report;
  const rules::RuleSet& rules = rules::FindRuleSet("fft")->rules;
  for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
    const std::string suffix = "_" + std::to_string(players) + "p";
    for (const std::string& level : Levels()) {
      const std::vector<double> times = Times(*FindPolicy(level), players, deals / 4 + 1);
      report.Add(level + "_decision_p50" + suffix, times[times.size() / 2], "ms");
      report.Add(level + "_decision_p99" + suffix, times[times.size() * 99 / 100], "ms");
    }
    const Margin margin =
        Duplicate(rules, players, *FindPolicy("club"), *FindPolicy("novice"), deals, 1);
    report.Add("club_vs_novice" + suffix, margin.points, "points a deal");
    report.Add("club_vs_novice_half_width" + suffix, margin.half_width, "points a deal, 95 %");
  }
}

}  // namespace
}  // namespace tarot::ai

int main(int argc, char** argv) {
  const int deals = argc > 1 ? std::atoi(argv[1]) : 200;
  if (deals < 2) {
    std::fprintf(stderr, "usage: bots_bench [deals, at least 2]\n");
    return 2;
  }
  tarot::ai::Run(deals);
  return 0;
}
