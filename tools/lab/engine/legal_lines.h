// What a seat may do now, as the lines that the engine protocol has for it.
#pragma once

#include <string>
#include <vector>

#include "libs/rules/view.h"

namespace tarot::lab {

// "legal bid - G GS", "legal play H4 HK"; without line ends. Empty when it is not the viewer's
// turn.
std::vector<std::string> LegalLines(const rules::View& view);

}  // namespace tarot::lab
