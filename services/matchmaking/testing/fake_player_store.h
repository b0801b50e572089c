// Defines the PlayerStore in memory, for tests. Players, rooms and tickets share one store, because
// the presence of a friend depends on all of them.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "services/matchmaking/app/player_store.h"
#include "services/matchmaking/limits.h"
#include "services/matchmaking/testing/fake_room_store.h"

namespace tarot::matchmaking_service {

// Thread-safe. This store and the store on Postgres pass the same tests (player_store_contract.h).
class FakePlayerStore : public FakeRoomStore, public PlayerStore {
 public:
  using FakeRoomStore::FakeRoomStore;

  absl::Status See(PlayerId player, const std::string& display_name, absl::Time now) override {
    return Run([=](FakeTickets& data) {
      auto& seen = data.seen[player];
      seen = {.display_name = display_name, .time = std::max(seen.time, now)};
      return absl::OkStatus();
    });
  }

  absl::Status SeeAgain(absl::Span<const PlayerId> players, absl::Time now) override {
    const std::vector<PlayerId> again(players.begin(), players.end());
    return Run([=](FakeTickets& data) {
      for (const PlayerId player : again) {
        const auto seen = data.seen.find(player);
        if (seen != data.seen.end()) seen->second.time = std::max(seen->second.time, now);
      }
      return absl::OkStatus();
    });
  }

  absl::StatusOr<bool> HasSeen(PlayerId player) override {
    return Run([=](const FakeTickets& data) -> absl::StatusOr<bool> {
      return data.seen.contains(player) ||
             std::any_of(data.tickets.begin(), data.tickets.end(),
                         [&](const auto& entry) { return entry.second.player == player; });
    });
  }

  absl::Status ForgetPlayers(absl::Time unused_since, absl::Time report_before) override {
    return Run([=](FakeTickets& data) {
      std::set<PlayerId> unused;
      for (const auto& [player, seen] : data.seen) {
        if (seen.time < unused_since) unused.insert(player);
      }
      std::erase_if(data.seen, [&](const auto& entry) { return unused.contains(entry.first); });
      std::erase_if(data.relations, [&](const auto& entry) {
        return unused.contains(entry.first.first) || unused.contains(entry.first.second);
      });
      std::erase_if(data.reports,
                    [&](const PlayerReport& report) { return report.report_time < report_before; });
      return absl::OkStatus();
    });
  }

  absl::StatusOr<int> ForgetGuests(absl::Time seen_from, absl::Time seen_until) override {
    return Run([=](FakeTickets& data) -> absl::StatusOr<int> {
      const auto stays = [&](PlayerId player) {
        const auto related = [&](const auto& entry) {
          return entry.first.first == player || entry.first.second == player;
        };
        const auto sits = [&](const auto& entry) {
          return Live(entry.second) && entry.second.room.SeatOf(player).has_value();
        };
        const auto has_ticket = [&](const auto& entry) {
          return entry.second.player == player && entry.second.state != TicketState::kCancelled;
        };
        return std::any_of(data.relations.begin(), data.relations.end(), related) ||
               std::any_of(data.rooms.begin(), data.rooms.end(), sits) ||
               data.standings.contains(player) ||
               std::any_of(data.tickets.begin(), data.tickets.end(), has_ticket);
      };
      return static_cast<int>(std::erase_if(data.seen, [&](const auto& entry) {
        return entry.second.time >= seen_from && entry.second.time < seen_until &&
               !stays(entry.first);
      }));
    });
  }

  absl::Status ForgetTickets(absl::Time created_until) override {
    return Run([=](FakeTickets& data) {
      std::set<TicketId> forgotten;
      for (const auto& [id, ticket] : data.tickets) {
        if (ticket.state == TicketState::kCancelled && ticket.create_time < created_until) {
          forgotten.insert(id);
        }
      }
      std::erase_if(data.tickets,
                    [&](const auto& entry) { return forgotten.contains(entry.first); });
      std::erase_if(data.requests,
                    [&](const auto& entry) { return forgotten.contains(entry.second); });
      return absl::OkStatus();
    });
  }

