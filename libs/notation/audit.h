// Whether stored records are true, at the speed that a whole history needs.
#pragma once

#include <string>

#include "libs/notation/record.h"

namespace tarot::notation {

// What is false in `document`, the checks of Prove() that failed, one after another: "moves: action
// 21 of 79, by B: You must follow diamonds." Empty when nothing is. What a record does not state is
// no lie; one without a seed is replayed and scored only, and that is fast.
std::string Untruth(const Document& document);

}  // namespace tarot::notation
