#include "services/gateway/transport/routes.h"

#include <google/protobuf/descriptor.h>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "tarot/bot/v1/analysis_service.pb.h"
#include "tarot/matchmaking/v1/matchmaking_service.pb.h"
#include "tarot/ratings/v1/rating_service.pb.h"
#include "tarot/rules/v1/record_service.pb.h"
#include "tarot/rules/v1/table_service.pb.h"

namespace tarot::gateway {
namespace {

constexpr absl::string_view kSubmitAction = "/tarot.rules.v1.TableService/SubmitAction";

// The service `name` of the file that also holds `Message`.
template <typename Message>
const google::protobuf::ServiceDescriptor& ServiceBeside(const char* name) {
  const auto* service = Message::descriptor()->file()->FindServiceByName(name);
  TAROT_CHECK(service != nullptr);
  return *service;
}

}  // namespace

void Routes::Add(const google::protobuf::ServiceDescriptor& service, Peer& peer,
                 rpc::CallMetrics& server, rpc::CallMetrics& client) {
  server.Register(service);
  client.Register(service);
  for (int i = 0; i < service.method_count(); ++i) {
    const google::protobuf::MethodDescriptor& method = *service.method(i);
    TAROT_CHECK(!method.client_streaming());  // Browsers are clients, too: they cannot do that.
    const std::string name = absl::StrCat(service.full_name(), "/", method.name());
    const std::string path = absl::StrCat("/", name);
    routes_[path] = std::make_unique<Route>(Route{.path = path,
                                                  .streaming = method.server_streaming(),
                                                  .move = path == kSubmitAction,
                                                  .peer = &peer,
                                                  .server = server.Method(name),
                                                  .client = client.Method(name)});
  }
}

const Route* Routes::Find(const std::string& path) const {
  const auto found = routes_.find(path);
  return found == routes_.end() ? nullptr : found->second.get();
}

void AddPlayerServices(Peer& rules, Peer& matchmaking, Peer& ratings, Peer& bot,
                       rpc::CallMetrics& server, rpc::CallMetrics& client, Routes& routes) {
  routes.Add(ServiceBeside<rules::v1::GetTableRequest>("TableService"), rules, server, client);
  routes.Add(ServiceBeside<rules::v1::GetRecordRequest>("RecordService"), rules, server, client);
  routes.Add(ServiceBeside<matchmaking::v1::GetTicketRequest>("MatchmakingService"), matchmaking,
             server, client);
  routes.Add(ServiceBeside<ratings::v1::GetRatingRequest>("RatingService"), ratings, server,
             client);
  routes.Add(ServiceBeside<bot::v1::AnalyzeDealRequest>("AnalysisService"), bot, server, client);
}

}  // namespace tarot::gateway
