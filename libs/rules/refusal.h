// A refused action as an error that a client can show.
#pragma once

#include "absl/status/status.h"
#include "libs/rules/action.h"

namespace tarot::rules {

// FAILED_PRECONDITION with reason NOT_YOUR_TURN, ILLEGAL_CARD (a card played) or ILLEGAL_ACTION;
// metadata: why (ReasonName), and card, suit, contract or number where the reason has them.
absl::Status RefusalStatus(const Action& action, const Verdict& verdict);

}  // namespace tarot::rules
