#include "services/rules/app/table_service.h"

#include <utility>

#include "libs/base/error.h"
#include "libs/rules/claim.h"
#include "services/rules/app/errors.h"
#include "services/rules/limits.h"

namespace tarot::rules_service {
namespace {

dealing::DealSeed NewSeed(Entropy& entropy) {
  dealing::DealSeed seed;
  entropy.Fill(absl::MakeSpan(seed));
  return seed;
}

// Returns `entry` with all data that the store needs. `entry` is the last entry of `after`. If the
// entry ended a deal, the result also has the progress of the match and the secrets that become
// public.
NewEntry WithProgress(LogEntry entry, const TableState& after) {
  const rules::Match& match = after.match;
  const bool starts = std::holds_alternative<DealStarted>(entry.body);
  const bool plays = std::holds_alternative<rules::Action>(entry.body);
  const bool voids = std::holds_alternative<DealVoided>(entry.body);
  const bool claims = std::holds_alternative<TricksClaimed>(entry.body);
  const bool ends = (starts || plays || voids || claims) && !match.DealRunning();
  NewEntry stored{.table = after.config->id, .entry = std::move(entry)};
  if (!ends) return stored;
  stored.progress = MatchProgress{.match_over = match.Finished(),
                                  .deals_dealt = match.deals_dealt,
                                  .deals_scored = match.deals_scored};
  stored.progress->totals.assign(match.totals.begin(), match.totals.begin() + match.players);
  stored.deal_revision = after.deal_revision;
  for (const SeatConfig& seat : after.config->seats) stored.players.push_back(seat.player);
  stored.revealed = RevealedBy(after);
  return stored;
}

// Returns the phrases and mutes of `seat` so far.
SeatTalk TalkOf(const TableState& state, rules::Seat seat) {
  return state.talk != nullptr ? (*state.talk)[static_cast<std::size_t>(seat)] : SeatTalk();
}

// Returns OK if `seat` may say a phrase at `now`.
absl::Status MaySay(const TableState& state, rules::Seat seat, absl::Time now) {
  if (state.match.Finished()) return TalkOver();
  const SeatTalk talk = TalkOf(state, seat);
  if (talk.phrases >= kPhrasesPerDealMax) return TalkLimited("PHRASES_OF_DEAL_SPENT");
  // If the clock of this process was set back far, `talk.last->time` is in the future. AbsDuration
  // makes the difference positive, so that the seat may speak.
  const bool soon = talk.last && absl::AbsDuration(now - talk.last->time) < kPhraseInterval;
  return soon ? TalkLimited("PHRASE_TOO_SOON") : absl::OkStatus();
}

// Returns true if `change` by `seat` would change a mute, and false if the mute is already so.
// Returns an error if the service refuses the change.
absl::StatusOr<bool> ChangesMute(const TableState& state, rules::Seat seat,
                                 const SeatMuted& change) {
  if (change.seat < 0 || change.seat >= state.match.players) {
    return BadRequest("seat", "must be a seat of the table");
  }
  if (change.seat == seat) return BadRequest("seat", "must not be the caller's own seat");
  if (state.match.Finished()) return TalkOver();
  const SeatTalk talk = TalkOf(state, seat);
  if (talk.muted[static_cast<std::size_t>(change.seat)] == change.muted) return false;
  if (talk.mutes >= kMutesPerDealMax) return TalkLimited("MUTES_OF_DEAL_SPENT");
  return true;
}

// Returns the proposal of this kind if `seat` may make it now. If not, returns the error.
absl::StatusOr<Proposed> PossibleProposal(const TableState& state, rules::Seat seat,
                                          ProposalKind kind) {
  const TableConfig& config = *state.config;
  const bool option = kind == ProposalKind::kTakeBack ? config.take_back : config.breaks;
  if (!option) return ProposalRefused("NOT_AN_OPTION");
  if (state.match.Finished()) return ProposalRefused("MATCH_OVER");
  if (state.seats[static_cast<std::size_t>(seat)].held()) return ProposalRefused("SEAT_HELD");
  if (state.proposals[static_cast<std::size_t>(seat)] >= kProposalsPerDealMax) {
    return ProposalsSpent();
  }
  std::array<bool, rules::kPlayersMax> asked{};
  bool granted = true;  // Becomes false if another person must agree.
  for (const rules::Seat other : state.AskedFor(kind)) {
    asked[static_cast<std::size_t>(other)] = other != seat;
    if (other != seat) granted = false;
  }
  return Proposed{.kind = kind, .granted = granted, .asked = asked};
}

// Returns the claim of `seat` if the rules prove it. If not, returns the reason for the refusal.
absl::StatusOr<TricksClaimed> ProvenClaim(const TableState& state, rules::Seat seat) {
  const rules::Deal& deal = state.match.deal;
  if (!state.match.DealRunning() || deal.phase != rules::Phase::kPlaying) {
    return ClaimRefused("NOT_PLAYING");
  }
  if (deal.turn != seat) {
    return rules::RefusalStatus(rules::Action::Play(rules::kNoCard),
                                {.reason = rules::Reason::kNotYourTurn});
  }
  if (state.seats[static_cast<std::size_t>(seat)].held()) return ClaimRefused("SEAT_HELD");
  // In the first trick no claim is possible, because the other seats may still show handfuls before
  // their first cards.
  if (deal.trick_count == 1) return ClaimRefused("FIRST_TRICK");
  const rules::ClaimProof proof = rules::ProveClaim(rules::RememberedView(deal, seat));
  if (!proof.proven()) return ClaimRefused("TRICK_COULD_BE_LOST", proof.lost_trick);
  return TricksClaimed{rules::PlayOutClaim(deal, proof)};
}

}  // namespace

struct TableService::PendingChange {
  const TableId table;
  const std::optional<PlayerId> player = std::nullopt;  // Unset if the server makes the change.
  const int known_revision = 0;                         // The revision that the request names.
  // The seat that makes the change. If a player makes the change, EnterExisting sets this seat.
  rules::Seat seat = rules::kNoSeat;
  Decide decide;
  Done done;
  std::optional<TableLock> lock;
  // Commit sets the members below.
  std::shared_ptr<TableState> after;
  RequestId request;
  Actor actor = Actor::kPlayer;
  bool about_proposal = false;
  absl::Time start;
};

TableService::TableService(TableStore& store, GroupAppender& appender, TableRegistry& registry,
                           const Hosting& hosting, WorkerPool& workers, Clock& clock,
                           Scheduler& scheduler, Entropy& entropy, Metrics& metrics)
    : store_(store),
      appender_(appender),
      registry_(registry),
      hosting_(hosting),
      workers_(workers),
      clock_(clock),
      entropy_(entropy),
      metrics_(metrics),
      lookup_(store, workers, scheduler) {}

// The following functions read and make tables.

absl::StatusOr<TableView> TableService::Create(TableConfig config) {
  const TableId id = config.id;
  TAROT_RETURN_IF_ERROR(CreateMany({std::move(config)})[0]);
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, Find(id));
  return MakeTableView(*table->Snapshot(), rules::kNoSeat);
}

