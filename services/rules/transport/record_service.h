// RecordService shows players the records of finished deals.
#pragma once

#include "libs/rpc/dispatcher.h"
#include "services/rules/app/record_service.h"
#include "tarot/rules/v1/record_service.grpc.pb.h"

namespace tarot::rules_service {

namespace v1 = ::tarot::rules::v1;

// Encodes the whole deal: cards, seed and every entry.
void EncodeRecord(const DealRecord& record, v1::DealRecord* out);

class GrpcRecordService final : public v1::RecordService::CallbackService {
 public:
  GrpcRecordService(RecordService& records, rpc::Dispatcher& dispatcher)
      : records_(records), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* GetRecord(grpc::CallbackServerContext* context,
                                      const v1::GetRecordRequest* request,
                                      v1::GetRecordResponse* response) override;
  grpc::ServerUnaryReactor* ListRecords(grpc::CallbackServerContext* context,
                                        const v1::ListRecordsRequest* request,
                                        v1::ListRecordsResponse* response) override;

 private:
  RecordService& records_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace tarot::rules_service
