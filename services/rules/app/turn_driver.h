// Declares the turn driver, which acts when a turn begins. It deals, asks bots, and plays the last
// trick of a deal for all seats. It also plays for a seat if the seat's clock has run out, or if
// the seat's bot gives no legal answer. It ends proposals and breaks whose time is over.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/any_invocable.h"
#include "absl/status/statusor.h"
#include "libs/base/clock.h"
#include "libs/base/entropy.h"
#include "libs/base/worker_pool.h"
#include "libs/rules/view.h"
#include "services/rules/app/table_service.h"
#include "services/rules/metrics.h"

namespace tarot::rules_service {

struct BotQuestion {
  // This view has all cards that the bot's seat has seen (rules::RememberedView).
  rules::View view;
  std::string rule_set;
  std::string level;
  std::uint64_t seed = 0;
};

// The interface to the bot service.
class BotClient {
 public:
  virtual ~BotClient() = default;
  // Calls `done` exactly once, from any thread, at the latest when the call's deadline passes.
  virtual void Choose(const BotQuestion& question,
                      absl::AnyInvocable<void(absl::StatusOr<rules::Action>)> done) = 0;
};

struct TurnDriverOptions {
  absl::Duration bot_delay;
  absl::Duration deal_pause;
  // The delay of a bot at a table where all players are bots. At such a table, the pause between
  // deals is ten times this delay.
  absl::Duration bots_only_delay;
};

// Plans the next step of each table. Drops a step that was planned for an older revision. After a
// restart of the service, the driver plans the steps again from the logs. Thread-safe. The
// constructor's arguments must outlive the tasks of the scheduler and the answers of the bots, so
// stop the scheduler and `bots` first.
class TurnDriver {
 public:
  TurnDriver(TableService& tables, const Hosting& hosting, BotClient& bots, WorkerPool& workers,
             Clock& clock, Scheduler& scheduler, Entropy& entropy, Metrics& metrics,
             TurnDriverOptions options);

  // Plans the table's next step, if this replica hosts the table. Never waits.
  void OnChanged(const std::shared_ptr<const TableState>& state);

  // Call this function when it is unknown whether a change of the table was stored. Wakes the table
  // soon.
  void OnCommitUnknown(TableId table);

 private:
  struct Turn {
    std::shared_ptr<const TableConfig> config;
    int revision = 0;
    rules::Seat seat = rules::kNoSeat;
    Actor actor = Actor::kBot;
    absl::Time expire_time;  // The end of the clock for which the step was planned.
    absl::Time play_time;    // The time at which the driver plays the bot's answer.
    absl::Duration delay;    // The longest time to wait, even if the wall clock is set back.
  };
  struct Answer {
    Turn turn;
    rules::View view;
    absl::StatusOr<rules::Action> action = absl::UnknownError("not asked");
  };

  void Wake(TableId table);
  void PlanDeal(const TableState& state);
  // Asks a bot now and plays its answer after `delay`. So the time of the move does not show how
  // long the bot needed.
  void PlanBot(const TableState& state, Actor actor, absl::Duration delay);
  // Sets the timer for the clock of the seat whose turn it is. A table has only one such timer. If
  // each turn had a timer of its own, the timers of a fast table would fill the memory. When the
  // timer fires, OnClock checks the clock that runs at that time.
  void PlanClock(const TableState& state);
  void OnClock(TableId table, absl::Time planned);
  void Deal(TableId table, int revision);
  // Plays the only card of the seat whose turn it is, after `delay`.
  void PlayLastCard(const SeatCommand& command, absl::Duration delay);
  // Ends the pause of the table when its time is over.
  void PlanPauseEnd(const TableState& state);
  void EndPause(TableId table, absl::Time expire_time);
  void Ask(const Turn& turn);
  void Play(const std::shared_ptr<const Answer>& answer);
  // Runs `job` on a worker after `delay`. While the queue of the workers is full, waits a little
  // longer.
  void RunLater(absl::Duration delay, std::function<void()> job);
  // If `status` is an error, runs `job` again soon, because otherwise play at the table would stop.
  // Does nothing if the table has another revision or does not exist any more.
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
  absl::flat_hash_map<TableId, absl::Time> clocks_;  // The time at which each table's timer fires.
};

// Returns a legal action for the seat whose turn it is. `view` is the view of this seat. The seat
// passes and announces nothing, if the rules allow this. It calls the highest card that it does not
// hold, and plays the legal card with the fewest points. The same view gives the same action.
rules::Action FallbackAction(const rules::View& view);

}  // namespace tarot::rules_service
