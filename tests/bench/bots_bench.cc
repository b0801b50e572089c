// `bots_bench speed` measures the speed of the solver and of the bots. `bots_bench company`
// measures how often all players pass at a table of one person and bots. `bots_bench contracts`
// measures which contracts the bots play and how many of them they make. `bots_bench calibration`
// compares what the bots promise themselves with what they get. `bots_bench faults` measures how
// often a level commits the faults that club players name. All print a JSON list of figures.
// `bots_bench find_faults` prints positions for tests/data/faults. tools/dev.d/bench_bots.py
// measures the strength of the bots, by matches.
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <numeric>
#include <string>
#include <vector>

#include "libs/ai/arena.h"
#include "libs/ai/solver/solver.h"
#include "libs/base/check.h"
#include "tools/lab/promises/promises.h"
#include "tools/lab/testing/fault_suite.h"

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

// Returns the CPU time of `work` in milliseconds.
template <typename Work>
double CpuMilliseconds(Work work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) * 1000 / CLOCKS_PER_SEC;
}

// Returns the CPU milliseconds of every decision in `deals` deals among bots of one level.
std::vector<double> Times(const Policy& policy, int players, int deals) {
  std::vector<double> times;
  for (int i = 0; i < deals; ++i) {
    Rng rng(static_cast<std::uint64_t>(i));
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = RememberedView(deal, deal.turn);
      Decision decision;
      times.push_back(
          CpuMilliseconds([&] { decision = policy.Choose(view, Rng(rng.Next()), {}); }));
      Apply(deal, deal.turn, decision.action);
    }
  }
  std::sort(times.begin(), times.end());
  return times;
}

constexpr std::size_t kTableBytes = std::size_t{64} << 20;

bool LeadsWith(const rules::Deal& deal, int tricks) {
  return deal.phase == rules::Phase::kPlaying && deal.CurrentTrick().size == 0 &&
         deal.hands[static_cast<std::size_t>(deal.turn)].Size() == tricks;
}

// Returns a deal in which a random seat takes with a Garde. The seat lays aside a random écart, and
// all seats play random cards until `tricks` tricks are left.
rules::Deal PlayedDown(int tricks, Rng& rng) {
  rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
  const rules::Seat taker = rng.Below(4);
  while (!LeadsWith(deal, tricks)) {
    rules::Action action;
    const rules::LegalActions legal = ListLegal(deal);
    rules::CardSet cards = deal.phase == rules::Phase::kPlaying ? legal.cards : legal.discards;
    const int count = deal.phase == rules::Phase::kPlaying ? 1 : legal.discard_count;
    while (cards.Size() > count) {
      int skip = rng.Below(cards.Size());
      auto card = cards.begin();
      while (skip-- > 0) ++card;
      cards.Erase(*card);
    }
    if (deal.phase == rules::Phase::kBidding) {
      action =
          rules::Action::Bid(deal.turn == taker ? rules::Contract::kGarde : rules::Contract::kPass);
    } else if (deal.phase == rules::Phase::kPlaying) {
      action = rules::Action::Play(cards.First());
    } else if (deal.phase == rules::Phase::kDiscarding) {
      action = rules::Action::Discard(cards);
    } else {
      action = rules::Action::Slam(false);
    }
    Apply(deal, deal.turn, action);
  }
  return deal;
}

// Returns a deal that a novice has taken, just before the first card is played.
rules::Deal Taken(Rng& rng) {
  for (;;) {
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
    while (deal.phase != rules::Phase::kDone && !LeadsWith(deal, 18)) {
      const Policy& novice = *FindPolicy("novice");
      Apply(deal, deal.turn, novice.Choose(RememberedView(deal, deal.turn), Rng(0), {}).action);
    }
    if (deal.phase != rules::Phase::kDone) return deal;
  }
}

