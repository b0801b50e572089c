// The part of a simulated player that acts at the table.
#include <utility>

#include "libs/ai/policy.h"
#include "tests/sim/calls.h"
#include "tests/sim/person.h"
#include "tests/sim/rules_process.h"

namespace tarot::sim {
namespace {

using rules_service::TableView;
using SharedView = std::shared_ptr<const TableView>;

constexpr absl::Duration kTimeout = absl::Seconds(3);

rules::Action HeuristicAction(const TableView& view, std::uint64_t seed) {
  return ai::FindPolicy("novice")->Choose(*view.deal, Rng(seed), {}).action;
}

bool InTurn(const TableView& view) {
  return view.phase == rules_service::TablePhase::kPlaying && view.deal &&
         view.deal->turn == view.viewer;
}

// Passes the intent to the service, as the transport does.
void Submit(RulesProcess& rules, const Intent& intent, rules_service::TableService::Done done) {
  const rules_service::RequestContext context{.caller = {.player = intent.player},
                                              .table = intent.table};
  if (std::holds_alternative<rules_service::SeatResumed>(intent.body)) {
    return rules.tables.Resume(context, intent.request, std::move(done));
  }
  if (const auto* added = std::get_if<rules_service::NonceAdded>(&intent.body)) {
    return rules.tables.AddNonce(
        context,
        {.request = intent.request, .deal_number = intent.expected_revision, .nonce = added->nonce},
        std::move(done));
  }
  rules.tables.Submit(context,
                      {.request = intent.request,
                       .expected_revision = intent.expected_revision,
                       .action = std::get<rules::Action>(intent.body)},
                      std::move(done));
}

}  // namespace

void Person::OnView(const View& view) {
  cluster_.auditor.Seen(id_, view);
  if (view.config->id != table_ || (view_ && view.revision < view_->revision)) return;
  view_ = view;
  if (view.phase == rules_service::TablePhase::kFinished) return Leave();
  MaybeAct();
  MaybeResume();
  MaybeAddNonce();
}

void Person::MaybeAct() {
  // Sometimes a player tries an illegal action.
  const bool cheat = !acting_ && view_->phase == rules_service::TablePhase::kPlaying &&
                     !InTurn(*view_) && cluster_.world.Chance(50);
  if (cheat) {
    acting_ = true;
    Intent intent{.table = table_, .player = id_, .request = NewRequest()};
    intent.expected_revision = view_->revision;
    intent.body = rules::Action::Play(rules::kExcuse);
    return Insist(intent, /*honest=*/false, [this] {
      acting_ = false;
      MaybeAct();
    });
  }
  if (acting_ || !InTurn(*view_) || thinking_about_ == view_->revision) return;
  thinking_about_ = view_->revision;
  const absl::Duration thought = cluster_.world.Chance(200)
                                     ? Between(absl::Seconds(4), absl::Seconds(25))
                                     : Between(absl::Milliseconds(50), absl::Milliseconds(1500));
  life_.After(thought, [this, sitting = sitting_, revision = view_->revision] {
    if (sitting == sitting_ && view_->revision == revision && !acting_) Act(revision);
  });
}

void Person::Act(int revision) {
  acting_ = true;
  Intent intent{.table = table_, .player = id_, .request = NewRequest()};
  intent.expected_revision = revision;
  intent.body = HeuristicAction(*view_, life_.NewSeed());
  Insist(intent, /*honest=*/true, [this] {
    acting_ = false;
    thinking_about_ = 0;
    MaybeAct();
  });
}

void Person::MaybeResume() {
  const bool held = view_->seats[static_cast<std::size_t>(view_->viewer)].held();
  if (!held || std::exchange(resuming_, true)) return;
  life_.After(Between(absl::Milliseconds(200), absl::Seconds(5)), [this, sitting = sitting_] {
    if (sitting != sitting_) return;
    const Intent intent{.table = table_,
                        .player = id_,
                        .request = NewRequest(),
                        .body = rules_service::SeatResumed()};
    Insist(intent, /*honest=*/true, [this] { resuming_ = false; });
  });
}

void Person::MaybeAddNonce() {
  const int next_deal = view_->deal_number + 1;
  const bool may = view_->phase == rules_service::TablePhase::kDealing && view_->next_commitment;
  if (!may || nonce_for_ == next_deal) return;
  nonce_for_ = next_deal;
  if (!cluster_.world.Chance(4000)) return;
  Intent intent{.table = table_, .player = id_, .request = NewRequest()};
  intent.expected_revision = next_deal;
  intent.body = rules_service::NonceAdded{life_.NewUuid().ToString()};
  Insist(intent, /*honest=*/false, [] {});
}

void Person::Insist(const Intent& intent, bool honest, std::function<void()> then) {
  cluster_.auditor.Sent(intent);
  const bool other = cluster_.options.sabotage == Sabotage::kShowOther;
  const auto serve = [intent, other](RulesProcess& rules, const Reply<SharedView>& reply) {
    using Answer = absl::StatusOr<rules_service::SeatView>;
    Submit(rules, intent, [reply, other](const Answer& view) {
      if (!view.ok()) return reply(view.status());
      const rules::Seat viewer = other && view->viewer > 0 ? view->viewer - 1 : view->viewer;
      reply(std::make_shared<TableView>(MakeTableView(*view->state, viewer)));
    });
  };
  Call<SharedView>(
      cluster_.network, life_, cluster_.RulesFor(intent.table), kTimeout,
      AtHost<SharedView>(cluster_, intent.table, serve),
      [this, intent, honest, then = std::move(then)](const absl::StatusOr<SharedView>& answer) {
        OnAnswer(intent, honest, then, answer);
      });
}

void Person::OnAnswer(const Intent& intent, bool honest, const std::function<void()>& then,
                      const absl::StatusOr<SharedView>& answer) {
  switch (answer.status().code()) {
    case absl::StatusCode::kOk:
      cluster_.auditor.Acknowledged(intent.request, (*answer)->revision);
      if (intent.table == table_) OnView(**answer);
      break;
    case absl::StatusCode::kFailedPrecondition:
      if (honest) cluster_.world.Fail("a legal action was refused: ", answer.status().ToString());
      [[fallthrough]];
    case absl::StatusCode::kAborted:
      cluster_.auditor.Refused(intent.request, answer.status());
      break;
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kResourceExhausted:
      life_.After(Between(absl::Milliseconds(50), absl::Milliseconds(1500)),
                  [this, intent, honest, then] { Insist(intent, honest, then); });
      return;
    default:
      cluster_.world.Fail("an unexpected answer: ", answer.status().ToString());
  }
  if (intent.table == table_) then();
}

}  // namespace tarot::sim
