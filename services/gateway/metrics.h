// The gateway's own metrics.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <string>

namespace tarot::gateway_service {

struct Metrics {
  explicit Metrics(prometheus::Registry& registry);

  // tarot_gateway_sign_ins_total{kind}
  prometheus::Counter& guests;
  prometheus::Counter& refreshes;
  prometheus::Counter& new_accounts;
  prometheus::Counter& passphrase_sign_ins;
  prometheus::Counter& recoveries;
  // tarot_gateway_sign_outs_total{scope}
  prometheus::Counter& sign_outs;
  prometheus::Counter& sign_outs_everywhere;
  prometheus::Gauge& revocations;
  prometheus::Gauge& bans;
  // tarot_gateway_rate_limited_total{limit}
  prometheus::Counter& limited_calls;
  prometheus::Counter& limited_sign_ins;
  prometheus::Counter& limited_sign_outs;
  prometheus::Counter& limited_secrets;
  prometheus::Counter& limited_streams;
  prometheus::Counter& limited_in_flight;
  prometheus::Counter& overloaded;
  // tarot_gateway_limit{limit}: one gauge for each of kGatewayLimits.
  std::map<std::string, prometheus::Gauge*> limits;
  prometheus::Counter& bad_tokens;
  prometheus::Gauge& streams_open;
  prometheus::Gauge& players_active;
  prometheus::Gauge& tables_watched;
  prometheus::Gauge& rules_nodes;
  prometheus::Counter& feeds_lost;
  // tarot_gateway_frames_total{outcome}: views for the players' streams. `frames_replaced` counts
  // the views that a newer view replaced before the stream sent them.
  prometheus::Counter& frames_sent;
  prometheus::Counter& frames_replaced;
  prometheus::Histogram& watch_lag_seconds;
  // The HTTP door.
  prometheus::Gauge& http_connections_open;
  prometheus::Gauge& http_calls_open;
  // tarot_gateway_http_requests_total{outcome}
  prometheus::Counter& http_calls;
  prometheus::Counter& http_files;
  prometheus::Counter& http_refused;
  prometheus::Counter& http_foreign_origins;
  // tarot_gateway_http_connections_closed_total{reason}
  prometheus::Counter& http_clients_gone;
  prometheus::Counter& http_early_data;
  prometheus::Counter& http_slow_requests;
  prometheus::Counter& http_slow_readers;
  prometheus::Counter& http_connections_refused;
};

}  // namespace tarot::gateway_service
