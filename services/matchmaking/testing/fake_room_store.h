// Defines the RoomStore in memory, for tests and the simulation. Rooms and tickets share one store,
// because the match of a room depends on both.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "services/matchmaking/app/room_service.h"
#include "services/matchmaking/testing/fake_ticket_store.h"

namespace tarot::matchmaking_service {

// Thread-safe. This store and the store on Postgres pass the same tests (room_store_contract.h).
class FakeRoomStore : public FakeTicketStore, public RoomStore {
 public:
  using FakeTicketStore::FakeTicketStore;
  using Rooms = absl::StatusOr<std::vector<Room>>;

  absl::StatusOr<CreatedRoom> CreateRoom(const Room& room) override {
    return Run([=](FakeTickets& data) -> absl::StatusOr<CreatedRoom> {
      using Outcome = CreatedRoom::Outcome;
      const RoomSeat& creator = room.seats.at(0);
      for (const auto& [id, stored] : data.rooms) {
        if (stored.creator == creator.player && stored.request_id == creator.request_id) {
          return CreatedRoom{Outcome::kReplayed, Shown(data, stored)};
        }
      }
      for (const auto& [id, stored] : data.rooms) {
        if (Live(stored) && stored.room.code == room.code) {
          return CreatedRoom{Outcome::kCodeTaken, Room()};
        }
      }
      if (const StoredRoom* const other = RoomOf(data, creator.player)) {
        return CreatedRoom{Outcome::kInRoom, Shown(data, *other)};
      }
      std::erase_if(data.rooms, [&](const auto& entry) {
        return entry.second.creator == creator.player && !Live(entry.second);
      });
      data.rooms[room.id] = {.room = room,
                             .creator = creator.player,
                             .request_id = creator.request_id,
                             .use_time = room.create_time};
      return CreatedRoom{Outcome::kCreated, room};
    });
  }

  Rooms GetRooms(absl::Span<const RoomId> ids) override {
    const std::vector<RoomId> wanted(ids.begin(), ids.end());
    return Run([=](const FakeTickets& data) -> Rooms {
      std::vector<Room> found;
      for (const RoomId& id : wanted) {
        const auto stored = data.rooms.find(id);
        if (stored != data.rooms.end()) found.push_back(Shown(data, stored->second));
      }
      return found;
    });
  }

  absl::StatusOr<std::optional<Room>> FindRoom(const std::string& code) override {
    return Run([=](const FakeTickets& data) -> absl::StatusOr<std::optional<Room>> {
      for (const auto& [id, stored] : data.rooms) {
        if (Live(stored) && stored.room.code == code) return Shown(data, stored);
      }
      return std::nullopt;
    });
  }

  Rooms ListRooms(const RoomPage& page) override {
    return Run([=](const FakeTickets& data) -> Rooms {
      const auto age = [](absl::Time time, RoomId id) { return std::tuple(time, id); };
      std::vector<Room> rooms;
      for (const auto& [id, stored] : data.rooms) {
        const Room& room = stored.room;
        const bool later = !page.after || age(room.create_time, id) <
                                              age(page.after->create_time, page.after->room);
        if (Live(stored) && later && Fits(data, room, page)) rooms.push_back(Shown(data, stored));
      }
      std::sort(rooms.begin(), rooms.end(), [&](const Room& a, const Room& b) {
        return age(b.create_time, b.id) < age(a.create_time, a.id);
      });
      if (rooms.size() > static_cast<std::size_t>(page.size)) {
        rooms.resize(static_cast<std::size_t>(page.size));
      }
      return rooms;
    });
  }

  absl::StatusOr<RoomChange> ChangeRoom(const Room& room, absl::Time now) override {
    return Run([=](FakeTickets& data) -> absl::StatusOr<RoomChange> {
      StoredRoom* const stored = AtRevision(data, room);
      if (stored == nullptr) return RoomChange::kStale;
      for (const RoomSeat& seat : room.seats) {
        const StoredRoom* const other = seat.person() ? RoomOf(data, seat.player) : nullptr;
        if (other != nullptr && other != stored) return RoomChange::kInRoom;
      }
      stored->room.seats = room.seats;
      stored->room.host_seat = room.host_seat;
      stored->room.invited = room.invited;
      stored->room.removed = room.removed;
      ++stored->room.revision;
      stored->use_time = now;
      if (room.state == RoomState::kEnded) stored->end_time = now;
      return RoomChange::kDone;
    });
  }

