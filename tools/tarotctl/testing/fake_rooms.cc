#include "tools/tarotctl/testing/fake_rooms.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rules/parameters/rule_set.h"
#include "libs/status/wire.h"
#include "libs/wire/rule_set.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::ListRoomsRequest;
using matchmaking::v1::Room;

constexpr char kRoom[] = "rooms/5f3c2a10-0000-4000-8000-000000000005";

grpc::Status Refused(absl::StatusCode code, const std::string& reason, const std::string& text) {
  return status::ToGrpc(Error(code, reason, text));
}

grpc::Status NoRoom() {
  return Refused(absl::StatusCode::kNotFound, "ROOM_NOT_FOUND", "there is no such room");
}

}  // namespace

FakeRooms::FakeRooms(std::string player, std::function<std::string()> start)
    : player_(std::move(player)), start_(std::move(start)) {
  room_.set_state(Room::ENDED);
}

void FakeRooms::OpenForOthers() {
  const std::lock_guard lock(mutex_);
  room_.Clear();
  room_.set_name(kRoom);
  room_.set_code(kRoomCode);
  room_.set_state(Room::GATHERING);
  room_.set_visibility(Room::OPEN);
  room_.mutable_terms()->set_rule_set("fft");
  room_.mutable_terms()->set_player_count(4);
  room_.mutable_terms()->set_deal_count(1);
  room_.mutable_terms()->mutable_move_limit()->set_seconds(30);
  for (int seat = 0; seat < 4; ++seat) room_.add_seats();
  room_.set_host_seat(1);
  room_.mutable_seats(1)->set_player(kFriend);
  room_.mutable_seats(1)->set_display_name("Zoë");
}

void FakeRooms::Sit(int seat, const std::string& name) {
  const std::lock_guard lock(mutex_);
  room_.mutable_seats(seat)->set_player(name.empty() ? "" : absl::StrCat("players/", name));
  room_.mutable_seats(seat)->set_display_name(name);
  Changed();
}

void FakeRooms::RefuseStart(const absl::Status& status) {
  const std::lock_guard lock(mutex_);
  refusal_ = status;
}

void FakeRooms::FinishMatch() {
  const std::lock_guard lock(mutex_);
  if (room_.state() == Room::PLAYING) room_.set_state(Room::GATHERING);
  Changed();
}

void FakeRooms::RemovePlayer() {
  const std::lock_guard lock(mutex_);
  Leave();
}

void FakeRooms::LoseWatches(bool lost) {
  const std::lock_guard lock(mutex_);
  lost_ = lost;
  changed_.notify_all();
}

void FakeRooms::Stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  changed_.notify_all();
}

Room FakeRooms::room() const {
  const std::lock_guard lock(mutex_);
  return room_;
}

void FakeRooms::Changed() {
  ++version_;
  changed_.notify_all();
}

void FakeRooms::Seat() {
  int seat = 0;
  while (!room_.seats(seat).player().empty()) ++seat;
  room_.mutable_seats(seat)->set_player(player_);
  room_.mutable_seats(seat)->set_display_name("Ada");
  room_.set_viewer(static_cast<std::uint32_t>(seat));
  Changed();
}

void FakeRooms::Leave() {
  if (!Seated()) return;
  room_.mutable_seats(static_cast<int>(room_.viewer()))->Clear();
  room_.clear_viewer();
  Changed();
}

grpc::Status FakeRooms::CreateRoom(Context*, const matchmaking::v1::CreateRoomRequest* request,
                                   matchmaking::v1::CreateRoomResponse* response) {
  const std::lock_guard lock(mutex_);
  const auto& terms = request->terms();
  if (Seated()) {
    return status::ToGrpc(Error(absl::StatusCode::kAlreadyExists, "IN_ROOM",
                                "you already sit in a room", {{"room", kRoom}}));
  }
  if (!terms.has_rules() && !wire::NamedRules(terms.rule_set()).ok()) {
    return Refused(absl::StatusCode::kNotFound, "RULE_SET_NOT_FOUND", "there is no such rule set");
  }
  room_.Clear();
  room_.set_name(kRoom);
  room_.set_code(kRoomCode);
  room_.set_state(Room::GATHERING);
  room_.set_visibility(request->visibility());
  *room_.mutable_terms() = terms;
  for (std::uint32_t i = 0; i < terms.player_count(); ++i) room_.add_seats();
  Seat();
  *response->mutable_room() = room_;
  return grpc::Status::OK;
}

grpc::Status FakeRooms::GetRoom(Context*, const matchmaking::v1::GetRoomRequest*,
                                matchmaking::v1::GetRoomResponse* response) {
  *response->mutable_room() = room();
  return grpc::Status::OK;
}

