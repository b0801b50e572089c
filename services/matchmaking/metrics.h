// Declares the metrics of the matchmaking service. All of them are created once, with the value
// zero.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

namespace tarot::matchmaking_service {

struct Metrics {
  // The metrics of the ranked queues or of the casual queues. The label `kind` is "ranked" or
  // "casual".
  struct Kind {
    Kind(prometheus::Registry& registry, const char* kind);

    // The number of tickets that still wait after the last wave. The tickets of the population's
    // bots count too.
    prometheus::Gauge& tickets_waiting;
    prometheus::Histogram& wait_seconds;  // The time from a person's ticket to its table.
    // Counts the people whose wait has become longer than kLongWait. A person counts at the moment
    // when the wait becomes longer, so people who still wait are included.
    prometheus::Counter& long_waits;
    // The spread of a table, in rating points.
    prometheus::Histogram& rating_spread;
  };

  explicit Metrics(prometheus::Registry& registry);

  Kind& Of(bool is_ranked) { return is_ranked ? ranked : casual; }

  Kind ranked;
  Kind casual;
  prometheus::Counter& tables_made;     // Counts tables of queues, without the tables of rooms.
  prometheus::Counter& tables_refused;  // Counts tables of queues and of rooms.
  // Counts repeated requests for a table that had no certain answer.
  prometheus::Counter& tables_retried;
  // Counts waves that did not begin, because the previous wave was running or the executor's queue
  // was full.
  prometheus::Counter& waves_missed;
  prometheus::Histogram& wave_seconds;
  // One gauge for each queue, with the queue's id as label `queue`. The gauge is 1 at the replica
  // that makes this queue's tables, and 0 at the other replicas.
  prometheus::Family<prometheus::Gauge>& queue_active;
  // The last answer of each cell about its number of free tables, with the number of the cell as
  // label `rules_cell`. 0 if the cell did not answer. If there is only one cell, there is no gauge.
  prometheus::Family<prometheus::Gauge>& cell_tables_free;
  // The number of rooms that have not ended. Only the replica that ends unused rooms sets this
  // number. At the other replicas the number is 0.
  prometheus::Gauge& rooms_open;
  prometheus::Counter& room_matches;  // Counts matches that the hosts of rooms have started.
  prometheus::Gauge& nodes;           // The number of known replicas. This replica counts too.
  prometheus::Counter& heartbeats;
  prometheus::Counter& heartbeats_failed;
};

}  // namespace tarot::matchmaking_service
