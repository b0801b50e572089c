#include "services/matchmaking/app/casual_tables.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tarot::matchmaking_service {
namespace {

using matching::MatchedTable;
using matching::MatchTicket;
using matching::MatchWave;
using matching::Obstacle;
using matching::WaitingTicket;
using matching::WaitReason;

// Maximum number of groups that the search for a full table with one party looks at. A group that
// the search looks at twice counts twice. The search reaches this number only if very many groups
// do not fit together.
constexpr int kGroupsTriedMax = 10'000;

// A group of tickets that must get the same table. A group has all tickets of a party, or a single
// ticket. A single ticket has no party, or its person is alone in the room. `members` has the
// indices of these tickets in `tickets_`, oldest first.
struct Group {
  std::vector<std::size_t> members;

  bool party() const { return members.size() > 1; }
};

class CasualTables {
 public:
  CasualTables(const Queue& queue, absl::Span<const Ticket> tickets,
               absl::Span<const MatchTicket> candidates, absl::Time now,
               const matching::RoundTrips& round_trips)
      : queue_(queue),
        seats_(static_cast<std::size_t>(queue.player_count)),
        tickets_(tickets),
        candidates_(candidates),
        now_(now),
        round_trips_(round_trips),
        taken_(tickets.size(), false) {}

  MatchWave Run() {
    const std::vector<Group> groups = CompleteGroups();
    SeatParties(groups);
    SeatByRating(groups);
    SeatDueGroups(groups);
    for (std::size_t g = 0; g < groups.size(); ++g) {
      if (!taken_[groups[g].members.front()]) SayWhyNone(groups, g);
    }
    for (std::size_t i = 0; i < tickets_.size(); ++i) {
      if (taken_[i]) continue;
      WaitingTicket waiting =
          waiting_
              .try_emplace(i, WaitingTicket{.ticket = i, .reason = WaitReason::kPartyIncomplete})
              .first->second;
      waiting.position = static_cast<int>(wave_.waiting.size()) + 1;
      wave_.waiting.push_back(waiting);
    }
    return std::move(wave_);
  }

  std::vector<Obstacle> Explain(std::size_t ticket) const {
    std::vector<Obstacle> obstacles = matching::Explain(
        candidates_, queue_.player_count, now_, absl::InfiniteDuration(), ticket, round_trips_);
    const std::vector<Group> groups = AllGroups();
    const auto own = std::find_if(groups.begin(), groups.end(), [ticket](const Group& group) {
      return std::count(group.members.begin(), group.members.end(), ticket) > 0;
    });
    for (const Group& group : groups) {
      const std::optional<Obstacle> obstacle = ObstacleOfParties(*own, group);
      if (!obstacle) continue;
      for (const std::size_t i : group.members) {
        if (i != ticket) obstacles[i] = *obstacle;
      }
    }
    return obstacles;
  }

 private:
  // Returns the obstacle to a table with the two groups, which may be the same one. Returns nullopt
  // if each group is a single ticket and no part of an incomplete party, because then the rules of
  // matching::Explain() hold.
  std::optional<Obstacle> ObstacleOfParties(const Group& own, const Group& other) const {
    const std::size_t size = SizeOf(own) + (own.members == other.members ? 0 : SizeOf(other));
    if (size > seats_) return Obstacle::kPartyTooLarge;
    if (!CanPlay(own) || !CanPlay(other)) return Obstacle::kPartyIncomplete;
    if (!own.party() && !other.party()) return std::nullopt;
    return HasBlock(own.members, other.members) ? Obstacle::kBlocked : Obstacle::kNone;
  }

  // Returns all groups, oldest first.
  std::vector<Group> AllGroups() const {
    std::vector<Group> groups;
    std::map<RoomId, std::size_t> parties;
    for (std::size_t i = 0; i < tickets_.size(); ++i) {
      const RoomId party = tickets_[i].party;
      const auto found = party.empty() ? parties.end() : parties.find(party);
      if (found != parties.end()) {
        groups[found->second].members.push_back(i);
        continue;
      }
      if (!party.empty()) parties[party] = groups.size();
      groups.push_back({.members = {i}});
    }
    return groups;
  }

