#include "services/gateway/metrics.h"

#include <string>

#include "libs/base/gateway_limits.h"
#include "libs/obs/metrics.h"

namespace tarot::gateway_service {
namespace {

using obs::Counter;
using obs::Gauge;

prometheus::Counter& SignIns(prometheus::Registry& registry, const std::string& kind) {
  return Counter(
      registry, "tarot_gateway_sign_ins_total",
      "Tokens that this gateway gave, by kind: to a new guest, to a player with a token, or to the "
      "player of an account.",
      {{"kind", kind}});
}

prometheus::Counter& SignOuts(prometheus::Registry& registry, const std::string& scope) {
  return Counter(registry, "tarot_gateway_sign_outs_total",
                 "Sign-outs of players at this gateway, by scope: one token, or all tokens.",
                 {{"scope", scope}});
}

prometheus::Counter& RateLimited(prometheus::Registry& registry, const std::string& limit) {
  return Counter(registry, "tarot_gateway_rate_limited_total",
                 "Calls refused at a limit of one player or of one address, by limit.",
                 {{"limit", limit}});
}

std::map<std::string, prometheus::Gauge*> Limits(prometheus::Registry& registry) {
  std::map<std::string, prometheus::Gauge*> limits;
  for (const GatewayLimit& limit : kGatewayLimits) {
    const std::string name(limit.name);
    limits[name] =
        &Gauge(registry, "tarot_gateway_limit",
               "Limits in use, by limit: an option, or the value that operators have set.",
               {{"limit", name}});
  }
  return limits;
}

prometheus::Counter& Frames(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_gateway_frames_total",
                 "Views for players' streams, by outcome: sent, or replaced by a newer view.",
                 {{"outcome", outcome}});
}

prometheus::Counter& HttpRequests(prometheus::Registry& registry, const std::string& outcome) {
  return Counter(registry, "tarot_gateway_http_requests_total",
                 "Requests at the HTTP door, by outcome: a call that reached the gRPC server, a "
                 "file, refused by the door, or refused because of its origin.",
                 {{"outcome", outcome}});
}

prometheus::Counter& HttpClosed(prometheus::Registry& registry, const std::string& reason) {
  return Counter(registry, "tarot_gateway_http_connections_closed_total",
                 "Connections that the HTTP door closed, by reason.", {{"reason", reason}});
}

}  // namespace

Metrics::Metrics(prometheus::Registry& registry)
    : guests(SignIns(registry, "guest")),
      refreshes(SignIns(registry, "refresh")),
      new_accounts(SignIns(registry, "new_account")),
      passphrase_sign_ins(SignIns(registry, "passphrase")),
      recoveries(SignIns(registry, "recovery")),
      sign_outs(SignOuts(registry, "token")),
      sign_outs_everywhere(SignOuts(registry, "everywhere")),
      revocations(Gauge(registry, "tarot_gateway_revocations_active",
                        "Revocations of players' tokens that this gateway knows.")),
      bans(Gauge(registry, "tarot_gateway_bans_active", "Bans that this gateway knows.")),
      limited_calls(RateLimited(registry, "calls")),
      limited_sign_ins(RateLimited(registry, "sign_ins")),
      limited_sign_outs(RateLimited(registry, "sign_outs")),
      limited_secrets(RateLimited(registry, "secrets")),
      limited_streams(RateLimited(registry, "streams")),
      limited_in_flight(RateLimited(registry, "in_flight")),
      overloaded(Counter(registry, "tarot_gateway_overloaded_total",
                         "Calls refused because all players together have too many open.")),
      limits(Limits(registry)),
      bad_tokens(
          Counter(registry, "tarot_gateway_bad_tokens_total",
                  "Calls without a token, or with a token that is not valid or is revoked.")),
      streams_open(
          Gauge(registry, "tarot_gateway_streams_open", "Server streams that players hold open.")),
      players_active(Gauge(registry, "tarot_gateway_players_active",
                           "Players that hold a server stream open.")),
      tables_watched(Gauge(registry, "tarot_gateway_tables_open",
                           "Tables that players watch at this gateway.")),
      rules_nodes(Gauge(registry, "tarot_gateway_rules_nodes",
                        "Replicas of rules in this gateway's lists.")),
      feeds_lost(Counter(registry, "tarot_gateway_feeds_lost_total",
                         "Feeds from replicas of rules that ended and were opened again.")),
      frames_sent(Frames(registry, "sent")),
      frames_replaced(Frames(registry, "replaced")),
      watch_lag_seconds(
          obs::Histogram(registry, "tarot_gateway_watch_lag_seconds",
                         "Time from the arrival of a view until a player's stream has taken it.",
                         {.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5})),
      http_connections_open(
          Gauge(registry, "tarot_gateway_http_connections_open", "Connections to the HTTP door.")),
      http_calls_open(Gauge(registry, "tarot_gateway_http_calls_open",
                            "Calls and streams of browsers at the HTTP door.")),
      http_calls(HttpRequests(registry, "call")),
      http_files(HttpRequests(registry, "file")),
      http_refused(HttpRequests(registry, "refused")),
      http_foreign_origins(HttpRequests(registry, "foreign_origin")),
      http_clients_gone(HttpClosed(registry, "client_gone")),
      http_early_data(HttpClosed(registry, "early_data")),
      http_slow_requests(HttpClosed(registry, "slow_request")),
      http_slow_readers(HttpClosed(registry, "slow_reader")),
      http_connections_refused(HttpClosed(registry, "full")) {}

}  // namespace tarot::gateway_service