void ReportTimes(const std::string& name, std::vector<double> times, Report& report) {
  std::sort(times.begin(), times.end());
  report.Add(name + "_median_ms", times[times.size() / 2], "ms");
  report.Add(name + "_p95_ms", times[times.size() * 95 / 100], "ms");
}

void RunSolver(int deals, Report& report) {
  const ContractGoal contract = GoalOfContract(rules::FindRuleSet("fft")->rules);
  Solver solver(kTableBytes);
  for (const int tricks : {8, 10}) {
    std::vector<double> times;
    for (int i = 0; i < deals; ++i) {
      Rng rng(static_cast<std::uint64_t>(1000 + i));
      const OpenPosition position = MakeOpenPosition(PlayedDown(tricks, rng));
      times.push_back(CpuMilliseconds([&] { solver.Value(position, contract.objective); }));
    }
    ReportTimes("solve" + std::to_string(tricks), times, report);
  }
  // A null-window search only decides whether the result is above one given value. A search ends
  // without a result when it has visited the maximum number of nodes. The time of such a search
  // counts too. If the median is near one second, most searches have reached this maximum.
  constexpr std::uint64_t kNodeCap = 8'000'000;
  constexpr double kSoon = 250;
  std::vector<double> times;
  int answered = 0;
  int soon = 0;
  const int whole_deals = deals * 3 / 10 + 1;
  for (int i = 0; i < whole_deals; ++i) {
    Rng rng(static_cast<std::uint64_t>(5000 + i));
    const OpenPosition position = MakeOpenPosition(Taken(rng));
    Answer made = Answer::kUnknown;
    times.push_back(CpuMilliseconds(
        [&] { made = solver.AtLeast(position, contract.objective, contract.goal, kNodeCap); }));
    if (made == Answer::kUnknown) continue;
    ++answered;
    soon += times.back() <= kSoon ? 1 : 0;
  }
  ReportTimes("null18", times, report);
  report.Add("null18_answered", static_cast<double>(answered) / whole_deals, "share");
  report.Add("null18_in_250_ms", static_cast<double>(soon) / whole_deals, "share");
}

// Returns the share of deals in which all players pass. One seat bids like a person, by the point
// count that French clubs teach; the seat changes from deal to deal. Bots of `level` have the other
// seats.
double PassedOut(const std::string& level, int players, int deals) {
  std::vector<const Policy*> seats(static_cast<std::size_t>(players), FindPolicy(level));
  int passed_out = 0;
  for (int i = 0; i < deals; ++i) {
    Rng rng(static_cast<std::uint64_t>(9000 + i));
    const std::size_t person = static_cast<std::size_t>(i % players);
    seats[person] = FindOpponent("strong/classic");
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
    while (deal.phase == rules::Phase::kBidding) {
      const Policy& policy = *seats[static_cast<std::size_t>(deal.turn)];
      const auto bid = policy.Choose(RememberedView(deal, deal.turn), Rng(rng.Next()), {});
      Apply(deal, deal.turn, bid.action);
    }
    passed_out += deal.phase == rules::Phase::kDone ? 1 : 0;
    seats[person] = FindPolicy(level);
  }
  return static_cast<double>(passed_out) / deals;
}

void RunCompany(int deals) {
  Report report;
  for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
    for (const std::string level : {"sociable", "strong"}) {
      report.Add("passed_out_with_" + level + "_" + std::to_string(players) + "p",
                 PassedOut(level, players, deals), "share");
    }
  }
}

