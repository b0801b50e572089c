// Declares RecordService. It shows players the records of finished deals and the score sheets of
// matches.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "libs/rpc/dispatcher.h"
#include "services/rules/app/record_service.h"
#include "services/rules/transport/host_router.h"
#include "services/rules/transport/list_gatherer.h"
#include "tarot/rules/v1/record_service.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// Encodes a record with the cards, the seed and every entry of the deal.
void EncodeRecord(const DealRecord& record, v1::DealRecord* out);

// The arguments must outlive the result.
std::unique_ptr<grpc::Service> MakeRecordService(RecordService& records, HostRouter& router,
                                                 ListGatherer& gatherer,
                                                 rpc::Dispatcher& dispatcher);

}  // namespace tarot::rules_service
