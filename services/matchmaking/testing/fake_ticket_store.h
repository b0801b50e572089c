// Defines the TicketStore in memory, for tests and the simulation.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/base/error.h"
#include "libs/testkit/fake_statements.h"
#include "services/matchmaking/app/player_store.h"
#include "services/matchmaking/app/room.h"
#include "services/matchmaking/app/ticket_service.h"

namespace tarot::matchmaking_service {

// Returns a ranked queue and a casual queue, and 32 bots of all levels.
inline Catalog TestCatalog() {
  Catalog catalog;
  catalog.queues = {{.id = "ranked4",
                     .display_name = "Ranked, four players, 4 deals",
                     .player_count = 4,
                     .terms = {.rule_set = "fft",
                               .deal_count = 4,
                               .move_limit = absl::Seconds(30),
                               .time_bank = absl::Seconds(120),
                               .ranked = true}},
                    {.id = "casual4",
                     .display_name = "Casual, four players, 2 deals",
                     .player_count = 4,
                     .terms = {.rule_set = "fft",
                               .deal_count = 2,
                               .move_limit = absl::Seconds(30),
                               .time_bank = absl::Seconds(60)},
                     .bot_fill_delay = absl::Seconds(8)}};
  for (int place = 1; place <= 32; ++place) {
    const std::string id = absl::StrFormat("b0700000-0000-4000-8000-%012d", place);
    catalog.bots.push_back({.player = *PlayerId::Parse(id),
                            .display_name = absl::StrCat("Bot ", place),
                            .level = place == 1                     ? "strong"
                                     : place == 6                   ? "novice"
                                     : place > 24 || place % 2 == 0 ? "strong"
                                     : place % 4 == 1               ? "novice"
                                                                    : "club"});
  }
  return catalog;
}

struct FakeTickets {
  enum class TableState { kPlaced, kMade, kRefused, kOver };

  Catalog catalog;                      // The queues of the last catalog, both open and closed.
  std::set<std::string> closed_queues;  // The queues that an operator has closed.
  std::map<TicketId, Ticket> tickets;
  std::map<std::pair<PlayerId, RequestId>, TicketId> requests;
  std::map<TableId, std::pair<PlannedTable, TableState>> tables;
  std::map<PlayerId, Standing> standings;

  // FakeRoomStore uses the members below.
  struct StoredRoom {
    Room room;
    PlayerId creator;
    RequestId request_id;
    absl::Time use_time;
    absl::Time end_time = absl::InfiniteFuture();
  };
  std::map<RoomId, StoredRoom> rooms;
  // Returns true if the player of the ticket sits in the room of the ticket's party.
  bool Sits(const Ticket& ticket) const {
    const auto room = rooms.find(ticket.party);
    return room != rooms.end() && room->second.room.SeatOf(ticket.player).has_value();
  }
  std::set<std::pair<RoomId, RequestId>> starts;

  // FakePlayerStore uses the members below.
  struct SeenPlayer {
    std::string display_name;
    absl::Time time;
  };
  std::map<PlayerId, SeenPlayer> seen;
  enum class Relating { kAsks, kBlocks };
  std::map<std::pair<PlayerId, PlayerId>, Relating> relations;
  std::vector<PlayerReport> reports;

  // Returns true if `player` has asked (kAsks) or blocked (kBlocks) `other`.
  bool Relates(PlayerId player, PlayerId other, Relating relating) const {
    const auto found = relations.find({player, other});
    return found != relations.end() && found->second == relating;
  }
  bool BlockBetween(PlayerId a, PlayerId b) const {
    return Relates(a, b, Relating::kBlocks) || Relates(b, a, Relating::kBlocks);
  }

  // changes[id] is the newest change of a ticket, with the number of this change. Numbers begin at
  // 1.
  std::map<TicketId, std::pair<TicketChange, std::uint64_t>> changes;
  std::uint64_t change_count = 0;

  TicketChange AsReplicasSee(const Ticket& ticket) const {
    TicketChange change{.ticket = ticket};
    const bool sits = Sits(ticket);
    change.ticket.party_size =
        sits ? static_cast<int>(rooms.at(ticket.party).room.Persons().size()) : 1;
    if (!sits) change.ticket.party = RoomId();
    if (ticket.state != TicketState::kWaiting) return change;
    for (const auto& [players, relating] : relations) {
      if (players.first == ticket.player && relating == Relating::kBlocks) {
        change.blocked.push_back(players.second);
      }
    }
    return change;
  }

