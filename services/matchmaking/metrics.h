// Every series of the matchmaking service, created once, at zero.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

namespace tarot::matchmaking_service {

struct Metrics {
  // Series of one kind of queue: label kind, "ranked" or "casual".
  struct Kind {
    Kind(prometheus::Registry& registry, const char* kind);

    prometheus::Gauge& tickets_waiting;    // After the last wave, bots of the population included.
    prometheus::Histogram& wait_seconds;   // From a person's ticket to the table.
    prometheus::Histogram& rating_spread;  // Highest rating minus lowest, in rating points.
  };

  explicit Metrics(prometheus::Registry& registry);

  Kind& Of(bool is_ranked) { return is_ranked ? ranked : casual; }

  Kind ranked;
  Kind casual;
  prometheus::Counter& tables_made;
  prometheus::Counter& tables_refused;  // The tickets went back to wait.
  prometheus::Counter& tables_retried;  // Requests repeated for want of an answer.
  prometheus::Counter& waves_missed;    // The wave before was still running.
  prometheus::Histogram& wave_seconds;
  prometheus::Family<prometheus::Gauge>& queue_active;  // By queue: 1 at its host.
  prometheus::Gauge& nodes;                             // Known replicas, including this one.
  prometheus::Counter& heartbeats;
  prometheus::Counter& heartbeats_failed;
};

}  // namespace tarot::matchmaking_service
