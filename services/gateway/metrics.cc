#include "services/gateway/metrics.h"

#include <string>

#include "libs/obs/metrics.h"

namespace tarot::gateway_service {
namespace {

using obs::Counter;
using obs::Gauge;

prometheus::Counter& SignIns(prometheus::Registry& registry, const std::string& kind) {
  return Counter(registry, "tarot_gateway_sign_ins_total",
                 "Tokens given: to new guests, and to players who had one.", {{"kind", kind}});
}

prometheus::Counter& SignOuts(prometheus::Registry& registry, const std::string& scope) {
  return Counter(registry, "tarot_gateway_sign_outs_total",
                 "Sign-outs of players at this gateway, by what they revoked.", {{"scope", scope}});
}

prometheus::Counter& RateLimited(prometheus::Registry& registry, const std::string& limit) {
  return Counter(registry, "tarot_gateway_rate_limited_total",
                 "Calls refused because one caller made too many, by the limit that was hit.",
                 {{"limit", limit}});
}

prometheus::Counter& Frames(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_gateway_frames_total",
                 "Views of tables for players' streams, by what became of them.",
                 {{"outcome", outcome}});
}

}  // namespace

Metrics::Metrics(prometheus::Registry& registry)
    : guests(SignIns(registry, "guest")),
      refreshes(SignIns(registry, "refresh")),
      sign_outs(SignOuts(registry, "token")),
      sign_outs_everywhere(SignOuts(registry, "everywhere")),
      revocations(Gauge(registry, "tarot_gateway_revocations_active",
                        "Revocations of players' tokens that this gateway knows.")),
      limited_calls(RateLimited(registry, "calls")),
      limited_sign_ins(RateLimited(registry, "sign_ins")),
      limited_sign_outs(RateLimited(registry, "sign_outs")),
      limited_streams(RateLimited(registry, "streams")),
      limited_in_flight(RateLimited(registry, "in_flight")),
      overloaded(Counter(registry, "tarot_gateway_overloaded_total",
                         "Calls refused because all players together have too many open.")),
      bad_tokens(Counter(registry, "tarot_gateway_bad_tokens_total",
                         "Calls without a token, or with one that is forged, ended or unknown.")),
      streams_open(
          Gauge(registry, "tarot_gateway_streams_open", "Server streams that players hold open.")),
      tables_watched(Gauge(registry, "tarot_gateway_tables_open",
                           "Tables that players look at: subscriptions at rules.")),
      rules_nodes(Gauge(registry, "tarot_gateway_rules_nodes",
                        "Replicas of rules in the list that calls follow.")),
      feeds_lost(Counter(registry, "tarot_gateway_feeds_lost_total",
                         "Feeds from replicas of rules that ended and were opened again.")),
      frames_sent(Frames(registry, "sent")),
      frames_replaced(Frames(registry, "replaced")),
      watch_lag_seconds(
          obs::Histogram(registry, "tarot_gateway_watch_lag_seconds",
                         "From a view's arrival until a player's stream has taken it.",
                         {.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5})) {}

}  // namespace tarot::gateway_service
