// Decides whether this replica is cut off. A replica is cut off if it reaches the database but
// hears from no other process: it gets no message from another service, no ping, and no answer to
// its own pings. A replica that is cut off must stop hosting.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "libs/cluster/membership.h"

namespace tarot::cluster {

// A replica counts as cut off if it hears from no other process during more than
// kSilentHeartbeatsMax heartbeats.
inline constexpr int kSilentHeartbeatsMax = 3;

// Pings the other replicas at every heartbeat. Not thread-safe.
class Reachability {
 public:
  // Pings the replica at `address` with this replica's token. Does not wait for the answer. If that
  // replica accepts the token, `answered` runs on any thread, perhaps after this Reachability is
  // destroyed.
  using Ping = std::function<void(const std::string& address, std::function<void()> answered)>;

  explicit Reachability(Ping ping) : ping_(std::move(ping)) {}

  // Call this function at every heartbeat, about once a second. `heard` says whether a message has
  // come from another service since the last call. `nodes` are all replicas. Returns false if more
  // than kSilentHeartbeatsMax calls in a row had no such message and no answer to a ping. One
  // answer from one replica is enough. Always returns true while there are no other replicas.
  bool Reached(bool heard, const NodeList& nodes, const std::string& own_address) {
    const bool answered = answered_->exchange(false);
    silent_ = heard || answered ? 0 : silent_ + 1;
    bool alone = true;
    for (const std::string& address : nodes) {
      if (address == own_address) continue;
      alone = false;
      ping_(address, [flag = answered_] { *flag = true; });
    }
    if (alone) silent_ = 0;
    return silent_ <= kSilentHeartbeatsMax;
  }

 private:
  const Ping ping_;
  const std::shared_ptr<std::atomic<bool>> answered_ = std::make_shared<std::atomic<bool>>(true);
  int silent_ = 0;
};

}  // namespace tarot::cluster
