#include "services/rules/metrics.h"

#include <string>

#include "libs/base/error.h"
#include "libs/obs/metrics.h"
#include "libs/rules/action.h"

namespace tarot::rules_service {
namespace {

using obs::Counter;
using obs::Gauge;

prometheus::Counter& Actions(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_rules_actions_total", "Actions sent by players, by outcome.",
                 {{"outcome", outcome}});
}

prometheus::Counter& ServerMoves(prometheus::Registry& registry, const std::string& source) {
  return Counter(
      registry, "tarot_rules_server_moves_total",
      "Moves made for a seat: by its bot, because the clock ran out, or in the last trick.",
      {{"source", source}});
}

prometheus::Counter& BotRequests(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_rules_bot_requests_total",
                 "Requests to the bot service. After a failed request the fallback policy decided.",
                 {{"outcome", outcome}});
}

prometheus::Counter& Outbox(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_rules_outbox_deliveries_total",
                 "Attempts to deliver the end of a match to another service, by outcome.",
                 {{"outcome", outcome}});
}

prometheus::Counter& FeedFrames(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_rules_feed_frames_total",
                 "Views of tables for gateways, by outcome.", {{"outcome", outcome}});
}

std::map<std::string, prometheus::Counter*> Refusals(prometheus::Registry& registry) {
  std::map<std::string, prometheus::Counter*> counters;
  for (int i = 1; i <= static_cast<int>(rules::Reason::kHandfulExcuse); ++i) {
    const std::string reason(rules::ReasonName(static_cast<rules::Reason>(i)));
    counters[reason] = &Counter(registry, "tarot_rules_refusals_total",
                                "Actions that the rules refused, by reason.", {{"reason", reason}});
  }
  return counters;
}

prometheus::Counter& LogPartitions(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_rules_log_partitions_total",
                 "Partitions of the logs, made or dropped by this replica.",
                 {{"outcome", outcome}});
}

prometheus::Gauge& TablesOpen(prometheus::Registry& registry, const std::string& phase) {
  return Gauge(registry, "tarot_rules_tables_open",
               "Tables in memory whose match is not over, by phase.", {{"phase", phase}});
}

prometheus::Histogram& Latency(prometheus::Registry& registry, const std::string& name,
                               const std::string& help) {
  return obs::Histogram(registry, name, help,
                        {.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5});
}

prometheus::Counter& Heartbeats(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_rules_beats_total",
                 "Heartbeats of this replica, one a second, by outcome.", {{"outcome", outcome}});
}

prometheus::Counter& Forwarded(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_rules_forwarded_calls_total",
                 "Calls about a table of another replica, forwarded to it, by outcome.",
                 {{"outcome", outcome}});
}

}  // namespace

HostingMetrics::HostingMetrics(prometheus::Registry& registry)
    : heartbeats(Heartbeats(registry, "ok")),
      heartbeats_failed(Heartbeats(registry, "failed")),
      tables_acquired(Counter(registry, "tarot_rules_tables_taken_up_total",
                              "Tables in play that this replica acquired.")),
      tables_released(Counter(registry, "tarot_rules_tables_let_go_total",
                              "Tables that this replica released.")),
      tables_behind(
          Counter(registry, "tarot_rules_tables_behind_total",
                  "Tables in memory found behind their log, because another replica wrote.")),
      tables_set_back(
          Counter(registry, "tarot_rules_tables_set_back_total",
                  "Tables in memory found ahead of their log: the database lost stored moves.")),
      calls_answered(Forwarded(registry, "answered")),
      calls_failed(Forwarded(registry, "failed")),
      calls_refused(Forwarded(registry, "refused")),
      nodes(obs::Gauge(registry, "tarot_rules_nodes",
                       "Replicas of rules on this replica's list, itself included.")),
      tables_without_room(
          obs::Gauge(registry, "tarot_rules_tables_waiting",
                     "Tables that this replica hosts but cannot load, because it is full.")),
      takeover_seconds(obs::Histogram(
          registry, "tarot_rules_takeover_seconds",
          "Time from a change of the list of replicas until all tables are acquired.",
          {.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30})) {}

