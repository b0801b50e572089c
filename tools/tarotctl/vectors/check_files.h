// Checks whole files of vectors and tells what differs.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "tools/tarotctl/vectors/referee.h"

namespace tarot::tarotctl {

struct Tally {
  int passed = 0;
  int failed = 0;
};

// A text that begins with "[" is a list of score entries; anything else is a fullplay file, one
// deal a line. Every problem is a line on `out`, under `file`'s name. Whatever cannot be read
// counts as failed, also a text without any vector.
Tally CheckText(const std::string& file, const std::string& text, Referee& referee,
                std::ostream& out);

// Reads and checks the files, and ends with the line "N passed, M failed".
Tally CheckFiles(const std::vector<std::string>& files, Referee& referee, std::ostream& out);

}  // namespace tarot::tarotctl
