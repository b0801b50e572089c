#include "services/matchmaking/transport/matchmaking_service.h"

#include <google/protobuf/util/json_util.h>

#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "libs/base/error.h"
#include "libs/rpc/client_network.h"
#include "libs/wire/values.h"
#include "services/matchmaking/app/errors.h"
#include "services/matchmaking/app/room.h"
#include "services/matchmaking/limits.h"
#include "services/matchmaking/transport/convert.h"
#include "services/matchmaking/transport/friend_service.h"
#include "services/matchmaking/transport/watch_streams.h"
#include "tarot/matchmaking/v1/matchmaking_admin_service.grpc.pb.h"
#include "tarot/matchmaking/v1/matchmaking_service.grpc.pb.h"

namespace tarot::matchmaking_service {
namespace {

namespace v1 = matchmaking::v1;
using rpc::Access;
using rpc::Caller;

absl::StatusOr<TicketId> DecodeTicketName(absl::string_view name, absl::string_view field) {
  return wire::DecodeName<TicketId>(name, "tickets/", field);
}

absl::StatusOr<TableId> DecodeTableName(absl::string_view name, absl::string_view field) {
  return wire::DecodeName<TableId>(name, "tables/", field);
}

absl::StatusOr<Joining> DecodeJoining(const rpc::Caller& caller,
                                      const v1::CreateTicketRequest& request) {
  absl::string_view queue = request.queue();
  if (!absl::ConsumePrefix(&queue, "queues/") || queue.empty()) {
    return error::FieldInvalid("queue", "must be queues/{queue}");
  }
  TAROT_ASSIGN_OR_RETURN(const RequestId request_id, DecodeRequestId(request.request_id()));
  Joining joining{.player = caller.player,
                  .display_name = caller.display_name,
                  .queue = std::string(queue),
                  .request_id = request_id};
  if (!request.party().empty()) {
    TAROT_ASSIGN_OR_RETURN(joining.party,
                           wire::DecodeName<RoomId>(request.party(), "rooms/", "party"));
  }
  return joining;
}

v1::Ticket::State EncodeState(TicketState state) {
  switch (state) {
    case TicketState::kWaiting:
      return v1::Ticket::WAITING;
    case TicketState::kPlacing:
      return v1::Ticket::PLACING;
    case TicketState::kMatched:
      return v1::Ticket::MATCHED;
    case TicketState::kCancelled:
      return v1::Ticket::CANCELLED;
    case TicketState::kClosed:
      return v1::Ticket::CLOSED;
  }
  return v1::Ticket::STATE_UNSPECIFIED;
}

v1::Ticket::WaitReason EncodeReason(TicketWaitReason reason) {
  switch (reason) {
    case TicketWaitReason::kNone:
      return v1::Ticket::WAIT_REASON_UNSPECIFIED;
    case TicketWaitReason::kTooFewPlayers:
      return v1::Ticket::TOO_FEW_PLAYERS;
    case TicketWaitReason::kRatingsTooFar:
      return v1::Ticket::RATINGS_TOO_FAR;
    case TicketWaitReason::kMakingTable:
      return v1::Ticket::MAKING_TABLE;
    case TicketWaitReason::kNextWave:
      return v1::Ticket::NEXT_WAVE;
    case TicketWaitReason::kMetJustNow:
      return v1::Ticket::MET_JUST_NOW;
    case TicketWaitReason::kPartyIncomplete:
      return v1::Ticket::PARTY_INCOMPLETE;
    case TicketWaitReason::kBlocked:
      return v1::Ticket::BLOCKED;
    case TicketWaitReason::kKeptForPeople:
      return v1::Ticket::KEPT_FOR_PEOPLE;
    case TicketWaitReason::kSameNetwork:
      return v1::Ticket::SAME_ADDRESS;
    case TicketWaitReason::kFarAway:
      return v1::Ticket::FAR_AWAY;
  }
  return v1::Ticket::WAIT_REASON_UNSPECIFIED;
}

void EncodeQueue(const Queue& queue, int waiting_count, v1::Queue* out) {
  out->set_name(absl::StrCat("queues/", queue.id));
  out->set_display_name(queue.display_name);
  out->set_player_count(Count(queue.player_count));
  out->set_rule_set(queue.terms.rule_set);
  out->set_deal_count(Count(queue.terms.deal_count));
  wire::EncodeDuration(queue.terms.move_limit, out->mutable_move_limit());
  wire::EncodeDuration(queue.terms.time_bank, out->mutable_time_bank());
  out->set_ranked(queue.terms.ranked);
  if (queue.bot_fill_delay > absl::ZeroDuration()) {
    wire::EncodeDuration(queue.bot_fill_delay, out->mutable_bot_fill_delay());
  }
  out->set_waiting_count(Count(waiting_count));
  out->set_required_matches(Count(queue.required_matches));
}

void EncodeTicket(const TicketView& view, v1::Ticket* out) {
  const Ticket& ticket = view.ticket;
  out->set_name(absl::StrCat("tickets/", ticket.id.ToString()));
  out->set_queue(absl::StrCat("queues/", ticket.queue));
  if (!ticket.party.empty()) out->set_party(absl::StrCat("rooms/", ticket.party.ToString()));
  out->set_state(EncodeState(ticket.state));
  wire::EncodeTime(ticket.create_time, out->mutable_create_time());
  out->set_position(Count(view.position));
  out->set_waiting_count(Count(view.waiting_count));
  out->set_wait_reason(EncodeReason(view.wait_reason));
  out->set_rating_window(Count(view.rating_window));
  if (ticket.state == TicketState::kMatched || ticket.state == TicketState::kClosed) {
    out->set_table(absl::StrCat("tables/", ticket.table.ToString()));
  }
}

void EncodeExplanation(const TicketExplanation& explanation, v1::ExplainTicketResponse* out) {
  const Ticket& ticket = explanation.view.ticket;
  EncodeTicket(explanation.view, out->mutable_ticket());
  out->set_player(absl::StrCat("players/", ticket.player.ToString()));
  out->set_bot_level(ticket.bot_level);
  if (!explanation.wave_time) return;
  wire::EncodeTime(*explanation.wave_time, out->mutable_wave_time());
  out->set_rating(explanation.rating);
  const auto count = [&](matching::Obstacle obstacle) {
    const auto found = explanation.others.find(obstacle);
    return Count(found == explanation.others.end() ? 0 : found->second);
  };
  v1::ExplainTicketResponse::Others* const others = out->mutable_others();
  others->set_fitting(count(matching::Obstacle::kNone));
  others->set_ratings_too_far(count(matching::Obstacle::kRatingsTooFar));
  others->set_met_just_now(count(matching::Obstacle::kMetJustNow));
  others->set_blocked(count(matching::Obstacle::kBlocked));
  others->set_bots_only(count(matching::Obstacle::kBotsOnly));
  others->set_same_address(count(matching::Obstacle::kSameNetwork));
  others->set_far_away(count(matching::Obstacle::kFarAway));
  others->set_party_incomplete(count(matching::Obstacle::kPartyIncomplete));
  others->set_party_too_large(count(matching::Obstacle::kPartyTooLarge));
}

absl::StatusOr<Queue> DecodeQueue(const v1::Queue& queue, const std::string& path) {
  absl::string_view id = queue.name();
  if (!absl::ConsumePrefix(&id, "queues/")) {
    return error::FieldInvalid(path + ".name", "must be queues/{queue}");
  }
  if (queue.waiting_count() != 0) {
    return error::FieldInvalid(path + ".waiting_count", "must be unset");
  }
  Queue decoded{.id = std::string(id),
                .display_name = queue.display_name(),
                .player_count = DecodeCount(queue.player_count()),
                .terms = {.rule_set = queue.rule_set(),
                          .deal_count = DecodeCount(queue.deal_count()),
                          .ranked = queue.ranked()},
                .required_matches = DecodeCount(queue.required_matches())};
  TAROT_ASSIGN_OR_RETURN(decoded.terms.move_limit,
                         DecodeClock(queue.move_limit(), path + ".move_limit"));
  TAROT_ASSIGN_OR_RETURN(decoded.terms.time_bank,
                         DecodeClock(queue.time_bank(), path + ".time_bank"));
  TAROT_ASSIGN_OR_RETURN(decoded.bot_fill_delay,
                         DecodeClock(queue.bot_fill_delay(), path + ".bot_fill_delay"));
  return decoded;
}

absl::StatusOr<Catalog> DecodeCatalog(const v1::ApplyQueuesRequest& request) {
  Catalog catalog;
  for (const v1::Queue& queue : request.queues()) {
    const std::string path = absl::StrCat("queues[", catalog.queues.size(), "]");
    TAROT_ASSIGN_OR_RETURN(Queue decoded, DecodeQueue(queue, path));
    catalog.queues.push_back(std::move(decoded));
  }
  for (const v1::HouseBot& bot : request.bots()) {
    const std::string field = absl::StrCat("bots[", catalog.bots.size(), "].player");
    TAROT_ASSIGN_OR_RETURN(const PlayerId player, DecodePlayerName(bot.player(), field));
    catalog.bots.push_back(
        {.player = player, .display_name = bot.display_name(), .level = bot.level()});
  }
  for (const v1::RoundTrip& trip : request.round_trips()) {
    catalog.round_trips.push_back({.region = trip.region(),
                                   .other_region = trip.other_region(),
                                   .milliseconds = DecodeCount(trip.milliseconds())});
  }
  return catalog;
}

// Sends the view. If the ticket is matched, cancelled or closed, also closes the stream.
void ShowOn(const TicketView& view, rpc::WatchStream<v1::WatchTicketResponse>& stream) {
  v1::WatchTicketResponse response;
  EncodeTicket(view, response.mutable_ticket());
  stream.Offer(std::move(response));
  const TicketState state = view.ticket.state;
  if (state != TicketState::kWaiting && state != TicketState::kPlacing) {
    stream.Close(absl::OkStatus());
  }
}

class MatchmakingServiceHandler final : public v1::MatchmakingService::CallbackService,
                                        public MatchmakingHandler {
 public:
  MatchmakingServiceHandler(TicketService& tickets, RoomService& rooms, rpc::Dispatcher& dispatcher)
      : tickets_(tickets),
        rooms_(rooms),
        dispatcher_(dispatcher),
        streams_(dispatcher, "tarot.matchmaking.v1.MatchmakingService/WatchTicket", ShowOn) {}

  grpc::Service& service() override { return *this; }
  void EndWatches() override { streams_.End(); }

  grpc::ServerUnaryReactor* ListQueues(grpc::CallbackServerContext* context,
                                       const v1::ListQueuesRequest*,
                                       v1::ListQueuesResponse* response) override {
    return dispatcher_.Unary(context, "tarot.matchmaking.v1.MatchmakingService/ListQueues",
                             Access::kPlayer, [=, this](const Caller&) {
                               for (const Queue& queue : tickets_.catalog()->queues) {
                                 EncodeQueue(queue, tickets_.WaitingCount(queue),
                                             response->add_queues());
                               }
                               return absl::OkStatus();
                             });
  }

  grpc::ServerUnaryReactor* CreateTicket(grpc::CallbackServerContext* context,
                                         const v1::CreateTicketRequest* request,
                                         v1::CreateTicketResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.matchmaking.v1.MatchmakingService/CreateTicket", Access::kPlayer,
        [=, this](const Caller& caller) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(Joining joining, DecodeJoining(caller, *request));
          joining.network = rpc::ClientNetworkOf(*context);
          joining.region = rpc::ClientRegionOf(*context);
          if (!joining.party.empty()) {
            // A repeated request must get its ticket, even if other persons sit in the room now. So
            // this code looks for the ticket before it checks the party.
            TAROT_ASSIGN_OR_RETURN(const std::optional<TicketView> first,
                                   tickets_.FindRequest(joining.player, joining.request_id));
            if (first) {
              EncodeTicket(*first, response->mutable_ticket());
              return absl::OkStatus();
            }
            TAROT_ASSIGN_OR_RETURN(joining.party_size,
                                   rooms_.PartySize(caller.player, joining.party));
          }
          TAROT_ASSIGN_OR_RETURN(const TicketView view, tickets_.Create(joining));
          EncodeTicket(view, response->mutable_ticket());
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* GetTicket(grpc::CallbackServerContext* context,
                                      const v1::GetTicketRequest* request,
                                      v1::GetTicketResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.matchmaking.v1.MatchmakingService/GetTicket", Access::kPlayer,
        [=, this](const Caller& caller) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const TicketId id, DecodeTicketName(request->name(), "name"));
          TAROT_ASSIGN_OR_RETURN(const TicketView view, tickets_.Get(caller.player, id));
          EncodeTicket(view, response->mutable_ticket());
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* DeleteTicket(grpc::CallbackServerContext* context,
                                         const v1::DeleteTicketRequest* request,
                                         v1::DeleteTicketResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.matchmaking.v1.MatchmakingService/DeleteTicket", Access::kPlayer,
        [=, this](const Caller& caller) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const TicketId id, DecodeTicketName(request->name(), "name"));
          TAROT_ASSIGN_OR_RETURN(const TicketView view, tickets_.Cancel(caller.player, id));
          EncodeTicket(view, response->mutable_ticket());
          return absl::OkStatus();
        });
  }

