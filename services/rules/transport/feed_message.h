// A WatchTablesResponse as bytes, put together from parts that are encoded once a revision.
#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "services/rules/app/table_state.h"

namespace tarot::rules_service {

// What a feed has to say of one table: its newest state, the end of the subscription, or both.
struct FeedFrame {
  TableId table;
  std::shared_ptr<const TableState> state;
  std::optional<absl::Status> end;
};

// The message of these frames, in their order.
grpc::ByteBuffer FeedMessage(const std::vector<FeedFrame>& frames);

}  // namespace tarot::rules_service
