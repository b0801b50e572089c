#include "services/matchmaking/metrics.h"

#include <string>

namespace tarot::matchmaking {
namespace {

prometheus::Counter& Tables(prometheus::Registry& registry, const std::string& outcome) {
  return prometheus::BuildCounter()
      .Name("tarot_matchmaking_tables_total")
      .Help("Tables asked of the rules service, by outcome.")
      .Register(registry)
      .Add({{"outcome", outcome}});
}

prometheus::Counter& Beats(prometheus::Registry& registry, const std::string& outcome) {
  return prometheus::BuildCounter()
      .Name("tarot_matchmaking_beats_total")
      .Help("Signs of life in the table of replicas, by outcome; one a second.")
      .Register(registry)
      .Add({{"outcome", outcome}});
}

}  // namespace

Metrics::Kind::Kind(prometheus::Registry& registry, const char* kind)
    : tickets_waiting(prometheus::BuildGauge()
                          .Name("tarot_matchmaking_tickets_waiting")
                          .Help("Tickets that wait after the last wave.")
                          .Register(registry)
                          .Add({{"kind", kind}})),
      wait_seconds(
          prometheus::BuildHistogram()
              .Name("tarot_matchmaking_wait_seconds")
              .Help("Time from a person's ticket to the table.")
              .Register(registry)
              .Add({{"kind", kind}},
                   prometheus::Histogram::BucketBoundaries{1, 2, 4, 8, 15, 30, 60, 120, 240, 480})),
      rating_spread(prometheus::BuildHistogram()
                        .Name("tarot_matchmaking_rating_spread")
                        .Help("Highest rating at a table minus the lowest, in rating points.")
                        .Register(registry)
                        .Add({{"kind", kind}}, prometheus::Histogram::BucketBoundaries{
                                                   25, 50, 75, 100, 150, 200, 300, 400, 600})) {}

Metrics::Metrics(prometheus::Registry& registry)
    : ranked(registry, "ranked"),
      casual(registry, "casual"),
      tables_made(Tables(registry, "made")),
      tables_refused(Tables(registry, "refused")),
      tables_retried(Tables(registry, "retried")),
      waves_missed(prometheus::BuildCounter()
                       .Name("tarot_matchmaking_waves_missed_total")
                       .Help("Waves left out because the one before was not done.")
                       .Register(registry)
                       .Add({})),
      wave_seconds(
          prometheus::BuildHistogram()
              .Name("tarot_matchmaking_wave_seconds")
              .Help("Time of one wave, from reading the tickets to storing the tables.")
              .Register(registry)
              .Add({}, prometheus::Histogram::BucketBoundaries{0.001, 0.002, 0.005, 0.01, 0.02,
                                                               0.05, 0.1, 0.2, 0.5, 1, 2, 5})),
      queue_active(prometheus::BuildGauge()
                       .Name("tarot_matchmaking_queue_active")
                       .Help("1 at the replica that makes the queue's tables, 0 at the others.")
                       .Register(registry)),
      nodes(prometheus::BuildGauge()
                .Name("tarot_matchmaking_nodes")
                .Help("Replicas of matchmaking that this one knows of, itself among them.")
                .Register(registry)
                .Add({})),
      beats(Beats(registry, "ok")),
      beats_failed(Beats(registry, "failed")) {}

}  // namespace tarot::matchmaking
