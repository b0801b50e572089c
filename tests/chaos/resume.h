// How long tables stood still after a fault: from its beginning, and from its end, to the next move
// that was acknowledged there.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/load/history.h"

namespace tarot::chaos {

struct ResumeTimes {
  int faults = 0;
  std::vector<double> after_begin_s, after_end_s;  // One a fault and table that felt it.
};

inline constexpr char kAllFaults[] = "all";

class Resume {
 public:
  void See(const load::Event& event);

  // By kind of fault, and of all of them. A table felt a fault when it was being played, and one of
  // its calls came back in doubt between the beginning and the next acknowledged move, and not
  // because the load itself gave it up; those that went on undisturbed do not count. Where faults
  // follow closely, the time to resume counts for each of them.
  std::map<std::string, ResumeTimes> Finish() const;

 private:
  struct Struck {
    std::string kind;
    std::int64_t begin_us = 0, end_us = 0;
  };
  struct Moves {
    std::vector<std::int64_t> acknowledged_us, in_doubt_us;
  };

  std::vector<Struck> faults_;
  std::map<TableId, Moves> tables_;
};

double Percentile(std::vector<double> values, double part);  // 0 of none.

}  // namespace tarot::chaos
