#include "services/ratings/fit_season/stored_matches.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "libs/ai/luck/baseline.h"
#include "libs/base/error.h"
#include "libs/base/ids.h"
#include "libs/rules/parameters/parameters.h"

namespace tarot::ratings_service {
namespace {

// Maximum number of deals that are used to fit the bid shift, one of the numbers of a season.
constexpr std::size_t kShiftDeals = 3'000;

constexpr char kReadMatches[] = R"sql(
    SELECT sequence, array_to_string(seats, ' '), rule_values, deal_count,
           (extract(epoch FROM match_time) * 1000000)::bigint
    FROM ratings.matches JOIN ratings.match_sheets USING (sequence)
    WHERE rated AND player_count = $1 AND match_time >= to_timestamp($2)
      AND NOT EXISTS (SELECT FROM ratings.ledger l
                      WHERE l.sequence = matches.sequence AND l.left_match)
      AND NOT EXISTS (SELECT FROM ratings.voided_matches v WHERE v.sequence = matches.sequence)
    ORDER BY sequence
)sql";

constexpr char kReadDeals[] = R"sql(
    SELECT sequence, number, dealer, encode(pack, 'hex'), outcome, array_to_string(scores, ' ')
    FROM ratings.match_deals JOIN ratings.matches USING (sequence)
    WHERE player_count = $1 AND match_time >= to_timestamp($2)
    ORDER BY sequence, number
)sql";

// Splits a text at its spaces and returns the parts.
std::vector<std::string> PartsOf(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == ' ') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

StoredMatches ReadMatches(pqxx::transaction_base& transaction, int player_count,
                          const std::string& rule_set, absl::Time since) {
  StoredMatches stored{.player_count = player_count, .rule_set = rule_set};
  const rules::RuleSet& rules = rules::FindRuleSet(rule_set)->rules;
  const double since_seconds = absl::ToDoubleSeconds(since - absl::UnixEpoch());

  std::map<std::int64_t, rating::PlayedMatch> matches;
  std::map<std::string, int> numbers;  // Maps the id of a player to the number of this player.
  bool first = true;
  for (const pqxx::row& row : transaction.exec_params(kReadMatches, player_count, since_seconds)) {
    if (rules::DecodeRuleSet(row[2].c_str()) != rules) continue;
    rating::PlayedMatch& match = matches[row[0].as<std::int64_t>()];
    for (const std::string& id : PartsOf(row[1].c_str())) {
      match.players.push_back(
          numbers.try_emplace(id, static_cast<int>(numbers.size())).first->second);
    }
    match.scored = row[3].as<int>();
    const absl::Time time = absl::FromUnixMicros(row[4].as<std::int64_t>());
    stored.first_time = first ? time : std::min(stored.first_time, time);
    stored.last_time = first ? time : std::max(stored.last_time, time);
    first = false;
  }
  for (const pqxx::row& row : transaction.exec_params(kReadDeals, player_count, since_seconds)) {
    const auto match = matches.find(row[0].as<std::int64_t>());
    if (match == matches.end()) continue;
    DealtDeal deal{.number = row[1].as<int>(),
                   .dealer = row[2].as<int>(),
                   .pack = absl::HexStringToBytes(row[3].c_str()),
                   .outcome = static_cast<DealOutcome>(row[4].as<int>())};
    if (deal.outcome == DealOutcome::kVoided) continue;
    for (const std::string& score : PartsOf(row[5].c_str()))
      deal.scores.push_back(std::stoi(score));
    stored.deals.push_back(SampleOf(rules, deal));
    match->second.deals.push_back({.dealer = deal.dealer, .scores = deal.scores});
  }
  for (auto& [sequence, match] : matches) stored.matches.push_back(std::move(match));
  stored.players = numbers.size();
  return stored;
}

absl::StatusOr<Season> FitSeason(StoredMatches& stored, std::optional<double> luck_share,
                                 int place_mean_deals) {
  if (stored.deals.empty()) {
    return absl::FailedPreconditionError("no match of this ladder has deals and this rule set");
  }
  const rules::RuleSet& rules = rules::FindRuleSet(stored.rule_set)->rules;
  const absl::Span<const ai::LuckSample> deals = stored.deals;
  rating::LadderNumbers numbers{.player_count = stored.player_count};
  numbers.bid_shift = ai::FitBidShift(rules, deals.subspan(0, kShiftDeals));
  numbers.place_means =
      ai::PlaceMeans(rules, stored.player_count, numbers.bid_shift, place_mean_deals, 1);
  std::size_t next = 0;
  for (rating::PlayedMatch& match : stored.matches) {
    for (rating::PlayedDeal& deal : match.deals) {
      const ai::Baseline baseline =
          ai::ComputeBaseline(stored.deals[next++].Dealt(rules), numbers.bid_shift);
      const auto means = baseline.mean_scores.begin();
      deal.mean_scores.assign(means, means + stored.player_count);
      deal.deviation = baseline.deviation;
    }
  }
  TAROT_ASSIGN_OR_RETURN(const rating::LadderFit fit,
                         rating::FitLadder(stored.matches, numbers, luck_share));
  const auto day = [](absl::Time time) {
    return absl::FormatTime("%Y-%m-%d %H:%M", time, absl::UTCTimeZone());
  };
  return Season{
      .rule_set = stored.rule_set,
      .baseline_policy = ai::kBaselinePolicy,
      .baseline_replays = ai::kBaselineReplays,
      .numbers = fit.numbers,
      .provenance = absl::StrFormat(
          "tarot-fit-season, %d matches of %d players with %d deals from %s to %s UTC, luck share "
          "%s; takes out %.1f%% of the variance of a dealt deal; results vary %.1f%% less than "
          "plain points",
          stored.matches.size(), stored.players, fit.deals, day(stored.first_time),
          day(stored.last_time), luck_share ? "given" : "fitted", 100 * fit.luck_removed,
          100 * (1 - fit.variance_ratio))};
}

}  // namespace tarot::ratings_service
