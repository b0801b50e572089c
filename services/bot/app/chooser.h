// Decides for a seat: checks the question and asks the policy of the level.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "libs/ai/policy.h"
#include "libs/rules/view.h"
#include "services/bot/metrics.h"

namespace tarot::bot_service {

struct Question {
  rules::View view;
  std::string level;
  std::uint64_t seed = 0;
  std::uint64_t node_budget = 0;  // 0: the level's own.
  // Polled; once it returns true, the answer is the best so far. May be empty.
  std::function<bool()> stop;
};

// About 100 ms of search, the longest that one call may hold a worker.
inline constexpr std::uint64_t kNodeBudgetMax = 2'000'000;

class Chooser {
 public:
  explicit Chooser(Metrics& metrics) : metrics_(metrics) {}

  // A pure function of the question, unless `stop` ends it early. Any thread.
  // Trusts the caller that rules::MakeView made the view, and checks only its shape
  // (ai::ValidateShape), so that no input crashes the service; the action is legal if some deal
  // looks like the view. Errors: INVALID_ARGUMENT BAD_REQUEST for a bad shape, an unknown level, or
  // a budget above kNodeBudgetMax; FAILED_PRECONDITION NOT_YOUR_TURN if the viewer is not in turn.
  absl::StatusOr<ai::Decision> Choose(const Question& question) const;

 private:
  Metrics& metrics_;
};

}  // namespace tarot::bot_service
