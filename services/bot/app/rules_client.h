// The interface for the questions that the bot service asks the rules service before an analysis.
#pragma once

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "libs/ai/analysis/analyzer.h"
#include "libs/base/ids.h"
#include "libs/rules/action.h"

namespace tarot::bot_service {

// A deal that is over.
struct FinishedDeal {
  ai::History history;  // Seat 0 of `history` bids first.
  int players = 0;
  rules::Seat first_chair = 0;  // The number of the table's seat 0 in `history`.
};

// The interface to the rules service. Each function calls `done` once, on any thread, with the
// answer or with an error that the caller of AnalyzeDeal may see: UNAVAILABLE SERVICE_AWAY if the
// rules service does not answer. Thread-safe.
class RulesClient {
 public:
  virtual ~RulesClient() = default;

  // Finds a table where the player sits and whose match is not over. The answer is the name of the
  // table, or empty if there is none.
  virtual void FindLiveTable(const Caller& player,
                             std::function<void(absl::StatusOr<std::string>)> done) = 0;

  // Reads a finished deal. `name` has the form tables/{table}/deals/{number}. Returns NOT_FOUND
  // RECORD_NOT_FOUND for a deal that is not finished or does not exist. Returns FAILED_PRECONDITION
  // RECORD_CLOSED for a deal without a score while its match runs.
  virtual void GetDeal(const Caller& player, const std::string& name,
                       std::function<void(absl::StatusOr<FinishedDeal>)> done) = 0;
};

}  // namespace tarot::bot_service