std::vector<absl::Status> TableService::CreateMany(std::vector<TableConfig> configs) {
  std::vector<absl::Status> results(configs.size());
  std::vector<TableConfig> valid;
  std::vector<std::size_t> places;  // `valid[i]` comes from `configs[places[i]]`.
  for (std::size_t i = 0; i < configs.size(); ++i) {
    TableConfig& config = configs[i];
    results[i] = CheckConfig(config);
    // The settings must be checked before the table is durable, because an invalid table must not
    // be stored.
    if (results[i].ok()) results[i] = registry_.CheckRoom(config.id, valid.size());
    if (!results[i].ok()) continue;
    // Rounds the times to the precision of the store, so that memory and log agree.
    config.create_time = absl::FromUnixMicros(absl::ToUnixMicros(clock_.Now()));
    config.move_limit = absl::Trunc(config.move_limit, absl::Milliseconds(1));
    config.time_bank = absl::Trunc(config.time_bank, absl::Milliseconds(1));
    config.first_seed = NewSeed(entropy_);
    valid.push_back(std::move(config));
    places.push_back(i);
  }
  if (valid.empty()) return results;
  const std::vector<absl::StatusOr<bool>> made = store_.CreateMany(valid);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    absl::Status& result = results[places[i]];
    result = made[i].status();
    if (!result.ok()) continue;
    const TableId id = valid[i].id;
    if (*made[i]) {
      registry_.AddNew(std::move(valid[i]));
      metrics_.tables_created.Increment();
    }
    result = Find(id).status();
  }
  return results;
}

