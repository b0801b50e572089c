// Runs the programs that operators use, on a running cluster.
#pragma once

#include <string>

#include "tests/e2e/cluster.h"

namespace tarot::e2e {

class Operator {
 public:
  // `cluster` must outlive this object, and needs a replica of admin for Admin().
  explicit Operator(const Cluster& cluster) : cluster_(cluster) {}

  // Runs `command` in a shell, in the folder of this build's programs. Returns its standard output
  // and its errors.
  std::string Run(const std::string& command);
  // Runs `tarotctl admin` with `words`. `why` must not contain a quote.
  std::string Admin(const std::string& words, const std::string& why = "a test");
  // Returns the exit code of the last program.
  int exit_code() const { return exit_code_; }

 private:
  const Cluster& cluster_;
  int exit_code_ = 0;
};

}  // namespace tarot::e2e
