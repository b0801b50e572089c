#include "services/ratings/app/season.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/ai/luck/baseline.h"
#include "libs/base/check.h"
#include "libs/rules/parameters/parameters.h"
#include "services/ratings/app/errors.h"
#include "services/ratings/app/rating_store.h"
#include "services/ratings/limits.h"

namespace tarot::ratings_service {
namespace {

// The means of the places must have the sum zero. The file has four digits after the decimal point.
// So rounding changes the sum a little, but by less than this number.
constexpr double kMeansSumMax = 0.001;
// Larger values of these numbers are mistakes of an operator. They could make ratings infinite or
// NaN.
constexpr double kPlaceMeanMax = 500;
constexpr double kBidShiftMax = 100;

// Returns true if the numbers of `season` were fitted to baselines of the version that this program
// computes.
bool HasBaselinesOf(const Season& season) {
  return season.baseline_policy == ai::kBaselinePolicy &&
         season.baseline_replays == ai::kBaselineReplays;
}

// Returns true if `number` is from `least` to `most`, both included. Returns false if `number` is
// NaN.
bool IsBetween(double least, double number, double most) {
  return number >= least && number <= most;
}

}  // namespace

const Season* NewestSeason(const Seasons& seasons, int player_count) {
  const auto after = seasons.lower_bound({player_count + 1, 0});
  if (after == seasons.begin()) return nullptr;
  const Season& season = std::prev(after)->second;
  return season.numbers.player_count == player_count ? &season : nullptr;
}

std::vector<absl::Time> SeasonChanges(const Seasons& seasons, int player_count) {
  std::vector<absl::Time> changes;
  for (auto season = seasons.lower_bound({player_count, 2});
       season != seasons.end() && season->first.first == player_count; ++season) {
    changes.push_back(season->second.start_time + kSeasonChangeDelay);
  }
  return changes;
}

int CountChanges(absl::Span<const absl::Time> changes, absl::Time from, absl::Time to) {
  return static_cast<int>(std::count_if(changes.begin(), changes.end(), [&](absl::Time change) {
    return from < change && change <= to;
  }));
}

ai::LuckSample SampleOf(const rules::RuleSet& rules, const DealtDeal& deal) {
  ai::LuckSample sample{.dealer = deal.dealer, .scores = deal.scores};
  const auto players = static_cast<int>(deal.scores.size());
  std::size_t at = 0;
  const auto take = [&](int count) {
    rules::CardSet cards;
    for (int i = 0; i < count; ++i) {
      cards.Insert(rules::CardAt(static_cast<std::uint8_t>(deal.pack[at++])));
    }
    return cards;
  };
  for (int seat = 0; seat < players; ++seat) {
    sample.hands[static_cast<std::size_t>(seat)] = take(rules.HandSize(players));
  }
  sample.dog = take(rules.DogSize(players));
  return sample;
}

bool SameNumbers(const Season& a, const Season& b) {
  const rating::LadderNumbers& x = a.numbers;
  const rating::LadderNumbers& y = b.numbers;
  return a.rule_set == b.rule_set && a.baseline_policy == b.baseline_policy &&
         a.baseline_replays == b.baseline_replays && x.player_count == y.player_count &&
         x.bid_shift == y.bid_shift && x.place_means == y.place_means &&
         x.luck_share == y.luck_share && x.weight_scale == y.weight_scale &&
         x.noise_variance == y.noise_variance && x.prior_variance == y.prior_variance;
}

absl::Status CheckSeason(const Season& season, const std::string& path) {
  const rating::LadderNumbers& numbers = season.numbers;
  const int n = numbers.player_count;
  if (n < rating::kPlayersMin || n > rating::kPlayersMax) {
    return BadRequest(path + "player_count", "must be 3, 4 or 5");
  }
  const rules::NamedRuleSet* const named = rules::FindRuleSet(season.rule_set);
  if (named == nullptr) return BadRequest(path + "rule_set", "no rule set has this name");
  const rules::RuleSet& rules = named->rules;
  if (n < rules.players_min || n > rules.players_max || rules.Playing(n) != n) {
    return BadRequest(path + "rule_set", "must give cards to this number of players");
  }
  if (rules.taker_by != rules::TakerBy::kAuction ||
      rules.teams != rules::Teams::kTakerAgainstDefence ||
      rules.scoring != rules::Scoring::kNormal) {
    return BadRequest(path + "rule_set", "must have an auction, a taker and a defence");
  }
  if (season.baseline_policy != ai::kBaselinePolicy) {
    return BadRequest(path + "baseline_policy",
                      absl::StrCat("must be ", ai::kBaselinePolicy, ", as this service has it"));
  }
  if (season.baseline_replays != ai::kBaselineReplays) {
    return BadRequest(path + "baseline_replays",
                      absl::StrCat("must be ", ai::kBaselineReplays, ", as this service has it"));
  }
  if (!IsBetween(-kBidShiftMax, numbers.bid_shift, kBidShiftMax)) {
    return BadRequest(path + "bid_shift", "must be from -100 to 100");
  }
  double sum = 0;
  bool usual = true;
  for (const double mean : numbers.place_means) {
    sum += mean;
    usual = usual && IsBetween(-kPlaceMeanMax, mean, kPlaceMeanMax);
  }
  if (!usual || !IsBetween(-kMeansSumMax, sum, kMeansSumMax)) {
    return error::PlaceMeansInvalid(path + "place_means");
  }
  if (!IsBetween(0, numbers.luck_share, 2)) {
    return BadRequest(path + "luck_share", "must be from 0 to 2");
  }
  if (!IsBetween(0.1, numbers.weight_scale, 100)) {
    return BadRequest(path + "weight_scale", "must be from 0.1 to 100");
  }
  if (!IsBetween(1, numbers.noise_variance, 1e7)) {
    return BadRequest(path + "noise_variance", "must be from 1 to 10,000,000");
  }
  if (!IsBetween(1e-3, numbers.prior_variance, numbers.noise_variance / 10)) {
    return BadRequest(path + "prior_variance",
                      "must be at least 0.001, and at most a tenth of noise_variance");
  }
  if (season.provenance.size() > kProvenanceBytesMax ||
      season.provenance.find('\0') != season.provenance.npos) {
    return BadRequest(path + "provenance", absl::StrCat("must have at most ", kProvenanceBytesMax,
                                                        " bytes, none of them zero"));
  }
  return absl::OkStatus();
}

void TakeLuckOut(const Season& season, MatchResult& match) {
  match.season = 0;
  for (DealtDeal& deal : match.deals) deal.baseline.reset();
  for (MatchPlayer& player : match.players) player.luck.reset();
  const rules::NamedRuleSet* const named = rules::FindRuleSet(season.rule_set);
  const bool same_rules =
      named != nullptr && rules::DecodeRuleSet(match.rule_values) == named->rules;
  if (match.deals.empty() || !same_rules || !HasBaselinesOf(season)) return;
  const rules::RuleSet& rules = named->rules;
  const int n = match.player_count();
  std::vector<PlayerLuck> lucks(static_cast<std::size_t>(n));  // By seat.
  for (DealtDeal& deal : match.deals) {
    if (deal.outcome == DealOutcome::kVoided) continue;
    const ai::Baseline baseline =
        ai::ComputeBaseline(SampleOf(rules, deal).Dealt(rules), season.numbers.bid_shift);
    deal.baseline.emplace();
    deal.baseline->mean_scores.assign(baseline.mean_scores.begin(),
                                      baseline.mean_scores.begin() + n);
    deal.baseline->deviation = baseline.deviation;
    const rating::DealLuck luck =
        rating::LuckOf(season.numbers, deal.dealer, deal.baseline->mean_scores, baseline.deviation);
    const std::vector<double> results = rating::ResultsOf(luck, deal.scores);
    for (std::size_t seat = 0; seat < lucks.size(); ++seat) {
      lucks[seat].luck += luck.points[seat];
      lucks[seat].result += results[seat] / match.deal_count;
    }
  }
  match.season = season.number;
  for (MatchPlayer& player : match.players) {
    const auto seat = std::find(match.seats.begin(), match.seats.end(), player.player);
    player.luck = lucks[static_cast<std::size_t>(seat - match.seats.begin())];
  }
}

}  // namespace tarot::ratings_service
