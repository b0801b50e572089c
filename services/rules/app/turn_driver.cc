#include "services/rules/app/turn_driver.h"

#include <algorithm>
#include <string>
#include <utility>

#include "libs/base/check.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::LegalActions;

bool BotsOnly(const TableState& state) {
  const std::vector<SeatConfig>& seats = state.config->seats;
  return std::all_of(seats.begin(), seats.end(), [](const SeatConfig& s) { return s.bot(); });
}

// Returns true if people have seats at the table, but a bot holds each of these seats.
bool AllPeopleAreAway(const TableState& state) {
  for (std::size_t seat = 0; seat < state.config->seats.size(); ++seat) {
    if (!state.config->seats[seat].bot() && !state.seats[seat].held()) return false;
  }
  return !BotsOnly(state);
}

// Returns the level of the bot that plays for `seat`.
std::string LevelOf(const TableState& state, rules::Seat seat) {
  const TableConfig& config = *state.config;
  const SeatConfig& settings = config.seats[static_cast<std::size_t>(seat)];
  // At a casual table that all people have left, all bots play at the cheapest level. If they did
  // not, a player could use all CPU time of the bot service: this player would make tables with
  // strong bots and leave these tables.
  if (!config.ranked && AllPeopleAreAway(state)) return kCheapestLevel;
  if (settings.bot()) return settings.bot_level;
  return config.ranked ? kCheapestLevel : kCasualStandInLevel;
}

// Returns how long the server waits before it plays the next card. During this time, a person can
// propose to take the last card back.
absl::Duration LingerOf(const TableState& state) {
  return state.TakeBackSeat() != rules::kNoSeat ? kTakeBackLinger : absl::ZeroDuration();
}

Action LowestBid(const LegalActions& legal) {
  std::size_t lowest = 0;  // A pass is illegal only for one seat: the taker that the board names.
  while (!legal.bids.at(lowest)) ++lowest;
  return Action::Bid(static_cast<rules::Contract>(lowest));
}

Action HighestCall(const rules::View& view) {
  // A taker who calls a card of the taker's hand has no partner.
  const CardSet others = view.legal.calls - view.hand;
  if (!others.Empty()) return Action::Call(others.Last());
  return Action::Call(view.legal.calls.Empty() ? rules::kNoCard : view.legal.calls.Last());
}

Action FirstDiscards(const LegalActions& legal) {
  CardSet discards;
  // The écart gets trumps only if the hand has too few other cards for it.
  if (legal.discard_trump_count > 0) discards = legal.discards - CardSet::AllTrumps();
  for (const Card card : legal.discards) {
    if (discards.Size() < legal.discard_count) discards.Insert(card);
  }
  return Action::Discard(discards);
}

Action CheapestCard(const LegalActions& legal) {
  Card cheapest = legal.cards.First();
  for (const Card card : legal.cards) {
    if (rules::HalfPoints(card) < rules::HalfPoints(cheapest)) cheapest = card;
  }
  return Action::Play(cheapest);
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
  if (state->match.Finished() || !hosting_.Here(state->config->id)) return;
  if (state->Paused()) {
    PlanPauseEnd(*state);
  } else if (!state->match.DealRunning()) {
    PlanDeal(*state);
  } else if (state->InLastTrick()) {
    const auto seat = static_cast<std::size_t>(state->match.deal.turn);
    PlayLastCard({.table = state->config->id,
                  .expected_revision = state->revision,
                  .seat = state->match.deal.turn,
                  .actor = Actor::kServer,
                  .action = Action::Play(state->match.deal.hands[seat].First())},
                 LingerOf(*state));
  } else if (state->BotInTurn()) {
    const absl::Duration delay = BotsOnly(*state) ? options_.bots_only_delay : options_.bot_delay;
    PlanBot(*state, Actor::kBot, std::max(delay, LingerOf(*state)));
  } else {
    PlanClock(*state);
  }
}

void TurnDriver::Wake(TableId table) {
  RunLater(absl::ZeroDuration(), [this, table] {
    tables_.Wake(table, [this, table](const absl::StatusOr<SeatView>& woken) {
      RetryUnlessMoved(woken.status(), [this, table] { Wake(table); });
    });
  });
}

