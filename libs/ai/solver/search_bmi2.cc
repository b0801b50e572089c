// All that is compiled for more than the baseline stands after the pragma, and in a namespace of
// its own: nothing of the standard library or of other headers does.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "libs/ai/solver/search.h"

#define TAROT_SEARCH_NAMESPACE search_bmi2
#define TAROT_SEARCH_BMI2
#pragma GCC push_options
#pragma GCC target("bmi,bmi2,lzcnt")
#include "libs/ai/solver/search_core.h"

#pragma GCC pop_options

namespace tarot::ai {

const SearchCode kBmi2Search{.window = search_bmi2::Window, .guess = search_bmi2::GuessAmount};

}  // namespace tarot::ai
