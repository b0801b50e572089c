// A fake of the method SubmitActions, the stream on which a replica of rules takes moves.
#pragma once

#include <grpcpp/grpcpp.h>
#include <prometheus/registry.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

#include "libs/rpc/call_metrics.h"
#include "libs/rpc/server_stream.h"
#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::gateway_service {

class FakeMoves {
 public:
  using Call = rpc::BidiCall<rules::v1::SubmitActionsRequest, rules::v1::SubmitActionsResponse>;

  // Fills in the answer to a move. If it returns false, the move gets no answer. Set this function
  // before the first move.
  std::function<bool(const rules::v1::PlayerCall&, rules::v1::CallAnswer&)> on_move;
  // If true, the fake refuses streams of moves, as a replica of an older release does.
  std::atomic<bool> unknown = false;
  std::atomic<int> open = 0;  // Number of streams whose first message has been written.
  std::atomic<int> moves = 0;

  Call* Open();
  // Ends every stream.
  void Drop();

 private:
  class Stream;

  prometheus::Registry registry_;
  rpc::CallMetrics calls_{rpc::Side::kServer, registry_};
  std::mutex mutex_;
  std::set<std::shared_ptr<Stream>> streams_;
};

}  // namespace tarot::gateway_service
