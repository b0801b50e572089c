// The legal actions of a seat as lines of the engine protocol.
#pragma once

#include <string>
#include <vector>

#include "libs/rules/view.h"

namespace tarot::lab {

// "legal bid - G GS", "legal play H4 HK"; without line ends. Empty when it is not the viewer's
// turn.
std::vector<std::string> LegalLines(const rules::View& view);

}  // namespace tarot::lab