  absl::Status ForgetMatches(absl::Time placed_until) override {
    return Run([=](FakeTickets& data) {
      const auto kept = [&](TableId table) {
        return std::any_of(data.rooms.begin(), data.rooms.end(), [&](const auto& entry) {
          const Room& room = entry.second.room;
          return room.table == table || room.last_table == table;
        });
      };
      std::set<TableId> old;
      for (const auto& [id, table] : data.tables) {
        const bool over = table.second == FakeTickets::TableState::kOver;
        if (over && table.first.create_time < placed_until && !kept(id)) old.insert(id);
      }
      std::set<TicketId> forgotten;
      for (const auto& [id, ticket] : data.tickets) {
        if (ticket.state == TicketState::kClosed && old.contains(ticket.table))
          forgotten.insert(id);
      }
      std::erase_if(data.tables, [&](const auto& entry) { return old.contains(entry.first); });
      std::erase_if(data.tickets,
                    [&](const auto& entry) { return forgotten.contains(entry.first); });
      std::erase_if(data.requests,
                    [&](const auto& entry) { return forgotten.contains(entry.second); });
      return absl::OkStatus();
    });
  }

  absl::StatusOr<FriendOutcome> AskFriend(PlayerId player, PlayerId other, bool accepts,
                                          absl::Time) override {
    return Run([=](FakeTickets& data) -> absl::StatusOr<FriendOutcome> {
      const bool mine = data.Relates(player, other, Relating::kAsks);
      const bool theirs = data.Relates(other, player, Relating::kAsks);
      if (data.BlockBetween(player, other)) return FriendOutcome::kBlocked;
      if (!theirs && accepts) return FriendOutcome::kNoRequest;
      if (!mine) {
        int asked = 0, asking = 0;
        for (const auto& [players, relating] : data.relations) {
          if (relating != Relating::kAsks) continue;
          asked += players.first == player;
          asking += players.second == other;
        }
        if (asked >= kFriendsAskedMax || (asking >= kFriendsAskingMax && !theirs)) {
          return FriendOutcome::kFull;
        }
        data.relations[{player, other}] = Relating::kAsks;
      }
      return theirs ? FriendOutcome::kFriends : FriendOutcome::kRequested;
    });
  }

  absl::Status RemoveFriend(PlayerId player, PlayerId other) override {
    return Run([=](FakeTickets& data) {
      EndAsking(data, player, other);
      EndAsking(data, other, player);
      return absl::OkStatus();
    });
  }

  absl::StatusOr<bool> Block(PlayerId player, PlayerId other, absl::Time) override {
    return Run([=](FakeTickets& data) -> absl::StatusOr<bool> {
      const auto blocks =
          std::count_if(data.relations.begin(), data.relations.end(), [&](const auto& entry) {
            return entry.first.first == player && entry.first.second != other &&
                   entry.second == Relating::kBlocks;
          });
      if (blocks >= kBlocksMax) return false;
      data.relations[{player, other}] = Relating::kBlocks;
      EndAsking(data, other, player);
      for (auto& [id, stored] : data.rooms) {
        Room& room = stored.room;
        if (!Live(stored) || !(room.SeatOf(player) || room.SeatOf(other))) continue;
        std::erase(room.invited, player);
        std::erase(room.invited, other);
        ++room.revision;
      }
      return true;
    });
  }

  absl::Status Unblock(PlayerId player, PlayerId other) override {
    return Run([=](FakeTickets& data) {
      if (data.Relates(player, other, Relating::kBlocks)) data.relations.erase({player, other});
      return absl::OkStatus();
    });
  }