void TurnDriver::OnCommitUnknown(TableId table) {
  RunLater(kStepRetryDelay, [this, table] { Wake(table); });
}

void TurnDriver::PlanDeal(const TableState& state) {
  // During this pause the players read the score of the last deal. Before the first deal, they add
  // nonces.
  absl::Duration pause = BotsOnly(state) ? 10 * options_.bots_only_delay : options_.deal_pause;
  if (BotsOnly(state) && state.match.deals_dealt == 0) pause = absl::ZeroDuration();
  const absl::Duration left = state.turn_start + pause - clock_.Now();
  RunLater(std::max(left, absl::ZeroDuration()),
           [this, table = state.config->id, revision = state.revision] { Deal(table, revision); });
}

void TurnDriver::PlanBot(const TableState& state, Actor actor, absl::Duration delay) {
  const Turn turn{.config = state.config,
                  .revision = state.revision,
                  .seat = state.match.deal.turn,
                  .actor = actor,
                  .expire_time = state.TurnExpireTime(),
                  .play_time = clock_.Now() + delay,
                  .delay = delay};
  RunLater(absl::ZeroDuration(), [this, turn] { Ask(turn); });
}

void TurnDriver::PlanClock(const TableState& state) {
  const TableId table = state.config->id;
  const absl::Time expire_time = state.TurnExpireTime();
  {
    const std::lock_guard lock(mutex_);
    const auto [planned, added] = clocks_.try_emplace(table, expire_time);
    if (!added && planned->second <= expire_time) return;
    planned->second = expire_time;
  }
  // The timer waits at most for the time that is left to the seat, even if the wall clock was set
  // back.
  const absl::Duration left =
      std::clamp(expire_time - clock_.Now(), absl::ZeroDuration(), expire_time - state.turn_start);
  RunLater(left, [this, table, expire_time] { OnClock(table, expire_time); });
}

void TurnDriver::OnClock(TableId table, absl::Time planned) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = clocks_.find(table);
    // A newer timer has replaced this timer.
    if (found == clocks_.end() || found->second != planned) return;
    // Erases the timer before the table is read, so that a later change sets a timer again.
    clocks_.erase(found);
  }
  if (!hosting_.Here(table)) return;
  const auto state = tables_.Current(table);
  if (!state.ok()) {
    return RetryUnlessMoved(state.status(), [this, table] { Wake(table); });
  }
  if ((*state)->TurnExpireTime() == absl::InfiniteFuture()) return;  // No clock runs now.
  if ((*state)->TurnExpireTime() != planned) return PlanClock(**state);
  PlanBot(**state, Actor::kClock, kClockMoveDelay);
}

void TurnDriver::Deal(TableId table, int revision) {
  if (!hosting_.Here(table)) return;
  tables_.DealNext(table, revision, [this, table, revision](const absl::StatusOr<SeatView>& dealt) {
    RetryUnlessMoved(dealt.status(), [this, table, revision] { Deal(table, revision); });
  });
}

void TurnDriver::PlayLastCard(const SeatCommand& command, absl::Duration delay) {
  RunLater(delay, [this, command] {
    if (!hosting_.Here(command.table)) return;
    tables_.SubmitForSeat(command, [this, command](const absl::StatusOr<SeatView>& played) {
      RetryUnlessMoved(played.status(),
                       [this, command] { PlayLastCard(command, absl::ZeroDuration()); });
    });
  });
}

void TurnDriver::PlanPauseEnd(const TableState& state) {
  const absl::Time expire_time = state.PauseExpireTime();
  // The timer waits at most for the longest possible pause, even if the wall clock was set back.
  const absl::Duration left = std::clamp(expire_time - clock_.Now(), absl::ZeroDuration(),
                                         state.proposal ? kProposalOpenFor : kBreakMax);
  RunLater(left, [this, table = state.config->id, expire_time] { EndPause(table, expire_time); });
}

void TurnDriver::EndPause(TableId table, absl::Time expire_time) {
  if (!hosting_.Here(table)) return;
  tables_.EndPause(table, expire_time,
                   [this, table, expire_time](const absl::StatusOr<SeatView>& ended) {
                     RetryUnlessMoved(ended.status(),
                                      [this, table, expire_time] { EndPause(table, expire_time); });
                   });
}

