#include "services/matchmaking/metrics.h"

#include <string>

#include "libs/obs/metrics.h"

namespace tarot::matchmaking_service {
namespace {

using obs::Counter;
using obs::Gauge;
using obs::Histogram;

prometheus::Counter& Heartbeats(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_matchmaking_beats_total",
                 "Heartbeats in the table of replicas, by outcome; one a second.",
                 {{"outcome", outcome}});
}

}  // namespace

Metrics::Kind::Kind(prometheus::Registry& registry, const char* kind)
    : wait_seconds(Histogram(registry, "tarot_matchmaking_wait_seconds",
                             "Time from a person's ticket to its table.",
                             {1, 2, 4, 8, 15, 30, 60, 120, 240, 480}, {{"kind", kind}})),
      long_waits(Counter(registry, "tarot_matchmaking_long_waits_total",
                         "People whose wait for a table has become longer than 60 seconds.",
                         {{"kind", kind}})),
      rating_spread(Histogram(registry, "tarot_matchmaking_rating_spread",
                              "Highest rating at a table minus the lowest, in rating points.",
                              {25, 50, 75, 100, 150, 200, 300, 400, 600}, {{"kind", kind}})) {}

Metrics::Metrics(prometheus::Registry& registry)
    : ranked(registry, "ranked"),
      casual(registry, "casual"),
      tickets_waiting(prometheus::BuildGauge()
                          .Name("tarot_matchmaking_tickets_waiting")
                          .Help("Tickets that wait after the last wave.")
                          .Register(registry)),
      tables(prometheus::BuildCounter()
                 .Name("tarot_matchmaking_tables_total")
                 .Help("Requests to the rules service for a table, by outcome.")
                 .Register(registry)),
      waves_missed(
          Counter(registry, "tarot_matchmaking_waves_missed_total",
                  "Waves that did not begin because the previous wave was still running.")),
      wave_seconds(Histogram(registry, "tarot_matchmaking_wave_seconds",
                             "Time of one wave, from reading the tickets to storing the tables.",
                             {0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5})),
      queue_active(prometheus::BuildGauge()
                       .Name("tarot_matchmaking_queue_active")
                       .Help("1 at the replica that makes the queue's tables, 0 at the others.")
                       .Register(registry)),
      cell_tables_free(
          prometheus::BuildGauge()
              .Name("tarot_matchmaking_cell_tables_free")
              .Help("Tables that a cell of rules still has room for; 0 if it does not answer.")
              .Register(registry)),
      rooms_open(Gauge(registry, "tarot_matchmaking_rooms_open",
                       "Live rooms, at the replica that ends unused rooms; 0 at the others.")),
      room_matches(Counter(registry, "tarot_matchmaking_room_matches_total",
                           "Matches that the hosts of rooms have started.")),
      nodes(Gauge(registry, "tarot_matchmaking_nodes",
                  "Replicas of matchmaking that this replica knows, including itself.")),
      heartbeats(Heartbeats(registry, "ok")),
      heartbeats_failed(Heartbeats(registry, "failed")) {
  AddQueue("");
}

prometheus::Counter& Metrics::Tables(const std::string& queue, const char* outcome) {
  return tables.Add({{"queue", queue}, {"outcome", outcome}});
}

void Metrics::AddQueue(const std::string& queue) {
  for (const char* const outcome : {kMade, kRefused, kRetried}) Tables(queue, outcome);
}

}  // namespace tarot::matchmaking_service
