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

}  // namespace

Metrics::Metrics(prometheus::Registry& registry)
    : guests(SignIns(registry, "guest")),
      refreshes(SignIns(registry, "refresh")),
      limited_calls(RateLimited(registry, "calls")),
      limited_sign_ins(RateLimited(registry, "sign_ins")),
      limited_streams(RateLimited(registry, "streams")),
      bad_tokens(prometheus::BuildCounter()
                     .Name("tarot_gateway_bad_tokens_total")
                     .Help("Calls without a token, or with one that is forged, ended or unknown.")
                     .Register(registry)
                     .Add({})),
      streams_open(prometheus::BuildGauge()
                       .Name("tarot_gateway_streams_open")
                       .Help("Server streams that players hold open.")
                       .Register(registry)
                       .Add({})) {}

}  // namespace tarot::gateway
