#include "services/matchmaking/transport/grpc_table_client.h"

#include <utility>

#include "services/matchmaking/transport/convert.h"
#include "services/matchmaking/transport/peer_call.h"

namespace tarot::matchmaking_service {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(3);
constexpr char kMethod[] = "tarot.rules.v1.TableAdminService/CreateTable";

}  // namespace

GrpcTableClient::GrpcTableClient(const std::shared_ptr<grpc::Channel>& channel,
                                 const rpc::Authenticator& identity, rpc::CallMetrics& metrics,
                                 Clock& clock)
    : stub_(tarot::rules::v1::TableAdminService::NewStub(channel)),
      identity_(identity),
      metrics_(metrics.Method(kMethod)),
      clock_(clock) {}

void GrpcTableClient::CreateTable(const Queue& queue, const PlannedTable& table, Done done) {
  using Call =
      PeerCall<tarot::rules::v1::CreateTableRequest, tarot::rules::v1::CreateTableResponse>;
  const auto call = std::make_shared<Call>(identity_, kTimeout, metrics_, clock_);
  EncodeTable(queue, table, &call->request);
  if (!pending_.Add(call->context)) return done(absl::CancelledError("The service is stopping."));
  stub_->async()->CreateTable(
      &*call->context, &call->request, &call->response,
      [this, call, done = std::make_shared<Done>(std::move(done))](const grpc::Status& status) {
        (*done)(call->Ended(status));
        pending_.Remove(call->context);
      });
}

}  // namespace tarot::matchmaking_service
