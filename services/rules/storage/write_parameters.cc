#include "services/rules/storage/write_parameters.h"

#include <cstdint>
#include <utility>

#include "libs/rules/parameters/parameters.h"

namespace tarot::rules_service {

TableArrays::TableArrays(const std::vector<TableConfig>& configs, const LogEncoder& encoder) {
  for (const TableConfig& c : configs) {
    id.AddId(c.id);
    rule_set.AddText(c.rule_set);
    deal_count.AddNumber(c.deal_count);
    move_limit.AddNumber(absl::ToInt64Milliseconds(c.move_limit));
    time_bank.AddNumber(absl::ToInt64Milliseconds(c.time_bank));
    ranked.AddNumber(c.ranked ? 1 : 0);
    create_time.AddText(SqlTime(c.create_time));
    rule_values.AddText(rules::EncodeRuleSet(c.rules));
    first_seed.AddBytes(c.first_seed ? encoder.EncodeFirstSeed(c.id, *c.first_seed)
                                     : std::string());
    take_back.AddNumber(c.take_back ? 1 : 0);
    breaks.AddNumber(c.breaks ? 1 : 0);
    for (std::size_t i = 0; i < c.seats.size(); ++i) {
      seat_table.AddId(c.id);
      seat.AddNumber(static_cast<std::int64_t>(i));
      player.AddId(c.seats[i].player);
      display_name.AddText(c.seats[i].display_name);
      bot_level.AddText(c.seats[i].bot_level);
    }
  }
}

EntryArrays::EntryArrays(const std::vector<const NewEntry*>& entries, const LogEncoder& encoder) {
  for (const NewEntry* e : entries) {
    const LogEntry& entry = e->entry;
    table.AddId(e->table);
    revision.AddNumber(entry.revision);
    request.AddId(entry.request);
    const StoredBody body = encoder.Encode(e->table, entry.revision, entry.body);
    kind.AddNumber(body.kind);
    actor.AddNumber(static_cast<int>(entry.actor));
    seat.AddNumber(entry.seat);
    payload.AddBytes(body.payload);
    elapsed.AddNumber(absl::ToInt64Microseconds(entry.elapsed));
    time.AddNumber(absl::ToUnixMicros(entry.create_time));
  }
}

EndArrays::EndArrays(const std::vector<const NewEntry*>& entries) {
  for (const NewEntry* e : entries) {
    if (!e->progress) continue;
    table.AddId(e->table);
    request.AddId(e->entry.request);
    number.AddNumber(e->progress->deals_dealt);
    first_revision.AddNumber(e->deal_revision);
    match_over.AddNumber(e->progress->match_over ? 1 : 0);
    scored.AddNumber(e->progress->deals_scored);
    SqlArray inner;
    for (const int total : e->progress->totals) inner.AddNumber(total);
    totals.AddText(std::move(inner).Finish());
    for (const RevealedDeal& deal : e->revealed) {
      open_table.AddId(e->table);
      open_request.AddId(e->entry.request);
      open_number.AddNumber(deal.number);
      revealed.AddBytes(EncodeRevealed(deal));
    }
    for (const PlayerId id : e->players) {
      player_table.AddId(e->table);
      player_request.AddId(e->entry.request);
      player.AddId(id);
    }
  }
}

}  // namespace tarot::rules_service