void TableService::CheckExists(TableId table, TableLookup::Done done) {
  if (registry_.Find(table) != nullptr) return done(absl::OkStatus());
  if (const absl::Status status = registry_.CheckReadable(table); !status.ok()) return done(status);
  lookup_.Check(table, std::move(done));
}

std::optional<TableView> TableService::GetFromMemory(const RequestContext& context) {
  const std::shared_ptr<Table> table =
      hosting_.Here(context.table) ? registry_.Find(context.table) : nullptr;
  if (table == nullptr) return std::nullopt;
  const std::shared_ptr<const TableState> state = table->Snapshot();
  return MakeTableView(*state, state->SeatOf(context.caller.player));
}

absl::StatusOr<TableView> TableService::Get(const RequestContext& context) {
  if (std::optional<TableView> view = GetFromMemory(context)) return *std::move(view);
  TAROT_RETURN_IF_ERROR(registry_.CheckReadable(context.table));
  TAROT_ASSIGN_OR_RETURN(StoredTable stored, store_.Load(context.table));
  TAROT_ASSIGN_OR_RETURN(
      const TableState state,
      Replay(std::make_shared<const TableConfig>(std::move(stored.config)), stored.log));
  return MakeTableView(state, state.SeatOf(context.caller.player));
}

absl::StatusOr<std::shared_ptr<const TableState>> TableService::Current(TableId id) {
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, Find(id));
  return table->Snapshot();
}

absl::StatusOr<std::function<void()>> TableService::Watch(TableId id, PlayerId player,
                                                          int after_revision,
                                                          std::shared_ptr<Watcher> watcher) {
  if (!hosting_.Here(id)) return TableMoved();
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, Find(id));
  const rules::Seat seat = table->Snapshot()->SeatOf(player);
  const Watcher* const key = watcher.get();
  table->AddWatcher(seat, after_revision, std::move(watcher));
  // These checks must come after AddWatcher. If the service stops or the table moves at this
  // moment, EndWatchers may already have run, and it has not ended this new watcher.
  if (registry_.ending()) table->EndWatchers(ShuttingDown());
  if (registry_.Find(id) != table) table->EndWatchers(TableMoved());
  return [weak = std::weak_ptr<Table>(table), key] {
    if (const std::shared_ptr<Table> alive = weak.lock()) alive->RemoveWatcher(key);
  };
}

// The following functions change tables, for players and for the server.

void TableService::Submit(const RequestContext& context, const SubmitCommand& command, Done done) {
  const auto decide = [this, command](const Table& table, const State& state,
                                      rules::Seat) -> Decided {
    if (state->IsNewest(command.expected_revision)) {
      return LogEntry{.request = command.request, .body = command.action};
    }
    return RepeatOrStale(table, state, command.request);
  };
  ChangeByPlayer(context, decide, std::move(done), command.expected_revision);
}

