// Records for tests: random ones, and the example of docs/notation.md.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "libs/notation/random_records.h"

namespace tarot::notation {

// The example of docs/notation.md.
inline std::string Example() {
  std::ifstream in(TAROT_SOURCE_DIR "/tests/data/notation/example.tdn", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace tarot::notation
