// Who watches which table here: one subscription a table at the replica that hosts it, however many
// watch, and wherever it moves.
#pragma once

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
#include "services/gateway/app/frame.h"
#include "services/gateway/metrics.h"

namespace tarot::gateway {

// One player's stream. Any thread; must not wait: it keeps only the newest frame.
class FrameSink {
 public:
  virtual ~FrameSink() = default;
  virtual void Show(const std::shared_ptr<const Frame>& frame) = 0;
  virtual void End(const absl::Status& status) = 0;
};

// Port: the feeds of the replicas, by address. An address without a feed is passed over. Called
// with the hub's lock, so it must not call back.
class TableFeeds {
 public:
  virtual ~TableFeeds() = default;
  virtual void Add(const std::string& host, TableId table, int after_revision) = 0;
  virtual void Remove(const std::string& host, TableId table) = 0;
};

// Thread-safe. A stream outlives the death of its table's host: the table is subscribed to at the
// next one, and nobody is told. Only when its host has shown nothing for `kAwayMax`, and nobody has
// named another one meanwhile, does it end, with UNAVAILABLE SERVICE_AWAY, for another gateway may
// see more.
class TableHub {
 public:
  static constexpr absl::Duration kTick = absl::Milliseconds(500);
  static constexpr absl::Duration kAwayMax = absl::Seconds(7);

  TableHub(TableFeeds& feeds, Metrics& metrics) : feeds_(feeds), metrics_(metrics) {}

  // Shows `sink` the newest frame after `after_revision`, and each that follows. It ends with OK
  // when the match is over, with NOT_FOUND TABLE_NOT_FOUND, or as above.
  void Watch(TableId table, int after_revision, std::shared_ptr<FrameSink> sink);
  // Once for each Watch; nothing happens when it has ended meanwhile.
  void Unwatch(TableId table, const FrameSink* sink);

  // Who hosts tables from now on; not empty.
  void SetHosts(std::vector<std::string> hosts);

  // From the feed of `host`, in their order. After a loss everything is subscribed to again; before
  // it, the host had been silent for so many ticks.
  void OnOpen(const std::string& host);
  void OnLost(const std::string& host, int silent_ticks);
  void OnFrame(const std::string& host, TableId table, const std::shared_ptr<const Frame>& frame);
  void OnEnd(const std::string& host, TableId table, const absl::Status& status);

  // Asks again for what a replica could not serve, and gives up. Call it each `kTick`: a clock that
  // jumps changes nothing.
  void Tick();

 private:
  struct Watcher {
    std::shared_ptr<FrameSink> sink;
    int after_revision;
  };
  struct Entry {
    std::string host;
    std::vector<Watcher> watchers;
    std::shared_ptr<const Frame> frame;  // The newest; null before the first.
    bool refused = false;                // By the host, which may be right about it now.
    // For how many ticks its host has not shown that it serves it; nothing while it does.
    std::optional<int> away_ticks;
  };
  using Entries = absl::flat_hash_map<TableId, Entry>;

  void Subscribe(TableId table, Entry& entry);          // Needs mutex_.
  std::vector<Watcher> Erase(Entries::iterator entry);  // Needs mutex_.

  TableFeeds& feeds_;
  Metrics& metrics_;
  std::mutex mutex_;
  std::vector<std::string> hosts_;
  Entries tables_;
};

}  // namespace tarot::gateway
