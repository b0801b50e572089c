// The stream of moves of a fake replica of rules.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <set>

#include "tarot/rules/v1/table_feed_service.grpc.pb.h"

namespace tarot::gateway {

class FakeMoves {
 public:
  using Reactor =
      grpc::ServerBidiReactor<rules::v1::SubmitActionsRequest, rules::v1::SubmitActionsResponse>;

  // What becomes of a call; false: it is never answered. Set it before the first.
  std::function<bool(const rules::v1::PlayerCall&, rules::v1::CallAnswer&)> on_move;
  // An old replica: there are no such streams.
  std::atomic<bool> unknown = false;
  std::atomic<int> open = 0;  // Streams on which calls may come.
  std::atomic<int> moves = 0;

  Reactor* Open();
  // Ends every stream.
  void Drop();

 private:
  class Stream;

  std::mutex mutex_;
  std::set<Stream*> streams_;
};

}  // namespace tarot::gateway