  // Returns the groups, oldest first. Leaves out parties that are incomplete or too large, and
  // parties with a block between two of their persons. If a party has a block, stores kBlocked as
  // the reason of its tickets.
  std::vector<Group> CompleteGroups() {
    std::vector<Group> groups = AllGroups();
    std::erase_if(groups, [&](const Group& group) {
      if (!Complete(group)) return true;
      if (!HasBlockInside(group)) return false;
      for (const std::size_t i : group.members) {
        waiting_[i] = {.ticket = i, .reason = WaitReason::kBlocked};
      }
      return true;
    });
    return groups;
  }

  // Returns the size of the group, with the persons of its party who have no ticket in the queue.
  std::size_t SizeOf(const Group& group) const {
    std::size_t size = group.members.size();
    for (const std::size_t i : group.members) {
      size = std::max(size, static_cast<std::size_t>(tickets_[i].party_size));
    }
    return size;
  }

  bool Complete(const Group& group) const {
    return group.members.size() == SizeOf(group) && group.members.size() <= seats_;
  }

  bool CanPlay(const Group& group) const { return Complete(group) && !HasBlockInside(group); }

  bool HasBlockInside(const Group& group) const {
    std::vector<std::size_t> others;
    for (const std::size_t i : group.members) {
      if (HasBlock(others, {i})) return true;
      others.push_back(i);
    }
    return false;
  }

  // Stores the reason why `groups[g]` got no table: kBlocked if only blocks forbid a full table,
  // and otherwise kTooFewPlayers. If matching::MakeTables() gave another reason to a single ticket,
  // keeps this reason. MakeTables() knows no parties, so its kTooFewPlayers may be wrong.
  void SayWhyNone(const std::vector<Group>& groups, std::size_t g) {
    const auto known = waiting_.find(groups[g].members.front());
    if (known != waiting_.end() && known->second.reason != WaitReason::kTooFewPlayers) return;
    const bool only_blocks_forbid = FullTable(groups, g, /*ignores_blocks=*/true).has_value();
    const WaitReason reason =
        only_blocks_forbid ? WaitReason::kBlocked : WaitReason::kTooFewPlayers;
    for (const std::size_t i : groups[g].members) {
      waiting_.try_emplace(i, WaitingTicket{.ticket = i}).first->second.reason = reason;
    }
  }

  bool HasBlock(const std::vector<std::size_t>& some,
                const std::vector<std::size_t>& others) const {
    for (const std::size_t a : some) {
      for (const std::size_t b : others) {
        if (matching::BlockBetween(candidates_[a], candidates_[b])) return true;
      }
    }
    return false;
  }

  bool Due(const Group& group) const {
    return queue_.bot_fill_delay > absl::ZeroDuration() &&
           now_ - tickets_[group.members.back()].create_time >= queue_.bot_fill_delay;
  }

  // Returns whether `group` may join the tickets of `table`.
  bool Fits(const Group& group, const std::vector<std::size_t>& table, bool ignores_blocks) const {
    return table.size() + group.members.size() <= seats_ &&
           (ignores_blocks || !HasBlock(table, group.members));
  }

  // Returns a table of `groups[first]` and the oldest other groups that fit. Its free seats are for
  // bots.
  MatchedTable TableWith(const std::vector<Group>& groups, std::size_t first) const {
    MatchedTable table;
    table.tickets = groups[first].members;
    for (std::size_t i = 0; i < groups.size() && table.tickets.size() < seats_; ++i) {
      if (i == first || taken_[groups[i].members.front()]) continue;
      if (!Fits(groups[i], table.tickets, /*ignores_blocks=*/false)) continue;
      table.tickets.insert(table.tickets.end(), groups[i].members.begin(), groups[i].members.end());
    }
    std::sort(table.tickets.begin(), table.tickets.end());
    return table;
  }

