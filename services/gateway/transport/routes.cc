#include "services/gateway/transport/routes.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/base/check.h"
#include "tarot/bot/v1/analysis_service.pb.h"
#include "tarot/matchmaking/v1/friend_service.pb.h"
#include "tarot/matchmaking/v1/matchmaking_service.pb.h"
#include "tarot/matchmaking/v1/room_service.pb.h"
#include "tarot/ratings/v1/rating_service.pb.h"
#include "tarot/rules/v1/record_service.pb.h"
#include "tarot/rules/v1/rule_set_service.pb.h"
#include "tarot/rules/v1/table_service.pb.h"

namespace tarot::gateway_service {
namespace {

constexpr absl::string_view kSubmitAction = "/tarot.rules.v1.TableService/SubmitAction";

constexpr absl::string_view kTablePrefix = "tables/";
constexpr std::size_t kNameBytes = kTablePrefix.size() + 36;
constexpr char kFieldOne = 1 << 3 | 2;  // The tag of field 1. The next byte is the length.

// Returns the service `name` of the proto file in which `Message` is defined.
template <typename Message>
const google::protobuf::ServiceDescriptor& ServiceBeside(const char* name) {
  const auto* service = Message::descriptor()->file()->FindServiceByName(name);
  TAROT_CHECK(service != nullptr);
  return *service;
}

const google::protobuf::Message* PrototypeOf(const google::protobuf::Descriptor& type) {
  return google::protobuf::MessageFactory::generated_factory()->GetPrototype(&type);
}

// Returns true for an expensive method. Such a method lists a page, reads a table's log
// (GetScoreSheet, GetRecord), or reads many deals of a player (GetPlayerStatistics).
bool IsList(const google::protobuf::MethodDescriptor& method) {
  return method.name() == "GetScoreSheet" || method.name() == "GetRecord" ||
         method.name() == "GetPlayerStatistics" ||
         method.input_type()->FindFieldByName("page_size") != nullptr;
}

}  // namespace

void Routes::Add(const google::protobuf::ServiceDescriptor& service, Upstream& upstream,
                 rpc::CallMetrics& server, rpc::CallMetrics& client) {
  server.Register(service);
  client.Register(service);
  for (int i = 0; i < service.method_count(); ++i) {
    const google::protobuf::MethodDescriptor& method = *service.method(i);
    // Browsers cannot stream to the server, so no such method may exist.
    TAROT_CHECK(!method.client_streaming());
    const std::string name = absl::StrCat(service.full_name(), "/", method.name());
    const std::string path = absl::StrCat("/", name);
    routes_[path] = std::make_unique<Route>(Route{.path = path,
                                                  .streaming = method.server_streaming(),
                                                  .move = path == kSubmitAction,
                                                  .list = IsList(method),
                                                  .request = PrototypeOf(*method.input_type()),
                                                  .upstream = &upstream,
                                                  .server = server.Method(name),
                                                  .client = client.Method(name)});
  }
}

const Route* Routes::Find(const std::string& path) const {
  const auto found = routes_.find(path);
  return found == routes_.end() ? nullptr : found->second.get();
}

void AddPlayerServices(Upstream& rules, Upstream& matchmaking, Upstream& ratings, Upstream& bot,
                       rpc::CallMetrics& server, rpc::CallMetrics& client, Routes& routes) {
  routes.Add(ServiceBeside<rules::v1::GetTableRequest>("TableService"), rules, server, client);
  routes.Add(ServiceBeside<rules::v1::GetRecordRequest>("RecordService"), rules, server, client);
  routes.Add(ServiceBeside<rules::v1::ListRuleSetsRequest>("RuleSetService"), rules, server,
             client);
  routes.Add(ServiceBeside<matchmaking::v1::GetTicketRequest>("MatchmakingService"), matchmaking,
             server, client);
  routes.Add(ServiceBeside<matchmaking::v1::GetRoomRequest>("RoomService"), matchmaking, server,
             client);
  routes.Add(ServiceBeside<matchmaking::v1::ListFriendsRequest>("FriendService"), matchmaking,
             server, client);
  routes.Add(ServiceBeside<ratings::v1::GetRatingRequest>("RatingService"), ratings, server,
             client);
  routes.Add(ServiceBeside<bot::v1::AnalyzeDealRequest>("AnalysisService"), bot, server, client);
}

bool IsWellFormed(const Route& route, const grpc::ByteBuffer& request) {
  if (route.move) return true;
  // Parsing consumes the buffer, so this code parses a copy. The copy shares the bytes of
  // `request`.
  grpc::ByteBuffer bytes = request;
  grpc::ProtoBufferReader reader(&bytes);
  google::protobuf::Arena arena;
  return route.request->New(&arena)->ParseFromZeroCopyStream(&reader);
}

std::optional<TableId> ParseTableName(absl::string_view name) {
  if (!absl::ConsumePrefix(&name, kTablePrefix)) return std::nullopt;
  return TableId::Parse(name);
}

namespace {

// Returns the table whose name the first field begins with. The field has kNameBytes to `bytes_max`
// bytes.
std::optional<TableId> PeekName(const grpc::ByteBuffer& request, std::size_t bytes_max) {
  std::vector<grpc::Slice> slices;
  if (!request.Dump(&slices).ok()) return std::nullopt;
  // gRPC may divide the bytes of a message at any place, as they came from the network.
  std::string bytes;
  for (std::size_t i = 0; i < slices.size() && bytes.size() < 2 + kNameBytes; ++i) {
    const std::size_t part = std::min(slices[i].size(), 2 + kNameBytes - bytes.size());
    bytes.append(reinterpret_cast<const char*>(slices[i].begin()), part);
  }
  if (bytes.size() < 2 + kNameBytes || bytes[0] != kFieldOne) return std::nullopt;
  const auto length = static_cast<std::size_t>(static_cast<unsigned char>(bytes[1]));
  if (length < kNameBytes || length > bytes_max) return std::nullopt;
  return ParseTableName(absl::string_view(bytes).substr(2));
}

}  // namespace

std::optional<TableId> PeekTable(const grpc::ByteBuffer& request) {
  return PeekName(request, kNameBytes);
}

std::optional<TableId> PeekTableOfName(const grpc::ByteBuffer& request) {
  // The length of a longer field has more than one byte.
  constexpr std::size_t kOneByteMax = 127;
  return PeekName(request, kOneByteMax);
}

}  // namespace tarot::gateway_service
