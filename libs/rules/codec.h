// Encodes actions as bytes for the log of a table. Equal actions have equal bytes. Every later
// version of the program must be able to read the bytes of this version. parameters/parameters.h
// encodes rule sets.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "libs/rules/action.h"

namespace tarot::rules {

// Returns 3 bytes, or 12 bytes for a discard or a handful.
std::string EncodeAction(const Action& action);

// Returns nullopt for any bytes that EncodeAction() does not produce.
std::optional<Action> DecodeAction(absl::string_view bytes);

}  // namespace tarot::rules