// Measures how `deals` deals of each number of players end if `level` has all seats: the share of
// deals that all players pass, and for each contract its share, the share that is made, and the
// mean score of its taker. `nodes` is the budget of each decision; 0 means the level's own budget.
void RunContracts(int deals, const std::string& level, std::uint64_t nodes) {
  constexpr std::uint64_t kSeed = 20261128;
  constexpr std::array<const char*, 5> kNames{"passed_out", "prise", "garde", "garde_sans",
                                              "garde_contre"};
  Report report;
  for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
    const std::vector<const Policy*> seats(static_cast<std::size_t>(players), FindOpponent(level));
    std::array<int, kNames.size()> count{};
    std::array<int, kNames.size()> made{};
    std::array<int, kNames.size()> points{};
    for (int i = 0; i < deals; ++i) {
      Rng rng(kSeed + static_cast<std::uint64_t>(i));
      rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
      PlayToEnd(deal, seats, rng, nodes);
      const auto contract = static_cast<std::size_t>(deal.contract);
      ++count[contract];
      if (deal.taker == rules::kNoSeat) continue;
      made[contract] += deal.result.score.won ? 1 : 0;
      points[contract] += deal.result.scores[static_cast<std::size_t>(deal.taker)];
    }
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      const std::string name = kNames[i] + ("_" + std::to_string(players) + "p");
      report.Add(name, static_cast<double>(count[i]) / deals, "share");
      if (i == 0 || count[i] == 0) continue;
      report.Add(name + "_made", static_cast<double>(made[i]) / count[i], "share");
      report.Add(name + "_points", static_cast<double>(points[i]) / count[i], "points");
    }
  }
}

// Adds the mean error of the points that defenders expect at their cards `first` to `last`: the
// expected points minus the real points. The figure `name` is the error without its sign.
void ReportValueError(const std::vector<lab::Promise>& promises, int first, int last,
                      const std::string& name, Report& report) {
  const lab::Estimate error = MeanOf(
      promises,
      [&](const lab::Promise& promise) {
        return promise.role == lab::PromiseRole::kDefender && promise.card >= first &&
               promise.card <= last;
      },
      [](const lab::Promise& promise) { return promise.value - promise.result; });
  report.Add(name, std::abs(error.mean), "points");
  report.Add(name + "_signed", error.mean, "points");
  report.Add(name + "_half_width", error.half_width, "points");
}

// For each number of players, compares expected with real points in `deals` deals with a taker.
// `level` plays all seats, with `nodes` nodes for each decision; 0 means the level's own budget.
void RunCalibration(int deals, const std::string& level, std::uint64_t nodes) {
  constexpr std::uint64_t kSeed = 20261126;
  Report report;
  for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
    const std::string suffix = "_" + std::to_string(players) + "p";
    const auto promises = lab::CollectPromises(*FindOpponent(level), players, deals, kSeed, nodes);
    ReportValueError(promises, 1, 1, "value_error_first_card" + suffix, report);
    ReportValueError(promises, 2, 5, "value_error_cards_2_to_5" + suffix, report);
    ReportValueError(promises, 6, 99, "value_error_later_cards" + suffix, report);
    for (int card = 1; !promises.empty() && card <= promises.front().cards; ++card) {
      const lab::Estimate brier = MeanOf(
          promises, [&](const lab::Promise& promise) { return promise.card == card; },
          [](const lab::Promise& promise) {
            const double miss = promise.made - (promise.attack_won ? 1 : 0);
            return miss * miss;
          });
      report.Add("brier_made_card_" + std::to_string(card) + suffix, brier.mean, "squared share");
    }
  }
}

