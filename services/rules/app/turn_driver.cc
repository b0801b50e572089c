#include "services/rules/app/turn_driver.h"

#include <algorithm>
#include <utility>

#include "services/rules/app/fallback_policy.h"

namespace tarot::rules_service {
namespace {

// The level that plays for a person: it must be no worse a partner than what sits at the table.
constexpr char kStandInLevel[] = "strong";
constexpr absl::Duration kBusyDelay = absl::Milliseconds(50);
constexpr absl::Duration kAwayDelay = absl::Milliseconds(500);
constexpr absl::Duration kBrokenDelay = absl::Seconds(10);

bool BotsOnly(const TableState& state) {
  const std::vector<SeatConfig>& seats = state.config->seats;
  return std::all_of(seats.begin(), seats.end(), [](const SeatConfig& s) { return s.bot(); });
}

}  // namespace

TurnDriver::TurnDriver(TableService& tables, const Hosting& hosting, BotClient& bots,
                       WorkerPool& workers, Clock& clock, Scheduler& scheduler, Entropy& entropy,
                       Metrics& metrics, TurnDriverOptions options)
    : tables_(tables),
      hosting_(hosting),
      bots_(bots),
      workers_(workers),
      clock_(clock),
      scheduler_(scheduler),
      entropy_(entropy),
      metrics_(metrics),
      options_(options) {}

void TurnDriver::OnChanged(const std::shared_ptr<const TableState>& state) {
  if (state->match.Finished()) {
    metrics_.matches_finished.Increment();
  } else if (!hosting_.Here(state->config->id)) {
    return;
  } else if (!state->match.DealRunning()) {
    PlanDeal(*state);
  } else if (state->BotInTurn()) {
    PlanBot(*state, Actor::kBot, BotsOnly(*state) ? options_.bots_only_delay : options_.bot_delay);
  } else {
    PlanClock(*state);
  }
}

void TurnDriver::Wake(TableId table) {
  RunLater(absl::ZeroDuration(), [this, table] {
    tables_.Wake(table, [this, table](const absl::Status& status) {
      RetryUnlessMoved(status, [this, table] { Wake(table); });
    });
  });
}

void TurnDriver::OnDoubt(TableId table) {
  RunLater(kAwayDelay, [this, table] { Wake(table); });
}

void TurnDriver::PlanDeal(const TableState& state) {
  // Time to read the score, and before the first deal to see its commitment and add a nonce.
  absl::Duration pause = BotsOnly(state) ? 10 * options_.bots_only_delay : options_.deal_pause;
  if (BotsOnly(state) && state.match.deals_dealt == 0) pause = absl::ZeroDuration();
  const absl::Duration left = state.turn_start + pause - clock_.Now();
  RunLater(std::max(left, absl::ZeroDuration()),
           [this, table = state.config->id, revision = state.revision] { Deal(table, revision); });
}

void TurnDriver::PlanBot(const TableState& state, Actor actor, absl::Duration delay) {
  const rules::Seat seat = state.match.deal.turn;
  const SeatConfig& config = state.config->seats[static_cast<std::size_t>(seat)];
  const Turn turn{.table = state.config->id,
                  .revision = state.revision,
                  .seat = seat,
                  .actor = actor,
                  .expire_time = state.TurnExpireTime(),
                  .level = config.bot() ? config.bot_level : kStandInLevel,
                  .rule_set = state.config->rule_set};
  RunLater(delay, [this, turn] { Ask(turn); });
}

void TurnDriver::PlanClock(const TableState& state) {
  const TableId table = state.config->id;
  const absl::Time expire_time = state.TurnExpireTime();
  {
    const std::lock_guard lock(mutex_);
    const auto [planned, fresh] = clocks_.try_emplace(table, expire_time);
    if (!fresh && planned->second <= expire_time) return;
    planned->second = expire_time;
  }
  // Never more than the seat has, though the time of day may have been set back.
  const absl::Duration left =
      std::clamp(expire_time - clock_.Now(), absl::ZeroDuration(), expire_time - state.turn_start);
  RunLater(left, [this, table, expire_time] { OnClock(table, expire_time); });
}

void TurnDriver::OnClock(TableId table, absl::Time planned) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = clocks_.find(table);
    if (found == clocks_.end() || found->second != planned) return;  // An earlier one was set.
    clocks_.erase(found);  // Before the look at the table: who changes it later sets one again.
  }
  if (!hosting_.Here(table)) return;
  const auto state = tables_.Current(table);
  if (!state.ok()) {
    return RetryUnlessMoved(state.status(), [this, table] { Wake(table); });
  }
  if (!(*state)->match.DealRunning() || (*state)->BotInTurn()) return;
  if ((*state)->TurnExpireTime() != planned) return PlanClock(**state);
  PlanBot(**state, Actor::kClock, absl::ZeroDuration());
}

