// Reserves the names of ranked players, so that no new guest gets them. Ratings knows these names.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/pending_calls.h"
#include "services/gateway/app/display_name.h"
#include "tarot/ratings/v1/player_admin_service.grpc.pb.h"

namespace tarot::gateway_service {

// Asks ratings for all names every kRankedNamesInterval, newest match first. After a failure, asks
// for the same page again every kBotNamesRetry.
// While ratings does not answer, the names of the last list stay reserved. Before the first list,
// no name is reserved.
class RankedNames {
 public:
  // The referenced objects must outlive this one. If the list has more than kRankedNamesMax names,
  // the object calls `report_cut` with their number.
  RankedNames(const std::shared_ptr<grpc::Channel>& ratings, const rpc::Authenticator& identity,
              ReservedNames& names, Scheduler& scheduler, rpc::CallMetrics& calls,
              std::function<void(std::size_t)> report_cut);

  // Makes the first call.
  void Start() { Ask(""); }
  // Cancels the call in flight and waits for its callback. Stop the scheduler first.
  void Stop() { pending_.Stop(); }

 private:
  // Asks for the page that begins at `page_token`.
  void Ask(const std::string& page_token);

  const std::unique_ptr<tarot::ratings::v1::PlayerAdminService::Stub> stub_;
  const rpc::Authenticator& identity_;
  ReservedNames& names_;
  Scheduler& scheduler_;
  const rpc::MethodMetrics metrics_;
  const std::function<void(std::size_t)> report_cut_;
  rpc::PendingCalls pending_;
  // The names of the pages so far. One call runs at a time, and only its callback uses this member.
  std::vector<std::string> read_;
};

}  // namespace tarot::gateway_service
