#include <tuple>
#include <utility>

#include "absl/strings/strip.h"
#include "libs/base/cell.h"
#include "libs/rpc/cells.h"
#include "services/admin/transport/admin_service.h"

namespace tarot::admin_service {

namespace rv = ::tarot::rules::v1;

Upstreams::Upstreams(const Channels& channels, const rpc::Authenticator& identity,
                     rpc::CallMetrics& metrics)
    : identity_(identity),
      metrics_(metrics),
      matchmaking("matchmaking", channels.matchmaking, identity, metrics, pending_),
      players("ratings", channels.ratings, identity, metrics, pending_),
      ladders("ratings", channels.ratings, identity, metrics, pending_),
      ratings("ratings", channels.ratings, identity, metrics, pending_) {
  for (const auto& [cell, channel] : channels.rules) {
    tables.emplace(std::piecewise_construct, std::forward_as_tuple(cell),
                   std::forward_as_tuple("rules", channel, identity, metrics, pending_));
    nodes.emplace(std::piecewise_construct, std::forward_as_tuple(cell),
                  std::forward_as_tuple("rules", channel, identity, metrics, pending_));
  }
}

Upstream<rv::TableAdminService>& Upstreams::CellOfTable(absl::string_view name) {
  const auto table = TableId::Parse(absl::StripPrefix(name, "tables/"));
  return rpc::CellOrFirst(tables, table ? CellOf(table->uuid) : 0);
}

std::map<int, absl::StatusOr<std::vector<std::string>>> Upstreams::RulesReplicas() {
  return AskEach(nodes, [this](Upstream<rv::NodeService>& cell) { return ReplicasOf(cell); });
}

absl::StatusOr<std::vector<std::string>> Upstreams::ReplicasOf(Upstream<rv::NodeService>& cell) {
  std::optional<grpc::ClientContext> context(std::in_place);
  identity_.Sign(*context, rpc::Caller{.service = "admin"});
  rpc::SetTimeout(*context, kUpstreamTimeout);
  if (!pending_.Add(context)) return error::ServiceAway("rules");
  const auto reader = cell.stub().WatchNodes(&*context, rv::WatchNodesRequest());
  rv::WatchNodesResponse list;
  const bool read = reader->Read(&list);
  context->TryCancel();
  (void)reader->Finish();  // Ends with CANCELLED, which is no error here.
  pending_.Remove(context);
  if (!read) return error::ServiceAway("rules");
  std::vector<std::string> addresses;
  for (const rv::Node& node : list.nodes()) addresses.push_back(node.address());
  return addresses;
}

absl::StatusOr<int> Upstreams::SetDraining(const std::string& address, bool draining) {
  Upstream<rv::NodeService> replica("rules", rpc::MakeServiceChannel("rules", address), identity_,
                                    metrics_, pending_);
  rv::SetDrainingRequest request;
  request.set_draining(draining);
  TAROT_ASSIGN_OR_RETURN(const rv::SetDrainingResponse response,
                         replica.Call(&rv::NodeService::Stub::SetDraining, "SetDraining", request));
  return static_cast<int>(response.table_count());
}

}  // namespace tarot::admin_service
