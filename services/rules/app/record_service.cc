#include "services/rules/app/record_service.h"

#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/dealing/deal_start.h"
#include "libs/rules/action.h"
#include "libs/rules/codec.h"

namespace tarot::rules_service {
namespace {

absl::Status Corrupt(const char* what) { return Error(absl::StatusCode::kInternal, "BUG", what); }

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
  TAROT_ASSIGN_OR_RETURN(const StoredDeal stored, store_.LoadDeal(table, number));
  DealRecord record{.key = stored.key, .config = stored.config};
  const int players = static_cast<int>(stored.config.seats.size());
  for (const LogEntry& entry : stored.log) {
    if (entry.kind == EventKind::kDeal) {
      const auto start = dealing::DecodeDealStart(entry.payload, players, number);
      if (!start) return Corrupt("A stored start of a deal cannot be read.");
      // Not the next seed, which is a secret still.
      record.origin = {
          .dealer = start->dealer, .taker = start->taker, .provenance = start->provenance};
    }
    if (entry.kind != EventKind::kAction) continue;
    const std::optional<rules::Action> action = rules::DecodeAction(entry.payload);
    if (!action) return Corrupt("A stored action cannot be read.");
    record.entries.push_back({.seat = entry.seat, .action = *action});
  }
  TAROT_ASSIGN_OR_RETURN(record.deal,
                         ReplayDeal(stored.config.rules, players, record.origin, record.entries));
  return record;
}

absl::StatusOr<std::vector<DealRecord>> RecordService::List(const DealQuery& query) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<DealKey> keys, store_.ListDeals(query));
  std::vector<DealRecord> records;
  for (const DealKey& key : keys) {
    TAROT_ASSIGN_OR_RETURN(DealRecord record, Get(key.table, key.number));
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace tarot::rules_service
