#include "services/rules/app/table_service.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/rules/action.h"
#include "libs/rules/codec.h"

namespace tarot::rules_service {
namespace {

absl::Status NotSeated() {
  return Error(absl::StatusCode::kPermissionDenied, "NOT_SEATED", "You do not sit at this table.");
}

dealing::DealSeed NewSeed(Entropy& entropy) {
  dealing::DealSeed seed;
  entropy.Fill(absl::MakeSpan(seed));
  return seed;
}

}  // namespace

absl::Status RevisionMismatch(int revision) {
  return Error(absl::StatusCode::kAborted, "REVISION_MISMATCH",
               "The table has moved on: look at it again.", {{"revision", absl::StrCat(revision)}});
}

TableService::TableService(TableStore& store, GroupAppender& appender, TableRegistry& registry,
                           const Hosting& hosting, WorkerPool& workers, Clock& clock,
                           Entropy& entropy, Metrics& metrics)
    : store_(store),
      appender_(appender),
      registry_(registry),
      hosting_(hosting),
      workers_(workers),
      clock_(clock),
      entropy_(entropy),
      metrics_(metrics) {}

absl::StatusOr<TableView> TableService::Create(TableConfig config) {
  TAROT_RETURN_IF_ERROR(CheckConfig(config));
  config.create_time = clock_.Now();
  config.first_seed = NewSeed(entropy_);
  // Before it is durable: a table that was refused must not be played.
  TAROT_RETURN_IF_ERROR(registry_.CheckRoom(config.id));
  TAROT_RETURN_IF_ERROR(store_.Create(config));
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, Find(config.id));
  metrics_.tables_created.Increment();
  return MakeTableView(*table->Snapshot(), rules::kNoSeat);
}

absl::StatusOr<TableView> TableService::Get(TableId id, PlayerId player) {
  TAROT_ASSIGN_OR_RETURN(std::vector<TableView> views, GetMany({id}, player));
  if (!views.empty()) return std::move(views[0]);
  return Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND", "There is no such table.");
}

void TableService::Submit(SubmitCommand command, SightDone done) {
  const TableId id = command.table;
  const int known = command.expected_revision;
  Enter(id, known,
        [this, command = std::move(command),
         done = std::move(done)](absl::StatusOr<Hold> hold) mutable {
          if (!hold.ok()) return done(hold.status());
          const std::shared_ptr<const TableState> state = (*hold)->Snapshot();
          const rules::Seat seat = state->SeatOf(command.player);
          if (seat == rules::kNoSeat) return done(NotSeated());
          if ((*hold)->Knows(command.request)) {
            metrics_.actions_replayed.Increment();
            return done(Sight{state, seat});
          }
          if (command.expected_revision != state->revision) {
            metrics_.actions_stale.Increment();
            return done(RevisionMismatch(state->revision));
          }
          Commit(*std::move(hold),
                 {.request = command.request,
                  .kind = EventKind::kAction,
                  .actor = Actor::kPlayer,
                  .seat = seat,
                  .payload = rules::EncodeAction(command.action)},
                 [this, seat, done = std::move(done)](const Table& table,
                                                      const absl::Status& status) mutable {
                   if (absl::IsFailedPrecondition(status)) metrics_.Refused(status);
                   if (!status.ok()) return done(status);
                   done(Sight{table.Snapshot(), seat});
                 });
        });
}

void TableService::Resume(TableId id, PlayerId player, RequestId request, SightDone done) {
  Enter(id, 0, [this, player, request, done = std::move(done)](absl::StatusOr<Hold> hold) mutable {
    if (!hold.ok()) return done(hold.status());
    const std::shared_ptr<const TableState> state = (*hold)->Snapshot();
    const rules::Seat seat = state->SeatOf(player);
    if (seat == rules::kNoSeat) return done(NotSeated());
    const bool held = state->seats[static_cast<std::size_t>(seat)].held();
    if (!held || state->match.Finished() || (*hold)->Knows(request)) {
      return done(Sight{state, seat});
    }
    Commit(*std::move(hold),
           {.request = request, .kind = EventKind::kResume, .actor = Actor::kPlayer, .seat = seat},
           [seat, done = std::move(done)](const Table& table, const absl::Status& status) mutable {
             if (!status.ok()) return done(status);
             done(Sight{table.Snapshot(), seat});
           });
  });
}

