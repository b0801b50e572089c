#include "services/rules/transport/referee_service_impl.h"

#include "services/rules/transport/referee.h"

namespace tarot::rules_service {

using rpc::Access;
using rpc::Caller;

grpc::ServerUnaryReactor* RefereeServiceImpl::ListLegalActions(
    grpc::CallbackServerContext* context, const v1::ListLegalActionsRequest* request,
    v1::ListLegalActionsResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RefereeService/ListLegalActions", Access::kAnybody,
      [=](const Caller&) { return rules_service::ListLegalActions(*request, response); });
}

grpc::ServerUnaryReactor* RefereeServiceImpl::ApplyAction(grpc::CallbackServerContext* context,
                                                          const v1::ApplyActionRequest* request,
                                                          v1::ApplyActionResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RefereeService/ApplyAction", Access::kAnybody,
      [=](const Caller&) { return rules_service::ApplyAction(*request, response); });
}

grpc::ServerUnaryReactor* RefereeServiceImpl::ScoreDeal(grpc::CallbackServerContext* context,
                                                        const v1::ScoreDealRequest* request,
                                                        v1::ScoreDealResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RefereeService/ScoreDeal", Access::kAnybody,
      [=](const Caller&) { return rules_service::ScoreDeal(*request, response); });
}

grpc::ServerUnaryReactor* RefereeServiceImpl::ScorePlay(grpc::CallbackServerContext* context,
                                                        const v1::ScorePlayRequest* request,
                                                        v1::ScorePlayResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RefereeService/ScorePlay", Access::kAnybody,
      [=](const Caller&) { return rules_service::ScorePlay(*request, response); });
}

grpc::ServerUnaryReactor* RefereeServiceImpl::VerifyRecord(grpc::CallbackServerContext* context,
                                                           const v1::VerifyRecordRequest* request,
                                                           v1::VerifyRecordResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RefereeService/VerifyRecord", Access::kAnybody,
      [=](const Caller&) { return rules_service::VerifyRecord(*request, response); });
}

grpc::ServerUnaryReactor* RefereeServiceImpl::ImportRecords(grpc::CallbackServerContext* context,
                                                            const v1::ImportRecordsRequest* request,
                                                            v1::ImportRecordsResponse* response) {
  return dispatcher_.Unary(
      context, "tarot.rules.v1.RefereeService/ImportRecords", Access::kAnybody,
      [=](const Caller&) { return rules_service::ImportRecords(*request, response); });
}

grpc::ServerUnaryReactor* RefereeServiceImpl::ListRuleSets(grpc::CallbackServerContext* context,
                                                           const v1::ListRuleSetsRequest*,
                                                           v1::ListRuleSetsResponse* response) {
  return dispatcher_.Unary(context, "tarot.rules.v1.RefereeService/ListRuleSets", Access::kAnybody,
                           [=](const Caller&) { return rules_service::ListRuleSets(response); });
}

}  // namespace tarot::rules_service
