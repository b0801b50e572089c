#include "services/ratings/metrics.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
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
      z_rms_(prometheus::BuildGauge()
                 .Name("tarot_ratings_z_rms")
                 .Help("Root mean square of the last thousand results' surprises: 1 when the model "
                       "is right, more when it underestimates the uncertainty. 0 before the "
                       "first match.")
                 .Register(registry)),
      results_(prometheus::BuildCounter()
                   .Name("tarot_ratings_results_total")
                   .Help("Results of players whose surprises this replica has observed.")
                   .Register(registry)) {
  for (int n = rating::kPlayersMin; n <= rating::kPlayersMax; ++n) {
    AddSeries(n, 0, ladders_[static_cast<std::size_t>(n)].plain);
  }
}

void Metrics::AddSeries(int player_count, int season, Surprises& surprises) {
  const prometheus::Labels labels{{"players", absl::StrCat(player_count)},
                                  {"season", absl::StrCat(season)}};
  surprises = {.season = season, .z_rms = &z_rms_.Add(labels), .results = &results_.Add(labels)};
}

void Metrics::ObserveSurprises(int season, const std::vector<double>& surprises) {
  const std::lock_guard lock(mutex_);
  Ladder& ladder = ladders_.at(surprises.size());
  Surprises& observed = season == 0 ? ladder.plain : ladder.newest;
  if (season < observed.season) return;
  if (season > observed.season) {
    if (observed.z_rms != nullptr) {
      z_rms_.Remove(observed.z_rms);
      results_.Remove(observed.results);
    }
    AddSeries(static_cast<int>(surprises.size()), season, observed);
  }
  for (const double z : surprises) {
    observed.results->Increment();
    const double count = std::min<double>(observed.results->Value(), kResultsRemembered);
    observed.mean_square += (z * z - observed.mean_square) / count;
  }
  observed.z_rms->Set(std::sqrt(observed.mean_square));
}

}  // namespace tarot::ratings_service