void TableService::ClaimTricks(const RequestContext& context, const ClaimCommand& command,
                               Done done) {
  const auto decide = [this, command](const Table& table, const State& state,
                                      rules::Seat seat) -> Decided {
    if (!state->IsNewest(command.expected_revision)) {
      return RepeatOrStale(table, state, command.request);
    }
    if (state->Paused()) return GamePaused(state->proposal ? "PROPOSAL_OPEN" : "BREAK_RUNS");
    absl::StatusOr<TricksClaimed> claimed = ProvenClaim(*state, seat);
    if (!claimed.ok()) {
      metrics_.Refused(claimed.status());
      return claimed.status();
    }
    return LogEntry{.request = command.request, .body = *std::move(claimed)};
  };
  ChangeByPlayer(context, decide, std::move(done), command.expected_revision);
}

auto TableService::RepeatOrStale(const Table& table, const State& state, RequestId request)
    -> Decided {
  // If a request is already in the log, it names an older revision. Such a request is a repeat, and
  // its revision is not a mismatch.
  const bool known = table.Knows(request);
  (known ? metrics_.actions_replayed : metrics_.actions_stale).Increment();
  if (!known) return RevisionMismatch(state->revision);
  return std::nullopt;
}

void TableService::Resume(const RequestContext& context, RequestId request, Done done) {
  const auto decide = [request](const Table& table, const State& state,
                                rules::Seat seat) -> Decided {
    const bool held = state->seats[static_cast<std::size_t>(seat)].held();
    if (!held || state->match.Finished() || table.Knows(request)) return std::nullopt;
    return LogEntry{.request = request, .body = SeatResumed()};
  };
  ChangeByPlayer(context, decide, std::move(done));
}

void TableService::AddNonce(const RequestContext& context, NonceCommand command, Done done) {
  auto decide = [command = std::move(command)](const Table& table, const State& state,
                                               rules::Seat) -> Decided {
    if (table.Knows(command.request)) return std::nullopt;
    if (command.deal_number != state->match.deals_dealt + 1) return NonceRefused("DEAL_BEGAN");
    return LogEntry{.request = command.request, .body = NonceAdded{command.nonce}};
  };
  ChangeByPlayer(context, std::move(decide), std::move(done));
}

void TableService::SayPhrase(const RequestContext& context, const PhraseCommand& command,
                             Done done) {
  const auto decide = [this, command](const Table& table, const State& state,
                                      rules::Seat seat) -> Decided {
    if (table.Knows(command.request)) return std::nullopt;
    TAROT_RETURN_IF_ERROR(MaySay(*state, seat, clock_.Now()));
    return LogEntry{.request = command.request, .body = PhraseSaid{command.phrase}};
  };
  ChangeByPlayer(context, decide, std::move(done));
}

void TableService::MuteSeat(const RequestContext& context, const MuteCommand& command, Done done) {
  const auto decide = [command](const Table& table, const State& state,
                                rules::Seat seat) -> Decided {
    if (table.Knows(command.request)) return std::nullopt;
    const SeatMuted change{.seat = command.seat, .muted = command.muted};
    TAROT_ASSIGN_OR_RETURN(const bool changes, ChangesMute(*state, seat, change));
    if (!changes) return std::nullopt;
    return LogEntry{.request = command.request, .body = change};
  };
  ChangeByPlayer(context, decide, std::move(done));
}

void TableService::Propose(const RequestContext& context, const ProposeCommand& command,
                           Done done) {
  const auto decide = [command](const Table& table, const State& state,
                                rules::Seat seat) -> Decided {
    if (table.Knows(command.request)) return std::nullopt;
    TAROT_ASSIGN_OR_RETURN(const Proposed proposed, PossibleProposal(*state, seat, command.kind));
    const bool late = command.expected_revision && !state->IsNewest(*command.expected_revision);
    if (late && command.kind == ProposalKind::kTakeBack) return ProposalRefused("GAME_WENT_ON");
    return LogEntry{.request = command.request, .body = proposed};
  };
  ChangeByPlayer(context, decide, std::move(done), command.expected_revision.value_or(0));
}

