#include "services/bot/metrics.h"

#include "libs/ai/policy.h"
#include "libs/obs/series.h"

namespace tarot::bot_service {
namespace {

prometheus::Family<prometheus::Counter>& Counters(prometheus::Registry& registry, const char* name,
                                                  const char* help) {
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

}  // namespace

Metrics::Metrics(prometheus::Registry& registry)
    : Metrics(registry, Counters(registry, "tarot_bot_analyses_total",
                                 "Deals whose analysis ended, by outcome.")) {}

Metrics::Metrics(prometheus::Registry& registry, prometheus::Family<prometheus::Counter>& analyses)
    : analyses_running(obs::Gauge(registry, "tarot_bot_analyses_open",
                                  "Analyses under way, waiting ones included.")),
      analyses_done(analyses.Add({{"outcome", "done"}})),
      analyses_cancelled(analyses.Add({{"outcome", "cancelled"}})),
      analyses_failed(analyses.Add({{"outcome", "failed"}})),
      analysis_decision_seconds(obs::Histogram(registry, "tarot_bot_analysis_decision_seconds",
                                               "How long an analysis took for one decision.",
                                               {.001, .005, .025, .1, .25, .5, 1, 2.5, 5})) {
  auto& decisions = Counters(registry, "tarot_bot_decisions_total", "Decisions made, by level.");
  auto& nodes = Counters(registry, "tarot_bot_nodes_total", "Cards played in search, by level.");
  auto& worlds = Counters(registry, "tarot_bot_worlds_total", "Sampled hidden hands, by level.");
  auto& solved = Counters(registry, "tarot_bot_solved_worlds_total",
                          "Sampled hidden hands solved with open hands, by level.");
  auto& stopped = Counters(registry, "tarot_bot_decisions_stopped_total",
                           "Decisions that the deadline ended with the best so far, by level.");
  auto& seconds = prometheus::BuildHistogram()
                      .Name("tarot_bot_decision_seconds")
                      .Help("How long a decision took, without waiting for a worker, by level.")
                      .Register(registry);
  for (const std::string& level : ai::Levels()) {
    const prometheus::Labels labels{{"level", level}};
    by_level.emplace(
        level, LevelMetrics{decisions.Add(labels), nodes.Add(labels), worlds.Add(labels),
                            solved.Add(labels), stopped.Add(labels),
                            seconds.Add(labels, prometheus::Histogram::BucketBoundaries{
                                                    .0001, .00025, .0005, .001, .0025, .005, .01,
                                                    .025, .05, .1, .25, 1})});
  }
}

}  // namespace tarot::bot_service