void TurnDriver::Ask(const Turn& turn) {
  const TableConfig& config = *turn.config;
  if (!hosting_.Here(config.id)) return;
  const auto current = tables_.Current(config.id);
  if (!current.ok()) return RetryUnlessMoved(current.status(), [this, turn] { Ask(turn); });
  const TableState& state = **current;
  // If the table has another revision now, OnChanged has already planned the next step.
  if (state.revision != turn.revision) return;
  if (turn.actor == Actor::kClock) {
    // If the table was loaded again, OnChanged has already planned a step for the clock that runs
    // now.
    if (state.TurnExpireTime() != turn.expire_time) return;
    if (!hosting_.Fresh()) return RunLater(kStepRetryDelay, [this, turn] { Ask(turn); });
  }
  const BotQuestion question{.view = rules::RememberedView(state.match.deal, turn.seat),
                             .rule_set = config.rule_set,
                             .level = LevelOf(state, turn.seat),
                             .seed = entropy_.NewSeed()};
  auto answer = std::make_shared<Answer>(Answer{.turn = turn, .view = question.view});
  bots_.Choose(question, [this, answer](absl::StatusOr<rules::Action> action) {
    answer->action = std::move(action);
    const absl::Duration left = answer->turn.play_time - clock_.Now();
    RunLater(std::clamp(left, absl::ZeroDuration(), answer->turn.delay),
             [this, answer] { Play(answer); });
  });
}

void TurnDriver::Play(const std::shared_ptr<const Answer>& answer) {
  const absl::StatusOr<rules::Action>& action = answer->action;
  // CANCELLED means that this process is stopping. The table's next host asks the bot again.
  if (absl::IsCancelled(action.status())) return;
  (action.ok() ? metrics_.bot_answered : metrics_.bot_failed).Increment();
  SeatCommand command{.table = answer->turn.config->id,
                      .expected_revision = answer->turn.revision,
                      .seat = answer->turn.seat,
                      .actor = answer->turn.actor,
                      .expire_time = answer->turn.expire_time};
  command.action = action.ok() ? *action : FallbackAction(answer->view);
  tables_.SubmitForSeat(command, [this, answer, command](const absl::StatusOr<SeatView>& played) {
    if (!absl::IsFailedPrecondition(played.status()) && !absl::IsInternal(played.status())) {
      return RetryUnlessMoved(played.status(), [this, answer] { Play(answer); });
    }
    // The rules refused the bot's action.
    SeatCommand instead = command;
    instead.action = FallbackAction(answer->view);
    tables_.SubmitForSeat(instead, [this, answer](const absl::StatusOr<SeatView>& second) {
      RetryUnlessMoved(second.status(), [this, answer] { Play(answer); });
    });
  });
}

void TurnDriver::RunLater(absl::Duration delay, std::function<void()> job) {
  if (delay <= absl::ZeroDuration() && workers_.TryRun(job)) return;
  const absl::Duration wait = delay <= absl::ZeroDuration() ? kBusyWorkersDelay : delay;
  scheduler_.After(wait, [this, job = std::move(job)]() mutable {
    RunLater(absl::ZeroDuration(), std::move(job));
  });
}

void TurnDriver::RetryUnlessMoved(const absl::Status& status, std::function<void()> job) {
  if (status.ok() || absl::IsAborted(status) || absl::IsNotFound(status)) return;
  RunLater(absl::IsInternal(status) ? kBrokenTableDelay : kStepRetryDelay, std::move(job));
}

Action FallbackAction(const rules::View& view) {
  switch (view.phase) {
    case rules::Phase::kBidding:
      return LowestBid(view.legal);
    case rules::Phase::kCalling:
      return HighestCall(view);
    case rules::Phase::kDiscarding:
      return FirstDiscards(view.legal);
    case rules::Phase::kSlam:
      return Action::Slam(false);
    case rules::Phase::kPlaying:
      return CheapestCard(view.legal);
    case rules::Phase::kDone:
      break;
  }
  TAROT_CHECK(false);  // It is no seat's turn now.
  return {};
}

}  // namespace tarot::rules_service