void TableService::Answer(const RequestContext& context, const AnswerCommand& command, Done done) {
  const auto decide = [command](const Table& table, const State& state,
                                rules::Seat seat) -> Decided {
    if (table.Knows(command.request)) return std::nullopt;
    const bool open = state->proposal && state->proposal->revision == command.proposal_revision;
    if (!open) return NoProposal();
    if (command.agrees && state->proposal->agreed[static_cast<std::size_t>(seat)]) {
      return std::nullopt;
    }
    std::vector<rules::Seat> pending = state->PendingSeats();
    std::erase(pending, seat);
    return LogEntry{.request = command.request,
                    .body = ProposalAnswered{.kind = state->proposal->kind,
                                             .agrees = command.agrees,
                                             .granted = command.agrees && pending.empty()}};
  };
  ChangeByPlayer(context, decide, std::move(done));
}

void TableService::EndBreak(const RequestContext& context, RequestId request, Done done) {
  const auto decide = [request](const Table& table, const State& state, rules::Seat) -> Decided {
    if (table.Knows(request) || !state->break_expire_time) return std::nullopt;
    return LogEntry{.request = request, .body = BreakEnded()};
  };
  ChangeByPlayer(context, decide, std::move(done));
}

void TableService::EndPause(TableId table, absl::Time expire_time, Done done) {
  const auto decide = [this, expire_time](const Table&, const State& state,
                                          rules::Seat) -> Decided {
    if (!state->Paused() || state->PauseExpireTime() != expire_time) {
      return RevisionMismatch(state->revision);
    }
    LogEntry entry{.request = RequestId{entropy_.NewUuid()}, .actor = Actor::kServer};
    if (state->proposal) {
      entry.body = ProposalAnswered{.kind = state->proposal->kind};
    } else {
      entry.body = BreakEnded();
    }
    return entry;
  };
  ChangeByServer(table, decide, std::move(done));
}

void TableService::VoidDeal(TableId table, VoidCommand command, Done done) {
  auto decide = [command = std::move(command)](const Table& known, const State& state,
                                               rules::Seat) -> Decided {
    if (known.Knows(command.request)) return std::nullopt;
    const bool other = command.deal_number != state->match.deals_dealt;
    if (command.ends_match && state->match.Finished()) return MatchOver();
    if (other && !command.ends_match) return DealNotRunning();
    return LogEntry{.request = command.request,
                    .actor = Actor::kServer,
                    .body = DealVoided{.reason = command.reason, .ends_match = command.ends_match}};
  };
  ChangeByServer(table, std::move(decide), std::move(done));
}

void TableService::SubmitForSeat(const SeatCommand& command, Done done) {
  const auto decide = [this, command](const Table&, const State& state, rules::Seat) -> Decided {
    // If the clock started anew after an outage, this move is out of date. TurnDriver::OnChanged
    // has already planned a step for the new clock.
    const bool other_clock =
        command.actor == Actor::kClock && state->TurnExpireTime() != command.expire_time;
    if (!state->IsNewest(command.expected_revision) || other_clock) {
      return RevisionMismatch(state->revision);
    }
    return LogEntry{
        .request = RequestId{entropy_.NewUuid()}, .actor = command.actor, .body = command.action};
  };
  ChangeByServer(command.table, decide, std::move(done), command.seat);
}

