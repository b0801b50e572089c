// The results of the deals of a match, stored so that a stopped match can continue.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/lab/arena/match.h"

namespace tarot::lab {

// The file has a line that identifies the match, and then one line per deal. Such a line has the
// number of the deal, and for each seat the points and the role of `one`.
class ResultsFile {
 public:
  // Creates the file, or reads it and removes a line that was cut short. Returns
  // FAILED_PRECONDITION when the file belongs to another match or is not such a file, and NOT_FOUND
  // when it cannot be written.
  static absl::StatusOr<ResultsFile> Open(const std::string& path, const MatchSettings& settings);

  // Returns the results that the file has, by the number of the deal.
  const std::map<int, std::vector<SeatResult>>& kept() const { return kept_; }

  // Writes the line of a deal. After OK, the line stays in the file even if this program is killed.
  // Returns UNAVAILABLE when the line cannot be written.
  absl::Status Append(int deal, const std::vector<SeatResult>& games);

 private:
  std::map<int, std::vector<SeatResult>> kept_;
  std::ofstream out_;
};

}  // namespace tarot::lab
