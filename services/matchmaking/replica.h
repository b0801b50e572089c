// This replica among the others: its heartbeat, and the keys that it hosts.
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

  // Joins the other replicas. If it returns an error, it has not joined and does not try again.
  absl::Status Start() { return membership_.Start(); }

  // Returns whether this replica is the rendezvous host of `key`, as far as it knows.
  bool Hosts(const std::string& key) const;

  // Stops hosting. The other replicas know this within one heartbeat. Waits for the database.
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