void TableService::DealNext(TableId id, int expected_revision, Done done) {
  const auto decide = [this, expected_revision](const Table&, const State& state,
                                                rules::Seat) -> Decided {
    if (!state->IsNewest(expected_revision)) return RevisionMismatch(state->revision);
    // A table of an old version may have no seed yet, because old versions fixed no seeds in
    // advance.
    const NextDeal next = state->next != nullptr ? *state->next : NextDealOf(NewSeed(entropy_));
    auto start =
        std::make_shared<const dealing::DealStart>(StartOf(state->match, next, NewSeed(entropy_)));
    return LogEntry{.request = RequestId{entropy_.NewUuid()},
                    .actor = Actor::kServer,
                    .body = DealStarted{std::move(start)}};
  };
  ChangeByServer(id, decide, std::move(done));
}

void TableService::Wake(TableId id, Done done) {
  const auto decide = [this](const Table&, const State& state, rules::Seat) -> Decided {
    on_changed_(state);
    return std::nullopt;
  };
  ChangeByServer(id, decide, std::move(done));
}

// The following functions carry out a change in five steps: take the lock, decide, store, show,
// answer.

void TableService::ChangeByPlayer(const RequestContext& context, Decide decide, Done done,
                                  int known_revision) {
  Enter(Pending(new PendingChange{.table = context.table,
                                  .player = context.caller.player,
                                  .known_revision = known_revision,
                                  .decide = std::move(decide),
                                  .done = std::move(done)}));
}

void TableService::ChangeByServer(TableId table, Decide decide, Done done, rules::Seat seat) {
  Enter(Pending(new PendingChange{
      .table = table, .seat = seat, .decide = std::move(decide), .done = std::move(done)}));
}

void TableService::Enter(Pending change) {
  if (!change->player) return LoadAndEnter(std::move(change));
  const TableId id = change->table;
  if (std::shared_ptr<Table> known = registry_.Find(id)) {
    PlanFirst(*known);
    return EnterTable(std::move(known), std::move(change));
  }
  CheckExists(id, [this, change = std::move(change)](const absl::Status& exists) mutable {
    if (!exists.ok()) return change->done(exists);
    LoadAndEnter(std::move(change));
  });
}

void TableService::LoadAndEnter(Pending change) {
  absl::StatusOr<std::shared_ptr<Table>> table = Find(change->table);
  if (!table.ok()) return change->done(table.status());
  EnterTable(*std::move(table), std::move(change));
}

void TableService::EnterTable(std::shared_ptr<Table> table, Pending change) {
  if (change->player) {
    // The players of a table never change, so even an old state gives the right seat.
    change->seat = table->Snapshot()->SeatOf(*change->player);
    if (change->seat == rules::kNoSeat) return change->done(NotSeated());
  }
  const rules::Seat place = change->player ? change->seat : rules::kNoSeat;
  Table::Enter(std::move(table), place,
               [this, change = std::move(change)](absl::StatusOr<TableLock> lock) mutable {
                 if (!lock.ok()) return change->done(lock.status());
                 change->lock.emplace(*std::move(lock));
                 Table& locked = **change->lock;
                 // If another replica hosts the table, this replica gets no updates for it, so its
                 // copy in memory may be old.
                 const bool old = locked.stale || !hosting_.Here(change->table) ||
                                  IsBehind(locked, change->known_revision);
                 if (!locked.released && !old) return Commit(std::move(change));
                 // Uses a worker, because this thread may be one that must not wait for the store.
                 EnterOnWorker(std::move(change));
               });
}

bool TableService::IsBehind(Table& table, int known_revision) {
  if (table.Snapshot()->revision >= known_revision) return false;
  const absl::Time now = clock_.Now();
  if (now - table.believed_time < kBelievedEvery) return false;
  table.believed_time = now;
  return true;
}

void TableService::EnterOnWorker(Pending change) {
  OnWorker([this, change = std::move(change)](bool ran) mutable {
    if (!ran) return change->done(Overloaded());
    if ((*change->lock)->released) {
      const TableLock of_released = *std::move(change->lock);
      change->lock.reset();
      return Enter(std::move(change));
    }
    const absl::Status fresh = Reload(**change->lock);
    if (!fresh.ok()) return change->done(fresh);
    Commit(std::move(change));
  });
}

