// All time series of the bot service. Decisions have one set of series per level.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <string>

namespace tarot::bot_service {

struct LevelMetrics {
  prometheus::Counter& decisions;
  prometheus::Counter& nodes;    // Cards played in search.
  prometheus::Counter& worlds;   // Sampled hidden hands.
  prometheus::Counter& solved;   // Samples that were solved with open hands.
  prometheus::Counter& stopped;  // Decisions that the deadline ended early.
  prometheus::Histogram& decision_seconds;
};

struct Metrics {
  explicit Metrics(prometheus::Registry& registry);

  std::map<std::string, LevelMetrics, std::less<>> by_level;  // Every level of libs/ai.

  prometheus::Gauge& analyses_running;
  prometheus::Counter& analyses_done;
  prometheus::Counter& analyses_cancelled;
  prometheus::Counter& analyses_failed;
  prometheus::Histogram& analysis_decision_seconds;

 private:
  explicit Metrics(prometheus::Registry& registry,
                   prometheus::Family<prometheus::Counter>& analyses);
};

}  // namespace tarot::bot_service
