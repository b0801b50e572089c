// One decision as one line of text, as the engine protocol and people write it
// (docs/engine_protocol.md).
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/rules/action.h"

namespace tarot::notation {

// "bid G", "call HK", "call -", "discard -/43/N1/-/J8", "slam yes", "handful X,21,16", "play H4"
std::string ActionName(const rules::Action& action);
std::optional<rules::Action> ParseActionName(absl::string_view text);

}  // namespace tarot::notation