  rpc::WriteCall<v1::WatchTicketResponse>* WatchTicket(
      grpc::CallbackServerContext* context, const v1::WatchTicketRequest* request) override {
    return streams_.Open(*context, SubscribeTo(*request));
  }

 private:
  using Streams = WatchStreams<v1::WatchTicketResponse, TicketView>;

  absl::StatusOr<Streams::Subscribe> SubscribeTo(const v1::WatchTicketRequest& request) {
    TAROT_ASSIGN_OR_RETURN(const TicketId id, DecodeTicketName(request.name(), "name"));
    return [this, id](PlayerId player, const std::shared_ptr<const Streams::Watcher>& watcher) {
      return tickets_.Watch(player, id, watcher);
    };
  }

  TicketService& tickets_;
  RoomService& rooms_;
  rpc::Dispatcher& dispatcher_;
  Streams streams_;
};

class MatchmakingAdminServiceHandler final : public v1::MatchmakingAdminService::CallbackService {
 public:
  MatchmakingAdminServiceHandler(TicketService& tickets, QueueCatalog& catalog, RoomService& rooms,
                                 FriendService& friends, rpc::Dispatcher& dispatcher)
      : tickets_(tickets),
        catalog_(catalog),
        rooms_(rooms),
        friends_(friends),
        dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* ReleaseTable(grpc::CallbackServerContext* context,
                                         const v1::ReleaseTableRequest* request,
                                         v1::ReleaseTableResponse*) override {
    return dispatcher_.Unary(
        context, "tarot.matchmaking.v1.MatchmakingAdminService/ReleaseTable", Access::kService,
        [=, this](const Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const TableId table, DecodeTableName(request->table(), "table"));
          std::vector<PlayerId> left;
          for (const std::string& player : request->left_players()) {
            TAROT_ASSIGN_OR_RETURN(const PlayerId id, DecodePlayerName(player, "left_players"));
            left.push_back(id);
          }
          return tickets_.Release(table, std::move(left));
        });
  }

  grpc::ServerUnaryReactor* ApplyQueues(grpc::CallbackServerContext* context,
                                        const v1::ApplyQueuesRequest* request,
                                        v1::ApplyQueuesResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.matchmaking.v1.MatchmakingAdminService/ApplyQueues", Access::kService,
        [=, this](const Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const Catalog catalog, DecodeCatalog(*request));
          TAROT_ASSIGN_OR_RETURN(const std::vector<std::string> changes, catalog_.Apply(catalog));
          for (const std::string& change : changes) response->add_changes(change);
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* ListHouseBots(grpc::CallbackServerContext* context,
                                          const v1::ListHouseBotsRequest*,
                                          v1::ListHouseBotsResponse* response) override {
    return dispatcher_.Unary(context, "tarot.matchmaking.v1.MatchmakingAdminService/ListHouseBots",
                             Access::kService, [=, this](const Caller&) -> absl::Status {
                               std::vector<Bot> bots = catalog_.Get()->bots;
                               for (const Bot& bot : RoomBots()) bots.push_back(bot);
                               for (const Bot& bot : bots) {
                                 v1::HouseBot* const out = response->add_bots();
                                 out->set_player(absl::StrCat("players/", bot.player.ToString()));
                                 out->set_display_name(bot.display_name);
                                 out->set_level(bot.level);
                               }
                               return absl::OkStatus();
                             });
  }

  grpc::ServerUnaryReactor* MarkOnline(grpc::CallbackServerContext* context,
                                       const v1::MarkOnlineRequest* request,
                                       v1::MarkOnlineResponse*) override {
    return dispatcher_.Unary(
        context, "tarot.matchmaking.v1.MatchmakingAdminService/MarkOnline", Access::kService,
        [=, this](const Caller&) -> absl::Status {
          if (request->players().empty() || request->players_size() > kPlayersMarkedMax) {
            return error::FieldInvalid("players", absl::StrCat("must be 1 to ", kPlayersMarkedMax));
          }
          std::vector<PlayerId> players;
          for (const std::string& player : request->players()) {
            TAROT_ASSIGN_OR_RETURN(const PlayerId id, DecodePlayerName(player, "players"));
            players.push_back(id);
          }
          return friends_.MarkOnline(players);
        });
  }

  grpc::ServerUnaryReactor* ExplainTicket(grpc::CallbackServerContext* context,
                                          const v1::ExplainTicketRequest* request,
                                          v1::ExplainTicketResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.matchmaking.v1.MatchmakingAdminService/ExplainTicket", Access::kService,
        [=, this](const Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const TicketId id, DecodeTicketName(request->name(), "name"));
          TAROT_ASSIGN_OR_RETURN(const TicketExplanation explanation, tickets_.Explain(id));
          EncodeExplanation(explanation, response);
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* ListReports(grpc::CallbackServerContext* context,
                                        const v1::ListReportsRequest* request,
                                        v1::ListReportsResponse* response) override {
    return dispatcher_.Unary(context, "tarot.matchmaking.v1.MatchmakingAdminService/ListReports",
                             Access::kService, [=, this](const Caller&) -> absl::Status {
                               return AnswerListReports(friends_, *request, response);
                             });
  }

  grpc::ServerUnaryReactor* SetQueueOpen(grpc::CallbackServerContext* context,
                                         const v1::SetQueueOpenRequest* request,
                                         v1::SetQueueOpenResponse* response) override {
    return dispatcher_.Unary(context, "tarot.matchmaking.v1.MatchmakingAdminService/SetQueueOpen",
                             Access::kService, [=, this](const Caller&) -> absl::Status {
                               absl::string_view queue = request->name();
                               if (!absl::ConsumePrefix(&queue, "queues/")) {
                                 return error::FieldInvalid("name", "must be queues/{queue}");
                               }
                               TAROT_ASSIGN_OR_RETURN(
                                   const int cancelled,
                                   tickets_.SetQueueOpen(std::string(queue), request->open()));
                               response->set_cancelled_count(Count(cancelled));
                               return absl::OkStatus();
                             });
  }

  grpc::ServerUnaryReactor* WithdrawTickets(grpc::CallbackServerContext* context,
                                            const v1::WithdrawTicketsRequest* request,
                                            v1::WithdrawTicketsResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.matchmaking.v1.MatchmakingAdminService/WithdrawTickets", Access::kService,
        [=, this](const Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const PlayerId player,
                                 DecodePlayerName(request->player(), "player"));
          TAROT_ASSIGN_OR_RETURN(const int withdrawn, tickets_.Withdraw(player));
          response->set_cancelled_count(Count(withdrawn));
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* ExportPlayer(grpc::CallbackServerContext* context,
                                         const v1::ExportPlayerRequest* request,
                                         v1::ExportPlayerResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.matchmaking.v1.MatchmakingAdminService/ExportPlayer", Access::kService,
        [=, this](const Caller&) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const PlayerId player,
                                 DecodePlayerName(request->player(), "player"));
          TAROT_ASSIGN_OR_RETURN(*response->mutable_json(), friends_.Export(player));
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* DeletePlayer(grpc::CallbackServerContext* context,
                                         const v1::DeletePlayerRequest* request,
                                         v1::DeletePlayerResponse*) override {
    return dispatcher_.Unary(context, "tarot.matchmaking.v1.MatchmakingAdminService/DeletePlayer",
                             Access::kService, [=, this](const Caller&) -> absl::Status {
                               TAROT_ASSIGN_OR_RETURN(
                                   const PlayerId player,
                                   DecodePlayerName(request->player(), "player"));
                               TAROT_RETURN_IF_ERROR(tickets_.Withdraw(player).status());
                               TAROT_RETURN_IF_ERROR(rooms_.LeaveAll(player));
                               return friends_.Delete(player);
                             });
  }

  grpc::ServerUnaryReactor* SetPopulation(grpc::CallbackServerContext* context,
                                          const v1::SetPopulationRequest* request,
                                          v1::SetPopulationResponse* response) override {
    return dispatcher_.Unary(context, "tarot.matchmaking.v1.MatchmakingAdminService/SetPopulation",
                             Access::kService, [=, this](const Caller&) -> absl::Status {
                               TAROT_ASSIGN_OR_RETURN(
                                   const int before,
                                   catalog_.SetPopulation(DecodeCount(request->population())));
                               response->set_previous_population(Count(before));
                               return absl::OkStatus();
                             });
  }

 private:
  TicketService& tickets_;
  QueueCatalog& catalog_;
  RoomService& rooms_;
  FriendService& friends_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace

std::unique_ptr<MatchmakingHandler> MakeMatchmakingService(TicketService& tickets,
                                                           RoomService& rooms,
                                                           rpc::Dispatcher& dispatcher) {
  return std::make_unique<MatchmakingServiceHandler>(tickets, rooms, dispatcher);
}

std::unique_ptr<grpc::Service> MakeMatchmakingAdminService(TicketService& tickets,
                                                           QueueCatalog& catalog,
                                                           RoomService& rooms,
                                                           FriendService& friends,
                                                           rpc::Dispatcher& dispatcher) {
  return std::make_unique<MatchmakingAdminServiceHandler>(tickets, catalog, rooms, friends,
                                                          dispatcher);
}

absl::StatusOr<v1::ApplyQueuesRequest> ReadQueuesFile(const std::string& path) {
  std::ifstream in(path);
  const std::string json{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) return error::FileUnreadable(path);
  v1::ApplyQueuesRequest request;
  const auto parsed = google::protobuf::util::JsonStringToMessage(json, &request);
  if (!parsed.ok()) {
    return error::FieldInvalid(path, std::string(parsed.message()));
  }
  return request;
}

}  // namespace tarot::matchmaking_service
