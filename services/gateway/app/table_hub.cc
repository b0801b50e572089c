#include "services/gateway/app/table_hub.h"

#include <algorithm>
#include <utility>

#include "libs/base/cell.h"
#include "libs/base/error.h"
#include "libs/cluster/rendezvous.h"
#include "services/gateway/app/errors.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {

absl::Status TableHub::Watch(TableId table, PlayerId player, const std::string& address,
                             int after_revision, std::shared_ptr<FrameSink> sink) {
  const std::lock_guard lock(mutex_);
  const auto [found, fresh] = tables_.try_emplace(table);
  Entry& entry = found->second;
  if (!HasSeat(entry, player)) {
    const auto others = std::count_if(
        entry.watchers.begin(), entry.watchers.end(),
        [&](const Watcher& w) { return w.address == address && !HasSeat(entry, w.player); });
    if (others >= kSpectatorsPerAddressMax) return RateLimited(absl::Seconds(10));
  }
  if (fresh) {
    entry.host = HostOf(table);
    entry.away_ticks = 0;
    Subscribe(table, entry);
    metrics_.tables_watched.Increment();
  }
  // Shows the frame under the lock, so that the watcher gets the frames in order.
  if (entry.frame != nullptr) {
    const int revision = entry.frame->revision;
    // A watcher that comes back has perhaps missed a change of the disconnected seats.
    const bool again = revision == after_revision && entry.connections_version > 0;
    if (revision > after_revision || again) sink->Show(entry.frame);
  }
  entry.watchers.push_back({.sink = std::move(sink),
                            .player = player,
                            .address = address,
                            .after_revision = after_revision});
  ReportIfSeated(table, entry, player);
  return absl::OkStatus();
}

void TableHub::Unwatch(TableId table, const FrameSink* sink) {
  std::vector<Watcher> last;  // This vector is destroyed after the lock is released.
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(table);
  if (found == tables_.end()) return;
  std::vector<Watcher>& watchers = found->second.watchers;
  const auto at = std::find_if(watchers.begin(), watchers.end(),
                               [sink](const Watcher& w) { return w.sink.get() == sink; });
  if (at == watchers.end()) return;
  last.push_back(std::move(*at));
  watchers.erase(at);
  if (!watchers.empty()) return ReportIfSeated(table, found->second, last[0].player);
  feeds_.Remove(found->second.host, table);
  Erase(found);
}

std::string TableHub::HostOf(TableId table) {
  // A table of an unknown cell goes to the first cell, which answers TABLE_NOT_FOUND.
  const auto found = hosts_.find(CellOf(table.uuid));
  return cluster::HostOf(table.uuid,
                         found == hosts_.end() ? hosts_.begin()->second : found->second);
}

void TableHub::SetHosts(int cell, std::vector<std::string> hosts) {
  const std::lock_guard lock(mutex_);
  hosts_[cell] = std::move(hosts);
  for (auto& [table, entry] : tables_) {
    std::string host = HostOf(table);
    if (host == entry.host) continue;
    feeds_.Remove(entry.host, table);
    entry.host = std::move(host);
    entry.away_ticks = 0;
    Subscribe(table, entry);
  }
}

void TableHub::OnOpen(const std::string& host) {
  const std::lock_guard lock(mutex_);
  for (auto& [table, entry] : tables_) {
    if (entry.host == host) Subscribe(table, entry);
  }
}

void TableHub::OnLost(const std::string& host, int silent_ticks) {
  const std::lock_guard lock(mutex_);
  for (auto& [table, entry] : tables_) {
    if (entry.host != host) continue;
    if (!entry.away_ticks) entry.away_ticks = silent_ticks;
    entry.connected.reset();
  }
}

void TableHub::OnFrame(const std::string& host, TableId table,
                       const std::shared_ptr<const Frame>& frame) {
  absl::InlinedVector<std::shared_ptr<FrameSink>, 5> seats;
  std::vector<std::shared_ptr<FrameSink>> spectators;
  std::shared_ptr<const Frame> newest;
  {
    const std::lock_guard lock(mutex_);
    const auto found = tables_.find(table);
    if (found == tables_.end()) return;
    Entry& entry = found->second;
    const int known = entry.frame == nullptr ? -1 : entry.frame->revision;
    // A host that shows an older frame has not read the newest entries yet, so `away_ticks` is not
    // reset.
    if (host == entry.host && frame->revision >= known) entry.away_ticks.reset();
    // After an outage, the host shows the same revision again, with a new time limit for the turn.
    const bool other_clock =
        host == entry.host && frame->revision == known && frame->shared != entry.frame->shared;
    const bool news = frame->revision > known || other_clock;
    if (news) entry.frame = frame;
    if (host == entry.host && !entry.reported) Report(table, entry);
    if (!news) return;
    if (entry.connections_version > 0) {
      const auto shown = std::make_shared<Frame>(*frame);
      shown->disconnected_seats = entry.disconnected_seats;
      shown->connections_version = entry.connections_version;
      entry.frame = shown;
    }
    newest = entry.frame;
    for (const Watcher& watcher : entry.watchers) {
      const bool newer = frame->revision > watcher.after_revision;
      const bool same = frame->revision == watcher.after_revision;
      if (!newer && !(same && other_clock)) continue;
      if (HasSeat(entry, watcher.player)) {
        seats.push_back(watcher.sink);
      } else if (entry.watchers.size() > kCrowdMin) {
        entry.spectators_wait = true;
      } else {
        spectators.push_back(watcher.sink);
      }
    }
  }
  for (const std::shared_ptr<FrameSink>& sink : seats) sink->Show(newest);
  for (const std::shared_ptr<FrameSink>& sink : spectators) sink->Show(newest);
}

