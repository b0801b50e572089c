// The two referees that vectors can be checked with: the rules library in this process, or a rules
// service.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tarot/rules/v1/referee_service.pb.h"

namespace tarot::lab {

class Referee {
 public:
  virtual ~Referee() = default;
  // The errors are those of RefereeService.
  virtual absl::StatusOr<rules::v1::ScoreDealResponse> ScoreDeal(
      const rules::v1::ScoreDealRequest& request) = 0;
  virtual absl::StatusOr<rules::v1::ScorePlayResponse> ScorePlay(
      const rules::v1::ScorePlayRequest& request) = 0;
};

// Calls libs/rules in this process.
std::unique_ptr<Referee> MakeLocalReferee();

// Calls RefereeService at host:port. Returns UNAVAILABLE when no server answers there within
// seconds.
absl::StatusOr<std::unique_ptr<Referee>> MakeRemoteReferee(const std::string& address);

}  // namespace tarot::lab
