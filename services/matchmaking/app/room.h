// Defines the data of rooms. A room is a place where players meet for casual matches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "services/matchmaking/app/ticket.h"

namespace tarot::matchmaking_service {

enum class RoomVisibility { kPrivate, kOpen };

enum class RoomState {
  kGathering,  // No match runs.
  kStarting,   // The rules service is making the table.
  kPlaying,
  kEnded,
};

// A seat of a room. A free seat has no player.
struct RoomSeat {
  PlayerId player;
  std::string display_name;
  std::string bot_level;  // Empty for a person.
  RequestId request_id;   // The request with which a person took the seat.

  bool free() const { return player.empty(); }
  bool person() const { return !free() && bot_level.empty(); }
  friend bool operator==(const RoomSeat&, const RoomSeat&) = default;
};

struct Room {
  RoomId id;
  std::string code;
  RoomVisibility visibility = RoomVisibility::kPrivate;
  MatchTerms terms;
  std::vector<RoomSeat> seats;  // The seats, in the order of play.
  int host_seat = 0;
  std::vector<PlayerId> invited;  // The players who are invited and have not joined yet.
  // The persons whom the host has removed. Such a person may join again only after an invitation.
  std::vector<PlayerId> removed;
  absl::Time create_time;
  // `table` is the table of the newest match, and `start_request_id` is the request that started
  // this match. Both are empty before the first match.
  TableId table;
  RequestId start_request_id;
  TableId last_table;  // The newest table that the rules service made before `table`.
  // The store computes `state` and `start_refused` from the end of the room and from the state of
  // `table`.
  RoomState state = RoomState::kGathering;
  bool start_refused = false;  // True if the rules service has refused `table`.
  // The store adds 1 to this number with each stored change of this room. When only the state of
  // `table` changes, the number stays the same. A change names the revision that the change has
  // read.
  int revision = 0;

  // Returns the seat of a person, or nullopt if the person does not sit in the room.
  std::optional<int> SeatOf(PlayerId person) const;
  std::optional<int> FreeSeat() const;
  // Returns the people in the seats, without the bots.
  std::vector<PlayerId> Persons() const;
  bool HostedBy(PlayerId player) const;
  bool Invited(PlayerId player) const;
  bool Removed(PlayerId player) const;
  // Returns the table of the running match. If no match runs, returns the table of the last match.
  // If there was no match, or if the rules service has not made the table yet, returns an empty id.
  TableId MadeTable() const;
  bool match_runs() const { return state == RoomState::kStarting || state == RoomState::kPlaying; }

  // Each of the functions below makes one change. The caller must check first that the change is
  // allowed.
  void Seat(int seat, const RoomSeat& who);
  // Frees a seat. If the host sat in this seat, the next person in the order of play becomes the
  // host. If no person is left, the room ends.
  void Free(int seat);
  // Frees a person's seat. The person may join again only after an invitation.
  void Remove(int seat);
  // Invites a player. The player may be one whom the host has removed before.
  void Invite(PlayerId player);
  // Frees all seats, ends the invitations and sets the state kEnded.
  void End();

  friend bool operator==(const Room&, const Room&) = default;
};

// Returns the bot of this level, which is the same bot in every room. These bots are not in the
// catalog. Returns nullopt for an unknown level.
std::optional<Bot> RoomBot(const std::string& level, int seat);

// Returns every bot that RoomBot can return.
std::vector<Bot> RoomBots();

}  // namespace tarot::matchmaking_service
