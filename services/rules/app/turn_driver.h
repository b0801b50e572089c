// Moves tables on when nobody else does: deals, bots' turns, turns whose clock is spent.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/worker_pool.h"
#include "services/rules/app/bot_client.h"
#include "services/rules/app/table_service.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

struct TurnDriverOptions {
  absl::Duration bot_delay;
  absl::Duration deal_pause;
  absl::Duration bots_only_delay;  // At a table of bots alone; its deals come ten of these apart.
};

// Whatever it planned for a revision is dropped when the table has moved on, and planned again from
// the log after a restart. Thread-safe. Everything given must outlive the scheduler's tasks and the
// bots' answers: stop those first.
class TurnDriver {
 public:
  TurnDriver(TableService& tables, const Hosting& hosting, BotClient& bots, WorkerPool& workers,
             Clock& clock, Scheduler& scheduler, Entropy& entropy, Metrics& metrics,
             TurnDriverOptions options);

  // Plans what the table needs next, if it is hosted here. Never waits.
  void OnChanged(const std::shared_ptr<const TableState>& state);

  // Looks at the table again soon: a commit is in doubt.
  void OnDoubt(TableId table);

 private:
  struct Turn {
    TableId table;
    int revision = 0;
    rules::Seat seat = rules::kNoSeat;
    Actor actor = Actor::kBot;
    absl::Time expire_time;  // The clock that it was planned for.
    std::string level;
    std::string rule_set;
  };

  void Wake(TableId table);
  void PlanDeal(const TableState& state);
  void PlanBot(const TableState& state, Actor actor, absl::Duration delay);
  // A table has one timer for its clocks, not one a turn, or those of a fast table would fill the
  // memory: one that is set looks for what is due after it.
  void PlanClock(const TableState& state);
  void OnClock(TableId table, absl::Time planned);
  void Deal(TableId table, int revision);
  void Ask(const Turn& turn);
  void Play(const Turn& turn, const rules::View& view, absl::StatusOr<rules::Action> answer);
  // Runs `job` on a worker after `delay`; while the workers are full it waits a little longer.
  void RunLater(absl::Duration delay, std::function<void()> job);
  // Tries the same step again soon, whatever went wrong: nobody else would, and the table would
  // stand still. Not when the table has moved on, or is gone.
  void RetryUnlessMoved(const absl::Status& status, std::function<void()> job);

  TableService& tables_;
  const Hosting& hosting_;
  BotClient& bots_;
  WorkerPool& workers_;
  Clock& clock_;
  Scheduler& scheduler_;
  Entropy& entropy_;
  Metrics& metrics_;
  const TurnDriverOptions options_;

  std::mutex mutex_;
  absl::flat_hash_map<TableId, absl::Time> clocks_;  // What each table's timer is set for.
};

}  // namespace tarot::rules_service