  absl::StatusOr<RoomStart> StartMatch(const Room& room, const PlannedTable& table) override {
    return Run([=](FakeTickets& data) -> absl::StatusOr<RoomStart> {
      StoredRoom* const stored = AtRevision(data, room);
      if (stored == nullptr) return RoomStart{.outcome = RoomStart::Outcome::kStale};
      for (const PlannedSeat& seat : table.seats) {
        if (seat.bot_level.empty() && Busy(data, seat.player)) {
          return RoomStart{.outcome = RoomStart::Outcome::kBusy, .busy = seat.player};
        }
      }
      if (!data.starts.insert({room.id, room.start_request_id}).second) {
        return RoomStart{.outcome = RoomStart::Outcome::kRepeated};
      }
      stored->room.table = table.id;
      stored->room.last_table = room.last_table;
      stored->room.start_request_id = room.start_request_id;
      ++stored->room.revision;
      stored->use_time = table.create_time;
      data.tables[table.id] = {table, FakeTickets::TableState::kPlaced};
      return RoomStart{.outcome = RoomStart::Outcome::kStarted};
    });
  }

  absl::Status TouchRooms(absl::Span<const RoomId> ids, absl::Time now) override {
    const std::vector<RoomId> used(ids.begin(), ids.end());
    return Run([=](FakeTickets& data) {
      for (const RoomId& id : used) {
        const auto stored = data.rooms.find(id);
        if (stored != data.rooms.end()) Use(stored->second, now);
      }
      return absl::OkStatus();
    });
  }

  absl::StatusOr<int> SweepRooms(absl::Time now, absl::Time unused_since,
                                 absl::Time forget_before) override {
    return Run([=](FakeTickets& data) -> absl::StatusOr<int> {
      int live = 0;
      std::erase_if(data.rooms,
                    [&](const auto& entry) { return entry.second.end_time < forget_before; });
      for (auto& [id, stored] : data.rooms) {
        if (!Live(stored)) continue;
        if (Shown(data, stored).match_runs()) Use(stored, now);
        if (stored.use_time < unused_since) {
          stored.room.End();
          ++stored.room.revision;
          stored.end_time = now;
        }
        live += Live(stored);
      }
      return live;
    });
  }

 protected:
  using StoredRoom = FakeTickets::StoredRoom;
  using TableState = FakeTickets::TableState;

  static bool Live(const StoredRoom& stored) { return stored.end_time == absl::InfiniteFuture(); }

  static void Use(StoredRoom& stored, absl::Time now) {
    stored.use_time = std::max(stored.use_time, now);
  }

  // Returns the room with `state` and `start_refused`, computed from the state of its table.
  static Room Shown(const FakeTickets& data, const StoredRoom& stored) {
    Room room = stored.room;
    const auto table = data.tables.find(room.table);
    const bool known = table != data.tables.end();
    const TableState state = known ? table->second.second : TableState::kOver;
    room.start_refused = state == TableState::kRefused;
    room.state = !Live(stored)                  ? RoomState::kEnded
                 : state == TableState::kPlaced ? RoomState::kStarting
                 : state == TableState::kMade   ? RoomState::kPlaying
                                                : RoomState::kGathering;
    return room;
  }

  static bool Fits(const FakeTickets& data, const Room& room, const RoomPage& page) {
    switch (page.filter) {
      case RoomPage::Filter::kOpenSeats: {
        const std::vector<PlayerId> persons = room.Persons();
        return room.visibility == RoomVisibility::kOpen && room.FreeSeat() &&
               std::none_of(persons.begin(), persons.end(), [&](PlayerId person) {
                 return data.BlockBetween(person, page.player);
               });
      }
      case RoomPage::Filter::kInvited:
        return room.Invited(page.player);
      case RoomPage::Filter::kMine:
        break;
    }
    return room.SeatOf(page.player).has_value();
  }

  static const StoredRoom* RoomOf(const FakeTickets& data, PlayerId person) {
    for (const auto& [id, stored] : data.rooms) {
      if (Live(stored) && stored.room.SeatOf(person)) return &stored;
    }
    return nullptr;
  }

  static StoredRoom* AtRevision(FakeTickets& data, const Room& room) {
    const auto stored = data.rooms.find(room.id);
    const bool same = stored != data.rooms.end() && Live(stored->second) &&
                      stored->second.room.revision == room.revision;
    return same ? &stored->second : nullptr;
  }

  static bool Busy(const FakeTickets& data, PlayerId person) {
    if (data.HasLiveTicket(person)) return true;
    return std::any_of(data.tables.begin(), data.tables.end(), [&](const auto& entry) {
      const auto& [table, state] = entry.second;
      const bool runs = state == TableState::kPlaced || state == TableState::kMade;
      return table.queue.empty() && runs &&
             std::any_of(table.seats.begin(), table.seats.end(), [&](const PlannedSeat& seat) {
               return seat.bot_level.empty() && seat.player == person;
             });
    });
  }
};

}  // namespace tarot::matchmaking_service