  // Returns a table without free seats for `groups[first]`, or nullopt if no choice of other groups
  // gives one. If there are several such tables, prefers the table with the oldest groups.
  std::optional<MatchedTable> FullTable(const std::vector<Group>& groups, std::size_t first,
                                        bool ignores_blocks = false) const {
    MatchedTable table;
    table.tickets = groups[first].members;
    int tries = kGroupsTriedMax;
    const auto fill = [&](const auto& self, std::size_t begin) -> bool {
      if (table.tickets.size() == seats_) return true;
      for (std::size_t i = begin; i < groups.size() && tries > 0; ++i) {
        if (i == first || taken_[groups[i].members.front()]) continue;
        --tries;
        if (!Fits(groups[i], table.tickets, ignores_blocks)) continue;
        const std::size_t before = table.tickets.size();
        table.tickets.insert(table.tickets.end(), groups[i].members.begin(),
                             groups[i].members.end());
        if (self(self, i + 1)) return true;
        table.tickets.resize(before);
      }
      return false;
    };
    if (!fill(fill, 0)) return std::nullopt;
    std::sort(table.tickets.begin(), table.tickets.end());
    return table;
  }

  // Makes a full table for each party for which enough other tickets fit, the oldest party first.
  void SeatParties(const std::vector<Group>& groups) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!groups[i].party() || taken_[groups[i].members.front()]) continue;
      std::optional<MatchedTable> table = FullTable(groups, i);
      if (table) Take(*std::move(table));
    }
  }

  // Makes a table for each group that has waited for bot_fill_delay. If no full table is possible,
  // bots fill the free seats.
  void SeatDueGroups(const std::vector<Group>& groups) {
    for (std::size_t i = 0; i < groups.size(); ++i) {
      if (!Due(groups[i]) || taken_[groups[i].members.front()]) continue;
      std::optional<MatchedTable> table = FullTable(groups, i);
      Take(table ? *std::move(table) : TableWith(groups, i));
    }
  }

  // Makes tables of the groups that have only one ticket, by matching::MakeTables().
  void SeatByRating(const std::vector<Group>& groups) {
    std::vector<std::size_t> single;
    std::vector<MatchTicket> left;
    for (const Group& group : groups) {
      const std::size_t i = group.members.front();
      if (taken_[i] || group.party()) continue;
      single.push_back(i);
      left.push_back(candidates_[i]);
    }
    MatchWave wave = matching::MakeTables(left, queue_.player_count, now_, absl::InfiniteDuration(),
                                          round_trips_);
    for (MatchedTable& table : wave.tables) {
      for (std::size_t& i : table.tickets) i = single[i];
      Take(std::move(table));
    }
    for (WaitingTicket& waiting : wave.waiting) {
      waiting.ticket = single[waiting.ticket];
      waiting_[waiting.ticket] = waiting;
    }
  }

  void Take(MatchedTable table) {
    int lowest = candidates_[table.tickets[0]].rating, highest = lowest;
    for (const std::size_t i : table.tickets) {
      taken_[i] = true;
      lowest = std::min(lowest, candidates_[i].rating);
      highest = std::max(highest, candidates_[i].rating);
    }
    table.spread = highest - lowest;
    wave_.tables.push_back(std::move(table));
  }

  const Queue& queue_;
  const std::size_t seats_;
  const absl::Span<const Ticket> tickets_;
  const absl::Span<const MatchTicket> candidates_;
  const absl::Time now_;
  const matching::RoundTrips& round_trips_;
  std::vector<bool> taken_;
  // waiting_[i] says why ticket i waits.
  std::map<std::size_t, WaitingTicket> waiting_;
  MatchWave wave_;
};

}  // namespace

MatchWave MakeCasualTables(const Queue& queue, absl::Span<const Ticket> tickets,
                           absl::Span<const MatchTicket> candidates, absl::Time now,
                           const matching::RoundTrips& round_trips) {
  return CasualTables(queue, tickets, candidates, now, round_trips).Run();
}

std::vector<Obstacle> ExplainCasual(const Queue& queue, absl::Span<const Ticket> tickets,
                                    absl::Span<const MatchTicket> candidates, absl::Time now,
                                    std::size_t ticket, const matching::RoundTrips& round_trips) {
  return CasualTables(queue, tickets, candidates, now, round_trips).Explain(ticket);
}

}  // namespace tarot::matchmaking_service
