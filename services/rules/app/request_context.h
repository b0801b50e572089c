// The values that every request about one table has. Transport decodes them once, where the call
// arrives, and passes them on.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "libs/base/caller.h"
#include "libs/base/ids.h"

namespace tarot::rules_service {

struct RequestContext {
  Caller caller;
  TableId table;
  // The caller stops waiting for the answer at this time.
  absl::Time deadline = absl::InfiniteFuture();
  std::string trace;  // The `traceparent` of the call (libs/rpc/trace.h); empty when it has none.
};

}  // namespace tarot::rules_service
