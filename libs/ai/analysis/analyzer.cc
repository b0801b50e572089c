#include "libs/ai/analysis/analyzer.h"

#include <algorithm>

#include "libs/ai/endgame.h"
#include "libs/ai/knowledge.h"
#include "libs/base/check.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::CardSet;
using rules::Deal;
using rules::LegalActions;
using rules::Phase;
using rules::Seat;
using rules::View;

constexpr int kMistakesMax = 10;
// A fault is listed as a mistake if its `expected_cost` is at least this many hundredths of a
// point.
constexpr int kMistakeMin = 100;
// The interval of a cost has this many standard errors to each side.
constexpr int kErrors = 3;

// Returns true if the seat has only one legal action in this phase.
bool Forced(Phase phase, const LegalActions& legal) {
  switch (phase) {
    case Phase::kBidding:
      return std::count(legal.bids.begin(), legal.bids.end(), true) == 1;
    case Phase::kCalling:
      return legal.calls.Size() + (legal.call_nobody ? 1 : 0) == 1;
    case Phase::kDiscarding:
      return legal.discards.Size() == legal.discard_count;
    case Phase::kSlam:
      return false;
    case Phase::kPlaying:
      return legal.cards.Size() == 1 &&
             std::count(legal.handful_levels.begin(), legal.handful_levels.end(), true) == 0;
    case Phase::kDone:
      break;
  }
  return true;
}

void AddExpectation(const Decision& decision, DecisionReport& report) {
  report.worlds = decision.worlds;
  for (const Candidate& candidate : decision.candidates) {
    report.options.push_back({.action = candidate.action,
                              .expected = candidate.value,
                              .made = candidate.made,
                              .made_error = candidate.made_error,
                              .made_difference_error = candidate.made_difference_error,
                              .low = candidate.low,
                              .high = candidate.high});
  }
  const auto better = [](const OptionReport& a, const OptionReport& b) {
    return a.expected > b.expected;
  };
  std::stable_sort(report.options.begin(), report.options.end(), better);
  const auto played =
      std::find_if(report.options.begin(), report.options.end(),
                   [&](const OptionReport& option) { return option.action == report.played; });
  if (played == report.options.end() || !played->expected) return;
  report.expected_cost = *report.options.front().expected - *played->expected;
  const auto candidate =
      std::find_if(decision.candidates.begin(), decision.candidates.end(),
                   [&](const Candidate& one) { return one.action == report.played; });
  if (report.expected_cost == 0 || !candidate->difference_error) return;
  report.cost_low = report.expected_cost - kErrors * *candidate->difference_error;
  report.cost_high = report.expected_cost + kErrors * *candidate->difference_error;
  // Each of the two errors belongs to a difference from the best option. So the error of the
  // difference between the choice and the played action is at most their sum.
  const Candidate& choice = decision.candidates.front();
  if (!choice.value || !choice.difference_error) return;
  const int error = *choice.difference_error + *candidate->difference_error;
  if (*choice.value - *candidate->value > kErrors * error) report.better = choice.action;
}

// Returns whether the attack wins every trick of the deal.
bool AttackWinsAll(const History& history) {
  Deal deal = history.start;
  for (const auto& [seat, action] : history.entries) {
    TAROT_CHECK(Apply(deal, seat, action).ok());
  }
  return deal.phase == Phase::kDone && deal.result.outcome == rules::Outcome::kScored &&
         deal.result.tricks == deal.trick_count;
}

void AddOpen(const OpenJudgement& judgement, DecisionReport& report) {
  report.margin = judgement.margin;
  report.contract_made = judgement.contract_made;
  for (const OpenJudgement::Loss& loss : judgement.losses) {
    const Action action = Action::Play(loss.card);
    if (action == report.played) report.open_cost = loss.points;
    const auto option = std::find_if(report.options.begin(), report.options.end(),
                                     [&](const OptionReport& o) { return o.action == action; });
    if (option != report.options.end()) option->open_loss = loss.points;
  }
}

// The size of each of the two tables of proofs, in bytes.
constexpr std::size_t kTableBytes = std::size_t{4} << 20;
// JudgeOpen() first asks the solver whether the contract is made. For this question, the solver may
// use the node budget divided by this number.
constexpr std::uint64_t kContractShare = 4;

// Returns the real deal as a World. Its `aside` has the cards that no hand holds and that the
// viewer has not seen.
World TrueWorld(const Deal& deal, const Knowledge& knowledge) {
  World world{.hands = deal.hands, .aside = knowledge.unseen};
  for (const CardSet hand : deal.hands) world.aside -= hand;
  return world;
}

}  // namespace

