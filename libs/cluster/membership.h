// Who the replicas of a service are now: each announces itself with a beat a second and reads the
// others' in the same statement. Nobody's clock is compared with another's.
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

// A beat each second; a node whose beat has not moved in so many successful beats of ours is dead.
inline constexpr absl::Duration kBeatInterval = absl::Seconds(1);
inline constexpr int kBeatsToDeath = 3;
// After so long everybody has seen a change of the list that one has seen.
inline constexpr absl::Duration kSettleTime = absl::Seconds(5);

// The address under which a service that listens at `listen_address`, with the port that it got, is
// reached: `advertise_address`, if it was given one. INVALID_ARGUMENT BAD_REQUEST when it was not
// and listens on every address.
absl::StatusOr<std::string> AdvertisedAddress(const std::string& advertise_address,
                                              const std::string& listen_address, int port);

using NodeList = std::vector<std::string>;  // Addresses of the living, sorted.

// What one successful beat has told.
struct BeatNews {
  std::shared_ptr<const NodeList> nodes;
  bool changed = false;  // The list is not the one of the beat before.
  // Others have made so many beats since this node's last one that they took it for dead: it was
  // paused, or cut off from the store. What they host in its place they give back from now on. That
  // the store was away or slow for all of them is no silence: nobody was taken for dead.
  bool rejoined = false;
  // For three seconds or more no beat of ours got through: nor did, most likely, anything else that
  // we store. One beat that fails after two seconds is enough: clocks that start anew without need
  // cost less than time that nobody could use.
  bool outage = false;
};

// Thread-safe. While the store is away the list stays as it is. A jump of the clock changes nothing
// but that it may look like an outage. A node that is started again at the same address
// takes its place without any change of the list. Everything given outlives the scheduler's tasks
// and the worker's jobs.
class Membership {
 public:
  struct Callbacks {
    std::function<void(const BeatNews&)> on_beat;  // After each, on `worker`. Must be short.
    std::function<void(const absl::Status&)> on_failed;
    // Asked before each beat but the first, on `worker`: whether anybody reaches this node. While
    // nobody does it is taken off the list, reads what the others do, and comes back by itself. The
    // last one that lives stays, for nobody is there who could be reached instead. Empty: always.
    std::function<bool()> reachable;
  };

  // `address` is how the others reach this node. `worker` runs the store's calls: give it a thread
  // of its own, or a crowd of other work may let this node seem dead.
  Membership(MemberStore& store, WorkerPool& worker, Clock& clock, Scheduler& scheduler,
             std::string address, const Uuid& incarnation, Callbacks callbacks);

  // Beats for the first time, on this thread, and then by itself, a second after the beat before
  // was begun, or at once where that took longer. An error of the first beat is
  // returned, and nothing goes on.
  absl::Status Start();

  // Empty before the first beat. Without this node once it has left.
  std::shared_ptr<const NodeList> Current() const;

  // False when the list may have grown old without this node's knowledge: it was paused, or the
  // store is away, or on_beat has not yet returned after that. What only one node may do at a time
  // must not be done then.
  bool Fresh() const;

  // Takes this node off the list for the others and for itself, and beats no more; tells on_beat.
  // The others know within a beat. Returns what remains. On this thread; waits for the store.
  std::shared_ptr<const NodeList> Leave();

  const std::string& address() const { return address_; }

 private:
  struct Seen {
    Member member;
    int unmoved = 0;  // Successful beats of ours in a row that found it so.
  };

  void Plan(absl::Time last_started);
  absl::Status BeatOnce();
  absl::StatusOr<std::vector<Member>> BeatOrStepAside();
  BeatNews Digest(const std::vector<Member>& members, absl::Time started);
  std::int64_t BeatsSince(const Member& member) const;  // Needs the mutex.
  int Unmoved(const Member& member) const;              // Needs the mutex.
  bool AnyLives(const std::vector<Member>& members) const;
  void RemoveLongDead();
  void Publish(NodeList nodes, BeatNews& news);  // Needs the mutex.

  MemberStore& store_;
  WorkerPool& worker_;
  Clock& clock_;
  Scheduler& scheduler_;
  const std::string address_;
  const Uuid incarnation_;
  const Callbacks callbacks_;

  std::mutex beating_;        // Held through a beat and through Leave: one at a time.
  mutable std::mutex mutex_;  // Guards all below.
  std::map<std::string, Seen> seen_;
  std::shared_ptr<const NodeList> nodes_ = std::make_shared<NodeList>();
  absl::Time fresh_since_ = absl::InfinitePast();  // When the last successful beat was begun.
  bool left_ = false;
};

}  // namespace tarot::cluster
