#include "services/matchmaking/transport/friend_service.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/error.h"
#include "libs/wire/values.h"
#include "services/matchmaking/app/errors.h"
#include "services/matchmaking/limits.h"
#include "services/matchmaking/transport/convert.h"
#include "tarot/matchmaking/v1/friend_service.grpc.pb.h"

namespace tarot::matchmaking_service {
namespace {

namespace v1 = matchmaking::v1;
using rpc::Access;
using rpc::Caller;

absl::Status BadPageToken() {
  return error::FieldInvalid("page_token", "must be a token that this method returned");
}

absl::StatusOr<int> DecodePageSize(int size) {
  if (size == 0) return kFriendPageDefault;
  if (size < 0 || size > kFriendPageMax) {
    return error::FieldInvalid("page_size", absl::StrCat("must be at most ", kFriendPageMax));
  }
  return size;
}

// Returns the parts of a page token. If the token does not have the right form, returns nothing.
std::vector<std::string> TokenParts(const std::string& token) {
  std::string text;
  if (!absl::WebSafeBase64Unescape(token, &text)) return {};
  return absl::StrSplit(text, ' ');
}

std::string FriendToken(const FriendKey& key) {
  return absl::WebSafeBase64Escape(
      absl::StrCat(static_cast<int>(key.relation), " ", key.player.ToString()));
}

absl::StatusOr<std::optional<FriendKey>> DecodeFriendToken(const std::string& token) {
  if (token.empty()) return std::nullopt;
  const std::vector<std::string> parts = TokenParts(token);
  int relation = 0;
  const bool fits = parts.size() == 2 && absl::SimpleAtoi(parts[0], &relation) && relation >= 1 &&
                    relation <= static_cast<int>(Relation::kBlocked);
  const std::optional<PlayerId> player = fits ? PlayerId::Parse(parts[1]) : std::nullopt;
  if (!player) return BadPageToken();
  return FriendKey{.relation = static_cast<Relation>(relation), .player = *player};
}

absl::StatusOr<std::optional<PlayerReport>> DecodeReportToken(const std::string& token) {
  constexpr std::int64_t kYear10000Micros = 253'402'300'800'000'000;
  if (token.empty()) return std::nullopt;
  const std::vector<std::string> parts = TokenParts(token);
  std::int64_t micros = 0;
  PlayerReport last;
  if (parts.size() == 5 && absl::SimpleAtoi(parts[0], &micros) && micros >= 0 &&
      micros < kYear10000Micros && absl::SimpleAtoi(parts[4], &last.deal_number)) {
    const std::optional<PlayerId> reporter = PlayerId::Parse(parts[1]);
    const std::optional<PlayerId> player = PlayerId::Parse(parts[2]);
    const std::optional<TableId> table = TableId::Parse(parts[3]);
    if (reporter && player && table) {
      last.report_time = absl::FromUnixMicros(micros);
      last.reporter = *reporter;
      last.player = *player;
      last.table = *table;
      return last;
    }
  }
  return BadPageToken();
}

v1::Friend::Relation EncodeRelation(Relation relation) {
  switch (relation) {
    case Relation::kFriend:
      return v1::Friend::FRIEND;
    case Relation::kRequestReceived:
      return v1::Friend::REQUEST_RECEIVED;
    case Relation::kRequestSent:
      return v1::Friend::REQUEST_SENT;
    case Relation::kBlocked:
      return v1::Friend::BLOCKED;
  }
  return v1::Friend::RELATION_UNSPECIFIED;
}

v1::Presence::State EncodeActivity(Activity activity) {
  switch (activity) {
    case Activity::kOffline:
      return v1::Presence::OFFLINE;
    case Activity::kOnline:
      return v1::Presence::ONLINE;
    case Activity::kInRoom:
      return v1::Presence::IN_ROOM;
    case Activity::kWaiting:
      return v1::Presence::WAITING;
    case Activity::kPlaying:
      return v1::Presence::PLAYING;
  }
  return v1::Presence::STATE_UNSPECIFIED;
}

void EncodeFriend(const KnownPlayer& known, v1::Friend* out) {
  out->set_player(absl::StrCat("players/", known.player.ToString()));
  out->set_display_name(known.display_name);
  out->set_relation(EncodeRelation(known.relation));
  if (known.relation != Relation::kFriend) return;
  v1::Presence* const presence = out->mutable_presence();
  presence->set_state(EncodeActivity(known.presence.activity));
  if (!known.presence.table.empty()) {
    presence->set_table(absl::StrCat("tables/", known.presence.table.ToString()));
  }
  if (!known.presence.room.empty()) {
    presence->set_room(absl::StrCat("rooms/", known.presence.room.ToString()));
  }
}

absl::StatusOr<ReportReason> DecodeReason(v1::PlayerReport::Reason reason) {
  switch (reason) {
    case v1::PlayerReport::HELPS_ANOTHER_SEAT:
      return ReportReason::kHelpsAnotherSeat;
    case v1::PlayerReport::LOSES_ON_PURPOSE:
      return ReportReason::kLosesOnPurpose;
    case v1::PlayerReport::DELAYS_THE_GAME:
      return ReportReason::kDelaysTheGame;
    case v1::PlayerReport::OFFENSIVE_NAME:
      return ReportReason::kOffensiveName;
    default:
      return error::FieldInvalid("reason", "must be a value of Reason");
  }
}

v1::PlayerReport::Reason EncodeReason(ReportReason reason) {
  switch (reason) {
    case ReportReason::kHelpsAnotherSeat:
      return v1::PlayerReport::HELPS_ANOTHER_SEAT;
    case ReportReason::kLosesOnPurpose:
      return v1::PlayerReport::LOSES_ON_PURPOSE;
    case ReportReason::kDelaysTheGame:
      return v1::PlayerReport::DELAYS_THE_GAME;
    case ReportReason::kOffensiveName:
      return v1::PlayerReport::OFFENSIVE_NAME;
  }
  return v1::PlayerReport::REASON_UNSPECIFIED;
}

absl::StatusOr<PlayerReport> DecodeReport(const v1::ReportPlayerRequest& in) {
  PlayerReport report;
  TAROT_ASSIGN_OR_RETURN(report.table, wire::DecodeName<TableId>(in.table(), "tables/", "table"));
  TAROT_ASSIGN_OR_RETURN(report.player, DecodePlayerName(in.player(), "player"));
  report.deal_number = DecodeCount(in.deal_number());
  if (report.deal_number < 1 || report.deal_number > kReportDealMax) {
    return error::FieldInvalid("deal_number", absl::StrCat("must be 1 to ", kReportDealMax));
  }
  TAROT_ASSIGN_OR_RETURN(report.reason, DecodeReason(in.reason()));
  return report;
}

class FriendServiceHandler final : public v1::FriendService::CallbackService {
 public:
  FriendServiceHandler(FriendService& friends, rpc::Dispatcher& dispatcher)
      : friends_(friends), dispatcher_(dispatcher) {}