void TableService::Commit(Pending change) {
  const State before = (*change->lock)->Snapshot();
  Decided decided = change->decide(**change->lock, before, change->seat);
  if (!decided.ok()) return change->done(decided.status());
  if (!*decided) return change->done(SeatView{before, change->seat});

  LogEntry& entry = **decided;
  change->start = clock_.Now();
  entry.seat = change->seat;
  entry.revision = before->revision + 1;
  // The store keeps microseconds. With nanoseconds, the time bank in the view would differ from the
  // time bank that the log gives.
  entry.elapsed = absl::Trunc(change->start - before->turn_start, absl::Microseconds(1));
  entry.create_time = change->start;
  change->after = std::make_shared<TableState>(*before);
  const absl::Status legal = Advance(*change->after, entry);
  if (!legal.ok()) {
    const bool players = entry.actor == Actor::kPlayer;
    if (players && std::holds_alternative<rules::Action>(entry.body)) metrics_.Refused(legal);
    return change->done(legal);
  }

  change->request = entry.request;
  change->actor = entry.actor;
  change->about_proposal = AboutProposal(entry.body);
  NewEntry stored = WithProgress(std::move(entry), *change->after);
  appender_.Append(std::move(stored), [this, change = std::move(change)](
                                          const absl::StatusOr<Appended>& appended) mutable {
    Settle(std::move(change), appended);
  });
}

void TableService::Settle(Pending change, const absl::StatusOr<Appended>& appended) {
  metrics_.append_seconds.Observe(absl::ToDoubleSeconds(clock_.Now() - change->start));
  if (appended.ok() && !appended->replayed) return Show(std::move(change));
  // After RESOURCE_EXHAUSTED the entry is certainly not stored, so nothing has changed.
  if (absl::IsResourceExhausted(appended.status())) return change->done(Overloaded());
  // The log must be read again for one of two reasons:
  // - Another process has written to the log. Then a worker reads the log now.
  // - It is unknown whether this entry was stored. Then the log is read a little later, because the
  //   database may not answer now. The read does not wait for a repeat of the call, because the
  //   other seats would have to wait too.
  Table& table = **change->lock;
  table.stale = true;
  if (!appended.ok() && !absl::IsAborted(appended.status())) {
    table.outage = true;
    on_commit_unknown_(change->table);
    return change->done(appended.status());
  }
  OnWorker([this, change = std::move(change), replayed = appended.ok()](bool ran) mutable {
    if (ran) return SettleByLog(std::move(change), replayed);
    on_commit_unknown_(change->table);
    change->done(Overloaded());
  });
}

void TableService::Show(Pending change) {
  Table& table = **change->lock;
  table.requests.push_back(change->request);
  const bool deals = change->after->deal_revision == change->after->revision;
  const bool voids = change->after->match.deal.result.outcome == rules::Outcome::kVoided;
  const bool moves = !change->about_proposal && (change->actor != Actor::kServer || !voids);
  if (moves) metrics_.Applied(change->actor, deals);
  if (change->after->match.Finished()) metrics_.matches_finished.Increment();
  TableState& after = *change->after;
  if (change->actor == Actor::kClock &&
      after.seats[static_cast<std::size_t>(change->seat)].held()) {
    metrics_.seats_taken_over.Increment();
  }
  // If this change begins a turn or ends a pause, a clock starts. This clock runs only from the
  // time when the change is shown. So the time of the commit is charged to no player.
  if (after.turn_start == change->start - after.thought) {
    after.turn_start = clock_.Now() - after.thought;
  }
  const State shown = std::move(change->after);
  table.Publish(shown);
  on_changed_(shown);
  change->done(SeatView{shown, change->seat});
}

