// This replica among its peers: its beats, and what it hosts.
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
  // `address` as cluster::AdvertisedAddress gives it. What is passed by reference outlives it.
  Replica(const std::string& dsn, std::string address, Clock& clock, Scheduler& scheduler,
          Entropy& entropy, Metrics& metrics, prometheus::Registry& registry);
  ~Replica() { Stop(); }

  // Joins the others; an error means that it has not, and does not try again.
  absl::Status Start() { return membership_.Start(); }

  // True while this replica is the rendezvous host of `key`, as far as it can know.
  bool Hosts(const std::string& key) const;

  // Hosts nothing from now on, which the others know within a beat. Waits for the database.
  void Leave() { membership_.Leave(); }

  // No more beats. Idempotent; one thread only.
  void Stop();

 private:
  cluster::PgMemberStore store_;
  ThreadWorkerPool worker_;
  ScopedScheduler scheduler_;
  cluster::Membership membership_;
};

}  // namespace tarot::matchmaking_service
