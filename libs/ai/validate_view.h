// Checks views before a policy sees them.
#pragma once

#include "absl/strings/string_view.h"
#include "libs/rules/view.h"

namespace tarot::ai {

// Both return "" or the first problem. A view that rules::MakeView made for the seat in turn passes
// both.

// The check for a view from a trusted service: seats, counts, auction, tricks and the legal actions
// fit together. With such a view no policy crashes, but if the facts that it proves contradict each
// other, the action may be one that no real deal allows.
absl::string_view ValidateShape(const rules::View& view);

// The check for a view from outside: its shape is valid, and some deal looks like it to the seat in
// turn. Every policy answers it with a legal action.
absl::string_view ValidateView(const rules::View& view);

}  // namespace tarot::ai
