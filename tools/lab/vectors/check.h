// Checks one vector: compares the result of a referee with the expected one.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/struct.pb.h"
#include "tools/lab/vectors/referee.h"

namespace tarot::lab {

struct Checked {
  std::string id;                     // Empty when the vector has no id.
  std::vector<std::string> problems;  // Every difference. The vector passed if there are none.
};

// Checks an entry of a score file, which tests only the score formula.
Checked CheckScore(const google::protobuf::Struct& entry, Referee& referee);

// Checks a line of a fullplay file, which is a whole deal with its score. Its rule set is
// `fallback` unless the line has "preset": a name, or a text of rules::RuleSetText().
Checked CheckPlay(const google::protobuf::Struct& entry, const std::string& fallback,
                  Referee& referee);

// Returns the line with the result of the referee as its "expect". Returns the referee's errors if
// the line is not a valid deal.
absl::StatusOr<std::string> AnswerPlay(google::protobuf::Struct entry, const std::string& fallback,
                                       Referee& referee);

}  // namespace tarot::lab