void TableService::SettleByLog(Pending change, bool replayed) {
  Table& table = **change->lock;
  const int before = table.Snapshot()->revision;
  const absl::Status reloaded = Reload(table);
  if (!reloaded.ok()) {
    on_commit_unknown_(change->table);
    return change->done(reloaded);
  }
  // The log may already have this request: another replica may have stored it, or an earlier
  // statement may have committed although its answer was lost.
  const State now = table.Snapshot();
  if (replayed || table.Knows(change->request)) {
    return change->done(SeatView{now, change->seat});
  }
  // Another process wrote first. Commit decides on the change again, with the new state. If the new
  // entry does not change the game, for example a phrase, the change is still valid.
  if (now->revision != before) return Commit(std::move(change));
  // The log has no new entry: another statement that ran at the same moment made this statement
  // fail. The caller may send the same change again.
  change->done(Error(absl::StatusCode::kUnavailable, "STORAGE_AWAY",
                     "The change was not stored. Please try again."));
}

absl::Status TableService::Reload(Table& table) {
  const State before = table.Snapshot();
  const absl::Status status = registry_.Reload(table);
  const State now = table.Snapshot();
  if (now->revision < before->revision) metrics_.hosting.tables_set_back.Increment();
  if (now != before) on_changed_(now);
  return status;
}

void TableService::OnWorker(absl::AnyInvocable<void(bool)> job) {
  const auto shared = std::make_shared<absl::AnyInvocable<void(bool)>>(std::move(job));
  if (!workers_.TryRun([shared] { (*shared)(true); })) (*shared)(false);
}

// The following functions move tables between this replica and the other replicas.

absl::StatusOr<std::shared_ptr<Table>> TableService::Find(TableId id) {
  TAROT_ASSIGN_OR_RETURN(std::shared_ptr<Table> table, registry_.Get(id));
  PlanFirst(*table);
  return table;
}

bool TableService::PlanFirst(Table& table) {
  // The list of replicas may have changed while the table was read.
  if (table.acquired || !hosting_.Here(table.Snapshot()->config->id)) return false;
  if (table.acquired.exchange(true)) return false;
  on_changed_(table.Snapshot());
  return true;
}

absl::StatusOr<std::size_t> TableService::Acquire(const std::vector<TableId>& ids) {
  TAROT_ASSIGN_OR_RETURN(const TableRegistry::Many many, registry_.GetMany(ids));
  for (const std::shared_ptr<Table>& table : many.tables) {
    if (PlanFirst(*table)) metrics_.hosting.tables_acquired.Increment();
  }
  return many.without_room;
}

void TableService::CatchUp(TableId id) {
  const std::shared_ptr<Table> table = registry_.Find(id);
  if (table == nullptr) return;
  Table::Enter(table, rules::kNoSeat, [](absl::StatusOr<TableLock> lock) {
    if (lock.ok()) (*lock)->stale = true;
  });
  Wake(id, [this, id](const absl::StatusOr<SeatView>& woken) {
    if (!woken.ok()) on_commit_unknown_(id);
  });
}

void TableService::NoteOutage(TableId id) {
  const std::shared_ptr<Table> table = registry_.Find(id);
  if (table == nullptr) return;
  Table::Enter(table, rules::kNoSeat, [](absl::StatusOr<TableLock> lock) {
    if (lock.ok()) (*lock)->stale = (*lock)->outage = true;
  });
}

void TableService::Release(TableId id) {
  const std::shared_ptr<Table> table = registry_.Find(id);
  if (table == nullptr) return;
  table->EndWatchers(TableMoved());
  Table::Enter(table, rules::kNoSeat, [this](absl::StatusOr<TableLock> lock) {
    if (!lock.ok()) return;  // Too many operations wait. The next sweep of Takeover tries again.
    (*lock)->released = true;
    metrics_.hosting.tables_released.Increment();
    registry_.Forget(**lock);
    // Ends the streams of watchers that were added after the first call of EndWatchers.
    (*lock)->EndWatchers(TableMoved());
  });
}

}  // namespace tarot::rules_service