// Measures the faults of `level`: its share of right answers in the suite, with its own budget, and
// the number of decisions with each fault in `deals` deals, with `nodes` nodes for each decision. A
// third of the deals has three players, a third has four, and a third has five.
void RunFaults(int deals, const std::string& level, std::uint64_t nodes) {
  constexpr std::uint64_t kSeed = 20261127;
  Report report;
  const Policy& policy = *FindOpponent(level);
  std::ifstream file(TAROT_SOURCE_DIR "/tests/data/faults/positions.txt");
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const auto positions = lab::ReadFaultPositions(text);
  TAROT_CHECK(positions.ok() && !positions->empty());
  std::array<int, kFaultCount> asked{};
  std::array<int, kFaultCount> right{};
  for (const lab::FaultPosition& position : *positions) {
    ++asked[static_cast<std::size_t>(position.fault)];
    right[static_cast<std::size_t>(position.fault)] += PlaysRight(policy, position) ? 1 : 0;
  }
  const double all = std::accumulate(right.begin(), right.end(), 0);
  report.Add("fault_suite_right", all / static_cast<double>(positions->size()), "share");
  for (std::size_t i = 0; i < kFaultCount; ++i) {
    const std::string name(FaultName(static_cast<Fault>(i)));
    report.Add("fault_suite_" + name + "_asked", asked[i], "positions");
    report.Add("fault_suite_" + name + "_right", right[i], "positions");
  }
  for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
    const auto counts = lab::CountFaults(policy, players, (deals + 2) / 3, kSeed, nodes);
    for (std::size_t i = 0; i < kFaultCount; ++i) {
      const std::string name = "fault_" + std::string(FaultName(static_cast<Fault>(i))) + "_" +
                               std::to_string(players) + "p";
      report.Add(name + "_chances", counts[i].chances, "decisions");
      report.Add(name, counts[i].faults, "decisions");
    }
  }
}

// Prints at most `each` positions of each fault that `level` commits in `deals` deals for each
// number of players.
void FindFaults(int deals, const std::string& level, std::uint64_t nodes, int each) {
  constexpr std::uint64_t kSeed = 7'000'000;
  for (const lab::FaultPosition& position : lab::FindFaultPositions(
           *FindOpponent(level), nodes, *FindOpponent("oracle"), deals, each, kSeed)) {
    std::printf("%s", WriteFaultPosition(position).c_str());
  }
}

void RunSpeed(int deals) {
  Report report;
  RunSolver(deals, report);
  double worst = 0;
  double worst_mean = 0;
  for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
    const std::string suffix = "_" + std::to_string(players) + "p";
    for (const std::string& level : Levels()) {
      const std::vector<double> times = Times(*FindPolicy(level), players, deals / 4 + 1);
      report.Add(level + "_decision_p50" + suffix, times[times.size() / 2], "ms");
      report.Add(level + "_decision_p99" + suffix, times[times.size() * 99 / 100], "ms");
      const double mean =
          std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
      report.Add(level + "_decision_mean" + suffix, mean, "ms");
      if (level == "strong") worst_mean = std::max(worst_mean, mean);
      if (level == "expert") worst = std::max(worst, times[times.size() * 99 / 100]);
    }
  }
  report.Add("expert_move_p99_ms", worst, "ms");
  report.Add("strong_move_mean_ms", worst_mean, "ms");
}

}  // namespace
}  // namespace tarot::ai

namespace {

int Usage() {
  std::fprintf(stderr,
               "usage: bots_bench speed|company|contracts|calibration|faults [deals, at least 2]\n"
               "       bots_bench contracts|calibration|faults DEALS LEVEL [nodes of a decision]\n"
               "       bots_bench find_faults DEALS LEVEL NODES POSITIONS_OF_EACH_FAULT\n");
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  const int deals = argc > 2 ? std::atoi(argv[2]) : 200;
  const std::string level = argc > 3 ? argv[3] : "expert";
  const std::uint64_t nodes = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0;
  if (deals < 2 || tarot::ai::FindOpponent(level) == nullptr) return Usage();
  if (what == "speed") {
    tarot::ai::RunSpeed(deals);
  } else if (what == "company") {
    tarot::ai::RunCompany(deals);
  } else if (what == "contracts") {
    tarot::ai::RunContracts(deals, level, nodes);
  } else if (what == "calibration") {
    tarot::ai::RunCalibration(deals, level, nodes);
  } else if (what == "faults") {
    // A small budget is enough to compare the rates of two levels.
    tarot::ai::RunFaults(deals, level, nodes == 0 ? 10'000 : nodes);
  } else if (what == "find_faults") {
    tarot::ai::FindFaults(deals, level, nodes, argc > 5 ? std::atoi(argv[5]) : 10);
  } else {
    return Usage();
  }
  return 0;
}
