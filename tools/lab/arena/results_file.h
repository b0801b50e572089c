// The deals of a match that are played, kept so that it can go on.
#pragma once

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/lab/arena/match.h"

namespace tarot::lab {

// A line that names the match, then a line a deal: its number, and the points of `one` by seat.
class ResultsFile {
 public:
  // Makes the file, or reads it; a line that was cut short is taken away. Errors:
  // FAILED_PRECONDITION when it is of another match or no such file at all, NOT_FOUND when it
  // cannot be written.
  static absl::StatusOr<ResultsFile> Open(const std::string& path, const MatchSettings& settings);

  // By deal.
  const std::map<int, std::vector<Game>>& kept() const { return kept_; }

  // On the disk when it comes back. UNAVAILABLE when it cannot be written.
  absl::Status Append(int deal, const std::vector<Game>& games);

 private:
  std::map<int, std::vector<Game>> kept_;
  std::ofstream out_;
};

}  // namespace tarot::lab
