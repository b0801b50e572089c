#include "services/matchmaking/app/room.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/base/check.h"
#include "services/matchmaking/limits.h"

namespace tarot::matchmaking_service {
namespace {

constexpr int kSeatsMax = 5;

// The levels of the bot service. RoomTest compares them with libs/ai.
struct Level {
  const char* name;
  const char* title;
};
constexpr std::array<Level, 5> kLevels = {{{"novice", "Novice"},
                                           {"club", "Club"},
                                           {"sociable", "Sociable"},
                                           {"strong", "Strong"},
                                           {"expert", "Expert"}}};

}  // namespace

std::optional<int> Room::SeatOf(PlayerId person) const {
  const auto found = std::find_if(seats.begin(), seats.end(), [&](const RoomSeat& seat) {
    return seat.person() && seat.player == person;
  });
  if (found == seats.end()) return std::nullopt;
  return static_cast<int>(found - seats.begin());
}

std::optional<int> Room::FreeSeat() const {
  const auto found =
      std::find_if(seats.begin(), seats.end(), [](const RoomSeat& seat) { return seat.free(); });
  if (found == seats.end()) return std::nullopt;
  return static_cast<int>(found - seats.begin());
}

std::vector<PlayerId> Room::Persons() const {
  std::vector<PlayerId> persons;
  for (const RoomSeat& seat : seats) {
    if (seat.person()) persons.push_back(seat.player);
  }
  return persons;
}

bool Room::HostedBy(PlayerId player) const { return SeatOf(player) == host_seat; }

bool Room::Invited(PlayerId player) const {
  return std::find(invited.begin(), invited.end(), player) != invited.end();
}

bool Room::Removed(PlayerId player) const {
  return std::find(removed.begin(), removed.end(), player) != removed.end();
}

TableId Room::MadeTable() const {
  if (state == RoomState::kStarting) return TableId();
  return start_refused ? last_table : table;
}

void Room::Seat(int seat, const RoomSeat& who) {
  seats[static_cast<std::size_t>(seat)] = who;
  std::erase(invited, who.player);
}

void Room::Free(int seat) {
  seats[static_cast<std::size_t>(seat)] = RoomSeat();
  if (seat != host_seat) return;
  const auto count = static_cast<int>(seats.size());
  for (int step = 1; step < count; ++step) {
    const int next = (seat + step) % count;
    if (!seats[static_cast<std::size_t>(next)].person()) continue;
    host_seat = next;
    return;
  }
  End();
}

void Room::Remove(int seat) {
  if (removed.size() >= kRoomRemovedMax) removed.erase(removed.begin());
  removed.push_back(seats[static_cast<std::size_t>(seat)].player);
  Free(seat);
}

void Room::Invite(PlayerId player) {
  std::erase(removed, player);
  invited.push_back(player);
}

void Room::End() {
  std::fill(seats.begin(), seats.end(), RoomSeat());
  invited.clear();
  state = RoomState::kEnded;
}

std::optional<Bot> RoomBot(const std::string& level, int seat) {
  TAROT_CHECK(seat >= 0 && seat < kSeatsMax);
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    if (level != kLevels[i].name) continue;
    const std::string id = absl::StrFormat("b0700001-0000-4000-8000-00000000%02d%02d", i, seat + 1);
    return Bot{.player = *PlayerId::Parse(id),
               .display_name = absl::StrCat(kLevels[i].title, " ", seat + 1),
               .level = level};
  }
  return std::nullopt;
}

std::vector<Bot> RoomBots() {
  std::vector<Bot> bots;
  for (const Level& level : kLevels) {
    for (int seat = 0; seat < kSeatsMax; ++seat) bots.push_back(*RoomBot(level.name, seat));
  }
  return bots;
}

}  // namespace tarot::matchmaking_service