  absl::StatusOr<std::vector<KnownPlayer>> ListFriends(const FriendPage& page) override {
    return Run([=](const FakeTickets& data) -> absl::StatusOr<std::vector<KnownPlayer>> {
      std::vector<KnownPlayer> known;
      const auto add = [&](PlayerId player, Relation relation) {
        const auto seen = data.seen.find(player);
        known.push_back({.player = player,
                         .display_name = seen == data.seen.end() ? "" : seen->second.display_name,
                         .relation = relation});
        if (relation == Relation::kFriend) {
          known.back().presence = PresenceOf(data, player, page);
        }
      };
      for (const auto& [players, relating] : data.relations) {
        const auto& [player, other] = players;
        const bool asks = relating == Relating::kAsks;
        if (player == page.player && !asks) add(other, Relation::kBlocked);
        if (player == page.player && asks) {
          const bool both = data.Relates(other, player, Relating::kAsks);
          add(other, both ? Relation::kFriend : Relation::kRequestSent);
        }
        if (other == page.player && asks && !data.relations.contains({other, player})) {
          add(player, Relation::kRequestReceived);
        }
      }
      const auto key = [](const auto& item) { return std::tuple(item.relation, item.player); };
      std::sort(known.begin(), known.end(),
                [&](const KnownPlayer& a, const KnownPlayer& b) { return key(a) < key(b); });
      std::erase_if(known, [&](const KnownPlayer& player) {
        return page.after && key(player) <= key(*page.after);
      });
      if (known.size() > static_cast<std::size_t>(page.size)) {
        known.resize(static_cast<std::size_t>(page.size));
      }
      return known;
    });
  }

  absl::StatusOr<bool> HasBlock(absl::Span<const PlayerId> some,
                                absl::Span<const PlayerId> others) override {
    const std::vector<PlayerId> a(some.begin(), some.end()), b(others.begin(), others.end());
    return Run([=](const FakeTickets& data) -> absl::StatusOr<bool> {
      for (const PlayerId one : a) {
        for (const PlayerId other : b) {
          if (data.BlockBetween(one, other)) return true;
        }
      }
      return false;
    });
  }

  absl::StatusOr<ReportOutcome> Report(const PlayerReport& report) override {
    return Run([=](FakeTickets& data) -> absl::StatusOr<ReportOutcome> {
      int recent = 0;
      for (PlayerReport& other : data.reports) {
        if (other.reporter != report.reporter) continue;
        if (other.player == report.player && other.table == report.table) {
          other.deal_number = report.deal_number;
          other.reason = report.reason;
          return ReportOutcome::kRepeated;
        }
        recent += other.report_time > report.report_time - absl::Hours(24);
      }
      const auto table = data.tables.find(report.table);
      const bool made = table != data.tables.end() && (table->second.second == TableState::kMade ||
                                                       table->second.second == TableState::kOver);
      bool sat = false, met = false, bot = false;
      const bool recent_table =
          made && table->second.first.create_time > report.report_time - kReportedTableMax;
      if (recent_table) {
        for (const PlannedSeat& seat : table->second.first.seats) {
          sat = sat || (seat.player == report.reporter && seat.bot_level.empty());
          met = met || seat.player == report.player;
          bot = bot || (seat.player == report.player && !seat.bot_level.empty());
        }
      }
      if (!sat) return ReportOutcome::kNoTable;
      if (!met) return ReportOutcome::kNotAtTable;
      if (bot) return ReportOutcome::kBot;
      if (recent >= kReportsPerDayMax) return ReportOutcome::kFull;
      data.reports.push_back(report);
      return ReportOutcome::kStored;
    });
  }

