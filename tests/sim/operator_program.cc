#include "tests/sim/operator_program.h"

#include "tests/sim/calls.h"
#include "tests/sim/rules_process.h"

namespace tarot::sim {
namespace {

using rules_service::TableView;
using SharedView = std::shared_ptr<const TableView>;

constexpr absl::Duration kTimeout = absl::Seconds(3);

// Asks the service to do what `intent` says, as the transport does. With the planted fault
// kCancelOther, cancels the deal in play instead of the deal that the operator named.
void CancelDeal(RulesProcess& rules, const Intent& intent, Sabotage sabotage,
                const Reply<SharedView>& reply) {
  int number = intent.expected_revision;
  if (sabotage == Sabotage::kCancelOther) {
    const auto now = rules.tables.Current(intent.table);
    if (now.ok()) number = (*now)->match.deals_dealt;
  }
  const auto& voided = std::get<rules_service::DealVoided>(intent.body);
  rules.tables.VoidDeal(
      intent.table, {.request = intent.request, .deal_number = number, .reason = voided.reason},
      [reply](const absl::StatusOr<rules_service::SeatView>& answer) {
        if (!answer.ok()) return reply(answer.status());
        reply(std::make_shared<TableView>(MakeTableView(*answer->state, answer->viewer)));
      });
}

}  // namespace

void OperatorProgram::CancelADeal() {
  const std::vector<RunningDeal> running = cluster_.auditor.RunningDeals();
  if (running.empty()) return;
  const int which = cluster_.world.rng().Below(static_cast<int>(running.size()));
  const RunningDeal& deal = running[static_cast<std::size_t>(which)];
  const bool before = deal.number > 1 && cluster_.world.Chance(3000);
  const Intent intent{.table = deal.table,
                      .request = RequestId{life_.NewUuid()},
                      .body = rules_service::DealVoided{life_.NewUuid().ToString()},
                      .expected_revision = before ? deal.number - 1 : deal.number};
  cluster_.world.Note("an operator cancels deal ", intent.expected_revision, " of ",
                      deal.table.ToString().substr(0, 8));
  cluster_.auditor.Sent(intent);
  Insist(intent);
}

void OperatorProgram::Insist(const Intent& intent) {
  const auto serve = [intent, sabotage = cluster_.options.sabotage](
                         RulesProcess& rules, const Reply<SharedView>& reply) {
    CancelDeal(rules, intent, sabotage, reply);
  };
  Call<SharedView>(cluster_.network, life_, cluster_.RulesFor(intent.table), kTimeout,
                   AtHost<SharedView>(cluster_, intent.table, serve),
                   [this, intent](const absl::StatusOr<SharedView>& answer) {
                     switch (answer.status().code()) {
                       case absl::StatusCode::kOk:
                         return cluster_.auditor.Acknowledged(intent.request, (*answer)->revision);
                       case absl::StatusCode::kFailedPrecondition:
                         return cluster_.auditor.Refused(intent.request, answer.status());
                       case absl::StatusCode::kUnavailable:
                       case absl::StatusCode::kDeadlineExceeded:
                       case absl::StatusCode::kResourceExhausted:
                         return life_.After(cluster_.world.Between(absl::Milliseconds(50),
                                                                   absl::Milliseconds(1500)),
                                            [this, intent] { Insist(intent); });
                       default:
                         cluster_.world.Fail("an unexpected answer: ", answer.status().ToString());
                     }
                   });
}

}  // namespace tarot::sim
