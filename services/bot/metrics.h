// The metrics of the bot service. Each one is declared and created here, in one place. A new metric
// also needs a row in docs/metrics.md.
#pragma once

#include <map>
#include <string>

#include "libs/ai/policy.h"
#include "libs/obs/metrics.h"

namespace tarot::bot_service {

// The metrics of one level's decisions.
struct LevelMetrics {
  LevelMetrics(prometheus::Registry& of_registry, const std::string& level)
      : registry(of_registry), labels{{"level", level}} {}

  prometheus::Registry& registry;
  const prometheus::Labels labels;

  prometheus::Counter& decisions =
      obs::Counter(registry, "tarot_bot_decisions_total", "Decisions made, by level.", labels);
  prometheus::Counter& nodes =
      obs::Counter(registry, "tarot_bot_nodes_total", "Cards played in search, by level.", labels);
  prometheus::Counter& worlds =
      obs::Counter(registry, "tarot_bot_worlds_total", "Sampled worlds, by level.", labels);
  prometheus::Counter& solved =
      obs::Counter(registry, "tarot_bot_solved_worlds_total",
                   "Sampled worlds that were solved with open hands, by level.", labels);
  prometheus::Counter& stopped = obs::Counter(
      registry, "tarot_bot_decisions_stopped_total",
      "Decisions that the deadline ended with the best choice so far, by level.", labels);
  prometheus::Histogram& decision_seconds =
      obs::Histogram(registry, "tarot_bot_decision_seconds",
                     "Time of a decision, without the wait for a worker, by level.",
                     {.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1}, labels);
};

struct Metrics {
  explicit Metrics(prometheus::Registry& of_registry) : registry(of_registry) {
    for (const std::string& level : ai::Levels()) by_level.try_emplace(level, registry, level);
  }

  prometheus::Registry& registry;

  // One entry for every level of libs/ai.
  std::map<std::string, LevelMetrics, std::less<>> by_level;

  prometheus::Gauge& analyses_running =
      obs::Gauge(registry, "tarot_bot_analyses_open", "Analyses in progress or waiting.");
  prometheus::Counter& analyses_done = AnalysesEnded("done");
  prometheus::Counter& analyses_cancelled = AnalysesEnded("cancelled");
  prometheus::Counter& analyses_failed = AnalysesEnded("failed");
  prometheus::Histogram& analysis_decision_seconds = obs::Histogram(
      registry, "tarot_bot_analysis_decision_seconds",
      "Time that an analysis spent on one decision.", {.001, .005, .025, .1, .25, .5, 1, 2.5, 5});

 private:
  prometheus::Counter& AnalysesEnded(const char* outcome) {
    return obs::Counter(registry, "tarot_bot_analyses_total",
                        "Deals whose analysis ended, by outcome.", {{"outcome", outcome}});
  }
};

}  // namespace tarot::bot_service
