// The rooms and the rule sets of FakePlatform: one room, without storage. Every caller is the same
// player. To put another person into a seat, a test calls Sit().
#pragma once

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>

#include "absl/status/status.h"
#include "tarot/matchmaking/v1/room_service.grpc.pb.h"
#include "tarot/rules/v1/rule_set_service.grpc.pb.h"

namespace tarot::tarotctl {

// The code of the room.
inline constexpr char kRoomCode[] = "K7M2QX";
// A player whom the room can invite.
inline constexpr char kFriend[] = "players/5f3c2a10-0000-4000-8000-000000000009";

// Thread-safe.
class FakeRooms final : public matchmaking::v1::RoomService::Service,
                        public rules::v1::RuleSetService::Service {
 public:
  // `start` makes the table of a match and returns its name.
  FakeRooms(std::string player, std::function<std::string()> start);

  // Makes a room whose host is another person, without a seat for the player.
  void OpenForOthers();
  // Seats another person. Removes the person if `name` is empty.
  void Sit(int seat, const std::string& name);
  // Makes every later call of StartMatch fail with `status`. After RefuseStart(absl::OkStatus()),
  // StartMatch succeeds again.
  void RefuseStart(const absl::Status& status);
  void FinishMatch();
  void RemovePlayer();
  // LoseWatches(true) ends all streams, and each later stream as soon as it begins, until
  // LoseWatches(false) is called. Streams end with DEADLINE_EXCEEDED, because the client library
  // does not open such a stream again by itself.
  void LoseWatches(bool lost);
  void Stop();  // Ends all streams.

  matchmaking::v1::Room room() const;

 private:
  using Context = grpc::ServerContext;

  grpc::Status CreateRoom(Context*, const matchmaking::v1::CreateRoomRequest*,
                          matchmaking::v1::CreateRoomResponse*) override;
  grpc::Status GetRoom(Context*, const matchmaking::v1::GetRoomRequest*,
                       matchmaking::v1::GetRoomResponse*) override;
  grpc::Status ListRooms(Context*, const matchmaking::v1::ListRoomsRequest*,
                         matchmaking::v1::ListRoomsResponse*) override;
  grpc::Status JoinRoom(Context*, const matchmaking::v1::JoinRoomRequest*,
                        matchmaking::v1::JoinRoomResponse*) override;
  grpc::Status LeaveRoom(Context*, const matchmaking::v1::LeaveRoomRequest*,
                         matchmaking::v1::LeaveRoomResponse*) override;
  grpc::Status InvitePlayer(Context*, const matchmaking::v1::InvitePlayerRequest*,
                            matchmaking::v1::InvitePlayerResponse*) override;
  grpc::Status SetBot(Context*, const matchmaking::v1::SetBotRequest*,
                      matchmaking::v1::SetBotResponse*) override;
  grpc::Status StartMatch(Context*, const matchmaking::v1::StartMatchRequest*,
                          matchmaking::v1::StartMatchResponse*) override;
  grpc::Status WatchRoom(Context*, const matchmaking::v1::WatchRoomRequest*,
                         grpc::ServerWriter<matchmaking::v1::WatchRoomResponse>*) override;
  grpc::Status ListRuleSets(Context*, const rules::v1::ListRuleSetsRequest*,
                            rules::v1::ListRuleSetsResponse*) override;

  // Hold `mutex_` when you call the following functions.
  bool Seated() const { return room_.has_viewer(); }
  void Seat();
  void Leave();
  void Changed();

  const std::string player_;
  const std::function<std::string()> start_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  matchmaking::v1::Room room_;
  absl::Status refusal_;
  int version_ = 0;
  bool lost_ = false;
  bool stopping_ = false;
};

}  // namespace tarot::tarotctl
