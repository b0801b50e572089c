// The bytes of actions in the log. They are canonical: equal actions have equal bytes. Every later
// version can read bytes that this version wrote. The bytes of rule sets are in
// parameters/parameters.h.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/rules/action.h"

namespace tarot::rules {

// Returns at most 20 bytes.
std::string EncodeAction(const Action& action);

// Returns nullopt for any bytes that EncodeAction() does not produce.
std::optional<Action> DecodeAction(absl::string_view bytes);

}  // namespace tarot::rules
