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

// A record or a match that is wrong.
struct Wrong {
  std::string name;  // For example "deals.tdn:120", "history.tarotrec record 17" or "tables/…".
  std::string why;
};

struct AuditCounts {
  long records = 0;  // Number of records checked so far, right or wrong.
  long wrong = 0;
};

class Auditor {
 public:
  // A piece of work. It checks some records, appends the wrong ones, and returns the number that it
  // checked.
  using Job = std::function<long(std::vector<Wrong>& wrong)>;

  explicit Auditor(int threads);
  ~Auditor();

  // Adds a job. Waits while many jobs are waiting already. Only one thread may call it, before
  // Finish().
  void Add(Job job);

  // Says that no more jobs come. Waits for the jobs, but at most `seconds`. Returns true once all
  // are done.
  bool Finish(double seconds);

  AuditCounts counts() const;
  // Returns the wrong records found since the last call.
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