void TableHub::OnConnected(const std::string& host, TableId table,
                           std::vector<PlayerId> connected) {
  const std::lock_guard lock(mutex_);
  const auto found = tables_.find(table);
  if (found == tables_.end() || found->second.host != host) return;
  Entry& entry = found->second;
  entry.connected = std::move(connected);
  CountAbsent(entry, 0);
  ShowDisconnected(entry);
}

void TableHub::OnEnd(const std::string& host, TableId table, const absl::Status& status) {
  std::vector<Watcher> watchers;
  {
    const std::lock_guard lock(mutex_);
    const auto found = tables_.find(table);
    if (found == tables_.end() || found->second.host != host) return;
    if (absl::IsUnavailable(status)) {
      Entry& entry = found->second;
      entry.refused = true;
      if (!entry.away_ticks) entry.away_ticks = 0;
      return;
    }
    // The last view shows the result of the match.
    if (found->second.spectators_wait) ShowSpectators(found->second);
    watchers = Erase(found);
  }
  for (const Watcher& watcher : watchers) watcher.sink->End(status);
}

void TableHub::Tick() {
  std::vector<Watcher> lost;
  {
    const std::lock_guard lock(mutex_);
    for (auto at = tables_.begin(); at != tables_.end();) {
      const auto here = at++;
      Entry& entry = here->second;
      if (entry.away_ticks && ++*entry.away_ticks > kTableAwayMax / kTableTick) {
        feeds_.Remove(entry.host, here->first);
        std::vector<Watcher> watchers = Erase(here);
        std::move(watchers.begin(), watchers.end(), std::back_inserter(lost));
        continue;
      }
      if (entry.refused) Subscribe(here->first, entry);
      entry.spectator_ticks = std::min(entry.spectator_ticks + 1, kSpectatorTicks);
      if (entry.spectators_wait && entry.spectator_ticks == kSpectatorTicks) ShowSpectators(entry);
      CountAbsent(entry, 1);
      ShowDisconnected(entry);
    }
  }
  for (const Watcher& watcher : lost) watcher.sink->End(ServiceAway("rules"));
}

void TableHub::Subscribe(TableId table, Entry& entry) {
  entry.refused = false;
  entry.reported = false;
  entry.connected.reset();
  // Asks again for the frame that the hub already has. When this frame arrives, the hub knows that
  // the host serves the table.
  feeds_.Add(entry.host, table, entry.frame == nullptr ? -1 : entry.frame->revision - 1);
}

bool TableHub::HasSeat(const Entry& entry, PlayerId player) {
  return entry.frame != nullptr &&
         std::any_of(entry.frame->parts.begin(), entry.frame->parts.end(),
                     [&](const Frame::Part& part) { return part.player == player; });
}

void TableHub::ShowSpectators(Entry& entry) {
  entry.spectators_wait = false;
  entry.spectator_ticks = 0;
  // Calls Show() while the lock is held, as ShowDisconnected() does.
  for (const Watcher& watcher : entry.watchers) {
    if (entry.frame->revision < watcher.after_revision || HasSeat(entry, watcher.player)) continue;
    watcher.sink->Show(entry.frame);
  }
}

void TableHub::Report(TableId table, Entry& entry) {
  std::vector<PlayerId> present;
  for (const Frame::Part& part : entry.frame->parts) {
    const bool watches = std::any_of(entry.watchers.begin(), entry.watchers.end(),
                                     [&](const Watcher& w) { return w.player == part.player; });
    if (watches) present.push_back(part.player);
  }
  feeds_.ReportPresent(entry.host, table, present);
  entry.reported = true;
}

void TableHub::ReportIfSeated(TableId table, Entry& entry, PlayerId player) {
  if (!entry.reported) return;  // OnFrame() makes the first report.
  for (const Frame::Part& part : entry.frame->parts) {
    if (part.player == player) return Report(table, entry);
  }
}

void TableHub::CountAbsent(Entry& entry, int ticks) {
  if (!entry.connected || entry.frame == nullptr) return;
  for (const Frame::Part& part : entry.frame->parts) {
    int& absent = entry.absent_ticks[static_cast<std::size_t>(part.seat)];
    const bool here = std::find(entry.connected->begin(), entry.connected->end(), part.player) !=
                      entry.connected->end();
    absent = here ? 0 : std::min(absent + ticks, kDisconnectedTicks);
  }
}

void TableHub::ShowDisconnected(Entry& entry) {
  if (entry.frame == nullptr) return;
  std::vector<int> seats;
  for (const Frame::Part& part : entry.frame->parts) {
    const int absent = entry.absent_ticks[static_cast<std::size_t>(part.seat)];
    if (absent >= kDisconnectedTicks) seats.push_back(part.seat);
  }
  if (seats == entry.disconnected_seats) return;
  entry.disconnected_seats = std::move(seats);
  ++entry.connections_version;
  const auto shown = std::make_shared<Frame>(*entry.frame);
  shown->disconnected_seats = entry.disconnected_seats;
  shown->connections_version = entry.connections_version;
  shown->arrive_time = absl::InfiniteFuture();
  entry.frame = shown;
  // Calls Show() while the lock is held, so that each watcher gets the changes of the disconnected
  // seats in order.
  for (const Watcher& watcher : entry.watchers) {
    if (shown->revision >= watcher.after_revision) watcher.sink->Show(shown);
  }
}

std::vector<TableHub::Watcher> TableHub::Erase(Entries::iterator entry) {
  std::vector<Watcher> watchers = std::move(entry->second.watchers);
  tables_.erase(entry);
  metrics_.tables_watched.Decrement();
  return watchers;
}

}  // namespace tarot::gateway_service
