// One replica of a service. It sends its heartbeats, and exchanges signed pings with the other
// replicas. It leaves the list of replicas in four cases: its clock is wrong, no other process
// reaches it, an operator drains it, or an older process has its address.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/worker_pool.h"
#include "libs/cluster/membership.h"
#include "libs/cluster/pg_member_store.h"
#include "libs/cluster/reachability.h"
#include "libs/rpc/auth.h"
#include "libs/rpc/process.h"
#include "libs/rpc/server.h"

namespace tarot::cluster {

// Thread-safe, except where a method says otherwise. All constructor arguments must outlive this
// object, except the strings.
class Replica {
 public:
  struct Callbacks {
    // See Membership::Callbacks.
    std::function<void(const HeartbeatNews&)> on_heartbeat;
    std::function<void(const absl::Status&)> on_failed;
    // Returns whether a message with a good token has come from another service since `heard` was
    // called the last time. A service that gets no messages from other services leaves `heard`
    // null. Then only pings count.
    std::function<bool()> heard;
  };

  // `service` is the name of the service, for example "rules". It is also the name of the schema in
  // the database, and the tokens of the pings contain it. If another process has this replica's
  // address, calls `environment.stop`.
  Replica(const std::string& service, const std::string& dsn, const rpc::Authenticator& identity,
          const rpc::Environment& environment, Callbacks callbacks);
  ~Replica();

  // Answers the pings of other replicas. Add this service to the server before Join.
  grpc::Service& ping_service();

  // Sets the address, which must come from cluster::AdvertisedAddress. Call it once, before Join.
  // Returns the members, which live as long as this object.
  const Membership& UseAddress(std::string address);

  // Joins the other replicas. From now on, `server` is ready only while this replica is on the
  // list. If Join returns an error, this replica has not joined, and does not try again by itself.
  // An error comes from the database, or is one of these:
  // - FAILED_PRECONDITION CLOCK_WRONG: see Membership;
  // - FAILED_PRECONDITION TOKEN_REFUSED: at least one other replica refuses this replica's token,
  //   and none accepts it;
  // - UNAVAILABLE ADDRESS_TAKEN: another process answers at this replica's address.
  absl::Status Join(rpc::Server& server);

  // Returns true if the list of replicas is fresh, and if this replica is the rendezvous host of
  // `key` in this list.
  bool Hosts(const std::string& key) const;

  // Returns whether the list is fresh: a heartbeat that began in the last three seconds has
  // succeeded. This also means that the database answered a short time ago. Call it only after
  // UseAddress() has returned.
  bool Fresh() const;

  // Drains this replica, or ends its drain. The list leaves out drained replicas. Exception: if no
  // other replica is left, the drained replica stays on the list. The list changes with the next
  // heartbeat. If this replica is already the only one on the list, returns FAILED_PRECONDITION
  // LAST_REPLICA and does not drain it.
  absl::Status SetDraining(bool draining);
  const std::string& address() const { return members_->address(); }

  // Removes this replica from the list. Waits for the database. Returns the other replicas, which
  // see the change at their next heartbeat.
  std::shared_ptr<const NodeList> Leave();

  // Ends the heartbeats and the pings. Idempotent. Call it from one thread only.
  void Stop();

 private:
  class Pings;

  void OnHeartbeat(const HeartbeatNews& news);

  const Callbacks callbacks_;
  const std::function<void(const absl::Status&)> stop_;
  Clock& clock_;
  const Uuid incarnation_;
  prometheus::Gauge& clock_offset_seconds_;
  const std::unique_ptr<Pings> pings_;
  Reachability reachability_;
  PgMemberStore store_;
  ThreadWorkerPool worker_;
  ScopedScheduler scheduler_;
  std::optional<Membership> members_;
  rpc::Server* server_ = nullptr;
  std::atomic<bool> leaving_ = false;
  std::atomic<bool> draining_ = false;
  // The members below need no lock. Only the heartbeats use these members, and only one heartbeat
  // runs at a time.
  bool clock_was_wrong_ = false;
  bool was_listed_ = false;
};

}  // namespace tarot::cluster
