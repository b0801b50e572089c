#include "services/matchmaking/app/casual_tables.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace tarot::matchmaking_service {
namespace {

using matching::MatchedTable;
using matching::MatchTicket;
using matching::MatchWave;

// Tickets that sit together: a party, or one ticket without a party. The members are indices of
// tickets, oldest first.
struct Group {
  std::vector<std::size_t> members;
  bool party = false;
};

class CasualTables {
 public:
  CasualTables(const Queue& queue, absl::Span<const Ticket> tickets,
               absl::Span<const MatchTicket> candidates, absl::Time now)
      : queue_(queue),
        seats_(static_cast<std::size_t>(queue.player_count)),
        tickets_(tickets),
        candidates_(candidates),
        now_(now),
        taken_(tickets.size(), false) {}

  MatchWave Run() {
    const std::vector<Group> groups = CompleteGroups();
    const bool parties =
        std::any_of(groups.begin(), groups.end(), [](const Group& group) { return group.party; });
    if (parties) SeatGroups(groups, /*only_due=*/false);
    SeatByRating();
    SeatGroups(groups, /*only_due=*/true);
    for (std::size_t i = 0; i < tickets_.size(); ++i) {
      if (taken_[i]) continue;
      const auto known = waiting_.find(i);
      matching::WaitingTicket waiting =
          known == waiting_.end() ? matching::WaitingTicket{.ticket = i} : known->second;
      waiting.position = static_cast<int>(wave_.waiting.size()) + 1;
      wave_.waiting.push_back(waiting);
    }
    return std::move(wave_);
  }

 private:
  // Returns the groups by age, without parties that are incomplete or have a block inside.
  std::vector<Group> CompleteGroups() const {
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
      groups.push_back({.members = {i}, .party = !party.empty()});
    }
    std::erase_if(groups, [&](const Group& group) { return !Complete(group); });
    return groups;
  }

  bool Complete(const Group& group) const {
    int size = 0;
    for (const std::size_t i : group.members) size = std::max(size, tickets_[i].party_size);
    if (static_cast<int>(group.members.size()) < size) return false;
    std::vector<std::size_t> alone;
    for (const std::size_t i : group.members) {
      if (HasBlock(alone, {i})) return false;
      alone.push_back(i);
    }
    return group.members.size() <= seats_;
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
           now_ - tickets_[group.members.front()].create_time >= queue_.bot_fill_delay;
  }

  // Gives tables to groups by age. Each table takes the oldest groups that fit. Without `only_due`,
  // also makes full tables with a party.
  void SeatGroups(const std::vector<Group>& groups, bool only_due) {
    for (std::size_t first = 0; first < groups.size(); ++first) {
      if (taken_[groups[first].members.front()]) continue;
      MatchedTable table;
      bool party = false;
      for (std::size_t i = first; i < groups.size() && table.tickets.size() < seats_; ++i) {
        const Group& group = groups[i];
        const bool fits = !taken_[group.members.front()] &&
                          table.tickets.size() + group.members.size() <= seats_ &&
                          !HasBlock(table.tickets, group.members);
        if (!fits) continue;
        table.tickets.insert(table.tickets.end(), group.members.begin(), group.members.end());
        party = party || group.party;
      }
      const bool full = !only_due && party && table.tickets.size() == seats_;
      if (full || (only_due && Due(groups[first]))) Take(std::move(table));
    }
  }

  // Lets the matcher make tables of the tickets without a party.
  void SeatByRating() {
    std::vector<std::size_t> single;
    std::vector<MatchTicket> left;
    for (std::size_t i = 0; i < tickets_.size(); ++i) {
      if (taken_[i] || !tickets_[i].party.empty()) continue;
      single.push_back(i);
      left.push_back(candidates_[i]);
    }
    MatchWave wave = matching::MakeTables(left, queue_.player_count, now_);
    for (MatchedTable& table : wave.tables) {
      for (std::size_t& i : table.tickets) i = single[i];
      Take(std::move(table));
    }
    for (matching::WaitingTicket& waiting : wave.waiting) {
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
  std::vector<bool> taken_;
  std::map<std::size_t, matching::WaitingTicket> waiting_;  // The matcher's answer for each ticket.
  MatchWave wave_;
};

}  // namespace

MatchWave MakeCasualTables(const Queue& queue, absl::Span<const Ticket> tickets,
                           absl::Span<const MatchTicket> candidates, absl::Time now) {
  return CasualTables(queue, tickets, candidates, now).Run();
}

}  // namespace tarot::matchmaking_service