  bool IsOpen(const std::string& queue) const {
    return !closed_queues.contains(queue) && Exists(queue);
  }
  bool Exists(const std::string& queue) const {
    return std::any_of(catalog.queues.begin(), catalog.queues.end(),
                       [&](const Queue& open) { return open.id == queue; });
  }

  bool HasLiveTicket(PlayerId player) const {
    return std::any_of(tickets.begin(), tickets.end(), [&](const auto& entry) {
      return entry.second.player == player && IsLive(entry.second.state);
    });
  }

  static void Cancel(Ticket& ticket) {
    ticket.state = TicketState::kCancelled;
    ticket.network.clear();
  }

  std::array<TableId, kLastTables> LastTables(PlayerId player) const {
    std::vector<std::pair<absl::Time, TableId>> closed;
    for (const auto& [id, ticket] : tickets) {
      if (ticket.player != player || ticket.state != TicketState::kClosed) continue;
      closed.emplace_back(ticket.create_time, ticket.table);
    }
    std::sort(closed.rbegin(), closed.rend());
    std::array<TableId, kLastTables> last;
    for (std::size_t i = 0; i < std::min(last.size(), closed.size()); ++i) {
      last[i] = closed[i].second;
    }
    return last;
  }

  // Sets the state `to` for the tickets of `table` that are in kPlacing. If `also_matched` is true,
  // also sets it for the tickets of `table` in kMatched. Returns the changed tickets.
  std::vector<Ticket> Turn(TableId table, TicketState to, bool also_matched) {
    std::vector<Ticket> turned;
    for (auto& [id, ticket] : tickets) {
      if (ticket.table != table) continue;
      const bool fits = ticket.state == TicketState::kPlacing ||
                        (also_matched && ticket.state == TicketState::kMatched);
      if (!fits) continue;
      ticket.state = to;
      if (to == TicketState::kWaiting) {
        ticket.table = TableId();
      } else {
        ticket.network.clear();
      }
      turned.push_back(ticket);
    }
    return turned;
  }
};

// Thread-safe. This store and the store on Postgres pass the same tests (ticket_store_contract.h).
class FakeTicketStore : public TicketStore, public testkit::FakeStatements<FakeTickets> {
 public:
  using Tickets = absl::StatusOr<std::vector<Ticket>>;

  explicit FakeTicketStore(Catalog catalog = TestCatalog())
      : FakeStatements(FakeTickets{.catalog = std::move(catalog)}) {}

  absl::StatusOr<Catalog> ReadCatalog() override {
    return Run([](const FakeTickets& data) -> absl::StatusOr<Catalog> {
      Catalog catalog = data.catalog;
      std::erase_if(catalog.queues,
                    [&](const Queue& queue) { return data.closed_queues.contains(queue.id); });
      return catalog;
    });
  }

