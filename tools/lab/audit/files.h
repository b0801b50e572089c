// Turns the records of files into jobs of an audit.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/lab/audit/auditor.h"

namespace tarot::lab {

struct AuditFile {
  std::string path;
  std::uint64_t bytes = 0;
};

// Returns the files of `paths`. A directory stands for every .tdn, .tarotrec and .json file below
// it, sorted by name. Returns NOT_FOUND for a path that does not exist, or a directory without such
// a file, and another code for one that cannot be read.
absl::StatusOr<std::vector<AuditFile>> FindAuditFiles(const std::vector<std::string>& paths);

// Passes the records of `file` to `add`, some hundred per job. TDN is cut where records end, so
// that a record that cannot be read counts as one wrong record. A file that cannot be read counts
// as wrong too.
void AddFile(const std::string& path, const std::function<void(Auditor::Job)>& add);

}  // namespace tarot::lab
