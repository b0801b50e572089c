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

    prometheus::Histogram& wait_seconds;  // The time from a person's ticket to its table.
    // Counts the people whose wait has become longer than kLongWait. A person counts at the moment
    // when the wait becomes longer, so people who still wait are included.
    prometheus::Counter& long_waits;
    // The spread of a table, in rating points.
    prometheus::Histogram& rating_spread;
  };

  explicit Metrics(prometheus::Registry& registry);

  Kind& Of(bool is_ranked) { return is_ranked ? ranked : casual; }

  // The values of the label `outcome` of `tables`.
  static constexpr char kMade[] = "made";
  static constexpr char kRefused[] = "refused";
  static constexpr char kRetried[] = "retried";  // A repeated request, without a certain answer.
  // Returns the counter of `tables` for this queue and outcome. The tables of rooms have an empty
  // `queue`. Tables of rooms that were made do not count.
  prometheus::Counter& Tables(const std::string& queue, const char* outcome);
  // Adds the counters of `tables` for this queue with the value zero. If the counters exist, does
  // nothing.
  void AddQueue(const std::string& queue);

  Kind ranked;
  Kind casual;
  // One gauge for each queue, with the labels `queue` and `kind`: the number of tickets that still
  // wait after the last wave. The tickets of the population's bots count too.
  prometheus::Family<prometheus::Gauge>& tickets_waiting;
  prometheus::Family<prometheus::Counter>& tables;  // Use Tables().
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
