// Audits records: finds records in files, checks them on several threads, counts the wrong records
// and shows the progress.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace tarot::lab {

// A wrong record, or a file that cannot be read.
struct Wrong {
  std::string name;  // The place, for example "deals.tdn:120" or "history.tarotrec record 17".
  std::string why;
};

struct RecordAuditCounts {
  long records = 0;  // Number of records checked so far.
  long wrong = 0;
};

// Runs jobs on `threads` threads. Thread-safe, except Add().
class Auditor {
 public:
  // A job checks some records, appends the wrong records to `wrong`, and returns the number of
  // checked records.
  using Job = std::function<long(std::vector<Wrong>& wrong)>;

  explicit Auditor(int threads);
  ~Auditor();

  // Adds a job. Waits while four jobs per thread are waiting. Only one thread may call this
  // function, before Finish().
  void Add(Job job);

  // Waits until all jobs are done, but at most `seconds`. Returns whether all jobs are done. Call
  // this function only after the last Add().
  bool Finish(double seconds);

  RecordAuditCounts counts() const;
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
  RecordAuditCounts counts_;
  std::vector<Wrong> wrong_;
  std::vector<std::thread> threads_;
};

struct AuditFile {
  std::string path;
  std::uint64_t bytes = 0;
};

// Returns the files of `paths`. A directory stands for every .tdn, .tarotrec and .json file below
// it, sorted by name. Returns NOT_FOUND for a path that does not exist and for a directory without
// such a file. Returns another code for a path that cannot be read.
absl::StatusOr<std::vector<AuditFile>> FindAuditFiles(const std::vector<std::string>& paths);

// Passes the records of the file `path` to `add`, at most 256 per job. A TDN file is cut after each
// record. So a record that cannot be read is one wrong record, and the other records of the file
// are still checked. A file that cannot be read adds one wrong record and no checked record.
void AddFile(const std::string& path, const std::function<void(Auditor::Job)>& add);

class Progress {
 public:
  Progress(std::ostream& out, bool terminal, absl::Time start)
      : out_(out), terminal_(terminal), start_(start), shown_(start) {}

  // Shows that `share` (0 to 1) of the work is done. On a terminal it draws a bar, at most five
  // times a second. Elsewhere it prints a line, at most every ten seconds.
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