OpenJudgement JudgeOpen(const Deal& deal, const View& view, std::uint64_t node_cap) {
  OpenJudgement judgement;
  const std::optional<Knowledge> knowledge = Know(view);
  if (deal.phase != rules::Phase::kPlaying || !Endgame::Applies(view) || !knowledge) {
    return judgement;
  }
  const World world = TrueWorld(deal, *knowledge);
  const FastDeal fast = MakeFastDeal(view, world);
  Endgame endgame(view, kTableBytes);
  // The solver needs fewer nodes to find whether the contract is made than to find the worth of
  // each card. If the solver cannot find whether the contract is made, Solve() would probably fail
  // too.
  const Answer made = endgame.ContractMade(world, fast, node_cap / kContractShare + 1);
  if (made == Answer::kUnknown) return judgement;
  judgement.contract_made = made == Answer::kYes;
  const auto worths = endgame.Solve(world, fast, node_cap);
  if (worths.empty()) return judgement;
  const auto by_points = [](const Endgame::Worth& a, const Endgame::Worth& b) {
    return a.double_points < b.double_points;
  };
  const auto by_margin = [](const Endgame::Worth& a, const Endgame::Worth& b) {
    return a.margin < b.margin;
  };
  const int best = std::max_element(worths.begin(), worths.end(), by_points)->double_points;
  for (const Endgame::Worth& worth : worths) {
    judgement.losses.push_back({worth.card, (best - worth.double_points) * 50});
  }
  judgement.margin =
      (deal.InAttack(deal.turn) ? std::max_element(worths.begin(), worths.end(), by_margin)
                                : std::min_element(worths.begin(), worths.end(), by_margin))
          ->margin;
  return judgement;
}

Analyzer::Analyzer(History history, const AnalysisOptions& options)
    : history_(std::move(history)),
      options_(options),
      deal_(history_.start),
      slam_made_(AttackWinsAll(history_)) {}

std::optional<DecisionReport> Analyzer::Next(const std::function<bool()>& stop) {
  TAROT_CHECK(!Done());
  const auto& [seat, action] = history_.entries[static_cast<std::size_t>(next_)];
  const View view = RememberedView(deal_, seat);
  DecisionReport report{.entry = next_, .seat = seat, .phase = deal_.phase, .played = action};
  report.forced = Forced(deal_.phase, view.legal);
  Rng rng(options_.seed);
  for (int i = 0; i < next_; ++i) rng.Next();
  if (!report.forced) {
    const Decision decision = options_.policy->Choose(
        view, Rng(rng.Next()),
        Request{.node_budget = options_.node_budget, .stop = stop, .consider = action});
    if (stop && stop()) return std::nullopt;
    AddExpectation(decision, report);
    if (deal_.phase == Phase::kBidding) report.hand = FactsOf(view.hand);
  }
  AddOpen(JudgeOpen(deal_, view, options_.open_node_budget), report);
  if (report.better) AddReasons(view, rng, report);
  if (stop && stop()) return std::nullopt;
  TAROT_CHECK(Apply(deal_, seat, action).ok());
  ++next_;
  reports_.push_back(report);
  return report;
}

void Analyzer::AddReasons(const View& view, Rng rng, DecisionReport& report) const {
  const auto chance_of = [&](const Action& action) {
    ContractChance chance;
    for (const OptionReport& option : report.options) {
      if (option.action != action) continue;
      chance = {.made = option.made,
                .error = option.made_error,
                .difference_error = option.made_difference_error};
    }
    return chance;
  };
  const Action better = *report.better;
  ReasonInput input{.view = view,
                    .played = report.played,
                    .better = better,
                    .played_chance = chance_of(report.played),
                    .better_chance = chance_of(better),
                    .hands = deal_.hands,
                    .open_cost = report.open_cost,
                    .slam_made = slam_made_};
  const bool cards = better.kind == Action::Kind::kPlay && report.played.kind == better.kind;
  const std::optional<Knowledge> knowledge = Know(view);
  if (cards && knowledge && view.taker != rules::kNoSeat) {
    input.events = SampleEvents(view, *knowledge, report.played.card, better.card, rng);
  }
  report.reasons = FindReasons(input);
}

DealReport Analyzer::Summary() const {
  DealReport deal;
  deal.seats.resize(static_cast<std::size_t>(deal_.players));
  for (const DecisionReport& report : reports_) {
    if (report.forced) continue;
    DealReport::SeatCost& cost = deal.seats[static_cast<std::size_t>(report.seat)];
    ++cost.decisions;
    cost.expected_cost += report.expected_cost;
    cost.open_cost += report.open_cost.value_or(0);
    if (report.better && report.expected_cost >= kMistakeMin) deal.mistakes.push_back(report.entry);
  }
  const auto dearer = [this](int a, int b) {
    return reports_[static_cast<std::size_t>(a)].expected_cost >
           reports_[static_cast<std::size_t>(b)].expected_cost;
  };
  std::stable_sort(deal.mistakes.begin(), deal.mistakes.end(), dearer);
  if (deal.mistakes.size() > kMistakesMax) deal.mistakes.resize(kMistakesMax);
  deal.turning_points = TurningPoints();
  return deal;
}

// An entry is a turning point if it changes whether the contract is made. To find this, the
// function compares `contract_made` of this entry's report with that of the next report. For the
// last entry, the function compares with the result of the deal. If one of the two values is
// missing, the entry is no turning point.
std::vector<int> Analyzer::TurningPoints() const {
  std::vector<int> turning;
  for (std::size_t i = 0; i < reports_.size(); ++i) {
    std::optional<bool> after;
    if (i + 1 < reports_.size()) {
      after = reports_[i + 1].contract_made;
    } else if (deal_.phase == Phase::kDone && deal_.result.outcome == rules::Outcome::kScored) {
      after = deal_.result.attack_half_points >= deal_.result.score.needed_half_points;
    }
    const std::optional<bool> before = reports_[i].contract_made;
    if (before && after && *before != *after) turning.push_back(static_cast<int>(i));
  }
  return turning;
}

}  // namespace tarot::ai
