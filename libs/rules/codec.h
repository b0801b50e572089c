// The bytes of actions in the log. They are canonical: equal actions have equal bytes. Bytes that
// were written once stay readable for ever. Rule sets: parameters/parameters.h.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/rules/action.h"

namespace tarot::rules {

// At most 20 bytes.
std::string EncodeAction(const Action& action);

// nullopt for any bytes that EncodeAction() does not produce.
std::optional<Action> DecodeAction(absl::string_view bytes);

}  // namespace tarot::rules
