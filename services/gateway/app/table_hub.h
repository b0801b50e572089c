// Declares the hub, which keeps the tables that players watch at this gateway. For each table, the
// hub has one subscription at the replica that hosts the table, even if many players watch the
// table.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "libs/base/ids.h"
#include "services/gateway/limits.h"
#include "services/gateway/metrics.h"

namespace tarot::gateway_service {

// A table at one revision, as bytes that the rules service has encoded. All players who watch the
// table at this gateway share one frame.
struct Frame {
  struct Part {
    PlayerId player;
    std::string own;
    int seat = 0;
  };

  int revision = 0;
  // The bytes of a rules.v1.Table. A player's view has these bytes, followed by the player's own
  // part.
  std::string shared;
  std::vector<Part> parts;
  // InfiniteFuture if `disconnected_seats` is the only new part of this frame.
  absl::Time arrive_time;
  // The seats of the persons who have lost the connection, in rising order. The hub sets them, and
  // raises `connections_version` when they change. Among frames of the same revision, the frame
  // with the highest version is the newest one.
  std::vector<int> disconnected_seats;
  int connections_version = 0;
};

// The interface to the stream of one player. The hub calls these functions on any thread. They must
// not block.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void Show(const std::shared_ptr<const Frame>& frame) = 0;
  virtual void End(const absl::Status& status) = 0;
};

// The interface to the feeds of the replicas of rules. `host` is a replica's address. A request for
// an address without a feed is ignored. The hub calls these functions under its mutex, so they must
// not call the hub.
class TableFeeds {
 public:
  virtual ~TableFeeds() = default;
  virtual void Add(const std::string& host, TableId table, int after_revision) = 0;
  virtual void Remove(const std::string& host, TableId table) = 0;
  // Tells the host which persons of the table watch it at this gateway.
  virtual void ReportPresent(const std::string& host, TableId table,
                             const std::vector<PlayerId>& players) = 0;
};

// Thread-safe. When a table gets another host, the hub subscribes there, and the players' streams
// continue. If a table's host does not show the table for `kTableAwayMax`, the hub ends the table's
// streams with UNAVAILABLE SERVICE_AWAY. The players then open their streams at another gateway,
// which may reach more replicas. When the table gets another host, the hub measures this time from
// zero again.
//
// The hub tells each host which persons of its tables watch here, and the host tells the hub which
// persons watch at any gateway. A person who has not watched for `kDisconnectedTicks` counts as
// disconnected.
//
// If a table has many watchers, spectators get views later and miss some of them (kCrowdMin).
class TableHub {
 public:
  TableHub(TableFeeds& feeds, Metrics& metrics) : feeds_(feeds), metrics_(metrics) {}

  // Shows `sink` the newest frame if its revision is above `after_revision`, or if it is equal and
  // the disconnected seats have changed before. Then shows each later frame, and the same frame
  // again when other seats are disconnected. If the host ends the subscription with UNAVAILABLE,
  // the hub subscribes again. With any other status, for example OK after the end of the match, it
  // ends the stream with this status. The comment of the class says when SERVICE_AWAY ends it.
  // Returns RESOURCE_EXHAUSTED RATE_LIMITED if the address (AddressKey) has too many spectators at
  // this table. While the hub knows no frame of the table, each watcher counts as a spectator.
  absl::Status Watch(TableId table, PlayerId player, const std::string& address, int after_revision,
                     std::shared_ptr<FrameSink> sink);
  // Call this function once after each Watch() that returned OK. It does nothing if the hub has
  // ended the stream.
  void Unwatch(TableId table, const FrameSink* sink);

  // Sets the addresses of the replicas that host the tables of `cell` from now on. The list must
  // not be empty. Each cell must have a list before the first call of Watch(). The first cell also
  // gets the tables whose cell has no list.
  void SetHosts(int cell, std::vector<std::string> hosts);

  // The events of the feed of `host`, in their order. After OnOpen(), the hub subscribes to the
  // host's tables again. For OnLost(), `silent_ticks` is the number of ticks without a message
  // before the loss.
  void OnOpen(const std::string& host);
  void OnLost(const std::string& host, int silent_ticks);
  void OnFrame(const std::string& host, TableId table, const std::shared_ptr<const Frame>& frame);
  // `connected` are the persons of the table who watch it at any gateway.
  void OnConnected(const std::string& host, TableId table, std::vector<PlayerId> connected);
  void OnEnd(const std::string& host, TableId table, const absl::Status& status);

  // Call this function each `kTableTick`. Subscribes again to tables that a replica refused, ends
  // the streams of tables that their host has not shown for `kTableAwayMax`, and shows seats that
  // are disconnected now. Shows the newest frame to spectators who have waited for it. The hub
  // counts ticks, so a jump of the clock changes nothing.
  void Tick();

 private:
  struct Watcher {
    std::shared_ptr<FrameSink> sink;
    PlayerId player;
    std::string address;
    int after_revision;
  };
  struct Entry {
    std::string host;
    std::vector<Watcher> watchers;
    std::shared_ptr<const Frame> frame;  // The newest frame; null before the first.
    // True if the host refused the subscription. The hub asks again at the next tick.
    bool refused = false;
    // Unset while the host shows the table. If set, the number of ticks since the host last showed
    // the table. For a host that has not shown the table yet, the number of ticks since this
    // replica became the host.
    std::optional<int> away_ticks;
    // True if the hub has told the host, since it subscribed, which persons watch here.
    bool reported = false;
    // The persons who watch at any gateway; nullopt while they are unknown.
    std::optional<std::vector<PlayerId>> connected;
    // absent_ticks[seat] counts the ticks for which the person of the seat has not been connected.
    std::array<int, kSeatsMax> absent_ticks{};
    // The values of these two members in the newest frame.
    std::vector<int> disconnected_seats;
    int connections_version = 0;
    // True if spectators have not got the newest frame, because the table has many watchers.
    bool spectators_wait = false;
    // The number of ticks since such spectators got a frame, at most kSpectatorTicks.
    int spectator_ticks = kSpectatorTicks;
  };
  using Entries = absl::flat_hash_map<TableId, Entry>;

  std::string HostOf(TableId table);                    // Needs mutex_.
  void Subscribe(TableId table, Entry& entry);          // Needs mutex_.
  std::vector<Watcher> Erase(Entries::iterator entry);  // Needs mutex_.
  // Returns false if the frame is unknown. Needs mutex_.
  static bool HasSeat(const Entry& entry, PlayerId player);
  // Shows the newest frame to all spectators. Needs mutex_ and a frame.
  static void ShowSpectators(Entry& entry);
  // Tells the host which persons watch here. Needs mutex_ and a frame.
  void Report(TableId table, Entry& entry);
  // Calls Report() if the player has a seat and the host has got a report before. Needs mutex_.
  void ReportIfSeated(TableId table, Entry& entry, PlayerId player);
  // Counts a tick for each person who is not connected. Needs mutex_.
  void CountAbsent(Entry& entry, int ticks);
  // If the disconnected seats are not those of the newest frame, shows this frame again with the
  // new seats. Needs mutex_.
  void ShowDisconnected(Entry& entry);

  TableFeeds& feeds_;
  Metrics& metrics_;
  std::mutex mutex_;
  std::map<int, std::vector<std::string>> hosts_;  // The addresses of each cell.
  Entries tables_;
};

}  // namespace tarot::gateway_service
