// Checks whole files of vectors and prints the differences.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tools/lab/vectors/referee.h"

namespace tarot::lab {

struct Tally {
  int passed = 0;
  int failed = 0;
};

// A text that begins with "[" is a list of score entries; anything else is a fullplay file, one
// deal a line. Every problem is a line on `out`, under `file`'s name. A vector that cannot be
// read counts as failed, and so does a text without vectors. `rules` is for deals without a preset.
Tally CheckText(const std::string& file, const std::string& text, const std::string& rules,
                Referee& referee, std::ostream& out);

// Reads and checks the files, and ends with the line "N passed, M failed".
Tally CheckFiles(const std::vector<std::string>& files, const std::string& rules, Referee& referee,
                 std::ostream& out);

// Writes the deals of the fullplay files ("-": standard input) to `out`, each line with the
// result of the referee. Deals without a result are reported on `err` and left out.
Tally AnswerFiles(const std::vector<std::string>& files, const std::string& rules, Referee& referee,
                  std::ostream& out, std::ostream& err);

// Writes `count` random deals of `players`, answered.
Tally MakePlays(const std::string& rules, int players, int count, std::uint64_t seed,
                Referee& referee, std::ostream& out, std::ostream& err);

}  // namespace tarot::lab
