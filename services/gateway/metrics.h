// The gateway's own metrics. Each is created once, so that an update is only an atomic addition.
#pragma once

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

namespace tarot::gateway_service {

struct Metrics {
  explicit Metrics(prometheus::Registry& registry);

  // tarot_gateway_sign_ins_total{kind}
  prometheus::Counter& guests;
  prometheus::Counter& refreshes;
  // tarot_gateway_sign_outs_total{scope}
  prometheus::Counter& sign_outs;
  prometheus::Counter& sign_outs_everywhere;
  prometheus::Gauge& revocations;
  // tarot_gateway_rate_limited_total{limit}
  prometheus::Counter& limited_calls;
  prometheus::Counter& limited_sign_ins;
  prometheus::Counter& limited_sign_outs;
  prometheus::Counter& limited_streams;
  prometheus::Counter& limited_in_flight;
  prometheus::Counter& overloaded;
  prometheus::Counter& bad_tokens;
  prometheus::Gauge& streams_open;
  prometheus::Gauge& tables_watched;
  prometheus::Gauge& rules_nodes;
  prometheus::Counter& feeds_lost;
  // tarot_gateway_frames_total{outcome}: views for the players' streams.
  prometheus::Counter& frames_sent;
  prometheus::Counter& frames_replaced;  // Replaced by a newer view before the stream sent them.
  prometheus::Histogram& watch_lag_seconds;
};

}  // namespace tarot::gateway_service
