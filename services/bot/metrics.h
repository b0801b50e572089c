// Every time series of the bot service, created once, one set a level.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <string>

namespace tarot::bot {

struct LevelMetrics {
  prometheus::Counter& decisions;
  prometheus::Counter& nodes;    // Cards played in search.
  prometheus::Counter& worlds;   // Ways to lay the hidden cards that were looked at,
  prometheus::Counter& solved;   // those of them that were solved with open hands.
  prometheus::Counter& stopped;  // Decisions that the deadline ended: the best so far.
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

}  // namespace tarot::bot
