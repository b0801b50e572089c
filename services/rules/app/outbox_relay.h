// Tells other services of finished matches until they have confirmed: late, never lost, and, since
// both sides are keyed by match, never doubled.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "services/rules/app/hosting.h"
#include "services/rules/app/match_sink.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

// Runs by itself from Start until the scheduler and the workers are stopped.
class OutboxRelay {
 public:
  OutboxRelay(TableStore& store, const Hosting& hosting, MatchSink& ratings, MatchSink& matchmaking,
              WorkerPool& workers, Clock& clock, Scheduler& scheduler, Metrics& metrics,
              absl::Duration interval);

  // Called on a worker, from Start on, for each answer that is neither OK nor one of a service that
  // is away: the same result will hardly be taken the next time.
  void set_on_refused(std::function<void(TableId, OutboxTarget, const absl::Status&)> on_refused) {
    on_refused_ = std::move(on_refused);
  }
  void Start() { PlanNext(); }

 private:
  using Key = std::pair<TableId, OutboxTarget>;

  void PlanNext();
  // Each replica tells of its own tables, so that a match is told once; what has waited for long
  // anybody tells.
  bool Ours(const OutboxItem& item) const;
  void RunOnce();
  int DeliverPage(const std::vector<OutboxItem>& items);  // How many it began to tell.
  bool Begin(const Key& key);
  void Deliver(const OutboxItem& item);
  void Delivered(const Key& key, const absl::Status& status);

  TableStore& store_;
  const Hosting& hosting_;
  MatchSink& ratings_;
  MatchSink& matchmaking_;
  WorkerPool& workers_;
  Clock& clock_;
  Scheduler& scheduler_;
  Metrics& metrics_;
  const absl::Duration interval_;
  std::function<void(TableId, OutboxTarget, const absl::Status&)> on_refused_;
  std::mutex mutex_;  // Guards the two below.
  std::set<Key> in_flight_;
  struct Rest {
    absl::Time until;
    absl::Duration span;
  };
  std::map<Key, Rest> resting_;  // Refused: not told again before; longer each time.
};

}  // namespace tarot::rules_service
