#include "services/ratings/transport/rating_ingest_service_impl.h"

#include "libs/base/status_macros.h"
#include "services/ratings/transport/convert.h"

namespace tarot::ratings {

grpc::ServerUnaryReactor* RatingIngestServiceImpl::RecordMatch(
    grpc::CallbackServerContext* context, const v1::RecordMatchRequest* request,
    v1::RecordMatchResponse* response) {
  return dispatcher_.Unary(context, "tarot.ratings.v1.RatingIngestService/RecordMatch",
                           rpc::Access::kService, [=, this](const rpc::Caller&) -> absl::Status {
                             TAROT_ASSIGN_OR_RETURN(const MatchResult match, DecodeMatch(*request));
                             TAROT_ASSIGN_OR_RETURN(const bool replayed,
                                                    ratings_.RecordMatch(match));
                             response->set_replayed(replayed);
                             return absl::OkStatus();
                           });
}

}  // namespace tarot::ratings