void TableService::AddNonce(NonceCommand command, SightDone done) {
  const TableId id = command.table;
  Enter(id, 0,
        [this, command = std::move(command),
         done = std::move(done)](absl::StatusOr<Hold> hold) mutable {
          if (!hold.ok()) return done(hold.status());
          const std::shared_ptr<const TableState> state = (*hold)->Snapshot();
          const rules::Seat seat = state->SeatOf(command.player);
          if (seat == rules::kNoSeat) return done(NotSeated());
          if ((*hold)->Knows(command.request)) return done(Sight{state, seat});
          const int next_deal = state->match.deals_dealt + 1;
          if (command.deal_number != next_deal) return done(NonceRefused("DEAL_BEGAN"));
          Commit(*std::move(hold),
                 {.request = command.request,
                  .kind = EventKind::kNonce,
                  .actor = Actor::kPlayer,
                  .seat = seat,
                  .payload = std::move(command.nonce)},
                 [seat, done = std::move(done)](const Table& table,
                                                const absl::Status& status) mutable {
                   if (!status.ok()) return done(status);
                   done(Sight{table.Snapshot(), seat});
                 });
        });
}

absl::StatusOr<std::function<void()>> TableService::Watch(TableId id, PlayerId player,
                                                          int after_revision,
                                                          std::shared_ptr<Watcher> watcher) {
  if (!hosting_.Here(id)) return TableMoved();
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, Find(id));
  const rules::Seat seat = table->Snapshot()->SeatOf(player);
  const Watcher* const key = watcher.get();
  table->AddWatcher(seat, after_revision, std::move(watcher));
  // Asked after: a stop or a move that began meanwhile may have missed it.
  if (registry_.ending()) table->EndWatchers(TableRegistry::Ending());
  if (registry_.Find(id) != table) table->EndWatchers(TableMoved());
  return [weak = std::weak_ptr<Table>(table), key] {
    if (const std::shared_ptr<Table> alive = weak.lock()) alive->RemoveWatcher(key);
  };
}

absl::StatusOr<std::shared_ptr<const TableState>> TableService::Current(TableId id) {
  TAROT_ASSIGN_OR_RETURN(const std::shared_ptr<Table> table, Find(id));
  return table->Snapshot();
}

void TableService::SubmitForSeat(SeatCommand command, StatusDone done) {
  const TableId id = command.table;
  Enter(id, 0,
        [this, command = std::move(command),
         done = std::move(done)](absl::StatusOr<Hold> hold) mutable {
          if (!hold.ok()) return done(hold.status());
          const int revision = (*hold)->Snapshot()->revision;
          if (command.expected_revision != revision) return done(RevisionMismatch(revision));
          // Another clock runs since an outage: it has its own plan.
          const bool by_clock = command.actor == Actor::kClock;
          if (by_clock && (*hold)->Snapshot()->TurnExpireTime() != command.expire_time) {
            return done(RevisionMismatch(revision));
          }
          Commit(*std::move(hold),
                 {.request = RequestId{entropy_.NewUuid()},
                  .kind = EventKind::kAction,
                  .actor = command.actor,
                  .seat = command.seat,
                  .payload = rules::EncodeAction(command.action)},
                 [done = std::move(done)](const Table&, const absl::Status& status) mutable {
                   done(status);
                 });
        });
}

void TableService::DealNext(TableId id, int expected_revision, StatusDone done) {
  Enter(id, 0,
        [this, expected_revision, done = std::move(done)](absl::StatusOr<Hold> hold) mutable {
          if (!hold.ok()) return done(hold.status());
          const int revision = (*hold)->Snapshot()->revision;
          if (expected_revision != revision) return done(RevisionMismatch(revision));
          const std::shared_ptr<const TableState> state = (*hold)->Snapshot();
          // A table made before seeds were fixed ahead has none yet.
          const NextDeal next = state->next ? *state->next : NextDealOf(NewSeed(entropy_));
          std::string start = EncodeDealStart(StartOf(state->match, next, NewSeed(entropy_)));
          Commit(*std::move(hold),
                 {.request = RequestId{entropy_.NewUuid()},
                  .kind = EventKind::kDeal,
                  .actor = Actor::kServer,
                  .payload = std::move(start)},
                 [done = std::move(done)](const Table&, const absl::Status& status) mutable {
                   done(status);
                 });
        });
}

void TableService::Wake(TableId id, StatusDone done) {
  Enter(id, 0, [this, done = std::move(done)](absl::StatusOr<Hold> hold) mutable {
    if (!hold.ok()) return done(hold.status());
    on_changed_((*hold)->Snapshot());
    done(absl::OkStatus());
  });
}

}  // namespace tarot::rules_service
