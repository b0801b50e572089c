// What RefereeService answers, as functions of its messages.
#pragma once

#include "absl/status/status.h"
#include "tarot/rules/v1/referee_service.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

absl::Status ListLegalActions(const v1::ListLegalActionsRequest& request,
                              v1::ListLegalActionsResponse* response);
absl::Status ApplyAction(const v1::ApplyActionRequest& request, v1::ApplyActionResponse* response);
absl::Status ScoreDeal(const v1::ScoreDealRequest& request, v1::ScoreDealResponse* response);
absl::Status ScorePlay(const v1::ScorePlayRequest& request, v1::ScorePlayResponse* response);
absl::Status VerifyRecord(const v1::VerifyRecordRequest& request,
                          v1::VerifyRecordResponse* response);
absl::Status ImportRecords(const v1::ImportRecordsRequest& request,
                           v1::ImportRecordsResponse* response);
absl::Status ListRuleSets(v1::ListRuleSetsResponse* response);

}  // namespace tarot::rules_service
