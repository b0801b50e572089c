// Every time series of the bot service, created once, one set a level.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <string>

namespace tarot::bot {

struct LevelMetrics {
  prometheus::Counter& decisions;
  prometheus::Counter& nodes;  // Cards played in search.
  prometheus::Histogram& decision_seconds;
};

struct Metrics {
  explicit Metrics(prometheus::Registry& registry);

  std::map<std::string, LevelMetrics, std::less<>> by_level;  // Every level of libs/ai.
};

}  // namespace tarot::bot
