// Builds a WatchTablesResponse as bytes. Its parts are encoded once per revision.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "services/rules/app/table_state.h"
#include "services/rules/transport/table_views.h"

namespace tarot::rules_service {

// One table in a feed. A frame has the newest state, the end of the subscription, or both.
struct FeedFrame {
  TableId table;
  std::shared_ptr<const TableState> state;
  std::optional<absl::Status> end;
};

// Returns the message with these frames, in their order.
grpc::ByteBuffer FeedMessage(TableViews& views, const std::vector<FeedFrame>& frames);

}  // namespace tarot::rules_service
