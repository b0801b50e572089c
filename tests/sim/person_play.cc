// The part of a simulated player that acts at the table.
#include <algorithm>
#include <utility>

#include "libs/ai/policy.h"
#include "libs/base/error.h"
#include "services/rules/app/errors.h"
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
         view.deal->turn == view.viewer && !view.proposal && !view.break_expire_time;
}

// Returns the chance that a player claims all tricks at a turn, in ten-thousandths. It is high at
// the end of a deal, where a claim is often proven.
int ChanceToClaim(const TableView& view) {
  if (view.deal->phase != rules::Phase::kPlaying) return 50;
  return view.deal->hand.Size() <= 4 ? 4000 : 200;
}

// Asks the service to do what `intent` says, as the transport does. If `sabotage` is one of the
// faults below, plants this fault.
void Submit(RulesProcess& rules, const Intent& intent, Sabotage sabotage,
            rules_service::TableService::Done done) {
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
  if (const auto* said = std::get_if<rules_service::PhraseSaid>(&intent.body)) {
    const bool other = sabotage == Sabotage::kSayOther;
    return rules.tables.SayPhrase(
        context,
        {.request = intent.request,
         .phrase = other ? rules_service::Phrase::kGoodGame : said->phrase},
        std::move(done));
  }
  if (const auto* change = std::get_if<rules_service::SeatMuted>(&intent.body)) {
    return rules.tables.MuteSeat(context,
                                 {.request = intent.request,
                                  .seat = change->seat,
                                  .muted = change->muted != (sabotage == Sabotage::kMuteAgain)},
                                 std::move(done));
  }
  if (const auto* proposed = std::get_if<rules_service::Proposed>(&intent.body)) {
    return rules.tables.Propose(context, {.request = intent.request, .kind = proposed->kind},
                                std::move(done));
  }
  if (const auto* answered = std::get_if<rules_service::ProposalAnswered>(&intent.body)) {
    return rules.tables.Answer(context,
                               {.request = intent.request,
                                .proposal_revision = intent.expected_revision,
                                .agrees = answered->agrees || sabotage == Sabotage::kAgreeForAll},
                               std::move(done));
  }
  if (std::holds_alternative<rules_service::BreakEnded>(intent.body)) {
    return rules.tables.EndBreak(context, intent.request, std::move(done));
  }
  if (std::holds_alternative<rules_service::TricksClaimed>(intent.body)) {
    return rules.tables.ClaimTricks(
        context, {.request = intent.request, .expected_revision = intent.expected_revision},
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
  MaybeTalk();
  MaybePropose();
  MaybeAnswer();
  MaybeEndBreak();
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
    if (cluster_.world.Chance(5000)) intent.body = rules_service::TricksClaimed();
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
  const bool claims = cluster_.world.Chance(ChanceToClaim(*view_));
  if (claims) {
    intent.body = rules_service::TricksClaimed();
  } else {
    intent.body = HeuristicAction(*view_, life_.NewSeed());
  }
  Insist(intent, /*honest=*/!claims, [this] {
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

void Person::MaybeTalk() {
  const bool says = cluster_.world.Chance(150);
  if (talking_ || (!says && !cluster_.world.Chance(100))) return;
  talking_ = true;
  Intent intent{.table = table_, .player = id_, .request = NewRequest()};
  Rng& rng = cluster_.world.rng();
  if (says) {
    const int phrase = 1 + rng.Below(static_cast<int>(rules_service::kLastPhrase));
    intent.body = rules_service::PhraseSaid{static_cast<rules_service::Phrase>(phrase)};
  } else {
    const int players = static_cast<int>(view_->config->seats.size());
    const rules::Seat seat = (view_->viewer + 1 + rng.Below(players - 1)) % players;
    const bool muted = view_->muted[static_cast<std::size_t>(seat)];
    intent.body = rules_service::SeatMuted{.seat = seat, .muted = !muted};
  }
  Insist(intent, /*honest=*/false, [this] { talking_ = false; });
}

void Person::MaybePropose() {
  const bool possible = view_->config->breaks || cluster_.world.Chance(20);
  if (proposing_ || !possible) return;
  const bool own_card = view_->take_back == view_->viewer;
  const bool takes_back = own_card ? cluster_.world.Chance(1500) : cluster_.world.Chance(20);
  if (!takes_back && !cluster_.world.Chance(80)) return;
  proposing_ = true;
  Intent intent{.table = table_, .player = id_, .request = NewRequest()};
  intent.body = rules_service::Proposed{.kind = takes_back ? rules_service::ProposalKind::kTakeBack
                                                           : rules_service::ProposalKind::kBreak};
  Insist(intent, /*honest=*/false, [this] { proposing_ = false; });
}

void Person::MaybeAnswer() {
  const auto& pending = view_->pending;
  const bool asked = std::find(pending.begin(), pending.end(), view_->viewer) != pending.end();
  if (!asked || answered_ == view_->proposal->revision) return;
  answered_ = view_->proposal->revision;
  // Some players answer late, or only after the proposal has ended.
  const absl::Duration thought = cluster_.world.Chance(500)
                                     ? Between(absl::Seconds(15), absl::Seconds(25))
                                     : Between(absl::Milliseconds(50), absl::Seconds(4));
  Intent intent{.table = table_, .player = id_, .request = NewRequest()};
  intent.expected_revision = answered_;
  intent.body = rules_service::ProposalAnswered{.kind = view_->proposal->kind,
                                                .agrees = cluster_.world.Chance(8000)};
  life_.After(thought, [this, sitting = sitting_, intent] {
    if (sitting == sitting_) Insist(intent, /*honest=*/false, [] {});
  });
}

void Person::MaybeEndBreak() {
  if (!view_->break_expire_time || std::exchange(ending_break_, true)) return;
  life_.After(Between(absl::Seconds(1), absl::Seconds(15)), [this, sitting = sitting_] {
    if (sitting != sitting_) return;
    const Intent intent{.table = table_,
                        .player = id_,
                        .request = NewRequest(),
                        .body = rules_service::BreakEnded()};
    Insist(intent, /*honest=*/true, [this] { ending_break_ = false; });
  });
}

void Person::Insist(const Intent& intent, bool honest, std::function<void()> then) {
  cluster_.auditor.Sent(intent);
  const auto serve = [intent, sabotage = cluster_.options.sabotage](
                         RulesProcess& rules, const Reply<SharedView>& reply) {
    using Answer = absl::StatusOr<rules_service::SeatView>;
    const bool claims = std::holds_alternative<rules_service::TricksClaimed>(intent.body);
    const bool refuses = claims && sabotage == Sabotage::kRefuseClaims;
    const bool other = sabotage == Sabotage::kShowOther;
    Submit(rules, intent, sabotage, [reply, other, refuses](const Answer& view) {
      if (!view.ok()) return reply(view.status());
      if (refuses) return reply(rules_service::ClaimRefused("TRICK_COULD_BE_LOST", 1));
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
      // The game may have been paused while the action was on its way.
      if (honest && GetErrorDetails(answer.status()).reason != "GAME_PAUSED") {
        cluster_.world.Fail("a legal action was refused: ", answer.status().ToString());
      }
      [[fallthrough]];
    case absl::StatusCode::kAborted:
      cluster_.auditor.Refused(intent.request, answer.status());
      break;
    case absl::StatusCode::kResourceExhausted:
      if (GetErrorDetails(answer.status()).reason == "TALK_LIMITED") {
        cluster_.auditor.Refused(intent.request, answer.status());
        break;
      }
      [[fallthrough]];
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
      life_.After(Between(absl::Milliseconds(50), absl::Milliseconds(1500)),
                  [this, intent, honest, then] { Insist(intent, honest, then); });
      return;
    default:
      cluster_.world.Fail("an unexpected answer: ", answer.status().ToString());
  }
  if (intent.table == table_) then();
}

}  // namespace tarot::sim
