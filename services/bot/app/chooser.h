// Decides for a seat: checks what it is asked, and asks the level's policy.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "libs/ai/policy.h"
#include "libs/rules/view.h"
#include "services/bot/metrics.h"

namespace tarot::bot {

struct Question {
  rules::View view;
  std::string level;
  std::uint64_t seed = 0;
  std::uint64_t node_budget = 0;  // 0 takes the level's own.
  // Polled; once true, the best so far is the answer. May be empty.
  std::function<bool()> stop;
};

// Some 100 ms of search: no caller may hold a worker for longer.
inline constexpr std::uint64_t kNodeBudgetMax = 2'000'000;

class Chooser {
 public:
  explicit Chooser(Metrics& metrics) : metrics_(metrics) {}

  // A pure function of its question, as long as `stop` does not cut it short: always a legal
  // action. The view may come from anybody: what no deal looks like is INVALID_ARGUMENT
  // BAD_REQUEST, as are an unknown level and a budget above kNodeBudgetMax. FAILED_PRECONDITION
  // NOT_YOUR_TURN when the viewer is not in turn. Any thread.
  absl::StatusOr<ai::Decision> Choose(const Question& question) const;

 private:
  Metrics& metrics_;
};

}  // namespace tarot::bot
