// Lists the limits of the gateways that operators change while the gateways run. Ratings stores the
// changed limits, because a gateway has no database.
#pragma once

#include <map>
#include <string>

#include "absl/strings/string_view.h"

namespace tarot {

// Maps the names of limits to their values.
using LimitValues = std::map<std::string, double>;

// A limit accepts numbers from `min` to `max`. The ranges are narrower than those of the gateway's
// options, so that a typing error does not shut all players out.
struct GatewayLimit {
  absl::string_view name;  // The option of tarot-gateway whose value the limit replaces.
  double min = 0;
  double max = 0;
  bool whole = false;  // True if fractions are refused.

  bool Accepts(double value) const {
    return value >= min && value <= max &&
           (!whole || value == static_cast<double>(static_cast<int>(value)));
  }
};

inline constexpr GatewayLimit kGatewayLimits[] = {
    {"calls_per_second", 1, 1e6},
    {"call_burst", 10, 1e6},
    {"address_calls_per_second", 10, 1e6},
    {"sign_ins_per_second", 0.01, 1e6},
    {"sign_in_burst", 1, 1e6},
    {"streams_per_player_max", 2, 10'000, true},
    {"streams_per_address_max", 10, 1e7, true},
    {"streams_max", 100, 1e7, true},
};

// Returns null if there is no limit of this name.
inline const GatewayLimit* FindGatewayLimit(absl::string_view name) {
  for (const GatewayLimit& limit : kGatewayLimits) {
    if (limit.name == name) return &limit;
  }
  return nullptr;
}

}  // namespace tarot
