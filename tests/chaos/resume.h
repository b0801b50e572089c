// Measures how long a fault stops a table, by three times:
//   - from the fault's beginning to the first acknowledged move after it
//   - from the fault's end to the first acknowledged move after the end
//   - from the fault's beginning until all watchers of the table have seen the first acknowledged
//     move after the beginning
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "tools/load/history.h"

namespace tarot::chaos {

struct ResumeTimes {
  int faults = 0;
  // One value for each fault and each table that the fault disturbed. `after_end_s` has no value
  // for a table without a move after the fault's end.
  std::vector<double> after_begin_s, after_end_s;
  // From the fault's beginning until all watchers have seen the move that ends `after_begin_s`.
  std::vector<double> watchers_s;
};

inline constexpr char kAllFaults[] = "all";

class Resume {
 public:
  void See(const load::Event& event);

  // Returns the results by kind of fault, and for all kinds together (kAllFaults). A fault has
  // results only for the tables that it disturbed. A table was disturbed if it was in play, and if
  // a call about it had an unknown outcome between the fault's beginning and the next acknowledged
  // move. Calls that the load itself gave up do not count. If faults overlap, a table may count for
  // each of them.
  std::map<std::string, ResumeTimes> Finish() const;

  // Returns one value in seconds for each acknowledged move, with or without faults. The value is
  // the time from the move's answer until every person at the table has seen this move or a later
  // move on a stream. Without faults the value may be long too, because the load drops streams on
  // purpose and opens them again.
  std::vector<double> WatchLag() const;

 private:
  struct StruckFault {
    std::string kind;
    std::int64_t begin_us = 0, end_us = 0;
  };
  struct Move {
    std::int64_t time_us = 0;
    int revision = 0;
  };
  struct TableHistory {
    std::vector<Move> acknowledged;
    std::vector<std::int64_t> unknown_us;
    // The newest revisions that each client has seen, with times.
    std::map<int, std::vector<Move>> shown;
  };

  std::int64_t ShownToAll(const TableHistory& table, int revision) const;

  std::vector<StruckFault> faults_;
  std::map<TableId, TableHistory> tables_;
  std::int64_t end_us_ = 0;
};

double Percentile(std::vector<double> values, double part);  // Returns 0 if there are no values.

}  // namespace tarot::chaos
