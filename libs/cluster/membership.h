// Keeps the list of a service's live replicas. Each replica sends a heartbeat once a second and
// reads the others' heartbeats in the same statement. A replica judges the
// others by its own clock alone: it never compares two clocks.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "libs/cluster/member_store.h"

namespace tarot::cluster {

// A node is dead if its heartbeat has not moved during kHeartbeatsToDeath successful heartbeats of
// this node.
inline constexpr absl::Duration kHeartbeatInterval = absl::Seconds(1);
inline constexpr int kHeartbeatsToDeath = 3;
// If one node has seen a change of the list, every node has seen it after this time.
inline constexpr absl::Duration kSettleTime = absl::Seconds(5);

// Returns the address at which other processes reach a service: `advertise_address` if it is not
// empty, otherwise the host of `listen_address` with `port`. Returns INVALID_ARGUMENT BAD_REQUEST
// if the service listens on every address and `advertise_address` is empty.
absl::StatusOr<std::string> AdvertisedAddress(const std::string& advertise_address,
                                              const std::string& listen_address, int port);

using NodeList = std::vector<std::string>;  // The addresses of the live nodes, sorted.

// The result of one successful heartbeat.
struct HeartbeatNews {
  std::shared_ptr<const NodeList> nodes;
  bool changed = false;  // True if the list differs from that of the last heartbeat.
  // True if other nodes sent so many heartbeats since this node's last one that they treated it as
  // dead. Then this node was paused, or cut off from the store. The others took over its keys,
  // and now they give them back. It stays false if the store was away or slow for all nodes,
  // because then no node counts as dead.
  bool rejoined = false;
  // True if no heartbeat of ours succeeded for three seconds or more, so probably no other
  // statement did either. One heartbeat that fails after two seconds already makes this true. It is
  // better to restart clocks without need than to charge players for time in which they could not
  // move.
  bool outage = false;
};

// Sends the heartbeats of one node and keeps its list. While the store is away, the list does not
// change. A jump of the clock may look like an outage and has no other effect. A node that starts
// again at the same address takes its old place, and the list does not change. All constructor
// arguments must outlive the scheduler's tasks and the worker's jobs. Thread-safe.
class Membership {
 public:
  struct Callbacks {
    std::function<void(const HeartbeatNews&)>
        on_heartbeat;  // Called after each successful heartbeat, on `worker`. It must be short.
    std::function<void(const absl::Status&)> on_failed;
    // Called on `worker` before each heartbeat except the first. It returns true if other processes
    // reach this node. While it returns false, the node is not on the list but still reads it. When
    // it returns true again, the node comes back. The last live node stays, because no other node
    // could replace it. An empty function means always true.
    std::function<bool()> reachable;
  };

  // Other nodes reach this node at `address`. `worker` runs the store's calls. Give it a thread of
  // its own, because other work could delay the heartbeats and make this node look dead.
  Membership(MemberStore& store, WorkerPool& worker, Clock& clock, Scheduler& scheduler,
             std::string address, const Uuid& incarnation, Callbacks callbacks);

  // Sends the first heartbeat on this thread. If it fails, returns its error and sends no more
  // heartbeats. Otherwise each next heartbeat starts a second after the start of the one before, or
  // at once if the one before took longer.
  absl::Status Start();

  // Returns the list. It is empty before the first heartbeat, and does not contain this node after
  // Leave.
  std::shared_ptr<const NodeList> Current() const;

  // Returns false if the list may be out of date, because no heartbeat of the last three seconds
  // has succeeded and been handled by on_heartbeat. Then this node was paused, or the store is
  // away, or on_heartbeat is slow. The caller must then not do anything that only one node may do
  // at a time.
  bool Fresh() const;

  // Removes this node from its own list and from the others' lists, sends no more heartbeats, and
  // calls on_heartbeat. The other nodes notice within a second. Returns the other nodes. Waits for
  // the store.
  std::shared_ptr<const NodeList> Leave();

  const std::string& address() const { return address_; }

 private:
  struct Seen {
    Member member;
    // The number of our successive heartbeats in which the member's heartbeat did not move.
    int unmoved = 0;
  };

  void Plan(absl::Time last_started);
  absl::Status HeartbeatOnce();
  absl::StatusOr<std::vector<Member>> HeartbeatOrStepAside();
  HeartbeatNews Digest(const std::vector<Member>& members, absl::Time started);
  std::int64_t HeartbeatsSince(const Member& member) const;  // Needs the mutex.
  int Unmoved(const Member& member) const;                   // Needs the mutex.
  bool AnyLives(const std::vector<Member>& members) const;
  void RemoveLongDead();
  void Publish(NodeList nodes, HeartbeatNews& news);  // Needs the mutex.

  MemberStore& store_;
  WorkerPool& worker_;
  Clock& clock_;
  Scheduler& scheduler_;
  const std::string address_;
  const Uuid incarnation_;
  const Callbacks callbacks_;

  std::mutex sending_;        // Locked during a heartbeat and during Leave.
  mutable std::mutex mutex_;  // Guards the members below.
  std::map<std::string, Seen> seen_;
  std::shared_ptr<const NodeList> nodes_ = std::make_shared<NodeList>();
  absl::Time fresh_since_ = absl::InfinitePast();  // Start of the last successful heartbeat.
  bool left_ = false;
};

}  // namespace tarot::cluster
