// The action that the rules service plays for a seat when the bot service gives no legal answer.
#pragma once

#include "libs/rules/view.h"

namespace tarot::rules_service {

// Returns a legal action for the seat in turn, whose view `view` is. It commits the seat to as
// little as the rules allow: it passes, calls the highest card, announces nothing, and plays the
// legal card with the fewest points. Same view, same action.
rules::Action FallbackAction(const rules::View& view);

}  // namespace tarot::rules_service
