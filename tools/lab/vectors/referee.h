// The two referees that vectors can be checked against: the library here, or a rules service.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tarot/rules/v1/referee_service.pb.h"

namespace tarot::lab {

class Referee {
 public:
  virtual ~Referee() = default;
  // Errors: as RefereeService.
  virtual absl::StatusOr<rules::v1::ScoreDealResponse> ScoreDeal(
      const rules::v1::ScoreDealRequest& request) = 0;
  virtual absl::StatusOr<rules::v1::ScorePlayResponse> ScorePlay(
      const rules::v1::ScorePlayRequest& request) = 0;
};

// libs/rules, in this process.
std::unique_ptr<Referee> MakeLocalReferee();

// RefereeService at host:port. UNAVAILABLE when no server answers there within seconds.
absl::StatusOr<std::unique_ptr<Referee>> MakeRemoteReferee(const std::string& address);

}  // namespace tarot::lab
