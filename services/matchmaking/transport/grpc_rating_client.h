// The ratings service as the RatingClient of app/.
#pragma once

#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/pending_calls.h"
#include "services/matchmaking/app/rating_client.h"
#include "tarot/ratings/v1/rating_service.grpc.pb.h"

namespace tarot::matchmaking_service {

class GrpcRatingClient final : public RatingClient {
 public:
  GrpcRatingClient(const std::shared_ptr<grpc::Channel>& channel,
                   const rpc::Authenticator& identity, rpc::CallMetrics& metrics, Clock& clock);

  // In batches. An error when any of them fails.
  void GetRatings(const std::vector<PlayerId>& players, int player_count, Done done) override;

  // Cancels what is in flight and waits for its callbacks; later calls answer CANCELLED.
  void Stop() { pending_.Stop(); }

 private:
  struct Gathering;
  void AskBatch(absl::Span<const PlayerId> players, int player_count,
                const std::shared_ptr<Gathering>& gathering);

  const std::unique_ptr<tarot::ratings::v1::RatingService::Stub> stub_;
  const rpc::Authenticator& identity_;
  const rpc::MethodMetrics metrics_;
  Clock& clock_;
  rpc::PendingCalls pending_;
};

}  // namespace tarot::matchmaking_service
