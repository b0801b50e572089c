// Declares every time series of the rules service. All series are created once, at start. An
// increment is one atomic addition.
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

// The series about this replica and the other replicas.
struct HostingMetrics {
  explicit HostingMetrics(prometheus::Registry& registry);

  // tarot_rules_beats_total{outcome}
  prometheus::Counter& heartbeats;
  prometheus::Counter& heartbeats_failed;
  prometheus::Counter& tables_acquired;
  prometheus::Counter& tables_released;
  // Counts tables in memory that were older than their log, because another replica wrote to the
  // log.
  prometheus::Counter& tables_behind;
  // Counts tables in memory that had more entries than their log, because the database lost
  // entries.
  prometheus::Counter& tables_set_back;
  // tarot_rules_forwarded_calls_total{outcome}
  // Counts calls that the host answered, with a result or an error.
  prometheus::Counter& calls_answered;
  prometheus::Counter& calls_failed;  // Counts calls that got no answer.
  // Counts calls that were refused because too many calls were in flight.
  prometheus::Counter& calls_refused;
  prometheus::Gauge& nodes;
  // The number of tables that the last sweep did not load, because this replica is full.
  prometheus::Gauge& tables_without_room;
  prometheus::Histogram& takeover_seconds;
};

// The series about the partitions of the logs and the archive.
struct LogMetrics {
  explicit LogMetrics(prometheus::Registry& registry);

  // tarot_rules_log_partitions_total{outcome}
  prometheus::Counter& partitions_made;
  prometheus::Counter& partitions_dropped;
  prometheus::Counter& archived_deals;
  prometheus::Counter& archived_bytes;
  prometheus::Counter& runs_failed;
  // The Unix time, in seconds, of the end of the last complete run without an error. Before the
  // first such run, it is the time of the start.
  prometheus::Gauge& upkeep_success;
  // The time, in seconds, since the oldest match whose log is still in Postgres became due for the
  // archive.
  prometheus::Gauge& archive_overdue;
};

struct Metrics {
  explicit Metrics(prometheus::Registry& registry);

  // Counts a stored change. The label is the author of the change. `deals` is true if the change
  // starts a deal.
  void Applied(Actor actor, bool deals);
  // Counts an action that was refused with `refusal`. If the metadata `why` names a reason of the
  // rules, also counts the action under this reason.
  void Refused(const absl::Status& refusal);

  // tarot_rules_actions_total{outcome}, the results of the actions that players sent.
  prometheus::Counter& actions_applied;
  prometheus::Counter& actions_replayed;
  prometheus::Counter& actions_refused;
  prometheus::Counter& actions_stale;
  // tarot_rules_server_moves_total{source}, the moves that the server made for a seat.
  prometheus::Counter& moves_bot;
  prometheus::Counter& moves_clock;
  prometheus::Counter& moves_last_trick;
  prometheus::Counter& deals_dealt;
  // tarot_rules_bot_requests_total{outcome}
  prometheus::Counter& bot_answered;
  // Counts requests to the bot service that failed. After such a failure the fallback policy
  // decided.
  prometheus::Counter& bot_failed;
  prometheus::Counter& tables_created;
  prometheus::Counter& matches_finished;
  // tarot_rules_outbox_deliveries_total{outcome}
  prometheus::Counter& outbox_delivered;
  prometheus::Counter& outbox_failed;
  // tarot_rules_feed_frames_total{outcome}
  prometheus::Counter& feed_frames_sent;
  // Counts frames that were never sent, because a newer frame replaced them.
  prometheus::Counter& feed_frames_replaced;
  // Counts seats that a bot took over because the seat's clock had run out in two turns in a row.
  prometheus::Counter& seats_taken_over;
  // tarot_rules_refusals_total{reason}; the reasons are those of ReasonName().
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
  LogMetrics logs;
};

}  // namespace tarot::rules_service
