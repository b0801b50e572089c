// Asks a bot what to do; the answer arrives later.
#pragma once

#include <cstdint>
#include <string>

#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "libs/rules/view.h"

namespace tarot::rules_service {

struct BotQuestion {
  rules::View view;
  std::string rule_set;
  std::string level;
  std::uint64_t seed = 0;
};

class BotClient {
 public:
  virtual ~BotClient() = default;
  // Calls `done` exactly once, from any thread, at the latest when the deadline is over.
  virtual void Choose(const BotQuestion& question,
                      absl::AnyInvocable<void(absl::StatusOr<rules::Action>)> done) = 0;
};

}  // namespace tarot::rules_service
