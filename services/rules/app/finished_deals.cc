#include "services/rules/app/finished_deals.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "libs/base/error.h"
#include "libs/rules/match.h"
#include "services/rules/app/errors.h"
#include "services/rules/app/record_service.h"

namespace tarot::rules_service {
namespace {

void AddCards(rules::CardSet cards, std::string& pack) {
  for (; !cards.Empty(); cards.Erase(cards.First())) {
    pack += static_cast<char>(rules::Index(cards.First()));
  }
}

FinishedDeal FinishedDealOf(const DealRecord& record) {
  const rules::Deal& deal = record.deal;
  FinishedDeal finished{
      .number = record.key.number, .dealer = deal.dealer, .outcome = deal.result.outcome};
  rules::CardSet dog = rules::CardSet::All();
  for (std::size_t seat = 0; seat < static_cast<std::size_t>(deal.players); ++seat) {
    AddCards(deal.dealt[seat], finished.pack);
    dog -= deal.dealt[seat];
    finished.scores.push_back(deal.result.scores[seat]);
  }
  AddCards(dog, finished.pack);
  std::array<bool, rules::kPlayersMax> stood_in{}, last{}, before_last{};
  for (const DealRecord::Entry& entry : record.entries) {
    const auto seat = static_cast<std::size_t>(entry.seat);
    before_last[seat] = std::exchange(last[seat], entry.stand_in);
    if (entry.stand_in) stood_in[seat] = true;
  }
  for (rules::Seat seat = 0; seat < deal.players; ++seat) {
    const auto i = static_cast<std::size_t>(seat);
    if (stood_in[i]) finished.stand_ins.push_back(seat);
    if (last[i] || before_last[i]) finished.away.push_back(seat);
  }
  return finished;
}

}  // namespace

absl::StatusOr<std::vector<FinishedDeal>> ReadFinishedDeals(TableStore& store,
                                                            const OutboxItem& match) {
  constexpr int kPageSize = 100;
  RecordService records(store);
  std::vector<FinishedDeal> deals;
  DealQuery query{.table = match.config.id, .limit = kPageSize};
  do {
    TAROT_ASSIGN_OR_RETURN(const RecordPage page, records.List(query));
    for (const DealRecord& record : page.records) deals.push_back(FinishedDealOf(record));
    query.after = page.last;
  } while (query.after);
  std::reverse(deals.begin(), deals.end());
  int scored = 0;
  bool missing = false;
  for (std::size_t i = 0; i < deals.size(); ++i) {
    if (deals[i].number != static_cast<int>(i) + 1) missing = true;
    if (deals[i].outcome == rules::Outcome::kScored) ++scored;
  }
  if (missing || scored != match.end.deals_scored) {
    return absl::InternalError("A deal of the match is missing or cannot be read.");
  }
  return deals;
}

bool EndedByOperator(const OutboxItem& match, const std::vector<FinishedDeal>& deals) {
  return !deals.empty() && match.end.deals_scored < match.config.deal_count &&
         static_cast<int>(deals.size()) < rules::DealsDealtMax(match.config.deal_count);
}

std::vector<PlayerId> LeftPlayers(const TableConfig& config,
                                  const std::vector<FinishedDeal>& deals) {
  std::vector<PlayerId> left;
  if (deals.empty()) return left;
  const std::size_t first = deals.size() < 2 ? 0 : deals.size() - 2;
  for (std::size_t seat = 0; seat < config.seats.size(); ++seat) {
    const bool away = std::all_of(deals.begin() + static_cast<std::ptrdiff_t>(first), deals.end(),
                                  [&](const FinishedDeal& deal) {
                                    return std::count(deal.away.begin(), deal.away.end(),
                                                      static_cast<rules::Seat>(seat)) > 0;
                                  });
    if (away) left.push_back(config.seats[seat].player);
  }
  return left;
}

std::vector<PlayerId> ReadLeftPlayers(TableStore& store, const OutboxItem& match) {
  const absl::StatusOr<std::vector<FinishedDeal>> deals = ReadFinishedDeals(store, match);
  if (!deals.ok() || EndedByOperator(match, *deals)) return {};
  return LeftPlayers(match.config, *deals);
}

absl::StatusOr<std::optional<std::vector<PlayerId>>> FindMatchEnd(TableStore& store,
                                                                  TableId table) {
  TAROT_ASSIGN_OR_RETURN(const std::vector<TableSummary> found, store.LoadSummaries({table}));
  if (found.empty()) return TableNotFound();
  const MatchProgress& progress = found[0].progress;
  if (!progress.match_over) return std::nullopt;
  return ReadLeftPlayers(
      store, {.config = found[0].config,
              .end = {.deals_scored = progress.deals_scored, .totals = progress.totals}});
}

}  // namespace tarot::rules_service