  absl::Status WriteCatalog(const Catalog& catalog) override {
    return Run([=](FakeTickets& data) {
      const std::optional<int> population = data.catalog.population;
      data.catalog = catalog;
      data.catalog.population = population;
      std::erase_if(data.closed_queues,
                    [&](const std::string& queue) { return !data.Exists(queue); });
      std::stable_sort(data.catalog.queues.begin(), data.catalog.queues.end(),
                       [](const Queue& a, const Queue& b) {
                         return std::tuple(!a.terms.ranked, a.id) <
                                std::tuple(!b.terms.ranked, b.id);
                       });
      for (auto& [id, ticket] : data.tickets) {
        const bool waits = ticket.state == TicketState::kWaiting;
        if (!waits) continue;
        if (!data.IsOpen(ticket.queue)) FakeTickets::Cancel(ticket);
        for (const Queue& queue : data.catalog.queues) {
          const bool fits = !queue.terms.ranked && ticket.party_size <= queue.player_count;
          if (queue.id != ticket.queue || ticket.party.empty() || fits) continue;
          FakeTickets::Cancel(ticket);
        }
      }
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::vector<std::string>> ListClosedQueues() override {
    return Run([](const FakeTickets& data) -> absl::StatusOr<std::vector<std::string>> {
      return std::vector<std::string>(data.closed_queues.begin(), data.closed_queues.end());
    });
  }

  Tickets SetQueueOpen(const std::string& queue, bool open) override {
    return Run([=](FakeTickets& data) -> Tickets {
      if (!data.Exists(queue)) return absl::NotFoundError("No such queue.");
      std::vector<Ticket> cancelled;
      if (open) {
        data.closed_queues.erase(queue);
        return cancelled;
      }
      data.closed_queues.insert(queue);
      for (auto& [id, ticket] : data.tickets) {
        if (ticket.queue != queue || ticket.state != TicketState::kWaiting) continue;
        FakeTickets::Cancel(ticket);
        cancelled.push_back(ticket);
      }
      return cancelled;
    });
  }

  absl::Status SetPopulation(int population) override {
    return Run([=](FakeTickets& data) {
      data.catalog.population = population;
      return absl::OkStatus();
    });
  }

  Tickets ListLive(PlayerId player) override {
    return Run([=](const FakeTickets& data) -> Tickets {
      std::vector<Ticket> live;
      for (const auto& [id, ticket] : data.tickets) {
        if (ticket.player == player && IsLive(ticket.state)) live.push_back(ticket);
      }
      return live;
    });
  }

  Tickets FindRequest(PlayerId player, RequestId request) override {
    return Run([=](const FakeTickets& data) -> Tickets {
      const auto found = data.requests.find({player, request});
      if (found == data.requests.end()) return std::vector<Ticket>();
      return std::vector<Ticket>{data.tickets.at(found->second)};
    });
  }

  absl::StatusOr<CreatedTicket> Create(const NewTicket& ticket) override {
    return Run([=](FakeTickets& data) -> absl::StatusOr<CreatedTicket> {
      using Outcome = CreatedTicket::Outcome;
      const auto request = data.requests.find({ticket.player, ticket.request_id});
      if (request != data.requests.end()) {
        return CreatedTicket{Outcome::kReplayed, data.tickets.at(request->second)};
      }
      for (const auto& [id, other] : data.tickets) {
        if (other.player == ticket.player && other.queue == ticket.queue && IsLive(other.state)) {
          return CreatedTicket{Outcome::kHasAnother, other};
        }
      }
      if (!data.IsOpen(ticket.queue)) {
        return Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY", "Please try again.");
      }
      data.requests[{ticket.player, ticket.request_id}] = ticket.id;
      const Ticket& made = data.tickets[ticket.id] = {.id = ticket.id,
                                                      .queue = ticket.queue,
                                                      .player = ticket.player,
                                                      .display_name = ticket.display_name,
                                                      .bot_level = ticket.bot_level,
                                                      .create_time = ticket.create_time,
                                                      .last_tables = data.LastTables(ticket.player),
                                                      .party = ticket.party,
                                                      .party_size = ticket.party_size,
                                                      .network = ticket.network,
                                                      .region = ticket.region};
      return CreatedTicket{Outcome::kCreated, made};
    });
  }

  Tickets Get(absl::Span<const TicketId> ids) override {
    const std::vector<TicketId> wanted(ids.begin(), ids.end());
    return Run([=](const FakeTickets& data) -> Tickets {
      std::vector<Ticket> found;
      for (const TicketId& id : wanted) {
        const auto ticket = data.tickets.find(id);
        if (ticket != data.tickets.end()) found.push_back(ticket->second);
      }
      return found;
    });
  }

  absl::StatusOr<Ticket> Cancel(TicketId id, PlayerId player) override {
    return Run([=](FakeTickets& data) -> absl::StatusOr<Ticket> {
      const auto ticket = data.tickets.find(id);
      if (ticket == data.tickets.end() || ticket->second.player != player) {
        return absl::NotFoundError("No such ticket.");
      }
      if (ticket->second.state != TicketState::kWaiting) return ticket->second;
      const Ticket own = ticket->second;
      std::set<TicketId> cancelled = {id};
      for (const auto& [other_id, other] : data.tickets) {
        const bool same = other.party == own.party && other.queue == own.queue;
        const bool company = data.Sits(own) && data.Sits(other);
        if (same && company && other.state == TicketState::kWaiting) cancelled.insert(other_id);
      }
      std::set<PlayerId> players;
      for (const TicketId each : cancelled) {
        FakeTickets::Cancel(data.tickets.at(each));
        players.insert(data.tickets.at(each).player);
      }
      std::erase_if(data.tickets, [&](const auto& entry) {
        return players.contains(entry.second.player) && !cancelled.contains(entry.first) &&
               entry.second.state == TicketState::kCancelled;
      });
      return data.tickets.at(id);
    });
  }

  absl::StatusOr<TicketChanges> ReadChanges(std::uint64_t cursor) override {
    return Run([=](FakeTickets& data) -> absl::StatusOr<TicketChanges> {
      TicketChanges changes;
      for (const auto& [id, ticket] : data.tickets) {
        const TicketChange now = data.AsReplicasSee(ticket);
        auto& [last, number] = data.changes[id];
        if (number == 0 || last != now) {
          last = now;
          number = ++data.change_count;
        }
        const bool wanted = cursor == 0 ? ticket.state == TicketState::kWaiting : number >= cursor;
        if (wanted) changes.tickets.push_back(now);
      }
      changes.next_cursor = data.change_count + 1;
      return changes;
    });
  }

  Tickets ListLiveBots() override {
    return Run([](const FakeTickets& data) -> Tickets {
      std::vector<Ticket> bots;
      for (const auto& [id, ticket] : data.tickets) {
        if (!ticket.bot_level.empty() && IsLive(ticket.state)) bots.push_back(ticket);
      }
      return bots;
    });
  }

  absl::StatusOr<std::set<TableId>> Place(absl::Span<const PlannedTable> tables) override {
    const std::vector<PlannedTable> planned(tables.begin(), tables.end());
    return Run([=](FakeTickets& data) -> absl::StatusOr<std::set<TableId>> {
      std::set<TableId> placed;
      for (const PlannedTable& table : planned) {
        const bool possible =
            std::all_of(table.seats.begin(), table.seats.end(), [&](const PlannedSeat& seat) {
              if (seat.ticket.empty()) return !data.HasLiveTicket(seat.player);
              const auto ticket = data.tickets.find(seat.ticket);
              return ticket != data.tickets.end() && ticket->second.state == TicketState::kWaiting;
            });
        if (!possible) continue;
        for (const PlannedSeat& seat : table.seats) {
          if (seat.ticket.empty()) continue;
          data.tickets[seat.ticket].state = TicketState::kPlacing;
          data.tickets[seat.ticket].table = table.id;
        }
        data.tables[table.id] = {table, TableState::kPlaced};
        placed.insert(table.id);
      }
      return placed;
    });
  }

  absl::StatusOr<std::vector<PlannedTable>> ListPlaced() override {
    return Run([](const FakeTickets& data) -> absl::StatusOr<std::vector<PlannedTable>> {
      std::vector<PlannedTable> placed;
      for (const auto& [id, table] : data.tables) {
        if (table.second == TableState::kPlaced) placed.push_back(table.first);
      }
      SortByAge(placed);
      return placed;
    });
  }

  Tickets Confirm(absl::Span<const TableId> tables) override {
    return Record(tables, TableState::kMade, TicketState::kMatched);
  }

  Tickets Refuse(absl::Span<const TableId> tables) override {
    return Record(tables, TableState::kRefused, TicketState::kWaiting);
  }

  Tickets Release(const FinishedMatch& match) override {
    return Run([=](FakeTickets& data) -> Tickets {
      const auto found = data.tables.find(match.table);
      if (found == data.tables.end() || found->second.second == TableState::kRefused) {
        return std::vector<Ticket>();
      }
      auto& [table, state] = found->second;
      if (state != TableState::kOver && !table.queue.empty()) {
        std::vector<PlayerId> persons;
        for (const PlannedSeat& seat : table.seats) {
          if (seat.bot_level.empty()) persons.push_back(seat.player);
        }
        for (const PlayerId person : persons) {
          Standing& standing = data.standings[person];
          const EndOfMatch end = EndFor(person, persons, match, table.terms.ranked);
          standing = AfterMatch(standing, end, match.time);
        }
      }
      state = TableState::kOver;
      return data.Turn(match.table, TicketState::kClosed, /*also_matched=*/true);
    });
  }

  absl::StatusOr<Standing> GetStanding(PlayerId player) override {
    return Run([=](const FakeTickets& data) -> absl::StatusOr<Standing> {
      const auto found = data.standings.find(player);
      return found == data.standings.end() ? Standing() : found->second;
    });
  }

  // Sets the standing of a player, for tests.
  void SetStanding(PlayerId player, const Standing& standing) {
    RunNow([&](FakeTickets& data) { data.standings[player] = standing; });
  }

 private:
  using TableState = FakeTickets::TableState;

  // Records `answer` for each table of `tables` that has no answer yet.
  Tickets Record(absl::Span<const TableId> tables, TableState answer, TicketState state) {
    const std::vector<TableId> ids(tables.begin(), tables.end());
    return Run([=](FakeTickets& data) -> Tickets {
      std::vector<Ticket> turned;
      for (const TableId id : ids) {
        const auto found = data.tables.find(id);
        if (found == data.tables.end() || found->second.second != TableState::kPlaced) continue;
        found->second.second = answer;
        for (Ticket& ticket : data.Turn(id, state, /*also_matched=*/false)) {
          turned.push_back(std::move(ticket));
        }
      }
      return turned;
    });
  }

  template <typename T>
  static void SortByAge(std::vector<T>& items) {
    std::sort(items.begin(), items.end(), [](const T& a, const T& b) {
      return std::tie(a.create_time, a.id) < std::tie(b.create_time, b.id);
    });
  }
};

}  // namespace tarot::matchmaking_service
