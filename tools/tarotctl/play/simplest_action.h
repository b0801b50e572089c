// The player behind `tarotctl play --auto`: for demos and tests. Pure.
#pragma once

#include "tarot/rules/v1/deal.pb.h"

namespace tarot::tarotctl {

// Returns an action that `deal.legal` allows; `deal` is the view of the seat in turn. Takes with
// two bouts, otherwise passes; plays the first legal card, announces and shows nothing.
rules::v1::Action SimplestAction(const rules::v1::DealView& deal);

}  // namespace tarot::tarotctl
