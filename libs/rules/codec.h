// Versioned bytes of actions, for the log: small, canonical, readable for ever.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/rules/action.h"

namespace tarot::rules {

// At most 20 bytes; equal actions give equal bytes.
std::string EncodeAction(const Action& action);

// nullopt for anything that EncodeAction did not make.
std::optional<Action> DecodeAction(absl::string_view bytes);

}  // namespace tarot::rules
