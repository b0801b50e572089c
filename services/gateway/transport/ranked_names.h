// Reserves the names of ranked players and of accounts, so that no new guest gets them. The ratings
// service knows these names.
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
#include "tarot/ratings/v1/account_admin_service.grpc.pb.h"
#include "tarot/ratings/v1/player_admin_service.grpc.pb.h"

namespace tarot::gateway_service {

// Every kRankedNamesInterval, asks the ratings service for all names: those of ranked players,
// newest match first, and then those of accounts. After a failure, asks for the same page again
// after kBotNamesRetry. If the ratings service does not answer, the names of the last list stay
// reserved. Before the first list, no name is reserved.
class RankedNames {
 public:
  // The referenced objects must outlive this one. If a list has kRankedNamesMax names or more, this
  // object calls `report_cut` with the number of names that it has read.
  RankedNames(const std::shared_ptr<grpc::Channel>& ratings, const rpc::Authenticator& identity,
              ReservedNames& names, Scheduler& scheduler, rpc::CallMetrics& calls,
              std::function<void(std::size_t)> report_cut);

  // Makes the first call.
  void Start() { AskRanked(""); }
  // Cancels the call in flight and waits for its callback. Stop the scheduler first.
  void Stop() { pending_.Stop(); }

 private:
  void AskRanked(const std::string& page_token);
  void AskAccounts(const std::string& page_token);
  // Asks for one page. Then calls `again` with the token of the next page, or after a failure with
  // the same token. After the last page, calls `next`. All references must outlive this object.
  template <typename Request, typename Response, typename Stub>
  void Ask(Stub& stub,
           void (Stub::*method)(grpc::ClientContext*, const Request*, Response*,
                                std::function<void(grpc::Status)>),
           const std::string& page_token, const rpc::MethodMetrics& metrics,
           std::function<void(const std::string&)> again, std::function<void()> next);

  const std::unique_ptr<tarot::ratings::v1::PlayerAdminService::StubInterface> players_;
  const std::unique_ptr<tarot::ratings::v1::AccountAdminService::StubInterface> accounts_;
  const rpc::Authenticator& identity_;
  ReservedNames& names_;
  Scheduler& scheduler_;
  const rpc::MethodMetrics ranked_metrics_;
  const rpc::MethodMetrics account_metrics_;
  const std::function<void(std::size_t)> report_cut_;
  rpc::PendingCalls pending_;
  // The names of the pages so far. Only the callback of a call uses this member, and one call runs
  // at a time.
  std::vector<std::string> read_;
};

}  // namespace tarot::gateway_service