grpc::Status FakeRooms::ListRooms(Context*, const matchmaking::v1::ListRoomsRequest* request,
                                  matchmaking::v1::ListRoomsResponse* response) {
  const std::lock_guard lock(mutex_);
  const bool listed = request->filter() == ListRoomsRequest::MINE
                          ? Seated()
                          : request->filter() != ListRoomsRequest::INVITED &&
                                !room_.name().empty() && room_.visibility() == Room::OPEN;
  if (listed) *response->add_rooms() = room_;
  return grpc::Status::OK;
}

grpc::Status FakeRooms::JoinRoom(Context*, const matchmaking::v1::JoinRoomRequest* request,
                                 matchmaking::v1::JoinRoomResponse* response) {
  const std::lock_guard lock(mutex_);
  if (request->name().empty() ? absl::AsciiStrToUpper(request->code()) != kRoomCode
                              : request->name() != kRoom) {
    return request->name().empty()
               ? Refused(absl::StatusCode::kNotFound, "CODE_NOT_FOUND", "no room has this code")
               : NoRoom();
  }
  bool full = true;
  for (const auto& seat : room_.seats()) full = full && !seat.player().empty();
  if (full) {
    return Refused(absl::StatusCode::kFailedPrecondition, "ROOM_FULL", "all seats are taken");
  }
  Seat();
  *response->mutable_room() = room_;
  return grpc::Status::OK;
}

grpc::Status FakeRooms::LeaveRoom(Context*, const matchmaking::v1::LeaveRoomRequest* request,
                                  matchmaking::v1::LeaveRoomResponse*) {
  const std::lock_guard lock(mutex_);
  if (request->player().empty()) Leave();
  for (auto& seat : *room_.mutable_seats()) {
    if (!request->player().empty() && seat.player() == request->player()) seat.Clear();
  }
  Changed();
  return grpc::Status::OK;
}

grpc::Status FakeRooms::InvitePlayer(Context*, const matchmaking::v1::InvitePlayerRequest* request,
                                     matchmaking::v1::InvitePlayerResponse* response) {
  const std::lock_guard lock(mutex_);
  if (request->player() != kFriend) {
    return Refused(absl::StatusCode::kNotFound, "PLAYER_NOT_FOUND", "there is no such player");
  }
  room_.add_invited(request->player());
  Changed();
  *response->mutable_room() = room_;
  return grpc::Status::OK;
}

grpc::Status FakeRooms::SetBot(Context*, const matchmaking::v1::SetBotRequest* request,
                               matchmaking::v1::SetBotResponse* response) {
  const std::lock_guard lock(mutex_);
  auto& seat = *room_.mutable_seats(static_cast<int>(request->seat()));
  if (!seat.player().empty() && seat.bot_level().empty()) {
    return Refused(absl::StatusCode::kFailedPrecondition, "SEAT_TAKEN", "a person has the seat");
  }
  seat.Clear();
  if (!request->bot_level().empty()) {
    seat.set_player(absl::StrCat("players/bot-", request->seat()));
    seat.set_display_name(absl::StrCat("Papillon ", request->seat()));
    seat.set_bot_level(request->bot_level());
  }
  Changed();
  *response->mutable_room() = room_;
  return grpc::Status::OK;
}

grpc::Status FakeRooms::StartMatch(Context*, const matchmaking::v1::StartMatchRequest*,
                                   matchmaking::v1::StartMatchResponse* response) {
  const std::lock_guard lock(mutex_);
  if (!refusal_.ok()) return status::ToGrpc(refusal_);
  room_.set_state(Room::STARTING);
  Changed();
  *response->mutable_room() = room_;
  room_.set_state(Room::PLAYING);
  room_.set_table(start_());
  return grpc::Status::OK;
}

grpc::Status FakeRooms::WatchRoom(Context*, const matchmaking::v1::WatchRoomRequest*,
                                  grpc::ServerWriter<matchmaking::v1::WatchRoomResponse>* writer) {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (lost_) return {grpc::StatusCode::DEADLINE_EXCEEDED, "the platform is away"};
    if (!Seated()) return NoRoom();
    matchmaking::v1::WatchRoomResponse response;
    *response.mutable_room() = room_;
    const int sent = version_;
    if (!writer->Write(response) || room_.state() == Room::ENDED) return grpc::Status::OK;
    changed_.wait(lock, [&] { return version_ != sent || lost_ || stopping_; });
  }
  return grpc::Status::OK;
}

grpc::Status FakeRooms::ListRuleSets(Context*, const rules::v1::ListRuleSetsRequest*,
                                     rules::v1::ListRuleSetsResponse* response) {
  for (const rules::NamedRuleSet& set : rules::RuleSets()) {
    rules::v1::RuleSetInfo& info = *response->add_rule_sets();
    info.set_name(std::string(set.name));
    info.set_description(std::string(set.description));
    for (std::uint32_t n = set.rules.players_min; n <= set.rules.players_max; ++n) {
      info.add_player_counts(n);
    }
    wire::EncodeRuleSet(set.rules, info.mutable_rules());
  }
  return grpc::Status::OK;
}

}  // namespace tarot::tarotctl
