#include "services/rules/app/record_service.h"

#include <utility>

#include "libs/base/error.h"
#include "libs/rules/action.h"
#include "services/rules/app/errors.h"
#include "services/rules/app/table_state.h"
#include "services/rules/app/table_store.h"

namespace tarot::rules_service {
namespace {

// Adds the cards of a claim to the record, as ordinary plays.
absl::Status AddClaim(rules::Seat seat, const TricksClaimed& claimed, DealRecord& record) {
  const int players = static_cast<int>(record.config.seats.size());
  TAROT_ASSIGN_OR_RETURN(rules::Deal deal,
                         ReplayDeal(record.config.rules, players, record.origin, record.entries));
  record.claim = {.seat = seat, .trick = deal.trick_count};
  for (const rules::Card card : claimed.cards) {
    const rules::Action action = rules::Action::Play(card);
    record.entries.push_back({.seat = deal.turn, .action = action});
    const rules::Verdict verdict = Apply(deal, deal.turn, action);
    if (!verdict.ok()) return rules::RefusalStatus(action, verdict);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DealRecord> RecordOf(StoredDeal stored) {
  DealRecord record{
      .key = stored.key, .config = std::move(stored.config), .match_over = stored.match_over};
  for (const LogEntry& entry : stored.log) {
    if (const auto* dealt = std::get_if<DealStarted>(&entry.body)) {
      // Leave out the seed of the next deal, because it is still secret.
      record.origin = {.dealer = dealt->start->dealer,
                       .taker = dealt->start->taker,
                       .provenance = dealt->start->provenance};
    } else if (const auto* action = std::get_if<rules::Action>(&entry.body)) {
      const bool person = !record.config.seats.at(static_cast<std::size_t>(entry.seat)).bot();
      // The server plays the last trick even for persons who are present. So a move by the server
      // does not show that a person was absent. Only a move by a bot or by the server after the end
      // of the clock (Actor::kClock) shows this.
      const bool by_bot = entry.actor == Actor::kBot || entry.actor == Actor::kClock;
      record.entries.push_back(
          {.seat = entry.seat, .action = *action, .stand_in = person && by_bot});
    } else if (TakesBack(entry.body) && !record.entries.empty()) {
      record.entries.pop_back();  // The record leaves out a card that was taken back.
    } else if (const auto* voided = std::get_if<DealVoided>(&entry.body)) {
      record.void_reason = voided->reason;
    } else if (const auto* claimed = std::get_if<TricksClaimed>(&entry.body)) {
      TAROT_RETURN_IF_ERROR(AddClaim(entry.seat, *claimed, record));
    }
  }
  const int players = static_cast<int>(record.config.seats.size());
  TAROT_ASSIGN_OR_RETURN(record.deal,
                         ReplayDeal(record.config.rules, players, record.origin, record.entries));
  if (!record.void_reason.empty()) VoidDeal(record.deal);
  return record;
}

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
  if (stored.empty()) return RecordNotFound();
  TAROT_RETURN_IF_ERROR(stored[0].readable);
  TAROT_ASSIGN_OR_RETURN(DealRecord record, RecordOf(std::move(stored[0])));
  if (record.closed()) return RecordClosed();
  return record;
}

absl::StatusOr<RecordPage> RecordService::List(const DealQuery& query) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<DealKey> keys, store_.ListDeals(query));
  RecordPage page;
  if (static_cast<int>(keys.size()) == query.limit) page.last = keys.back();
  TAROT_ASSIGN_OR_RETURN(std::vector<StoredDeal> stored, store_.LoadDeals(keys));
  for (StoredDeal& one : stored) {
    if (!one.readable.ok()) continue;  // This deal is closed.
    TAROT_ASSIGN_OR_RETURN(DealRecord record, RecordOf(std::move(one)));
    if (!record.closed()) page.records.push_back(std::move(record));
  }
  return page;
}

absl::StatusOr<ScoreSheet> RecordService::Sheet(TableId table) {
  TAROT_ASSIGN_OR_RETURN(const StoredTable stored, store_.Load(table));
  TableState state = NewTable(std::make_shared<const TableConfig>(stored.config));
  ScoreSheet sheet{.config = stored.config};
  for (const LogEntry& entry : stored.log) {
    TAROT_RETURN_IF_ERROR(Advance(state, entry));
    const rules::Match& match = state.match;
    const bool starts = std::holds_alternative<DealStarted>(entry.body);
    if (starts && !sheet.draw) {
      sheet.draw = DrawFirstDealer(match.rules, match.players, state.start->provenance);
    }
    const bool plays = std::holds_alternative<rules::Action>(entry.body);
    const bool voids = std::holds_alternative<DealVoided>(entry.body);
    const bool claims = std::holds_alternative<TricksClaimed>(entry.body);
    if ((!starts && !plays && !voids && !claims) || match.DealRunning()) continue;
    sheet.lines.push_back({.number = match.deals_dealt,
                           .deal = match.deal,
                           .void_reason = state.void_reason,
                           .claim = state.claim,
                           .totals = match.totals,
                           .finish_time = entry.create_time});
  }
  sheet.match_over = state.match.Finished();
  return sheet;
}

}  // namespace tarot::rules_service