LogMetrics::LogMetrics(prometheus::Registry& registry)
    : partitions_made(LogPartitions(registry, "made")),
      partitions_dropped(LogPartitions(registry, "dropped")),
      archived_deals(Counter(registry, "tarot_rules_archived_deals_total",
                             "Deals that this replica moved to the archive.")),
      archived_bytes(Counter(registry, "tarot_rules_archived_bytes_total",
                             "Bytes that this replica wrote to the archive.")),
      runs_failed(Counter(registry, "tarot_rules_log_upkeep_failures_total",
                          "Runs of the upkeep of the logs that failed.")),
      upkeep_success(Gauge(registry, "tarot_rules_log_upkeep_success_time_seconds",
                           "Unix time of the last run of the upkeep of the logs without an error, "
                           "or of the start.")),
      archive_overdue(Gauge(registry, "tarot_rules_archive_overdue_seconds",
                            "Time for which the oldest match that is due still has its log.")) {}

Metrics::Metrics(prometheus::Registry& registry)
    : actions_applied(Actions(registry, "applied")),
      actions_replayed(Actions(registry, "replayed")),
      actions_refused(Actions(registry, "refused")),
      actions_stale(Actions(registry, "stale")),
      moves_bot(ServerMoves(registry, "bot")),
      moves_clock(ServerMoves(registry, "clock")),
      moves_last_trick(ServerMoves(registry, "last_trick")),
      deals_dealt(Counter(registry, "tarot_rules_deals_total", "Deals dealt, redeals included.")),
      bot_answered(BotRequests(registry, "answered")),
      bot_failed(BotRequests(registry, "failed")),
      tables_created(Counter(registry, "tarot_rules_tables_created_total", "Tables made.")),
      matches_finished(
          Counter(registry, "tarot_rules_matches_total", "Matches played to the end.")),
      outbox_delivered(Outbox(registry, "delivered")),
      outbox_failed(Outbox(registry, "failed")),
      feed_frames_sent(FeedFrames(registry, "sent")),
      feed_frames_replaced(FeedFrames(registry, "replaced")),
      seats_taken_over(Counter(registry, "tarot_rules_bot_takeovers_total",
                               "Seats that a bot took over from an absent player.")),
      refusals(Refusals(registry)),
      tables_dealing(TablesOpen(registry, "dealing")),
      tables_playing(TablesOpen(registry, "playing")),
      watchers_open(
          Gauge(registry, "tarot_rules_watchers_open", "Subscriptions of gateways to tables.")),
      feeds_open(Gauge(registry, "tarot_rules_feeds_open", "Open streams to gateways.")),
      outbox_pending(Gauge(registry, "tarot_rules_outbox_pending",
                           "Ends of matches that another service has not confirmed.")),
      append_seconds(
          Latency(registry, "tarot_rules_append_seconds", "Time to make one action durable.")),
      append_wait_seconds(Latency(registry, "tarot_rules_append_wait_seconds",
                                  "Time that an action waited for its statement to begin.")),
      append_batch_rows(obs::Histogram(registry, "tarot_rules_append_batch_rows",
                                       "Actions stored by one statement.",
                                       {1, 2, 4, 8, 16, 32, 64, 128, 256})),
      watch_lag_seconds(
          Latency(registry, "tarot_rules_watch_lag_seconds",
                  "Time from a stored change until the message with its view is written.")),
      hosting(registry),
      logs(registry) {}

void Metrics::Refused(const absl::Status& refusal) {
  actions_refused.Increment();
  const ErrorDetails details = GetErrorDetails(refusal);
  const auto why = details.metadata.find("why");
  if (why == details.metadata.end()) return;
  const auto counter = refusals.find(why->second);
  if (counter != refusals.end()) counter->second->Increment();
}

void Metrics::Applied(Actor actor, bool deals) {
  switch (actor) {
    case Actor::kPlayer:
      actions_applied.Increment();
      break;
    case Actor::kBot:
      moves_bot.Increment();
      break;
    case Actor::kClock:
      moves_clock.Increment();
      break;
    case Actor::kServer:
      (deals ? deals_dealt : moves_last_trick).Increment();
      break;
  }
}

}  // namespace tarot::rules_service
