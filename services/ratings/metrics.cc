#include "services/ratings/metrics.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "libs/obs/metrics.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {
namespace {

using obs::Counter;
using obs::Gauge;
using obs::Histogram;

}  // namespace

Metrics::Metrics(prometheus::Registry& registry)
    : matches_rated(Counter(registry, "tarot_ratings_matches_rated_total", "Matches rated.")),
      matches_unrated(Counter(registry, "tarot_ratings_matches_unrated_total",
                              "Casual matches stored without rating.")),
      matches_replayed(Counter(registry, "tarot_ratings_matches_replayed_total",
                               "Matches sent again after they were stored.")),
      record_seconds(Histogram(registry, "tarot_ratings_record_seconds",
                               "Time to rate one match and make it durable.",
                               {.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5})),
      result_lag_seconds(Histogram(registry, "tarot_ratings_result_lag_seconds",
                                   "Age of a match's result when it was recorded.",
                                   {.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 86400})),
      players(Gauge(registry, "tarot_ratings_players",
                    "Players with a rating, counted every 30 seconds.")),
      z_rms(Gauge(registry, "tarot_ratings_z_rms",
                  "Root mean square of the last thousand results' surprises: 1 when the model is "
                  "right, more when it is too sure of itself. 0 before the first match.")) {}

void Metrics::ObserveSurprises(const std::vector<double>& surprises) {
  const std::lock_guard lock(mutex_);
  for (const double z : surprises) {
    observed_ = std::min(observed_ + 1, kResultsRemembered);
    mean_square_ += (z * z - mean_square_) / observed_;
  }
  z_rms.Set(std::sqrt(mean_square_));
}

}  // namespace tarot::ratings_service
