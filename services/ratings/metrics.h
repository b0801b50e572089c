// Declares the metrics of the ratings service.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <array>
#include <mutex>
#include <vector>

#include "libs/rating/rating.h"

namespace tarot::ratings_service {

struct Metrics {
  explicit Metrics(prometheus::Registry& registry);

  // Updates tarot_ratings_z_rms and tarot_ratings_results_total with the surprises of one rated
  // match (rating::Surprises). `season` is 0 for a match that was rated without a correction for
  // luck. Each ladder has series only for its newest season and for season 0. Ignores a match of an
  // older season. Thread-safe.
  void ObserveSurprises(int season, const std::vector<double>& surprises);

  prometheus::Counter& matches_rated;
  prometheus::Counter& matches_unrated;
  prometheus::Counter& matches_replayed;
  prometheus::Histogram& record_seconds;
  prometheus::Histogram& result_lag_seconds;
  prometheus::Gauge& players;

 private:
  // The surprises of one season of one ladder.
  struct Surprises {
    int season = 0;
    double mean_square = 0;
    prometheus::Gauge* z_rms = nullptr;
    prometheus::Counter* results = nullptr;
  };
  struct Ladder {
    Surprises plain;
    Surprises newest;  // Before the season's first match, this member has no series.
  };

  void AddSeries(int player_count, int season, Surprises& surprises);

  prometheus::Family<prometheus::Gauge>& z_rms_;
  prometheus::Family<prometheus::Counter>& results_;
  std::mutex mutex_;
  std::array<Ladder, rating::kPlayersMax + 1> ladders_;  // Indexed by the ladder's player count.
};

}  // namespace tarot::ratings_service
