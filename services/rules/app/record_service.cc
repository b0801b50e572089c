#include "services/rules/app/record_service.h"

#include <algorithm>

#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/rules/codec.h"
#include "libs/rules/match.h"
#include "libs/rules/refusal.h"

namespace tarot::rules_service {
namespace {

absl::Status Corrupt(const char* what) { return Error(absl::StatusCode::kInternal, "BUG", what); }

}  // namespace

absl::StatusOr<rules::Deal> ReplayDeal(const rules::RuleSet& rules, int players, rules::Seat dealer,
                                       const dealing::DealSeed& seed,
                                       const std::vector<DealRecord::Entry>& entries) {
  const rules::DealtCards cards = DealOut(rules, players, dealer, dealing::ShuffledPack(seed));
  rules::Deal deal = StartDeal(rules, players, dealer, cards.hands, cards.dog);
  for (const DealRecord::Entry& entry : entries) {
    const rules::Verdict verdict = Apply(deal, entry.seat, entry.action);
    if (!verdict.ok()) return rules::RefusalStatus(entry.action, verdict);
  }
  return deal;
}

absl::StatusOr<DealRecord> RecordService::Get(TableId table, int number) {
  TAROT_ASSIGN_OR_RETURN(const StoredDeal stored, store_.LoadDeal(table, number));
  DealRecord record{.key = stored.key, .config = stored.config};
  for (const LogEntry& entry : stored.log) {
    if (entry.kind == EventKind::kDeal && entry.payload.size() == record.seed.size()) {
      std::copy(entry.payload.begin(), entry.payload.end(), record.seed.begin());
    }
    if (entry.kind != EventKind::kAction) continue;
    const std::optional<rules::Action> action = rules::DecodeAction(entry.payload);
    if (!action) return Corrupt("A stored action cannot be read.");
    record.entries.push_back({.seat = entry.seat, .action = *action});
  }
  const rules::NamedRuleSet* named = rules::FindRuleSet(stored.config.rule_set);
  if (named == nullptr) return Corrupt("A stored deal of an unknown rule set.");
  const int players = static_cast<int>(stored.config.seats.size());
  TAROT_ASSIGN_OR_RETURN(
      record.deal, ReplayDeal(named->rules, players, rules::DealerOf(players, number), record.seed,
                              record.entries));
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
