#define TAROT_SEARCH_NAMESPACE search_portable
#include "libs/ai/solver/search.h"
#include "libs/ai/solver/search_core.h"

namespace tarot::ai {

const SearchCode kPortableSearch{.window = search_portable::Window,
                                 .guess = search_portable::GuessAmount};

const SearchCode& BestSearch() {
  return __builtin_cpu_supports("bmi2") ? kBmi2Search : kPortableSearch;
}

}  // namespace tarot::ai
