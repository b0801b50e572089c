// Every time series of the rules service, created once; bumping one costs an atomic add.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <string>

#include "absl/status/status.h"
#include "services/rules/app/log_entry.h"

namespace tarot::rules_service {

// Of many replicas.
struct HostingMetrics {
  explicit HostingMetrics(prometheus::Registry& registry);

  // tarot_rules_beats_total{outcome}
  prometheus::Counter& beats;
  prometheus::Counter& beats_failed;
  prometheus::Counter& tables_taken_up;
  prometheus::Counter& tables_let_go;
  prometheus::Counter& tables_behind;    // Their log, because another replica wrote.
  prometheus::Counter& tables_set_back;  // To a log that has lost entries.
  // tarot_rules_forwarded_calls_total{outcome}
  prometheus::Counter& calls_answered;  // Also with an error, by the host.
  prometheus::Counter& calls_failed;    // No answer came.
  prometheus::Counter& calls_refused;   // Too many at once.
  prometheus::Gauge& nodes;
  prometheus::Gauge& tables_without_room;  // Ours, but this replica is full; of the last sweep.
  prometheus::Histogram& takeover_seconds;
};

struct Metrics {
  explicit Metrics(prometheus::Registry& registry);

  // One more entry in a log.
  void Applied(Actor actor);
  // An action that the rules refused.
  void Refused(const absl::Status& refusal);

  // tarot_rules_actions_total{outcome}: what became of the actions that players sent.
  prometheus::Counter& actions_applied;
  prometheus::Counter& actions_replayed;
  prometheus::Counter& actions_refused;
  prometheus::Counter& actions_stale;
  // tarot_rules_server_moves_total{source}: moves made for a seat.
  prometheus::Counter& moves_bot;
  prometheus::Counter& moves_clock;
  prometheus::Counter& deals_dealt;
  // tarot_rules_bot_requests_total{outcome}
  prometheus::Counter& bot_answered;
  prometheus::Counter& bot_failed;  // A rule of thumb decided in its place.
  prometheus::Counter& tables_created;
  prometheus::Counter& matches_finished;
  // tarot_rules_outbox_deliveries_total{outcome}
  prometheus::Counter& outbox_delivered;
  prometheus::Counter& outbox_failed;
  // tarot_rules_feed_frames_total{outcome}
  prometheus::Counter& feed_frames_sent;
  prometheus::Counter& feed_frames_replaced;  // By a newer one, before they were sent.
  prometheus::Counter& seats_taken_over;      // By a bot, from a person whose clock ran out twice.
  // tarot_rules_refusals_total{reason}, by the code of why.
  std::map<std::string, prometheus::Counter*> refusals;
  // tarot_rules_tables_open{phase}
  prometheus::Gauge& tables_dealing;
  prometheus::Gauge& tables_playing;
  prometheus::Gauge& watchers_open;
  prometheus::Gauge& feeds_open;
  prometheus::Gauge& outbox_pending;
  prometheus::Histogram& append_seconds;
  prometheus::Histogram& append_wait_seconds;
  prometheus::Histogram& append_batch_rows;
  prometheus::Histogram& watch_lag_seconds;
  HostingMetrics hosting;
};

}  // namespace tarot::rules_service
