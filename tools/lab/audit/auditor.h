// Runs the checks of an audit on all cores and counts what they find.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace tarot::lab {

// A record, or a match, that is not as it should be.
struct Wrong {
  std::string name;  // "deals.tdn:120", "history.tarotrec record 17", "tables/…"
  std::string why;
};

struct AuditCounts {
  long records = 0;  // Checked so far, true or not.
  long wrong = 0;
};

class Auditor {
 public:
  // A piece of work: checks some records, appends those that are wrong, answers how many it
  // checked.
  using Job = std::function<long(std::vector<Wrong>& wrong)>;

  explicit Auditor(int threads);
  ~Auditor();

  // Waits while plenty is waiting already. One thread only, before Finish().
  void Add(Job job);

  // No more jobs come; waits for those that there are, at most `seconds`. True once all is done.
  bool Finish(double seconds);

  AuditCounts counts() const;
  // Returns those found since the last call.
  std::vector<Wrong> Take();

 private:
  void Run();

  const std::size_t queue_max_;
  mutable std::mutex mutex_;
  std::condition_variable work_, room_, done_;
  std::deque<Job> queue_;
  std::size_t busy_ = 0;
  bool closed_ = false;
  AuditCounts counts_;
  std::vector<Wrong> wrong_;
  std::vector<std::thread> threads_;
};

}  // namespace tarot::lab
