// Declares the clients of the ratings service and of the rules service.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/pending_calls.h"
#include "services/matchmaking/app/upstreams.h"
#include "tarot/ratings/v1/rating_service.grpc.pb.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"
#include "tarot/rules/v1/table_service.grpc.pb.h"

namespace tarot::matchmaking_service {

class GrpcRatingClient final : public RatingClient {
 public:
  GrpcRatingClient(const std::shared_ptr<grpc::Channel>& channel,
                   const rpc::Authenticator& identity, rpc::CallMetrics& metrics, Clock& clock);

  // Requests the ratings in batches. If a batch fails, `done` gets the error of this batch and no
  // ratings.
  void GetRatings(const std::vector<PlayerId>& players, int player_count, Done done) override;

  // Cancels the calls in flight and waits for their callbacks. Later calls get CANCELLED.
  void Stop() { pending_.Stop(); }

 private:
  struct Gathering;
  void AskBatch(absl::Span<const PlayerId> players, int player_count,
                const std::shared_ptr<Gathering>& gathering);

  const std::unique_ptr<ratings::v1::RatingService::Stub> stub_;
  const rpc::Authenticator& identity_;
  const rpc::MethodMetrics metrics_;
  Clock& clock_;
  rpc::PendingCalls pending_;
};

class GrpcTableClient final : public TableClient, public DealCounter, public MatchEnds {
 public:
  GrpcTableClient(const std::shared_ptr<grpc::Channel>& channel, const rpc::Authenticator& identity,
                  rpc::CallMetrics& metrics, Clock& clock);

  void CreateTables(const std::vector<PlannedTable>& tables, Done done) override;
  absl::StatusOr<int> CountDeals(const Caller& caller, TableId table) override;
  absl::StatusOr<std::optional<std::vector<PlayerId>>> FindLeftPlayers(TableId table) override;

  // Cancels the calls in flight and waits for their callbacks. Later calls get CANCELLED.
  void Stop() { pending_.Stop(); }

 private:
  const std::unique_ptr<rules::v1::TableAdminService::Stub> stub_;
  const std::unique_ptr<rules::v1::TableService::Stub> table_stub_;
  const rpc::Authenticator& identity_;
  const rpc::MethodMetrics metrics_;
  const rpc::MethodMetrics get_table_metrics_;
  const rpc::MethodMetrics match_end_metrics_;
  Clock& clock_;
  rpc::PendingCalls pending_;
};

}  // namespace tarot::matchmaking_service
