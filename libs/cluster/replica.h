// One replica of a service. It sends its heartbeats, and exchanges signed pings with the other
// replicas. It leaves the list when its clock is wrong, when no other process reaches it, when an
// operator drains it, or when an older process has its address.
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
    // Returns whether a message with a good token has come from another service since the last
    // call. An empty function means that no other service sends messages to this replica; then only
    // pings count.
    std::function<bool()> heard;
  };

  // `service` is the service's name, for example "rules". The service's schema has this name, and
  // the tokens of its pings state this name. If another process has this replica's address, calls
  // `environment.stop`.
  Replica(const std::string& service, const std::string& dsn, const rpc::Authenticator& identity,
          const rpc::Environment& environment, Callbacks callbacks);
  ~Replica();

  // Answers the pings of other replicas. Add this service to the server before Join.
  grpc::Service& ping_service();

  // Sets the address, which must come from cluster::AdvertisedAddress. Call it once, before Join.
  // Returns the members, which live as long as this object.
  const Membership& UseAddress(std::string address);

  // Joins the other replicas. From now on `server` is not ready while this replica is not on the
  // list. If Join returns an error, this replica has not joined, and does not try again by
  // itself. The errors are, besides those of the database:
  // - FAILED_PRECONDITION CLOCK_WRONG: see Membership;
  // - FAILED_PRECONDITION TOKEN_REFUSED: another replica refuses this replica's token, and no other
  //   replica accepts it;
  // - UNAVAILABLE ADDRESS_TAKEN: another process answers at this replica's address.
  absl::Status Join(rpc::Server& server);

  // Returns true if the list of replicas is fresh, and by this list this replica is the rendezvous
  // host of `key`.
  bool Hosts(const std::string& key) const;

  // Returns whether the list is fresh: a heartbeat that began in the last three seconds has
  // succeeded. So the database answered lately. Call it only after UseAddress() has returned.
  bool Fresh() const;

  // Drains this replica, or ends its drain. While it is drained, it is not on the list, unless all
  // other replicas are gone. The list changes with the next heartbeat. Returns FAILED_PRECONDITION
  // LAST_REPLICA if this replica is the only one on the list; then it is not drained.
  absl::Status SetDraining(bool draining);
  const std::string& address() const { return members_->address(); }

  // Removes this replica from the list, and waits for the database. Returns the other replicas,
  // which see the change at their next heartbeat.
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
  // The members below need no lock: only the heartbeats use them, and heartbeats run one at a time.
  bool clock_was_wrong_ = false;
  bool was_listed_ = false;
};

}  // namespace tarot::cluster
