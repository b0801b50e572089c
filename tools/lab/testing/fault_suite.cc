#include "tools/lab/testing/fault_suite.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/ai/arena.h"
#include "libs/base/error.h"
#include "libs/notation/names.h"
#include "libs/notation/tdn.h"

namespace tarot::lab {
namespace {

using ai::Candidate;
using ai::Decision;
using ai::Fault;
using rules::Action;
using rules::Contract;
using rules::View;

constexpr absl::string_view kHead = "fault ";

// Returns the legal bids, calls or cards. Returns nothing for a handful, an écart and a slam,
// because no fault concerns them.
std::vector<Action> LegalActionsOf(const View& view) {
  std::vector<Action> actions;
  switch (view.phase) {
    case rules::Phase::kBidding:
      for (std::size_t bid = 0; bid < view.legal.bids.size(); ++bid) {
        if (view.legal.bids[bid]) actions.push_back(Action::Bid(static_cast<Contract>(bid)));
      }
      break;
    case rules::Phase::kCalling:
      for (const rules::Card card : view.legal.calls) actions.push_back(Action::Call(card));
      break;
    case rules::Phase::kPlaying:
      for (const rules::Card card : view.legal.cards) actions.push_back(Action::Play(card));
      break;
    default:
      break;
  }
  return actions;
}

void Count(void* context, const View& view, const Decision& decision) {
  FaultCounts& counts = *static_cast<FaultCounts*>(context);
  const std::optional<ai::Knowledge> knowledge = ai::Know(view);
  if (!knowledge.has_value() || decision.action.kind == Action::Kind::kHandful) return;
  std::array<bool, ai::kFaultCount> chance{};
  for (const Action& action : LegalActionsOf(view)) {
    const auto fault = FaultOf(view, *knowledge, action);
    if (fault.has_value()) chance[static_cast<std::size_t>(*fault)] = true;
  }
  for (std::size_t i = 0; i < chance.size(); ++i) counts[i].chances += chance[i] ? 1 : 0;
  const auto fault = FaultOf(view, *knowledge, decision.action);
  if (fault.has_value()) ++counts[static_cast<std::size_t>(*fault)].faults;
}

// Collects the positions in which a player commits a fault.
struct Collector {
  const ai::Policy& judge;
  int each;
  std::array<int, ai::kFaultCount> found{};
  std::vector<FaultPosition> positions;
};

// Fills `position.judge` and `position.right`. Returns false if the judge shows that the fault
// gains. For bids and calls, the judge errs as the player does, so every other action is right.
bool Judge(const ai::Policy& judge, const ai::Knowledge& knowledge, const Action& fault,
           FaultPosition& position) {
  // All limits are in hundredths of a point of the game. A fault that gains less than kNoise is not
  // proved to gain. A right action may be as bad as the fault, or kTolerance worse than the best
  // right action.
  constexpr int kNoise = 50;
  constexpr int kTolerance = 400;
  const View& view = position.view;
  if (fault.kind != Action::Kind::kPlay) {
    position.judge = "club";
    for (const Action& action : LegalActionsOf(view)) {
      // Only a call names a card.
      const bool high = action.kind == Action::Kind::kBid ? action.contract > Contract::kGarde
                                                          : view.hand.Contains(action.card);
      if (!high && !FaultOf(view, knowledge, action).has_value()) position.right.push_back(action);
    }
    return !position.right.empty();
  }
  const Decision decision = judge.Choose(view, Rng(1), {});
  std::optional<int> best;
  std::optional<int> of_fault;
  const auto is_right = [&](const Candidate& candidate) {
    return candidate.value.has_value() && !FaultOf(view, knowledge, candidate.action).has_value();
  };
  for (const Candidate& candidate : decision.candidates) {
    if (candidate.action == fault) of_fault = candidate.value;
    if (is_right(candidate)) best = std::max(best.value_or(*candidate.value), *candidate.value);
  }
  if (!best.has_value() || !of_fault.has_value() || *of_fault > *best + kNoise) return false;
  const bool solved = decision.solved > 0 && decision.solved == decision.worlds;
  position.judge = solved && *best > *of_fault + kNoise ? "solver" : "club";
  for (const Candidate& candidate : decision.candidates) {
    if (is_right(candidate) && *candidate.value >= std::min(*of_fault, *best - kTolerance)) {
      position.right.push_back(candidate.action);
    }
  }
  return true;
}

void Collect(void* context, const View& view, const Decision& decision) {
  Collector& collector = *static_cast<Collector*>(context);
  const std::optional<ai::Knowledge> knowledge = ai::Know(view);
  if (!knowledge.has_value()) return;
  const auto fault = FaultOf(view, *knowledge, decision.action);
  if (!fault.has_value()) return;
  int& found = collector.found[static_cast<std::size_t>(*fault)];
  if (found >= collector.each) return;
  FaultPosition position{.fault = *fault, .view = view};
  if (!Judge(collector.judge, *knowledge, decision.action, position)) return;
  ++found;
  collector.positions.push_back(std::move(position));
}

// Returns the position with the head line `head` and the view `tdn`.
absl::StatusOr<FaultPosition> ReadPosition(absl::string_view head, absl::string_view tdn) {
  const std::vector<absl::string_view> parts =
      absl::StrSplit(head.substr(kHead.size()), absl::MaxSplits(' ', 2));
  const auto fault = ai::ParseFaultName(parts[0]);
  if (!fault.has_value() || parts.size() < 3) return BadRequest("fault", head);
  FaultPosition position{.fault = *fault, .judge = std::string(parts[1])};
  for (const absl::string_view name : absl::StrSplit(parts[2], ", ")) {
    const auto action = notation::ParseActionName(name);
    if (!action.has_value()) return BadRequest("fault", head);
    position.right.push_back(*action);
  }
  TAROT_ASSIGN_OR_RETURN(position.view, notation::ReadTdnView(tdn));
  return position;
}

}  // namespace

FaultCounts CountFaults(const ai::Policy& policy, int players, int taken, std::uint64_t seed,
                        std::uint64_t node_budget) {
  const std::vector<const ai::Policy*> seats(static_cast<std::size_t>(players), &policy);
  FaultCounts counts{};
  for (int found = 0; found < taken; ++seed) {
    Rng rng(seed);
    rules::Deal deal = ai::RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
    ai::PlayToEnd(deal, seats, rng, node_budget, Count, &counts);
    if (deal.taker != rules::kNoSeat) ++found;
  }
  return counts;
}

absl::StatusOr<std::vector<FaultPosition>> ReadFaultPositions(absl::string_view text) {
  std::vector<FaultPosition> positions;
  absl::string_view head;
  std::string tdn;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (absl::StartsWith(line, "#")) continue;
    if (absl::StartsWith(line, kHead)) {
      head = line;
      tdn.clear();
      continue;
    }
    absl::StrAppend(&tdn, line, "\n");
    if (line != "*") continue;
    TAROT_ASSIGN_OR_RETURN(positions.emplace_back(), ReadPosition(head, tdn));
  }
  return positions;
}

