// Guards the policies: which views they may be given.
#pragma once

#include "absl/strings/string_view.h"
#include "libs/rules/view.h"

namespace tarot::ai {

// What is wrong with a view that somebody else made; empty when some deal looks like that to the
// seat in turn, so that every policy answers it with a legal action.
absl::string_view WhatIsWrong(const rules::View& view);

}  // namespace tarot::ai