void TurnDriver::Deal(TableId table, int revision) {
  if (!hosting_.Here(table)) return;
  tables_.DealNext(table, revision, [this, table, revision](const absl::Status& status) {
    RetryUnlessMoved(status, [this, table, revision] { Deal(table, revision); });
  });
}

void TurnDriver::Ask(const Turn& turn) {
  if (!hosting_.Here(turn.table)) return;
  const auto current = tables_.Current(turn.table);
  if (!current.ok()) return RetryUnlessMoved(current.status(), [this, turn] { Ask(turn); });
  const TableState& state = **current;
  if (state.revision != turn.revision) return;  // Somebody moved: planned anew by OnChanged.
  if (turn.actor == Actor::kClock) {
    // Loaded again since, and planned for the clock that runs now.
    if (state.TurnExpireTime() != turn.expire_time) return;
    if (!hosting_.Fresh()) return RunLater(kAwayDelay, [this, turn] { Ask(turn); });
  }
  const BotQuestion question{.view = rules::MakeView(state.match.deal, state.match.deal.turn),
                             .rule_set = turn.rule_set,
                             .level = turn.level,
                             .seed = entropy_.NewSeed()};
  bots_.Choose(question, [this, turn, view = question.view](absl::StatusOr<rules::Action> answer) {
    RunLater(absl::ZeroDuration(), [this, turn, view, answer] { Play(turn, view, answer); });
  });
}

void TurnDriver::Play(const Turn& turn, const rules::View& view,
                      absl::StatusOr<rules::Action> answer) {
  if (absl::IsCancelled(answer.status())) return;  // Stopping: the next process asks again.
  (answer.ok() ? metrics_.bot_answered : metrics_.bot_failed).Increment();
  SeatCommand command{.table = turn.table,
                      .expected_revision = turn.revision,
                      .seat = turn.seat,
                      .actor = turn.actor,
                      .expire_time = turn.expire_time};
  command.action = answer.ok() ? *answer : FallbackAction(view);
  tables_.SubmitForSeat(command, [this, turn, view, answer, command](const absl::Status& status) {
    const auto again = [this, turn, view, answer] { Play(turn, view, answer); };
    if (!absl::IsFailedPrecondition(status) && !absl::IsInternal(status)) {
      return RetryUnlessMoved(status, again);
    }
    // The bot answered with an illegal action.
    SeatCommand instead = command;
    instead.action = FallbackAction(view);
    tables_.SubmitForSeat(
        instead, [this, again](const absl::Status& second) { RetryUnlessMoved(second, again); });
  });
}

void TurnDriver::RunLater(absl::Duration delay, std::function<void()> job) {
  if (delay <= absl::ZeroDuration() && workers_.TryRun(job)) return;
  const absl::Duration wait = delay <= absl::ZeroDuration() ? kBusyDelay : delay;
  scheduler_.After(wait, [this, job = std::move(job)]() mutable {
    RunLater(absl::ZeroDuration(), std::move(job));
  });
}

void TurnDriver::RetryUnlessMoved(const absl::Status& status, std::function<void()> job) {
  if (status.ok() || absl::IsAborted(status) || absl::IsNotFound(status)) return;
  RunLater(absl::IsInternal(status) ? kBrokenDelay : kAwayDelay, std::move(job));
}

}  // namespace tarot::rules_service
