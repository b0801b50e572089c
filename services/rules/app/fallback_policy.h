// The action that the rules service plays for a seat when the bot service gives no legal answer.
#pragma once

#include "libs/rules/view.h"

namespace tarot::rules_service {

// Returns a legal action for the seat in turn, whose view `view` is. The action commits the seat to
// as little as the rules allow: the seat passes, calls the highest card, announces nothing, and
// plays the legal card with the fewest points. The same view gives the same action.
rules::Action FallbackAction(const rules::View& view);

}  // namespace tarot::rules_service
