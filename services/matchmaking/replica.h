// Sends the heartbeats of this replica, and says which keys it hosts. A key is a queue's id, or
// kPopulation (app/table_placer.h).
#pragma once

#include <prometheus/registry.h>

#include <string>

#include "absl/status/status.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/worker_pool.h"
#include "libs/cluster/membership.h"
#include "libs/cluster/pg_member_store.h"
#include "services/matchmaking/metrics.h"

namespace tarot::matchmaking_service {

// Thread-safe.
class Replica {
 public:
  // `address` must come from cluster::AdvertisedAddress. The referenced objects must outlive this
  // one.
  Replica(const std::string& dsn, std::string address, Clock& clock, Scheduler& scheduler,
          Entropy& entropy, Metrics& metrics, prometheus::Registry& registry);
  ~Replica() { Stop(); }

  // Joins the other replicas. If it returns an error, this replica has not joined, and does not try
  // again by itself.
  absl::Status Start() { return membership_.Start(); }

  // Returns true if this replica's list of replicas is fresh, and this replica is the rendezvous
  // host of `key` in that list.
  bool Hosts(const std::string& key) const;

  // Stops hosting. The other replicas see this with their next heartbeat. Waits for the database.
  void Leave() { membership_.Leave(); }

  // Ends the heartbeats. Idempotent. Call it from one thread only.
  void Stop();

 private:
  cluster::PgMemberStore store_;
  ThreadWorkerPool worker_;
  ScopedScheduler scheduler_;
  cluster::Membership membership_;
};

}  // namespace tarot::matchmaking_service
