// Checks one vector: what a referee says against what the vector expects.
#pragma once

#include <string>
#include <vector>

#include "google/protobuf/struct.pb.h"
#include "tools/tarotctl/vectors/referee.h"

namespace tarot::tarotctl {

struct Checked {
  std::string id;                     // Empty when the vector does not say.
  std::vector<std::string> problems;  // Everything that differs; none: passed.
};

// An entry of a score file: the score formula alone.
Checked CheckScore(const google::protobuf::Struct& entry, Referee& referee);

// A line of a fullplay file: a whole deal, refereed and scored.
Checked CheckPlay(const google::protobuf::Struct& entry, Referee& referee);

}  // namespace tarot::tarotctl
