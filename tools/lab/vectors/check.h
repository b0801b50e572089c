// Checks one vector: compares a referee's result with the expected result. The referee is
// libs/rules in this process, or a rules service.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "google/protobuf/struct.pb.h"
#include "tarot/rules/v1/referee_service.pb.h"

namespace tarot::lab {

// Computes the scores that the checks compare with the expected ones.
class Referee {
 public:
  virtual ~Referee() = default;
  // These functions fail with the errors of RefereeService.
  virtual absl::StatusOr<rules::v1::ScoreDealResponse> ScoreDeal(
      const rules::v1::ScoreDealRequest& request) = 0;
  virtual absl::StatusOr<rules::v1::ScorePlayResponse> ScorePlay(
      const rules::v1::ScorePlayRequest& request) = 0;
};

// Makes a referee that calls libs/rules in this process.
std::unique_ptr<Referee> MakeLocalReferee();

// Makes a referee that calls RefereeService at host:port. Returns UNAVAILABLE when no server
// answers there within three seconds.
absl::StatusOr<std::unique_ptr<Referee>> MakeRemoteReferee(const std::string& address);

struct Checked {
  std::string id;                     // The vector's id, if it has one.
  std::vector<std::string> problems;  // All differences; empty if the vector passed.
};

// Checks an entry of a score file, which tests only the score formula.
Checked CheckScore(const google::protobuf::Struct& entry, Referee& referee);

// Checks a line of a fullplay file: a whole deal with its score. The line's "preset" is the name of
// a rule set or a text of rules::RuleSetText(). A line without "preset" has the rule set
// `fallback`.
Checked CheckPlay(const google::protobuf::Struct& entry, const std::string& fallback,
                  Referee& referee);

// Returns the line of `entry`, with the result of the referee as "expect". Returns an error if the
// line lacks a field, and the referee's error if the deal is not valid.
absl::StatusOr<std::string> AnswerPlay(google::protobuf::Struct entry, const std::string& fallback,
                                       Referee& referee);

}  // namespace tarot::lab
