// Asks the rules service by gRPC for finished deals and for the live tables of a player.
#pragma once

#include <grpcpp/grpcpp.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "libs/notation/record.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/cells.h"
#include "libs/rpc/pending_calls.h"
#include "services/bot/app/rules_client.h"
#include "tarot/rules/v1/record_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::bot_service {

// Replays a record. Returns INVALID_ARGUMENT BAD_REQUEST if the deal is not finished, or if an
// entry is illegal.
absl::StatusOr<FinishedDeal> FinishedDealOf(const notation::Document& document);

// Makes each call in the name of the player, as the gateway does. Repeats no call, because only the
// player's client repeats calls.
class GrpcRulesClient final : public RulesClient {
 public:
  // The referenced objects must outlive this one.
  GrpcRulesClient(const rpc::Cells& cells, const rpc::Authenticator& identity,
                  rpc::CallMetrics& calls);

  // Asks the first cell, which asks all cells. If a cell did not answer, the player may sit
  // at a table there, so the result is SERVICE_AWAY.
  void FindLiveTable(const Caller& player,
                     std::function<void(absl::StatusOr<std::string>)> done) override;
  void GetDeal(const Caller& player, const std::string& name,
               std::function<void(absl::StatusOr<FinishedDeal>)> done) override;

  // Cancels the calls in flight and waits for their callbacks. Later calls get SERVICE_AWAY.
  void Stop() { pending_.Stop(); }

 private:
  std::unique_ptr<rules::v1::TableService::Stub> tables_;
  std::map<int, std::unique_ptr<rules::v1::RecordService::Stub>> records_;  // By cell.
  const rpc::Authenticator& identity_;
  const rpc::MethodMetrics find_metrics_;
  const rpc::MethodMetrics get_metrics_;
  rpc::PendingCalls pending_;
};

}  // namespace tarot::bot_service
