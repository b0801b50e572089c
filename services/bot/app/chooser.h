// Chooses an action for a bot: checks the view and the level in a Question, and calls the policy of
// this level.
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
  std::uint64_t node_budget = 0;  // 0 means the level's own budget.
  // The search calls `stop` often. If `stop` returns true, the search ends with the best answer so
  // far. An empty `stop` never ends the search.
  std::function<bool()> stop;
};

class Chooser {
 public:
  explicit Chooser(Metrics& metrics) : metrics_(metrics) {}

  // Decides for the viewer of `question.view`. The same question gives the same decision, unless
  // `stop` ends the search early. Any thread may call this function. The decision is legal if
  // rules::RememberedView has made the view. For other views, this function checks only the shape
  // (ai::ValidateShape), so that no input crashes the service. Returns INVALID_ARGUMENT BAD_REQUEST
  // for a bad shape, an unknown level, or a budget above kNodeBudgetMax. Returns
  // FAILED_PRECONDITION NOT_YOUR_TURN if it is not the viewer's turn.
  absl::StatusOr<ai::Decision> Choose(const Question& question) const;

 private:
  Metrics& metrics_;
};

}  // namespace tarot::bot_service
