// Another service that must hear of the end of a match; the answer arrives later.
#pragma once

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {

class MatchSink {
 public:
  virtual ~MatchSink() = default;
  // Idempotent on the other side. Calls `done` exactly once, from any thread.
  virtual void Deliver(const OutboxItem& item, absl::AnyInvocable<void(absl::Status)> done) = 0;
};

}  // namespace tarot::rules_service
