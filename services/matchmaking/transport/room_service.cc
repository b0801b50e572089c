#include "services/matchmaking/transport/room_service.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/wire/rule_set.h"
#include "libs/wire/values.h"
#include "services/matchmaking/app/errors.h"
#include "services/matchmaking/limits.h"
#include "services/matchmaking/transport/convert.h"
#include "services/matchmaking/transport/watch_streams.h"
#include "tarot/matchmaking/v1/room_service.grpc.pb.h"

namespace tarot::matchmaking_service {
namespace {

namespace v1 = matchmaking::v1;
using rpc::Access;
using rpc::Caller;

absl::StatusOr<RoomId> DecodeRoomName(absl::string_view name) {
  return wire::DecodeName<RoomId>(name, "rooms/", "name");
}

absl::StatusOr<MatchTerms> DecodeTerms(const v1::RoomTerms& in) {
  if (in.rule_set().empty() && !in.has_rules()) {
    return error::FieldInvalid("terms.rule_set", "required unless terms.rules is set");
  }
  TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, wire::RuleSetOf(in, "terms.rules"));
  MatchTerms terms{.rule_set = in.rule_set(), .deal_count = DecodeCount(in.deal_count())};
  if (in.has_rules()) {
    // If a named rule set has the same values, the message gets the name of this rule set and no
    // values.
    terms.rule_set = rules::NearestRuleSetText(rules);
    if (rules::FindRuleSet(terms.rule_set) == nullptr) terms.rules = rules;
  }
  if (in.deal_count() == 0) terms.deal_count = rules.end_default;
  TAROT_ASSIGN_OR_RETURN(terms.move_limit, DecodeClock(in.move_limit(), "terms.move_limit"));
  TAROT_ASSIGN_OR_RETURN(terms.time_bank, DecodeClock(in.time_bank(), "terms.time_bank"));
  terms.take_back = in.options().take_back();
  terms.breaks = in.options().breaks();
  return terms;
}

absl::StatusOr<RoomVisibility> DecodeVisibility(v1::Room::Visibility visibility) {
  switch (visibility) {
    case v1::Room::PRIVATE:
      return RoomVisibility::kPrivate;
    case v1::Room::OPEN:
      return RoomVisibility::kOpen;
    default:
      return error::FieldInvalid("visibility", "must be PRIVATE or OPEN");
  }
}

absl::StatusOr<NewRoom> DecodeNewRoom(const Caller& caller, const v1::CreateRoomRequest& in) {
  NewRoom room{.host = caller.player,
               .display_name = caller.display_name,
               .player_count = DecodeCount(in.terms().player_count())};
  TAROT_ASSIGN_OR_RETURN(room.request_id, DecodeRequestId(in.request_id()));
  TAROT_ASSIGN_OR_RETURN(room.visibility, DecodeVisibility(in.visibility()));
  TAROT_ASSIGN_OR_RETURN(room.terms, DecodeTerms(in.terms()));
  return room;
}

absl::StatusOr<RoomJoining> DecodeJoining(const Caller& caller, const v1::JoinRoomRequest& in) {
  RoomJoining joining{.player = caller.player,
                      .display_name = caller.display_name,
                      .code = absl::AsciiStrToUpper(in.code())};
  TAROT_ASSIGN_OR_RETURN(joining.request_id, DecodeRequestId(in.request_id()));
  if (in.name().empty() == in.code().empty()) {
    return error::FieldInvalid("code", "must be set if name is unset, and unset if name is set");
  }
  if (in.name().empty()) {
    const bool fits = joining.code.size() == kRoomCodeLength &&
                      joining.code.find_first_not_of(kRoomCodeCharacters) == std::string::npos;
    if (!fits) return error::CodeNotFound();
    return joining;
  }
  TAROT_ASSIGN_OR_RETURN(joining.room, DecodeRoomName(in.name()));
  if (joining.room.empty()) return error::RoomNotFound();
  return joining;
}

std::string PageToken(const RoomKey& key) {
  return absl::WebSafeBase64Escape(
      absl::StrCat(absl::ToUnixMicros(key.create_time), " ", key.room.ToString()));
}

absl::StatusOr<RoomKey> DecodePageToken(const std::string& token) {
  constexpr std::int64_t kYear10000Micros = 253'402'300'800'000'000;
  std::string text;
  std::int64_t micros = 0;
  if (absl::WebSafeBase64Unescape(token, &text)) {
    const std::vector<std::string> parts = absl::StrSplit(text, ' ');
    if (parts.size() == 2 && absl::SimpleAtoi(parts[0], &micros) && micros >= 0 &&
        micros < kYear10000Micros) {
      if (const std::optional<RoomId> room = RoomId::Parse(parts[1])) {
        return RoomKey{.create_time = absl::FromUnixMicros(micros), .room = *room};
      }
    }
  }
  return error::FieldInvalid("page_token", "must be a token that this method returned");
}

absl::StatusOr<RoomPage> DecodePage(const Caller& caller, const v1::ListRoomsRequest& in) {
  RoomPage page{.player = caller.player, .size = in.page_size()};
  switch (in.filter()) {
    case v1::ListRoomsRequest::FILTER_UNSPECIFIED:
    case v1::ListRoomsRequest::OPEN_SEATS:
      page.filter = RoomPage::Filter::kOpenSeats;
      break;
    case v1::ListRoomsRequest::INVITED:
      page.filter = RoomPage::Filter::kInvited;
      break;
    case v1::ListRoomsRequest::MINE:
      page.filter = RoomPage::Filter::kMine;
      break;
    default:
      return error::FieldInvalid("filter", "must be a value of Filter");
  }
  if (page.size == 0) page.size = kRoomPageDefault;
  if (page.size < 0 || page.size > kRoomPageMax) {
    return error::FieldInvalid("page_size", absl::StrCat("must be from 1 to ", kRoomPageMax));
  }
  if (!in.page_token().empty()) {
    TAROT_ASSIGN_OR_RETURN(page.after, DecodePageToken(in.page_token()));
  }
  return page;
}

v1::Room::State EncodeState(RoomState state) {
  switch (state) {
    case RoomState::kGathering:
      return v1::Room::GATHERING;
    case RoomState::kStarting:
      return v1::Room::STARTING;
    case RoomState::kPlaying:
      return v1::Room::PLAYING;
    case RoomState::kEnded:
      return v1::Room::ENDED;
  }
  return v1::Room::STATE_UNSPECIFIED;
}

void EncodeTerms(const MatchTerms& terms, int player_count, v1::RoomTerms* out) {
  out->set_rule_set(terms.rule_set);
  if (terms.rules) wire::EncodeRuleSet(*terms.rules, out->mutable_rules());
  out->set_player_count(Count(player_count));
  out->set_deal_count(Count(terms.deal_count));
  wire::EncodeDuration(terms.move_limit, out->mutable_move_limit());
  wire::EncodeDuration(terms.time_bank, out->mutable_time_bank());
  if (terms.take_back) out->mutable_options()->set_take_back(true);
  if (terms.breaks) out->mutable_options()->set_breaks(true);
}

// Encodes the members that only the players in the room may see.
void EncodeForMember(const Room& room, int seat, v1::Room* out) {
  out->set_viewer(Count(seat));
  out->set_code(room.code);
  const TableId table = room.MadeTable();
  if (!table.empty()) out->set_table(absl::StrCat("tables/", table.ToString()));
  for (const PlayerId player : room.invited) {
    out->add_invited(absl::StrCat("players/", player.ToString()));
  }
}

void EncodeRoom(const RoomView& view, v1::Room* out) {
  const Room& room = view.room;
  out->set_name(absl::StrCat("rooms/", room.id.ToString()));
  out->set_state(EncodeState(room.state));
  if (room.seats.empty()) return;  // The store has forgotten the room.
  out->set_visibility(room.visibility == RoomVisibility::kOpen ? v1::Room::OPEN
                                                               : v1::Room::PRIVATE);
  EncodeTerms(room.terms, static_cast<int>(room.seats.size()), out->mutable_terms());
  wire::EncodeTime(room.create_time, out->mutable_create_time());
  if (room.state == RoomState::kEnded) return;
  for (const RoomSeat& seat : room.seats) {
    v1::RoomSeat* const encoded = out->add_seats();
    if (seat.free()) continue;
    encoded->set_player(absl::StrCat("players/", seat.player.ToString()));
    encoded->set_display_name(seat.display_name);
    encoded->set_bot_level(seat.bot_level);
  }
  out->set_host_seat(Count(room.host_seat));
  out->set_start_refused(room.start_refused);
  if (view.viewer) EncodeForMember(room, *view.viewer, out);
}

void ShowOn(const RoomView& view, rpc::WatchStream<v1::WatchRoomResponse>& stream) {
  const bool ended = view.room.state == RoomState::kEnded;
  if (!ended && !view.viewer) return stream.Close(error::RoomNotFound());
  v1::WatchRoomResponse response;
  EncodeRoom(view, response.mutable_room());
  stream.Offer(std::move(response));
  if (ended) stream.Close(absl::OkStatus());
}

class RoomServiceHandler final : public v1::RoomService::CallbackService,
                                 public MatchmakingHandler {
 public:
  RoomServiceHandler(RoomService& rooms, rpc::Dispatcher& dispatcher)
      : rooms_(rooms),
        dispatcher_(dispatcher),
        streams_(dispatcher, "tarot.matchmaking.v1.RoomService/WatchRoom", ShowOn) {}

  grpc::Service& service() override { return *this; }
  void EndWatches() override { streams_.End(); }

  grpc::ServerUnaryReactor* CreateRoom(grpc::CallbackServerContext* context,
                                       const v1::CreateRoomRequest* request,
                                       v1::CreateRoomResponse* response) override {
    return Answer("tarot.matchmaking.v1.RoomService/CreateRoom", context, response,
                  [=, this](const Caller& caller) -> absl::StatusOr<RoomView> {
                    TAROT_ASSIGN_OR_RETURN(const NewRoom room, DecodeNewRoom(caller, *request));
                    return rooms_.Create(room);
                  });
  }

  grpc::ServerUnaryReactor* GetRoom(grpc::CallbackServerContext* context,
                                    const v1::GetRoomRequest* request,
                                    v1::GetRoomResponse* response) override {
    return Answer("tarot.matchmaking.v1.RoomService/GetRoom", context, response,
                  [=, this](const Caller& caller) -> absl::StatusOr<RoomView> {
                    TAROT_ASSIGN_OR_RETURN(const RoomId id, DecodeRoomName(request->name()));
                    return rooms_.Get(caller.player, id);
                  });
  }

  grpc::ServerUnaryReactor* ListRooms(grpc::CallbackServerContext* context,
                                      const v1::ListRoomsRequest* request,
                                      v1::ListRoomsResponse* response) override {
    return dispatcher_.Unary(
        context, "tarot.matchmaking.v1.RoomService/ListRooms", Access::kPlayer,
        [=, this](const Caller& caller) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const RoomPage page, DecodePage(caller, *request));
          TAROT_ASSIGN_OR_RETURN(const RoomList list, rooms_.List(page, caller.display_name));
          for (const RoomView& view : list.rooms) EncodeRoom(view, response->add_rooms());
          if (list.next) response->set_next_page_token(PageToken(*list.next));
          return absl::OkStatus();
        });
  }

  grpc::ServerUnaryReactor* JoinRoom(grpc::CallbackServerContext* context,
                                     const v1::JoinRoomRequest* request,
                                     v1::JoinRoomResponse* response) override {
    return Answer("tarot.matchmaking.v1.RoomService/JoinRoom", context, response,
                  [=, this](const Caller& caller) -> absl::StatusOr<RoomView> {
                    TAROT_ASSIGN_OR_RETURN(const RoomJoining joining,
                                           DecodeJoining(caller, *request));
                    return rooms_.Join(joining);
                  });
  }

  grpc::ServerUnaryReactor* LeaveRoom(grpc::CallbackServerContext* context,
                                      const v1::LeaveRoomRequest* request,
                                      v1::LeaveRoomResponse*) override {
    return dispatcher_.Unary(
        context, "tarot.matchmaking.v1.RoomService/LeaveRoom", Access::kPlayer,
        [=, this](const Caller& caller) -> absl::Status {
          TAROT_ASSIGN_OR_RETURN(const RoomId id, DecodeRoomName(request->name()));
          PlayerId player = caller.player;
          if (!request->player().empty()) {
            TAROT_ASSIGN_OR_RETURN(player, DecodePlayerName(request->player(), "player"));
          }
          return rooms_.Leave(caller.player, id, player);
        });
  }

  grpc::ServerUnaryReactor* InvitePlayer(grpc::CallbackServerContext* context,
                                         const v1::InvitePlayerRequest* request,
                                         v1::InvitePlayerResponse* response) override {
    return Answer("tarot.matchmaking.v1.RoomService/InvitePlayer", context, response,
                  [=, this](const Caller& caller) -> absl::StatusOr<RoomView> {
                    TAROT_ASSIGN_OR_RETURN(const RoomId id, DecodeRoomName(request->name()));
                    TAROT_ASSIGN_OR_RETURN(const PlayerId guest,
                                           DecodePlayerName(request->player(), "player"));
                    return rooms_.Invite(caller.player, id, guest);
                  });
  }

  grpc::ServerUnaryReactor* SetBot(grpc::CallbackServerContext* context,
                                   const v1::SetBotRequest* request,
                                   v1::SetBotResponse* response) override {
    return Answer("tarot.matchmaking.v1.RoomService/SetBot", context, response,
                  [=, this](const Caller& caller) -> absl::StatusOr<RoomView> {
                    TAROT_ASSIGN_OR_RETURN(const RoomId id, DecodeRoomName(request->name()));
                    return rooms_.SetBot(caller.player, id, DecodeCount(request->seat()),
                                         request->bot_level());
                  });
  }

  grpc::ServerUnaryReactor* StartMatch(grpc::CallbackServerContext* context,
                                       const v1::StartMatchRequest* request,
                                       v1::StartMatchResponse* response) override {
    return Answer("tarot.matchmaking.v1.RoomService/StartMatch", context, response,
                  [=, this](const Caller& caller) -> absl::StatusOr<RoomView> {
                    TAROT_ASSIGN_OR_RETURN(const RoomId id, DecodeRoomName(request->name()));
                    TAROT_ASSIGN_OR_RETURN(const RequestId request_id,
                                           DecodeRequestId(request->request_id()));
                    return rooms_.StartMatch(caller.player, id, request_id);
                  });
  }

  rpc::WriteCall<v1::WatchRoomResponse>* WatchRoom(grpc::CallbackServerContext* context,
                                                   const v1::WatchRoomRequest* request) override {
    return streams_.Open(*context, SubscribeTo(*request));
  }

 private:
  using Streams = WatchStreams<v1::WatchRoomResponse, RoomView>;

  absl::StatusOr<Streams::Subscribe> SubscribeTo(const v1::WatchRoomRequest& request) {
    TAROT_ASSIGN_OR_RETURN(const RoomId id, DecodeRoomName(request.name()));
    return [this, id](PlayerId player, const std::shared_ptr<const Streams::Watcher>& watcher) {
      return rooms_.Watch(player, id, watcher);
    };
  }

  // Answers a call with the room that the function `call` returns.
  template <typename Response, typename Call>
  grpc::ServerUnaryReactor* Answer(const char* method, grpc::CallbackServerContext* context,
                                   Response* response, Call call) {
    return dispatcher_.Unary(context, method, Access::kPlayer,
                             [=](const Caller& caller) -> absl::Status {
                               TAROT_ASSIGN_OR_RETURN(const RoomView view, call(caller));
                               EncodeRoom(view, response->mutable_room());
                               return absl::OkStatus();
                             });
  }

  RoomService& rooms_;
  rpc::Dispatcher& dispatcher_;
  Streams streams_;
};

}  // namespace

std::unique_ptr<MatchmakingHandler> MakeRoomService(RoomService& rooms,
                                                    rpc::Dispatcher& dispatcher) {
  return std::make_unique<RoomServiceHandler>(rooms, dispatcher);
}

}  // namespace tarot::matchmaking_service
