// Declares the clients of the ratings service and of the rules service.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/cells.h"
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

// Sends each call to the cell that the table's id names. If this program does not know the cell,
// CreateTables answers UNAVAILABLE CELL_UNKNOWN, because that cell may have made the table. The
// other methods then ask the first cell, which does not know the table.
class GrpcTableClient final : public TableClient,
                              public CapacityClient,
                              public DealCounter,
                              public MatchEnds {
 public:
  GrpcTableClient(const rpc::Cells& cells, const rpc::Authenticator& identity,
                  rpc::CallMetrics& metrics, Clock& clock);

  void CreateTables(const std::vector<PlannedTable>& tables, TableClient::Done done) override;
  void GetCapacity(int cell, CapacityClient::Done done) override;
  absl::StatusOr<int> CountDeals(const Caller& caller, TableId table) override;
  absl::StatusOr<std::optional<std::vector<PlayerId>>> FindLeftPlayers(TableId table) override;

  // Cancels the calls in flight and waits for their callbacks. Later calls get CANCELLED.
  void Stop() { pending_.Stop(); }

 private:
  // Runs `call` with the stubs of the cell of `table`. While this cell is silent, returns
  // SERVICE_AWAY instead.
  template <typename Call>
  absl::Status InCellOf(TableId table, Call call);

  struct Cell {
    std::unique_ptr<rules::v1::TableAdminService::Stub> admin;
    std::unique_ptr<rules::v1::TableService::Stub> tables;
  };

  std::map<int, Cell> cells_;
  rpc::SilentCells silent_;
  const rpc::Authenticator& identity_;
  const rpc::MethodMetrics metrics_;
  const rpc::MethodMetrics capacity_metrics_;
  const rpc::MethodMetrics get_table_metrics_;
  const rpc::MethodMetrics match_end_metrics_;
  Clock& clock_;
  rpc::PendingCalls pending_;
};

}  // namespace tarot::matchmaking_service
