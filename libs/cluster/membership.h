// Keeps the list of a service's live replicas. Once a second, each replica writes its heartbeat and
// reads the heartbeats of the other replicas, by one SQL statement. Clocks do not decide whether a
// replica is alive. But a replica whose clock is wrong leaves the list, because other services
// would refuse its tokens.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "libs/cluster/member_store.h"

namespace tarot::cluster {

// A node sends one heartbeat per kHeartbeatInterval. If node A sends kHeartbeatsToDeath successful
// heartbeats and the heartbeat of node B does not change meanwhile, A treats B as dead.
inline constexpr absl::Duration kHeartbeatInterval = absl::Seconds(1);
inline constexpr int kHeartbeatsToDeath = 3;
// After one node has seen a change of the list, every other node that reaches the store sees this
// change within kSettleTime.
inline constexpr absl::Duration kSettleTime = absl::Seconds(5);
// A clock is wrong if it differs from most other clocks by more than kClockOffsetMax. A token
// between services is valid for five minutes. So if the clocks of two nodes are right, each accepts
// the other's tokens.
inline constexpr absl::Duration kClockOffsetMax = absl::Minutes(1);

// Returns the address at which other processes reach a service. This is `advertise_address`. If
// `advertise_address` is empty, it is the host of `listen_address` with `port`. Returns
// INVALID_ARGUMENT BAD_REQUEST if `advertise_address` is empty and the service listens on every
// address.
absl::StatusOr<std::string> AdvertisedAddress(const std::string& advertise_address,
                                              const std::string& listen_address, int port);

using NodeList = std::vector<std::string>;  // The addresses of the live nodes, sorted.

// The result of one successful heartbeat.
struct HeartbeatNews {
  std::shared_ptr<const NodeList> nodes;
  bool changed = false;  // True if `nodes` differs from the previous list.
  // True if this node was paused or cut off from the store for so long that other nodes treated it
  // as dead. Other nodes then hosted the keys of this node, and now this node hosts them again. If
  // the store was away or slow for all nodes, no node counts as dead, and this field stays false.
  bool rejoined = false;
  // True if three seconds or more lie between the starts of this heartbeat and of the last
  // successful heartbeat. In this time, other statements probably failed too. One heartbeat that
  // fails after two seconds is enough to make this field true. Then players' clocks may be
  // restarted without need. This is better than to charge players for time in which they could not
  // move.
  bool outage = false;
  bool listed = false;          // True if `nodes` has this node.
  absl::Duration clock_offset;  // How far this node's clock is ahead of the store's clock.
  bool clock_wrong = false;
  // True if another process also sends heartbeats at this node's address.
  bool address_shared = false;
};

// Sends a node's heartbeats and keeps the list of live nodes. The list does not change while the
// store does not answer. It also does not change if a node starts again at the same address before
// it counts as dead. A short jump of this machine's clock may set HeartbeatNews::outage, but has no
// other effect. All constructor arguments must outlive the tasks of the scheduler and of the
// worker. Thread-safe.
//
// A node compares its clock with the store's clock and the clocks of the other live nodes. Each of
// these clocks agrees with the node's clock or differs from it. The node's clock counts as one that
// agrees. The node's clock is wrong if at least as many clocks differ as agree. A node whose clock
// is wrong during three heartbeats leaves the list. It returns when its clock is right again. The
// last node never leaves. If only the store's clock jumps, the nodes agree with each other and
// stay.
//
// If two processes have one address, the younger process leaves for good. When a process joins, its
// row may replace the row of another process. If the process later finds the replaced row again, it
// knows that it is the younger process.
class Membership {
 public:
  struct Callbacks {
    // Called after each successful heartbeat. Runs on `worker`, or inside Start() and Leave() on
    // the thread of their caller. The function must be short.
    std::function<void(const HeartbeatNews&)> on_heartbeat;
    std::function<void(const absl::Status&)> on_failed;
    // Called on `worker` before each heartbeat except the first. Returns whether other processes
    // can reach this node. If not, this node leaves the list, but still reads it. When the result
    // is true again, this node returns to the list. The last live node stays on the list, because
    // no other node could replace it. If the function is empty, this node counts as always
    // reachable.
    std::function<bool()> reachable;
    // Start() calls this function before the first heartbeat. `others` has the addresses of the
    // other rows whose clock agrees with this node's clock. Some of these nodes may be dead. If the
    // function returns an error, this node does not join. If the function is empty, this node joins
    // without this check.
    std::function<absl::Status(const NodeList& others)> may_join;
    // Called on `worker`, after the last call of on_heartbeat, if this node has left the list for
    // good because an older process has its address.
    std::function<void()> on_address_taken;
  };

  // Other nodes reach this node at `address`. `worker` runs the calls of the store. The worker must
  // have a thread of its own, because other work on that thread would delay the heartbeats.
  Membership(MemberStore& store, WorkerPool& worker, Clock& clock, Scheduler& scheduler,
             std::string address, const Uuid& incarnation, Callbacks callbacks);

  // Sends the first heartbeat on this thread. If this heartbeat fails, or if Callbacks::may_join
  // returns an error, returns the error and sends no more heartbeats. The error FAILED_PRECONDITION
  // CLOCK_WRONG means that this node's clock is wrong. After a success, this object sends one
  // heartbeat a second. If a heartbeat takes longer than a second, the next heartbeat starts when
  // it ends.
  absl::Status Start();

  // Returns the list. Before the first heartbeat, the list is empty. After Leave(), it does not
  // contain this node.
  std::shared_ptr<const NodeList> Current() const;

  // Returns whether the list is fresh: a heartbeat that began in the last three seconds has
  // succeeded, and on_heartbeat has handled it. If not, the list may be out of date, because this
  // node was paused, the store is away, or on_heartbeat is slow. Then the caller must not do what
  // only one node may do at a time.
  bool Fresh() const;

  // Removes this node's row, takes this node off its own list, and calls on_heartbeat. After that,
  // sends no more heartbeats. The other nodes see the change at their next heartbeat. Returns the
  // other nodes. Waits for the store.
  std::shared_ptr<const NodeList> Leave();

  const std::string& address() const { return address_; }

 private:
  struct Seen {
    Member member;
    // How many heartbeats of this node in a row have found the row of `member` unchanged, up to the
    // last heartbeat.
    int unmoved = 0;
  };

  void Plan(absl::Time last_started);
  absl::Status CheckBeforeJoining();
  absl::Status HeartbeatOnce();
  absl::StatusOr<Roll> HeartbeatOrStepAside();
  // Calls `read`. If `read` succeeds in time, computes clock_offset_ from the store's time.
  absl::StatusOr<Roll> Measure(const std::function<absl::StatusOr<Roll>()>& read);
  HeartbeatNews Digest(const Roll& roll, absl::Time started);
  bool AgreesWith(absl::Duration other_offset) const;               // Needs the mutex.
  bool ClockIsWrong(const std::vector<Member>& living) const;       // Needs the mutex.
  void NoticeSharedAddress(const Roll& roll, HeartbeatNews& news);  // Needs the mutex.
  void TakeOffList();
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
  absl::Duration clock_offset_;                    // As last measured.
  int clock_doubts_ = 0;  // How many heartbeats in a row have found this node's clock wrong.
  bool clock_wrong_ = false;
  std::optional<Uuid> predecessor_;  // The incarnation whose row this node replaced when it joined.
  int times_replaced_ = 0;           // How often another process replaced this node's row.
  bool address_taken_ = false;
  bool left_ = false;
};

}  // namespace tarot::cluster