  grpc::ServerUnaryReactor* ListFriends(grpc::CallbackServerContext* context,
                                        const v1::ListFriendsRequest* request,
                                        v1::ListFriendsResponse* response) override {
    return Answer("tarot.matchmaking.v1.FriendService/ListFriends", context,
                  [=, this](const FriendCaller& caller) -> absl::Status {
                    TAROT_ASSIGN_OR_RETURN(const int size, DecodePageSize(request->page_size()));
                    TAROT_ASSIGN_OR_RETURN(const std::optional<FriendKey> after,
                                           DecodeFriendToken(request->page_token()));
                    TAROT_ASSIGN_OR_RETURN(const FriendList list,
                                           friends_.List(caller, size, after));
                    for (const KnownPlayer& known : list.friends)
                      EncodeFriend(known, response->add_friends());
                    if (list.next) response->set_next_page_token(FriendToken(*list.next));
                    return absl::OkStatus();
                  });
  }

  grpc::ServerUnaryReactor* RequestFriend(grpc::CallbackServerContext* context,
                                          const v1::RequestFriendRequest* request,
                                          v1::RequestFriendResponse* response) override {
    return Answer("tarot.matchmaking.v1.FriendService/RequestFriend", context,
                  [=, this](const FriendCaller& caller) -> absl::Status {
                    TAROT_ASSIGN_OR_RETURN(const PlayerId player,
                                           DecodePlayerName(request->player(), "player"));
                    TAROT_ASSIGN_OR_RETURN(const Relation relation,
                                           friends_.Request(caller, player));
                    response->set_relation(EncodeRelation(relation));
                    return absl::OkStatus();
                  });
  }

  grpc::ServerUnaryReactor* AcceptFriend(grpc::CallbackServerContext* context,
                                         const v1::AcceptFriendRequest* request,
                                         v1::AcceptFriendResponse*) override {
    return Change<&FriendService::Accept>("tarot.matchmaking.v1.FriendService/AcceptFriend",
                                          context, *request);
  }

