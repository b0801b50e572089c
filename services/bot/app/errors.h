// All errors of the bot service. docs/errors.md lists their reasons.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "libs/base/error.h"

namespace tarot::bot_service::error {

// Errors about analyses.
inline absl::Status AnalysisRunning() {
  return Error(absl::StatusCode::kResourceExhausted, "ANALYSIS_RUNNING",
               "You have an analysis under way: wait for its end, or cancel it.");
}
inline absl::Status TooManyAnalyses() {
  return Error(absl::StatusCode::kResourceExhausted, "RATE_LIMITED",
               "Too many analyses of your address are under way; try again in 10 s.",
               {{"retry_after_seconds", "10"}});
}
inline absl::Status AnalysisTooLong() {
  return Error(absl::StatusCode::kResourceExhausted, "ANALYSIS_TOO_LONG",
               "The analysis took too long: smaller budgets take less time.");
}
inline absl::Status Overloaded() {
  return Error(absl::StatusCode::kUnavailable, "OVERLOADED", "The server is busy.");
}
inline absl::Status ShuttingDown() {
  return Error(absl::StatusCode::kUnavailable, "SHUTTING_DOWN",
               "The server is stopping: connect again.");
}
inline absl::Status SeatedAtTable(const std::string& table) {
  return Error(absl::StatusCode::kFailedPrecondition, "SEATED_AT_TABLE",
               "You sit at a table whose match is not over. Analyze deals after its end.",
               {{"table", table}});
}
inline absl::Status RulesAway() {
  return Error(absl::StatusCode::kUnavailable, "SERVICE_AWAY",
               "The rules service is away; try again.", {{"service", "rules"}});
}

}  // namespace tarot::bot_service::error
