// The player behind `tarotctl play --auto`, for demos and tests. The function is pure.
#pragma once

#include "tarot/rules/v1/deal.pb.h"

namespace tarot::tarotctl {

// Returns an action that `deal.legal` allows; `deal` is the view of the seat in turn. The player
// takes with two bouts and otherwise passes. It plays the first legal card, announces no slam and
// shows no handful.
rules::v1::Action SimplestAction(const rules::v1::DealView& deal);

}  // namespace tarot::tarotctl
