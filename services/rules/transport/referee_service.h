// Declares RefereeService, which offers the rules library to other services. It keeps no state.
#pragma once

#include "absl/status/status.h"
#include "libs/rpc/dispatcher.h"
#include "tarot/rules/v1/referee_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// Each function writes the response of one method, for callers without gRPC. The proto lists the
// errors.
absl::Status ListLegalActions(const v1::ListLegalActionsRequest& request,
                              v1::ListLegalActionsResponse* response);
absl::Status ApplyAction(const v1::ApplyActionRequest& request, v1::ApplyActionResponse* response);
absl::Status ScoreDeal(const v1::ScoreDealRequest& request, v1::ScoreDealResponse* response);
absl::Status ScorePlay(const v1::ScorePlayRequest& request, v1::ScorePlayResponse* response);
absl::Status VerifyRecord(const v1::VerifyRecordRequest& request,
                          v1::VerifyRecordResponse* response);
absl::Status ImportRecords(const v1::ImportRecordsRequest& request,
                           v1::ImportRecordsResponse* response);

class GrpcRefereeService final : public v1::RefereeService::CallbackService {
 public:
  explicit GrpcRefereeService(rpc::Dispatcher& dispatcher) : dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* ListLegalActions(grpc::CallbackServerContext* context,
                                             const v1::ListLegalActionsRequest* request,
                                             v1::ListLegalActionsResponse* response) override;
  grpc::ServerUnaryReactor* ApplyAction(grpc::CallbackServerContext* context,
                                        const v1::ApplyActionRequest* request,
                                        v1::ApplyActionResponse* response) override;
  grpc::ServerUnaryReactor* ScoreDeal(grpc::CallbackServerContext* context,
                                      const v1::ScoreDealRequest* request,
                                      v1::ScoreDealResponse* response) override;
  grpc::ServerUnaryReactor* ScorePlay(grpc::CallbackServerContext* context,
                                      const v1::ScorePlayRequest* request,
                                      v1::ScorePlayResponse* response) override;
  grpc::ServerUnaryReactor* VerifyRecord(grpc::CallbackServerContext* context,
                                         const v1::VerifyRecordRequest* request,
                                         v1::VerifyRecordResponse* response) override;
  grpc::ServerUnaryReactor* ImportRecords(grpc::CallbackServerContext* context,
                                          const v1::ImportRecordsRequest* request,
                                          v1::ImportRecordsResponse* response) override;
  grpc::ServerUnaryReactor* ListRuleSets(grpc::CallbackServerContext* context,
                                         const v1::ListRuleSetsRequest* request,
                                         v1::ListRuleSetsResponse* response) override;

 private:
  rpc::Dispatcher& dispatcher_;
};

}  // namespace tarot::rules_service