  grpc::ServerUnaryReactor* RemoveFriend(grpc::CallbackServerContext* context,
                                         const v1::RemoveFriendRequest* request,
                                         v1::RemoveFriendResponse*) override {
    return Change<&FriendService::Remove>("tarot.matchmaking.v1.FriendService/RemoveFriend",
                                          context, *request);
  }

  grpc::ServerUnaryReactor* BlockPlayer(grpc::CallbackServerContext* context,
                                        const v1::BlockPlayerRequest* request,
                                        v1::BlockPlayerResponse*) override {
    return Change<&FriendService::Block>("tarot.matchmaking.v1.FriendService/BlockPlayer", context,
                                         *request);
  }

  grpc::ServerUnaryReactor* UnblockPlayer(grpc::CallbackServerContext* context,
                                          const v1::UnblockPlayerRequest* request,
                                          v1::UnblockPlayerResponse*) override {
    return Change<&FriendService::Unblock>("tarot.matchmaking.v1.FriendService/UnblockPlayer",
                                           context, *request);
  }

  grpc::ServerUnaryReactor* ReportPlayer(grpc::CallbackServerContext* context,
                                         const v1::ReportPlayerRequest* request,
                                         v1::ReportPlayerResponse*) override {
    return Answer("tarot.matchmaking.v1.FriendService/ReportPlayer", context,
                  [=, this](const FriendCaller& caller) -> absl::Status {
                    TAROT_ASSIGN_OR_RETURN(const PlayerReport report, DecodeReport(*request));
                    return friends_.Report(caller, report);
                  });
  }

 private:
  template <typename Call>
  grpc::ServerUnaryReactor* Answer(const char* method, grpc::CallbackServerContext* context,
                                   Call call) {
    return dispatcher_.Unary(
        context, method, Access::kPlayer, [call](const Caller& caller) -> absl::Status {
          return call(FriendCaller{.player = caller.player, .display_name = caller.display_name});
        });
  }

  // Answers a call that changes the relation between the caller and the player in the request.
  // `change` is a template argument and not a variable, because GCC 12 with sanitizers compiles a
  // call through such a variable wrongly: the call gets no object.
  template <auto change, typename Request>
  grpc::ServerUnaryReactor* Change(const char* method, grpc::CallbackServerContext* context,
                                   const Request& request) {
    return Answer(method, context, [this, &request](const FriendCaller& caller) -> absl::Status {
      TAROT_ASSIGN_OR_RETURN(const PlayerId player, DecodePlayerName(request.player(), "player"));
      return (friends_.*change)(caller, player);
    });
  }

  FriendService& friends_;
  rpc::Dispatcher& dispatcher_;
};

}  // namespace

std::unique_ptr<grpc::Service> MakeFriendService(FriendService& friends,
                                                 rpc::Dispatcher& dispatcher) {
  return std::make_unique<FriendServiceHandler>(friends, dispatcher);
}

absl::Status AnswerListReports(FriendService& friends, const v1::ListReportsRequest& request,
                               v1::ListReportsResponse* response) {
  TAROT_ASSIGN_OR_RETURN(const int size, DecodePageSize(request.page_size()));
  TAROT_ASSIGN_OR_RETURN(const std::optional<PlayerReport> after,
                         DecodeReportToken(request.page_token()));
  TAROT_ASSIGN_OR_RETURN(const ReportList list, friends.ListReports(size, after));
  for (const PlayerReport& report : list.reports) {
    v1::PlayerReport* const out = response->add_reports();
    out->set_reporter(absl::StrCat("players/", report.reporter.ToString()));
    out->set_player(absl::StrCat("players/", report.player.ToString()));
    out->set_table(absl::StrCat("tables/", report.table.ToString()));
    out->set_deal_number(Count(report.deal_number));
    out->set_reason(EncodeReason(report.reason));
    wire::EncodeTime(report.report_time, out->mutable_report_time());
  }
  if (list.next) {
    const PlayerReport& last = *list.next;
    response->set_next_page_token(absl::WebSafeBase64Escape(
        absl::StrCat(absl::ToUnixMicros(last.report_time), " ", last.reporter.ToString(), " ",
                     last.player.ToString(), " ", last.table.ToString(), " ", last.deal_number)));
  }
  return absl::OkStatus();
}

}  // namespace tarot::matchmaking_service