  absl::StatusOr<std::vector<PlayerReport>> ListReports(const ReportPage& page) override {
    return Run([=](const FakeTickets& data) -> absl::StatusOr<std::vector<PlayerReport>> {
      const auto key = [](const PlayerReport& report) {
        return std::tie(report.report_time, report.reporter, report.player, report.table,
                        report.deal_number);
      };
      std::vector<PlayerReport> reports = data.reports;
      std::erase_if(reports, [&](const PlayerReport& report) {
        return page.after && !(key(report) < key(*page.after));
      });
      std::sort(reports.begin(), reports.end(),
                [&](const PlayerReport& a, const PlayerReport& b) { return key(b) < key(a); });
      if (reports.size() > static_cast<std::size_t>(page.size)) {
        reports.resize(static_cast<std::size_t>(page.size));
      }
      return reports;
    });
  }

  absl::StatusOr<std::string> ExportPlayer(PlayerId player) override {
    return Run([=](const FakeTickets& data) -> absl::StatusOr<std::string> {
      const auto seen = data.seen.find(player);
      return absl::StrCat("{\"display_name\": \"",
                          seen == data.seen.end() ? "" : seen->second.display_name, "\"}");
    });
  }

  absl::StatusOr<TableId> DeletePlayer(PlayerId player) override {
    return Run([=](FakeTickets& data) -> absl::StatusOr<TableId> {
      for (const auto& [id, ticket] : data.tickets) {
        const bool plays =
            ticket.state == TicketState::kPlacing || ticket.state == TicketState::kMatched;
        if (ticket.player == player && plays) return ticket.table;
      }
      std::erase_if(data.tickets, [&](const auto& e) { return e.second.player == player; });
      std::erase_if(data.relations, [&](const auto& e) {
        return e.first.first == player || e.first.second == player;
      });
      std::erase_if(data.reports, [&](const PlayerReport& report) {
        return report.player == player || report.reporter == player;
      });
      data.standings.erase(player);
      data.seen.erase(player);
      for (auto& [id, table] : data.tables) {
        for (PlannedSeat& seat : table.first.seats) {
          if (seat.player == player) seat.display_name = kDeletedName;
        }
      }
      return TableId();
    });
  }

 private:
  using Relating = FakeTickets::Relating;

  static void EndAsking(FakeTickets& data, PlayerId player, PlayerId other) {
    if (data.Relates(player, other, Relating::kAsks)) data.relations.erase({player, other});
  }

  static Presence PresenceOf(const FakeTickets& data, PlayerId player, const FriendPage& page) {
    Presence presence;
    const auto seen = data.seen.find(player);
    if (seen != data.seen.end() && seen->second.time > page.online_since) {
      presence.activity = Activity::kOnline;
    }
    const StoredRoom* const stored = RoomOf(data, player);
    if (stored != nullptr) {
      const Room room = Shown(data, *stored);
      presence.activity = Activity::kInRoom;
      const bool blocked =
          std::any_of(room.seats.begin(), room.seats.end(), [&](const RoomSeat& seat) {
            return seat.person() && data.BlockBetween(seat.player, page.player);
          });
      const bool may_join =
          (room.visibility == RoomVisibility::kOpen || room.Invited(page.player)) &&
          !room.Removed(page.player) && !blocked;
      if (may_join || room.SeatOf(page.player)) presence.room = room.id;
    }
    for (const auto& [id, stored_table] : data.tables) {
      const auto& [table, state] = stored_table;
      if (!table.queue.empty() || state != TableState::kMade) continue;
      const auto sits = [&](const PlannedSeat& seat) {
        return seat.player == player && seat.bot_level.empty();
      };
      if (std::none_of(table.seats.begin(), table.seats.end(), sits)) continue;
      presence.activity = Activity::kPlaying;
      presence.table = id;
    }
    for (const auto& [id, ticket] : data.tickets) {
      if (ticket.player != player || !IsLive(ticket.state)) continue;
      if (ticket.state == TicketState::kMatched) {
        presence.activity = Activity::kPlaying;
        presence.table = ticket.table;
        return presence;
      }
      if (presence.activity != Activity::kPlaying) presence.activity = Activity::kWaiting;
    }
    return presence;
  }
};

}  // namespace tarot::matchmaking_service
