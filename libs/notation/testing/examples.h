// Contains two texts for tests: the example of docs/notation.md, and a view.
#pragma once

#include <fstream>
#include <iterator>
#include <string>

#include "libs/notation/testing/random_records.h"

namespace tarot::notation {

// Returns the example of docs/notation.md.
inline std::string Example() {
  std::ifstream in(TAROT_SOURCE_DIR "/tests/data/notation/example.tdn", std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// The view of seat B in the second trick of a deal.
inline constexpr char kExampleView[] =
    "% TDN 1.0\n"
    "% VIEW B\n"
    "[Players \"4\"]\n"
    "[Rules \"fft\"]\n"
    "[Dealer \"D\"]\n"
    "[Deal \"A:? 21,19,18,16,10/92/QT954/7/QT421 ? ?\"]\n"
    "[Dog \"X,5/1/-/NJ4/-\"]\n"
    "[Auction \"A\"]\n"
    "- - G -\n"
    "[Taker \"C\"]\n"
    "[Contract \"G\"]\n"
    "[Ecart \"?\"]\n"
    "[Play \"A\"]\n"
    "1. A: D1 D7 DQ DK =D\n"
    "2. D: H2 HJ\n"
    "*\n";

}  // namespace tarot::notation
