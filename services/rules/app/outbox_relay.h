// Declares the relay that sends finished matches to other services until they confirm them. A
// delivery may be late but is never lost. The other services use the match as the key, so a second
// delivery of the same match is harmless.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/status/status.h"
#include "libs/base/clock.h"
#include "libs/base/worker_pool.h"
#include "services/rules/app/finished_deals.h"
#include "services/rules/app/hosting.h"
#include "services/rules/app/table_store.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

// A service that the relay tells about finished matches.
class MatchSink {
 public:
  virtual ~MatchSink() = default;
  // Delivers the end of a match. Calls `done` exactly once, from any thread. The other service must
  // treat a second delivery of the same match as a repeat. `deals` normally has all deals of the
  // match. It is empty in these cases:
  // - for ratings: the match is casual, or the deals could not be read for kOutboxDealsTime;
  // - for matchmaking: the deals cannot be read now, or an operator ended the match.
  virtual void Deliver(const OutboxItem& item, const std::vector<FinishedDeal>& deals,
                       absl::AnyInvocable<void(absl::Status)> done) = 0;
};

// Runs by itself from Start until the scheduler and the workers are stopped.
class OutboxRelay {
 public:
  OutboxRelay(TableStore& store, const Hosting& hosting, MatchSink& ratings, MatchSink& matchmaking,
              WorkerPool& workers, Clock& clock, Scheduler& scheduler, Metrics& metrics,
              absl::Duration interval);

  // The relay calls `on_refused` on a worker when a delivery has failed and the next attempt will
  // probably fail too. There are two such failures: the other service refused the result, or the
  // deals of the match cannot be read. Set this callback once, before Start.
  void set_on_refused(std::function<void(TableId, OutboxTarget, const absl::Status&)> on_refused) {
    on_refused_ = std::move(on_refused);
  }
  // The relay calls `on_deals_lost` on a worker when the deals of a match have been unreadable for
  // kOutboxDealsTime. Then the relay delivers the match without its deals, and ratings does not
  // correct the result for luck. Set this callback once, before Start.
  void set_on_deals_lost(std::function<void(TableId, const absl::Status&)> on_deals_lost) {
    on_deals_lost_ = std::move(on_deals_lost);
  }
  void Start() { PlanNext(); }

  // Call this function when a match has ended. The relay then searches for undelivered results at
  // once, because the players may want to play again soon. Thread-safe. Never waits.
  void Hurry();

 private:
  using Key = std::pair<TableId, OutboxTarget>;

  void PlanNext();
  // Returns true if this replica may deliver `item`. Normally only the host of the table delivers
  // the result. After the match has waited for kOutboxHostTime, every replica may deliver it.
  bool Ours(const OutboxItem& item) const;
  void RunOnce();
  // Delivers each item of a page that is due and that this replica may deliver. Returns the number
  // of deliveries that began.
  int DeliverPage(const std::vector<OutboxItem>& items);
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
  std::function<void(TableId, const absl::Status&)> on_deals_lost_;
  std::atomic<bool> hurried_ = false;  // True while a run for Hurry() waits for a worker.
  std::mutex mutex_;                   // Guards the two members below.
  std::set<Key> in_flight_;
  struct Backoff {
    absl::Time until;
    absl::Duration span;
  };
  std::map<Key, Backoff> backoffs_;  // The pauses after failed deliveries.
};

}  // namespace tarot::rules_service
