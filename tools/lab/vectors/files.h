// Checks whole files of vectors and prints the differences.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tools/lab/vectors/check.h"

namespace tarot::lab {

struct Tally {
  int passed = 0;
  int failed = 0;
};

// Checks a text. A text that begins with "[" is a list of score entries. Any other text is a
// fullplay file with one deal per line. Writes every problem as one line to `out`, with the name
// `file`. A vector that cannot be read counts as failed. A text without vectors counts as one
// failed vector. `rules` is the rule set for deals without a preset.
Tally CheckText(const std::string& file, const std::string& text, const std::string& rules,
                Referee& referee, std::ostream& out);

// Reads and checks the files. The last line of the output is "N passed, M failed".
Tally CheckFiles(const std::vector<std::string>& files, const std::string& rules, Referee& referee,
                 std::ostream& out);

// Reads files with one whole deal per line ("-" means standard input). Writes each deal to `out`,
// with the result of the referee in the same line. If a deal has no result, writes the reason to
// `err` instead.
Tally AnswerFiles(const std::vector<std::string>& files, const std::string& rules, Referee& referee,
                  std::ostream& out, std::ostream& err);

// Writes `count` random deals of `players` players to `out`, each with its result.
Tally MakePlays(const std::string& rules, int players, int count, std::uint64_t seed,
                Referee& referee, std::ostream& out, std::ostream& err);

}  // namespace tarot::lab
