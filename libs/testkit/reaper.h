// Runs a shell script that cleans up after a test. The script runs even if the test crashes or gets
// a SIGKILL.
#pragma once

#include <sys/types.h>

#include <string>

namespace tarot::testkit {

// A process that runs a shell script when the Reaper is destroyed, or when the process of the test
// ends in any way. Aborts the test if the process cannot start.
class Reaper {
 public:
  explicit Reaper(const std::string& script);
  ~Reaper();  // Returns when the script has ended.
  Reaper(const Reaper&) = delete;
  Reaper& operator=(const Reaper&) = delete;

 private:
  pid_t pid_ = 0;
  int pipe_ = -1;  // The script begins when this end of the pipe closes.
};

}  // namespace tarot::testkit
