#include "services/gateway/metrics.h"

#include <string>

namespace tarot::gateway {
namespace {

prometheus::Counter& SignIns(prometheus::Registry& registry, const std::string& kind) {
  return prometheus::BuildCounter()
      .Name("tarot_gateway_sign_ins_total")
      .Help("Tokens given: to new guests, and to players who had one.")
      .Register(registry)
      .Add({{"kind", kind}});
}

prometheus::Counter& RateLimited(prometheus::Registry& registry, const std::string& limit) {
  return prometheus::BuildCounter()
      .Name("tarot_gateway_rate_limited_total")
      .Help("Calls refused because one caller made too many, by the limit that was hit.")
      .Register(registry)
      .Add({{"limit", limit}});
}

prometheus::Counter& Frames(prometheus::Registry& registry, const std::string& outcome) {
  return prometheus::BuildCounter()
      .Name("tarot_gateway_frames_total")
      .Help("Views of tables for players' streams, by what became of them.")
      .Register(registry)
      .Add({{"outcome", outcome}});
}

prometheus::Gauge& Gauge(prometheus::Registry& registry, const std::string& name,
                         const std::string& help) {
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

}  // namespace

Metrics::Metrics(prometheus::Registry& registry)
    : guests(SignIns(registry, "guest")),
      refreshes(SignIns(registry, "refresh")),
      limited_calls(RateLimited(registry, "calls")),
      limited_sign_ins(RateLimited(registry, "sign_ins")),
      limited_streams(RateLimited(registry, "streams")),
      limited_in_flight(RateLimited(registry, "in_flight")),
      overloaded(prometheus::BuildCounter()
                     .Name("tarot_gateway_overloaded_total")
                     .Help("Calls refused because all players together have too many open.")
                     .Register(registry)
                     .Add({})),
      bad_tokens(prometheus::BuildCounter()
                     .Name("tarot_gateway_bad_tokens_total")
                     .Help("Calls without a token, or with one that is forged, ended or unknown.")
                     .Register(registry)
                     .Add({})),
      streams_open(
          Gauge(registry, "tarot_gateway_streams_open", "Server streams that players hold open.")),
      tables_watched(Gauge(registry, "tarot_gateway_tables_open",
                           "Tables that players look at: subscriptions at rules.")),
      rules_nodes(Gauge(registry, "tarot_gateway_rules_nodes",
                        "Replicas of rules in the list that calls follow.")),
      feeds_lost(prometheus::BuildCounter()
                     .Name("tarot_gateway_feeds_lost_total")
                     .Help("Feeds from replicas of rules that ended and were opened again.")
                     .Register(registry)
                     .Add({})),
      frames_sent(Frames(registry, "sent")),
      frames_replaced(Frames(registry, "replaced")),
      watch_lag_seconds(
          prometheus::BuildHistogram()
              .Name("tarot_gateway_watch_lag_seconds")
              .Help("From a view's arrival until a player's stream has taken it.")
              .Register(registry)
              .Add({}, prometheus::Histogram::BucketBoundaries{.0005, .001, .0025, .005, .01, .025,
                                                               .05, .1, .25, .5, 1, 2.5})) {}

}  // namespace tarot::gateway
