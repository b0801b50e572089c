// Results of matches on the wire, for services.
#pragma once

#include "libs/rpc/dispatcher.h"
#include "services/ratings/app/rating_service.h"
#include "tarot/ratings/v1/rating_ingest_service.grpc.pb.h"

namespace tarot::ratings {

class RatingIngestServiceImpl final : public v1::RatingIngestService::CallbackService {
 public:
  RatingIngestServiceImpl(RatingService& ratings, rpc::Dispatcher& dispatcher)
      : ratings_(ratings), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* RecordMatch(grpc::CallbackServerContext* context,
                                        const v1::RecordMatchRequest* request,
                                        v1::RecordMatchResponse* response) override;

 private:
  RatingService& ratings_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace tarot::ratings
