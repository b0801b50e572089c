#include "services/rules/app/record_service.h"

#include <utility>

#include "libs/base/error.h"
#include "libs/rules/action.h"
#include "services/rules/app/errors.h"

namespace tarot::rules_service {
namespace {

absl::StatusOr<DealRecord> RecordOf(StoredDeal stored) {
  DealRecord record{.key = stored.key, .config = std::move(stored.config)};
  for (const LogEntry& entry : stored.log) {
    if (const auto* dealt = std::get_if<DealStarted>(&entry.body)) {
      // Leaves out the next deal's seed, which is still secret.
      record.origin = {.dealer = dealt->start->dealer,
                       .taker = dealt->start->taker,
                       .provenance = dealt->start->provenance};
    } else if (const auto* action = std::get_if<rules::Action>(&entry.body)) {
      const bool person = !record.config.seats.at(static_cast<std::size_t>(entry.seat)).bot();
      record.entries.push_back({.seat = entry.seat,
                                .action = *action,
                                .stand_in = person && entry.actor != Actor::kPlayer});
    }
  }
  const int players = static_cast<int>(record.config.seats.size());
  TAROT_ASSIGN_OR_RETURN(record.deal,
                         ReplayDeal(record.config.rules, players, record.origin, record.entries));
  return record;
}

}  // namespace

absl::StatusOr<rules::Deal> ReplayDeal(const rules::RuleSet& rules, int players,
                                       const DealOrigin& origin,
                                       const std::vector<DealRecord::Entry>& entries) {
  const rules::DealtCards cards =
      DealOut(rules, players, origin.dealer, PackOf(rules, players, origin.provenance));
  rules::Deal deal = StartDeal(rules, players, origin.dealer, cards.hands, cards.dog, origin.taker);
  for (const DealRecord::Entry& entry : entries) {
    const rules::Verdict verdict = Apply(deal, entry.seat, entry.action);
    if (!verdict.ok()) return rules::RefusalStatus(entry.action, verdict);
  }
  return deal;
}

absl::StatusOr<DealRecord> RecordService::Get(TableId table, int number) {
  TAROT_ASSIGN_OR_RETURN(std::vector<StoredDeal> stored,
                         store_.LoadDeals({{.table = table, .number = number}}));
  if (!stored.empty()) return RecordOf(std::move(stored[0]));
  return RecordNotFound();
}

absl::StatusOr<std::vector<DealRecord>> RecordService::List(const DealQuery& query) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<DealKey> keys, store_.ListDeals(query));
  TAROT_ASSIGN_OR_RETURN(std::vector<StoredDeal> stored, store_.LoadDeals(keys));
  std::vector<DealRecord> records;
  records.reserve(stored.size());
  for (StoredDeal& one : stored) {
    TAROT_ASSIGN_OR_RETURN(DealRecord record, RecordOf(std::move(one)));
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace tarot::rules_service
