#include "services/bot/metrics.h"

#include "libs/ai/policy.h"

namespace tarot::bot {

Metrics::Metrics(prometheus::Registry& registry) {
  auto& decisions = prometheus::BuildCounter()
                        .Name("tarot_bot_decisions_total")
                        .Help("Decisions made, by level.")
                        .Register(registry);
  auto& nodes = prometheus::BuildCounter()
                    .Name("tarot_bot_nodes_total")
                    .Help("Cards played in search, by level.")
                    .Register(registry);
  auto& seconds = prometheus::BuildHistogram()
                      .Name("tarot_bot_decision_seconds")
                      .Help("How long a decision took, without waiting for a worker, by level.")
                      .Register(registry);
  for (const std::string& level : ai::Levels()) {
    const prometheus::Labels labels{{"level", level}};
    by_level.emplace(
        level, LevelMetrics{decisions.Add(labels), nodes.Add(labels),
                            seconds.Add(labels, prometheus::Histogram::BucketBoundaries{
                                                    .0001, .00025, .0005, .001, .0025, .005, .01,
                                                    .025, .05, .1, .25, 1})});
  }
}

}  // namespace tarot::bot
