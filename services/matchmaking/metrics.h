// Every series of the matchmaking service. All are created once, at zero.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

namespace tarot::matchmaking_service {

struct Metrics {
  // The series of one kind of queue. The label kind is "ranked" or "casual".
  struct Kind {
    Kind(prometheus::Registry& registry, const char* kind);

    // The number after the last wave, including bots of the population.
    prometheus::Gauge& tickets_waiting;
    prometheus::Histogram& wait_seconds;   // The time from a person's ticket to the table.
    prometheus::Histogram& rating_spread;  // Highest rating minus lowest, in rating points.
  };

  explicit Metrics(prometheus::Registry& registry);

  Kind& Of(bool is_ranked) { return is_ranked ? ranked : casual; }

  Kind ranked;
  Kind casual;
  prometheus::Counter& tables_made;
  prometheus::Counter& tables_refused;  // Tables that rules refused; their tickets wait again.
  prometheus::Counter& tables_retried;  // Requests that were repeated because no answer came.
  // Waves that did not begin because the wave before was still running.
  prometheus::Counter& waves_missed;
  prometheus::Histogram& wave_seconds;
  // One gauge per queue. It is 1 at the queue's host.
  prometheus::Family<prometheus::Gauge>& queue_active;
  prometheus::Gauge& nodes;  // Known replicas, including this one.
  prometheus::Counter& heartbeats;
  prometheus::Counter& heartbeats_failed;
};

}  // namespace tarot::matchmaking_service
