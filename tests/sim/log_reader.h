// An interface that receives each commit to the tables' logs.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "services/rules/app/table_store.h"

namespace tarot::sim {

// The process that sent a statement, and the time when the process started.
struct Writer {
  std::string name;
  absl::Time start;
};

class LogReader {
 public:
  virtual ~LogReader() = default;
  // Called once for each table.
  virtual void Created(const rules_service::TableConfig& config) = 0;
  // Called once for each stored entry, in order.
  virtual void Stored(const Writer& writer, const rules_service::NewEntry& entry) = 0;
  // The writer of `entries` got UNAVAILABLE. Perhaps the entries are stored, perhaps not.
  virtual void Unanswered(const Writer& writer,
                          const std::vector<rules_service::NewEntry>& entries) = 0;
};

}  // namespace tarot::sim
