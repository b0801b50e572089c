#include "services/bot/app/chooser.h"

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "libs/ai/knowledge.h"
#include "libs/base/clock.h"
#include "libs/base/error.h"
#include "services/bot/limits.h"

namespace tarot::bot_service {

absl::StatusOr<ai::Decision> Chooser::Choose(const Question& question) const {
  const ai::Policy* policy = ai::FindPolicy(question.level);
  if (policy == nullptr) return BadRequest("level", "is unknown");
  if (question.node_budget > kNodeBudgetMax) {
    return BadRequest("node_budget", absl::StrCat("must be at most ", kNodeBudgetMax));
  }
  const rules::View& view = question.view;
  if (view.viewer == rules::kNoSeat || view.viewer != view.turn) {
    return Error(absl::StatusCode::kFailedPrecondition, "NOT_YOUR_TURN",
                 "The seat of this view is not in turn.");
  }
  const absl::string_view problem = ai::ValidateShape(view);
  if (!problem.empty()) return BadRequest("deal", problem);

  const Stopwatch stopwatch;
  const ai::Decision decision = policy->Choose(
      view, Rng(question.seed), {.node_budget = question.node_budget, .stop = question.stop});
  const LevelMetrics& metrics = metrics_.by_level.at(question.level);
  metrics.decisions.Increment();
  metrics.nodes.Increment(static_cast<double>(decision.nodes));
  metrics.worlds.Increment(decision.worlds);
  metrics.solved.Increment(decision.solved);
  if (decision.stopped) metrics.stopped.Increment();
  metrics.decision_seconds.Observe(absl::ToDoubleSeconds(stopwatch.Elapsed()));
  return decision;
}

}  // namespace tarot::bot_service
