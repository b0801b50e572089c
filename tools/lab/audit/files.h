// The records of files, as jobs of an audit.
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

// `paths`, and in place of a directory every .tdn, .tarotrec and .json below it, by name. NOT_FOUND
// for a path that is none, or a directory without such a file; another code for one that cannot be
// looked at.
absl::StatusOr<std::vector<AuditFile>> FindAuditFiles(const std::vector<std::string>& paths);

// Hands the records of `file` to `add`, some hundred a job. TDN is cut where records end, so that
// one that cannot be read is one that is wrong, and no more; a file that cannot be read is wrong
// too.
void AddFile(const std::string& path, const std::function<void(Auditor::Job)>& add);

}  // namespace tarot::lab
