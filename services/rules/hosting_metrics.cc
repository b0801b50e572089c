// The series of what many replicas share: members, takeovers, forwarded calls.
#include <string>

#include "libs/obs/series.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {
namespace {

using obs::Counter;

prometheus::Counter& Beats(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_rules_beats_total",
                 "Signs of life in the table of replicas, by outcome; one a second.",
                 {{"outcome", outcome}});
}

prometheus::Counter& Forwarded(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_rules_forwarded_calls_total",
                 "Calls about a table of another replica, sent on to it, by outcome.",
                 {{"outcome", outcome}});
}

}  // namespace

HostingMetrics::HostingMetrics(prometheus::Registry& registry)
    : beats(Beats(registry, "ok")),
      beats_failed(Beats(registry, "failed")),
      tables_taken_up(Counter(registry, "tarot_rules_tables_taken_up_total",
                              "Tables in play that this replica began to host.")),
      tables_let_go(Counter(registry, "tarot_rules_tables_let_go_total",
                            "Tables that this replica ceased to host.")),
      tables_behind(Counter(registry, "tarot_rules_tables_behind_total",
                            "Tables found behind their log, because another replica wrote.")),
      tables_set_back(Counter(registry, "tarot_rules_tables_set_back_total",
                              "Tables found ahead of their log: the database lost stored moves.")),
      calls_answered(Forwarded(registry, "answered")),
      calls_failed(Forwarded(registry, "failed")),
      calls_refused(Forwarded(registry, "refused")),
      nodes(obs::Gauge(registry, "tarot_rules_nodes",
                       "Replicas of rules that this one knows of, itself among them.")),
      tables_without_room(
          obs::Gauge(registry, "tarot_rules_tables_waiting",
                     "Tables of this replica that nobody plays, because it is full.")),
      takeover_seconds(
          obs::Histogram(registry, "tarot_rules_takeover_seconds",
                         "From a change of the replicas until the tables are taken up.",
                         {.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30})) {}

}  // namespace tarot::rules_service
