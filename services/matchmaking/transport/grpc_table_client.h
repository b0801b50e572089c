// The rules service as the TableClient of app/.
#pragma once

#include <memory>

#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/pending_calls.h"
#include "services/matchmaking/app/table_client.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"

namespace tarot::matchmaking_service {

class GrpcTableClient final : public TableClient {
 public:
  GrpcTableClient(const std::shared_ptr<grpc::Channel>& channel, const rpc::Authenticator& identity,
                  rpc::CallMetrics& metrics, Clock& clock);

  void CreateTable(const Queue& queue, const PlannedTable& table, Done done) override;

  // Cancels what is in flight and waits for its callbacks; later calls answer CANCELLED.
  void Stop() { pending_.Stop(); }

 private:
  const std::unique_ptr<tarot::rules::v1::TableAdminService::Stub> stub_;
  const rpc::Authenticator& identity_;
  const rpc::MethodMetrics metrics_;
  Clock& clock_;
  rpc::PendingCalls pending_;
};

}  // namespace tarot::matchmaking_service
