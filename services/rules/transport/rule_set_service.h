// Declares RuleSetService, which lists the named rule sets for players.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "absl/status/status.h"
#include "libs/rpc/dispatcher.h"
#include "tarot/rules/v1/rule_set_service.pb.h"

namespace tarot::rules_service {

// Writes the response of ListRuleSets. RefereeService has the same method for services.
absl::Status ListRuleSets(::tarot::rules::v1::ListRuleSetsResponse* response);

// `dispatcher` must outlive the result.
std::unique_ptr<grpc::Service> MakeRuleSetService(rpc::Dispatcher& dispatcher);

}  // namespace tarot::rules_service
