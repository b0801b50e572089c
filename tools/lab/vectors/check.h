// Checks one vector: compares the result of a referee with the expected one.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/struct.pb.h"
#include "tools/lab/vectors/referee.h"

namespace tarot::lab {

struct Checked {
  std::string id;                     // Empty when the vector does not say.
  std::vector<std::string> problems;  // Everything that differs; none: passed.
};

// An entry of a score file: the score formula alone.
Checked CheckScore(const google::protobuf::Struct& entry, Referee& referee);

// A line of a fullplay file: a whole deal, refereed and scored. Its rules are `fallback` unless it
// says "preset": a name, or a text as rules::RuleSetText() makes it.
Checked CheckPlay(const google::protobuf::Struct& entry, const std::string& fallback,
                  Referee& referee);

// The same line with the result of the referee as its "expect". Errors: the referee's, for a deal
// that is not one.
absl::StatusOr<std::string> AnswerPlay(google::protobuf::Struct entry, const std::string& fallback,
                                       Referee& referee);

}  // namespace tarot::lab
