// How long tables stood still after a fault: from its beginning, and from its end, to the next move
// that was acknowledged there; and until all who watch the table had been shown that move.
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
  std::vector<double> watchers_s;                  // From the beginning, too.
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

  // Of each acknowledged move, with faults or without: from its answer until the last of the
  // table's people has been shown it, or a later one, by the stream. The load loses streams on
  // purpose, too, and opens them again.
  std::vector<double> WatchLag() const;

 private:
  struct Struck {
    std::string kind;
    std::int64_t begin_us = 0, end_us = 0;
  };
  struct Move {
    std::int64_t time_us = 0;
    int revision = 0;
  };
  struct Table {
    std::vector<Move> acknowledged;
    std::vector<std::int64_t> in_doubt_us;
    std::map<int, std::vector<Move>> shown;  // To each client: when, and which, each newer.
  };

  std::int64_t ShownToAll(const Table& table, int revision) const;

  std::vector<Struck> faults_;
  std::map<TableId, Table> tables_;
  std::int64_t end_us_ = 0;
};

double Percentile(std::vector<double> values, double part);  // 0 of none.

}  // namespace tarot::chaos
