// Declares the gRPC service AdminService, and the clients with which it calls rules, matchmaking
// and ratings.
#pragma once

#include <grpcpp/grpcpp.h>

#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/base/clock.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/call.h"
#include "libs/rpc/call_metrics.h"
#include "libs/rpc/dispatcher.h"
#include "libs/rpc/pending_calls.h"
#include "libs/status/wire.h"
#include "services/admin/app/admin_store.h"
#include "services/admin/app/audit_log.h"
#include "services/admin/app/errors.h"
#include "services/admin/limits.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.grpc.pb.h"
#include "tarot/ratings/v1/ladder_admin_service.grpc.pb.h"
#include "tarot/ratings/v1/player_admin_service.grpc.pb.h"
#include "tarot/ratings/v1/rating_service.grpc.pb.h"
#include "tarot/rules/v1/node_service.grpc.pb.h"
#include "tarot/rules/v1/table_admin_service.grpc.pb.h"

namespace tarot::admin_service {

// A client of one gRPC service. `Grpc` is the generated class of this service. Thread-safe.
template <typename Grpc>
class Upstream {
 public:
  // `service` is the name of the service for error messages, for example "rules". The references
  // must outlive this object.
  Upstream(std::string service, const std::shared_ptr<grpc::Channel>& channel,
           const rpc::Authenticator& identity, rpc::CallMetrics& metrics,
           rpc::PendingCalls& pending)
      : service_(std::move(service)),
        stub_(Grpc::NewStub(channel)),
        identity_(identity),
        metrics_(metrics),
        pending_(pending) {}

  // Makes a unary call and waits for the answer. Returns UNAVAILABLE SERVICE_AWAY if the other
  // service does not answer.
  template <typename Request, typename Response>
  absl::StatusOr<Response> Call(grpc::Status (Grpc::Stub::*method)(grpc::ClientContext*,
                                                                   const Request&, Response*),
                                const char* name, const Request& request,
                                absl::Duration timeout = kUpstreamTimeout) {
    const rpc::MethodMetrics metrics =
        metrics_.Method(absl::StrCat(Grpc::service_full_name(), "/", name));
    std::optional<grpc::ClientContext> context(std::in_place);
    identity_.Sign(*context, rpc::Caller{.service = "admin"});
    rpc::SetTimeout(*context, timeout);
    if (!pending_.Add(context)) return error::ServiceAway(service_);
    const Stopwatch watch;
    metrics.Started();
    metrics.MessageSent();
    Response response;
    const grpc::Status status = (stub_.get()->*method)(&*context, request, &response);
    metrics.Handled(static_cast<absl::StatusCode>(status.error_code()), watch.Elapsed());
    if (status.ok()) metrics.MessageReceived();
    pending_.Remove(context);
    if (status.ok()) return response;
    // An error without details comes from gRPC, and not from the other service.
    if (status.error_details().empty()) return error::ServiceAway(service_);
    return status::FromGrpc(status);
  }

  typename Grpc::Stub& stub() { return *stub_; }

 private:
  const std::string service_;
  const std::unique_ptr<typename Grpc::Stub> stub_;
  const rpc::Authenticator& identity_;
  rpc::CallMetrics& metrics_;
  rpc::PendingCalls& pending_;
};

// Calls `ask` for all cells at the same time, and returns the answers by cell. So several cells
// that do not answer cost the time of one.
template <typename Grpc, typename Ask>
auto AskEach(std::map<int, Upstream<Grpc>>& cells, const Ask& ask) {
  using Answer = decltype(ask(cells.begin()->second));
  std::map<int, std::future<Answer>> asked;
  for (auto& [cell, upstream] : cells) {
    asked[cell] = std::async(std::launch::async, [&ask, &upstream] { return ask(upstream); });
  }
  std::map<int, Answer> answers;
  for (auto& [cell, answer] : asked) answers.emplace(cell, answer.get());
  return answers;
}

// Thread-safe. Every method waits for the answers.
class Upstreams {
 public:
  struct Channels {
    std::map<int, std::shared_ptr<grpc::Channel>> rules;  // By cell; at least one.
    std::shared_ptr<grpc::Channel> matchmaking, ratings;
  };

  // The references must outlive this object.
  Upstreams(const Channels& channels, const rpc::Authenticator& identity,
            rpc::CallMetrics& metrics);

  // Returns the replicas of rules of each cell: the addresses on their list, or UNAVAILABLE
  // SERVICE_AWAY if the cell does not answer.
  std::map<int, absl::StatusOr<std::vector<std::string>>> RulesReplicas();

  // Returns the cell of the table `name`. Without such a cell, returns the first cell, which does
  // not know the table.
  Upstream<tarot::rules::v1::TableAdminService>& CellOfTable(absl::string_view name);

  // Drains the replica of rules at `address`, or ends its drain. Returns the number of tables in
  // play that the replica holds.
  absl::StatusOr<int> SetDraining(const std::string& address, bool draining);

  // Cancels the calls in flight. Later calls return SERVICE_AWAY.
  void Stop() { pending_.Stop(); }

 private:
  absl::StatusOr<std::vector<std::string>> ReplicasOf(
      Upstream<tarot::rules::v1::NodeService>& cell);

  const rpc::Authenticator& identity_;
  rpc::CallMetrics& metrics_;
  rpc::PendingCalls pending_;

 public:
  std::map<int, Upstream<tarot::rules::v1::TableAdminService>> tables;  // By cell.
  std::map<int, Upstream<tarot::rules::v1::NodeService>> nodes;         // By cell.
  Upstream<tarot::matchmaking::v1::MatchmakingAdminService> matchmaking;
  Upstream<tarot::ratings::v1::PlayerAdminService> players;
  Upstream<tarot::ratings::v1::LadderAdminService> ladders;
  Upstream<tarot::ratings::v1::RatingService> ratings;
};

// Makes AdminService. Each of its handlers stores the call of the operator. Most of them then call
// the service that does the work. `dispatcher` must check the tokens of operators. The references
// must outlive the result.
std::unique_ptr<grpc::Service> MakeAdminService(AuditLog& audit, AdminStore& store,
                                                Upstreams& upstreams, Clock& clock,
                                                Scheduler& scheduler, rpc::Dispatcher& dispatcher);

}  // namespace tarot::admin_service