std::string WriteFaultPosition(const FaultPosition& position) {
  const auto name = [](std::string* out, const Action& action) {
    out->append(notation::ActionName(action));
  };
  return absl::StrCat(kHead, ai::FaultName(position.fault), " ", position.judge, " ",
                      absl::StrJoin(position.right, ", ", name), "\n",
                      notation::WriteTdnView(position.view));
}

bool PlaysRight(const ai::Policy& policy, const FaultPosition& position) {
  const Decision decision = policy.Choose(position.view, Rng(1), {});
  return std::find(position.right.begin(), position.right.end(), decision.action) !=
         position.right.end();
}

std::vector<FaultPosition> FindFaultPositions(const ai::Policy& player, std::uint64_t node_budget,
                                              const ai::Policy& judge, int deals, int each,
                                              std::uint64_t seed) {
  Collector collector{.judge = judge, .each = each};
  for (int i = 0; i < deals; ++i) {
    for (int players = rules::kPlayersMin; players <= rules::kPlayersMax; ++players) {
      Rng rng(seed++);
      rules::Deal deal;
      // TDN writes only deals in which the last seat deals.
      do {
        deal = ai::RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
      } while (deal.dealer != players - 1);
      const std::vector<const ai::Policy*> seats(static_cast<std::size_t>(players), &player);
      ai::PlayToEnd(deal, seats, rng, node_budget, Collect, &collector);
    }
  }
  std::stable_sort(
      collector.positions.begin(), collector.positions.end(),
      [](const FaultPosition& a, const FaultPosition& b) { return a.fault < b.fault; });
  return collector.positions;
}

}  // namespace tarot::lab
