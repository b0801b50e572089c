#include "services/ratings/app/dealt_deals.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/rules/cards.h"
#include "libs/rules/parameters/parameters.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {
namespace {

bool IsWholePack(absl::string_view pack) {
  rules::CardSet seen;
  for (const char byte : pack) {
    const int card = static_cast<std::uint8_t>(byte);
    if (!rules::IsCard(card)) return false;
    seen.Insert(rules::CardAt(card));
  }
  return pack.size() == rules::kCardCount && seen == rules::CardSet::All();
}

absl::Status CheckDeal(const std::string& field, int player_count, const DealtDeal& deal) {
  if (deal.dealer < 0 || deal.dealer >= player_count) return error::SeatUnknown(field + ".dealer");
  if (!IsWholePack(deal.pack)) return error::PackNotWhole(field + ".pack");
  if (static_cast<int>(deal.scores.size()) != player_count) {
    return error::ScoresMissing(field + ".scores");
  }
  std::int64_t sum = 0;
  for (const int score : deal.scores) {
    sum += score;
    if (score != 0 && deal.outcome != DealOutcome::kScored) {
      return error::ScoreWithoutPlay(field + ".scores");
    }
  }
  if (sum != 0) return error::ScoresDoNotSumToZero(field + ".scores");
  int last = -1;
  for (const int seat : deal.stand_ins) {
    if (seat <= last || seat >= player_count) return error::SeatUnknown(field + ".stand_in_seats");
    last = seat;
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckDeals(absl::string_view rule_values, absl::Span<const int> totals,
                        int scored_count, absl::Span<const DealtDeal> deals) {
  const auto player_count = static_cast<int>(totals.size());
  const std::optional<rules::RuleSet> rules = rules::DecodeRuleSet(rule_values);
  if (!rules || rule_values.find('\0') != rule_values.npos) return error::RuleValuesUnknown();
  if (player_count < rules->players_min || player_count > rules->players_max) {
    return error::RuleValuesOfOtherTable();
  }
  if (deals.size() > kDealtDealsMax) return error::TooManyDeals();
  int scored = 0;
  std::vector<std::int64_t> sums(totals.size());
  for (std::size_t i = 0; i < deals.size(); ++i) {
    const DealtDeal& deal = deals[i];
    const std::string field = absl::StrCat("deals[", i, "]");
    if (deal.number != static_cast<int>(i) + 1) return error::DealOutOfOrder(field + ".number");
    TAROT_RETURN_IF_ERROR(CheckDeal(field, player_count, deal));
    if (deal.outcome == DealOutcome::kScored) ++scored;
    for (std::size_t seat = 0; seat < sums.size(); ++seat) sums[seat] += deal.scores[seat];
  }
  if (scored != scored_count) return error::DealsDoNotMatchCount();
  for (std::size_t seat = 0; seat < sums.size(); ++seat) {
    if (sums[seat] != totals[seat]) return error::DealsDoNotAddUp();
  }
  return absl::OkStatus();
}

bool LeftMatch(absl::Span<const DealtDeal> deals, int seat) {
  int held = 0, counted = 0;
  for (const DealtDeal& deal : deals) {
    if (deal.outcome == DealOutcome::kVoided) continue;
    ++counted;
    const auto& seats = deal.stand_ins;
    held += std::find(seats.begin(), seats.end(), seat) != seats.end() ? 1 : 0;
  }
  return held > 0 && 2 * held >= counted;
}

}  // namespace tarot::ratings_service
