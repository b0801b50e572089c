// One null window from a position, with the fastest code that this processor runs.
#pragma once

#include "libs/ai/solver/search_table.h"

namespace tarot::ai {

struct WindowResult {
  bool finished = false;  // False when the nodes ran out: nothing else holds then.
  bool attack = false;    // Proven: the attack gets at least `amount` of the pool from here on,
  int amount = 0;         // or else the defence does.
  std::uint64_t nodes = 0;
};

// The search as compiled for one kind of processor. All answer the same, and count the same nodes.
struct SearchCode {
  // Whether the attack gets `need` or more, after `card` (an index; -1: the best). `node_cap` 0: no
  // limit.
  WindowResult (*window)(const Setup& setup, const OpenPosition& position, int card, int need,
                         std::uint64_t node_cap, SearchTable& table);
  // What the attack gets of the pool when everybody plays the card that looks best: a guess.
  int (*guess)(const Setup& setup, const OpenPosition& position, int card, SearchTable& table);
};
extern const SearchCode kPortableSearch;
extern const SearchCode kBmi2Search;
const SearchCode& BestSearch();

}  // namespace tarot::ai
