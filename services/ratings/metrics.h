// The metrics of the ratings service. All are created once, with the value zero.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <mutex>
#include <vector>

namespace tarot::ratings_service {

struct Metrics {
  explicit Metrics(prometheus::Registry& registry);

  // Updates z_rms with the surprises of one rated match (rating::Surprises). Thread-safe.
  void ObserveSurprises(const std::vector<double>& surprises);

  prometheus::Counter& matches_rated;
  prometheus::Counter& matches_unrated;
  prometheus::Counter& matches_replayed;
  prometheus::Histogram& record_seconds;
  prometheus::Histogram& result_lag_seconds;
  prometheus::Gauge& players;
  prometheus::Gauge& z_rms;

 private:
  std::mutex mutex_;
  double mean_square_ = 0;
  int observed_ = 0;
};

}  // namespace tarot::ratings_service
