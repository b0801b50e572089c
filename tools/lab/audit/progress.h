// Shows the progress of an audit: a bar on a terminal, otherwise a line now and then.
#pragma once

#include <ostream>
#include <string>

#include "absl/time/time.h"

namespace tarot::lab {

class Progress {
 public:
  Progress(std::ostream& out, bool terminal, absl::Time start)
      : out_(out), terminal_(terminal), start_(start), shown_(start) {}

  // Shows that `share` (0 to 1) of the work is done: a few times a second on a terminal, otherwise
  // every ten seconds.
  void Show(absl::Time now, double share, long records, long wrong);
  // Removes the bar.
  void Clear();

 private:
  std::ostream& out_;
  const bool terminal_;
  const absl::Time start_;
  absl::Time shown_;
  bool bar_ = false;
};

}  // namespace tarot::lab
