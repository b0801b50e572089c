// Hears of what is stored in the tables' logs, at the commit.
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "services/rules/app/table_store.h"

namespace tarot::sim {

// The process that sent a statement.
struct Writer {
  std::string name;
  absl::Time start;
};

class LogReader {
 public:
  virtual ~LogReader() = default;
  // Once for each table.
  virtual void Created(const rules_service::TableConfig& config) = 0;
  // Once for each entry that is stored, in order.
  virtual void Stored(const Writer& writer, const rules_service::NewEntry& entry) = 0;
  // The writer of these was told that the database is away, whatever became of them.
  virtual void Unanswered(const Writer& writer,
                          const std::vector<rules_service::NewEntry>& entries) = 0;
};

}  // namespace tarot::sim
