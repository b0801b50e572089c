// Measures how well ratings find the skills of simulated players, and what this costs. Prints a
// JSON list of figures; progress goes to stderr. Usage: ladder_bench [--only=PART] [--rival=PATH]
//
// For each table size, the program computes the parameters of the ratings from one season of 200
// bots. With these parameters it rates three other seasons, each with other bots. A figure is the
// mean of the three seasons. A figure with the suffix `/plain` is for ratings that use the points
// without a correction for luck. The true skill of a bot comes from about 6,000 other scored deals.
// Times are processor times of one thread, so other programs change them little.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "libs/ai/analysis/credits.h"
#include "libs/ai/analysis/testing/partners.h"
#include "libs/ai/arena.h"
#include "libs/ai/luck/baseline.h"
#include "libs/ai/luck/bid_shift.h"
#include "libs/base/check.h"
#include "libs/base/rng.h"
#include "libs/matching/matcher.h"
#include "libs/rating/collusion.h"
#include "libs/rating/ladder_fit.h"
#include "libs/rating/rating.h"
#include "tests/bench/figures.h"
#include "tools/lab/arena/player.h"
#include "tools/lab/season/evaluate.h"
#include "tools/lab/season/simulation.h"

ABSL_FLAG(std::string, rival, "build/bin/rival", "the rival program (tests/rivals)");
ABSL_FLAG(std::string, only, "",
          "one part: baselines, rating, farming, collusion, seasons or rivals; empty means all");
ABSL_FLAG(int, rounds, 80, "matches of each bot in a season");
ABSL_FLAG(int, rival_deals, 3'000, "deals of the rivals");

namespace tarot::bench {
namespace {

constexpr int kSeasons = 3;
constexpr int kSkillRounds = 1'000;
constexpr int kPlaceMeanDeals = 20'000;
constexpr std::size_t kShiftDeals = 3'000;
constexpr int kBaselineBatches = 5;
constexpr int kBaselineDeals = 400;  // Deals of a batch.

double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

rating::LadderNumbers Unfitted(int player_count, int bid_shift) {
  return {
      .player_count = player_count,
      .bid_shift = static_cast<double>(bid_shift),
      .place_means = ai::PlaceMeans(rules::RuleSet(), player_count, bid_shift, kPlaceMeanDeals, 1)};
}

// Adds figures whose names end with `suffix`. Each figure is the mean over `reports`, which has one
// report for each season.
void AddReports(Figures& figures, const std::vector<lab::SeasonReport>& reports,
                const std::string& suffix) {
  const auto mean = [&](auto value) {
    double sum = 0;
    for (const lab::SeasonReport& report : reports) sum += value(report);
    return sum / static_cast<double>(reports.size());
  };
  for (std::size_t i = 0; i < lab::kCheckpoints.size(); ++i) {
    if (!reports[0].rank_correlation[i]) continue;
    figures.Add(absl::StrCat("spearman_", lab::kCheckpoints[i], "_deals", suffix),
                mean([i](const lab::SeasonReport& report) { return *report.rank_correlation[i]; }),
                "1");
  }
  figures.Add("zrms_predicted" + suffix,
              mean([](const lab::SeasonReport& report) { return report.z_rms; }), "1");
  figures.Add("zrms_posterior_40" + suffix,
              mean([](const lab::SeasonReport& report) { return report.posterior_rms; }), "1");
}

void AddSeasons(Figures& figures, int player_count) {
  lab::SeasonOptions options{
      .player_count = player_count, .rounds = absl::GetFlag(FLAGS_rounds), .seed = 100};
  lab::Season first = lab::PlaySeason(lab::Population(options.population, 100), options);
  const rules::RuleSet rules;
  const int bid_shift =
      ai::FitBidShift(rules, absl::MakeConstSpan(first.deals).subspan(0, kShiftDeals));
  lab::AddBaselines(bid_shift, first);
  const auto fit = rating::FitLadder(first.matches, Unfitted(player_count, bid_shift));
  TAROT_CHECK(fit.ok());
  const rating::LadderNumbers plain = rating::FitPlainPoints(first.matches, player_count);
  std::fprintf(stderr, "%d players: bid shift %d, luck share %.3f, noise %.0f (plain %.0f)\n",
               player_count, bid_shift, fit->numbers.luck_share, fit->numbers.noise_variance,
               plain.noise_variance);

  double removed = 0;
  std::vector<lab::SeasonReport> reports;
  std::vector<lab::SeasonReport> plain_reports;
  for (std::uint64_t seed = 200; seed < 200 + kSeasons; ++seed) {
    options.seed = seed;
    const std::vector<ai::ReplayBot> population = lab::Population(options.population, seed);
    lab::Season season = lab::PlaySeason(population, options);
    lab::AddBaselines(bid_shift, season);
    options.seed = seed + 100;
    const std::vector<double> skills = lab::TrueSkills(population, options, kSkillRounds);
    removed += rating::LuckRemoved(fit->numbers, season.matches) / kSeasons;
    reports.push_back(lab::Evaluate(fit->numbers, season.matches, skills, false));
    plain_reports.push_back(lab::Evaluate(plain, season.matches, skills, true));
  }
  figures.Add(absl::StrCat("deal_luck_removed_", player_count, "p"), removed, "of the variance");
  figures.Add(absl::StrCat("results_vary_", player_count, "p"), fit->variance_ratio,
              "of the variance of plain points");
  const std::string suffix = player_count == 4 ? "" : absl::StrCat("_", player_count, "p");
  AddReports(figures, reports, suffix);
  AddReports(figures, plain_reports, suffix + "/plain");
}

void AddBaselineTime(Figures& figures, int player_count) {
  Rng rng(1);
  std::vector<double> times;
  double sum = 0;  // Without this sum, the compiler could remove the calls.
  for (int batch = 0; batch < kBaselineBatches; ++batch) {
    std::vector<rules::Deal> deals;
    for (int i = 0; i < kBaselineDeals; ++i) {
      deals.push_back(ai::RandomDeal(rules::RuleSet(), player_count, rng));
    }
    const double start = ProcessorSeconds();
    for (const rules::Deal& deal : deals) sum += ai::ComputeBaseline(deal, 0).deviation;
    times.push_back(1e3 * (ProcessorSeconds() - start) / kBaselineDeals);
  }
  TAROT_CHECK(sum > 0);
  figures.Add(absl::StrCat("baseline_cpu_ms_", player_count, "p"), Quantile(times, .5), "ms");
}

void AddRatingSpeed(Figures& figures) {
  constexpr int kPlayers = 1'000'000;
  constexpr int kMatches = 2'000'000;
  const rating::Model model = rating::Model::ForTable(4);
  std::vector<rating::Skill> skills(kPlayers, model.Prior());
  Rng rng(1);
  const double start = ProcessorSeconds();
  std::array<rating::Entrant, 4> entrants;
  for (int match = 0; match < kMatches; ++match) {
    std::array<std::size_t, 4> players{};
    double sum = 0;
    for (std::size_t seat = 0; seat < 4; ++seat) {
      players[seat] = static_cast<std::size_t>(rng.Below(kPlayers));
      const double points = seat == 3 ? -sum : rng.Below(201) - 100;
      sum += points;
      entrants[seat] = {.skill = skills[players[seat]], .points_per_deal = points};
    }
    const auto after = rating::Rate(model, entrants, 6);
    for (std::size_t seat = 0; seat < 4; ++seat) skills[players[seat]] = after[seat];
  }
  const double seconds = ProcessorSeconds() - start;
  TAROT_CHECK(skills[0].variance <= model.Prior().variance);
  figures.Add("rate_matches_pure_per_s", kMatches / seconds, "1/s");
}

// Plays deals of four rivals. Each seat has one of several programs, drawn for each deal.
class RivalTable {
 public:
  explicit RivalTable(const std::string& program) {
    for (auto& seat : players_) {
      for (const char* kind : {" rule", " pimc 2", " pimc 5", " pimc 10"}) {
        auto player = lab::MakePlayer(program + kind, 0, absl::Seconds(60));
        TAROT_CHECK(player.ok());
        seat.push_back(*std::move(player));
      }
    }
  }

  rating::PlayedDeal Play(const rules::Deal& dealt, Rng& rng) {
    rules::Deal deal = dealt;
    std::array<lab::ArenaPlayer*, 4> seats{};
    for (std::size_t seat = 0; seat < 4; ++seat) {
      auto& kinds = players_[seat];
      seats[seat] =
          kinds[static_cast<std::size_t>(rng.Below(static_cast<int>(kinds.size())))].get();
      const auto view = RememberedView(deal, static_cast<rules::Seat>(seat));
      TAROT_CHECK(seats[seat]->NewDeal(view, rng.Next()).ok());
    }
    while (deal.phase != rules::Phase::kDone) {
      const auto action =
          seats[static_cast<std::size_t>(deal.turn)]->Decide(RememberedView(deal, deal.turn));
      TAROT_CHECK(action.ok() && Apply(deal, deal.turn, *action).ok());
    }
    const auto scores = deal.result.scores.begin();
    return {.dealer = dealt.dealer, .scores = {scores, scores + 4}};
  }

 private:
  std::array<std::vector<std::unique_ptr<lab::ArenaPlayer>>, 4> players_;
};

// Adds figures for deals of the rivals (tests/rivals). The rivals share no code with the bots that
// replay deals. The parameters of the ratings come from the first half of the deals. The figures
// come from the second half.
void AddRivals(Figures& figures) {
  RivalTable table(absl::GetFlag(FLAGS_rival));
  Rng rng(3);
  std::array<lab::Season, 2> halves;
  const int deals = absl::GetFlag(FLAGS_rival_deals);
  for (int i = 0; i < deals; ++i) {
    lab::Season& season = halves[i < deals / 2 ? 0 : 1];
    // In the protocol of the rivals, the last seat always deals.
    const rules::Deal random = ai::RandomDeal(rules::RuleSet(), 4, rng);
    const rules::Deal dealt = StartDeal(random.rules, 4, 3, random.dealt, random.dog);
    season.matches.push_back({.players = {0, 1, 2, 3}, .deals = {table.Play(dealt, rng)}});
    season.matches.back().scored = 1;
    season.deals.push_back({.dealer = dealt.dealer,
                            .hands = dealt.dealt,
                            .dog = dealt.dog,
                            .scores = season.matches.back().deals[0].scores});
  }
  const rules::RuleSet rules;
  const int bid_shift = ai::FitBidShift(rules, halves[0].deals);
  for (lab::Season& season : halves) lab::AddBaselines(bid_shift, season);
  rating::LadderNumbers numbers = Unfitted(4, bid_shift);
  numbers.luck_share = rating::FitLuckShare(numbers, halves[0].matches);
  std::fprintf(stderr, "rivals: bid shift %d, luck share %.3f\n", bid_shift, numbers.luck_share);
  figures.Add("deal_luck_removed_rivals_4p", rating::LuckRemoved(numbers, halves[1].matches),
              "of the variance");
}

// Plays scored deals among `players` bots, and returns them with the credits of the defenders. If
// `helping_cards` is above 0, players 0 and 1 both sit at least in every second deal. When both
// sit, each of the two plays `helping_cards` of a hundred cards to help the other player.
std::vector<rating::DefendedDeal> DefendedDeals(int players, int deals, int helping_cards,
                                                std::uint64_t seed) {
  Rng rng(seed);
  std::vector<int> order(static_cast<std::size_t>(players));
  std::iota(order.begin(), order.end(), 0);
  std::vector<rating::DefendedDeal> result;
  while (static_cast<int>(result.size()) < deals) {
    rng.Shuffle(order);
    if (helping_cards > 0 && result.size() % 2 == 0) {
      // Moves players 0 and 1 to the front of the order. The first four places of the order are the
      // seats of this deal.
      for (const int player : {0, 1}) {
        const auto at = std::find(order.begin(), order.end(), player);
        if (at - order.begin() >= 4) std::iter_swap(at, order.begin() + 2 * player + rng.Below(2));
      }
    }
    std::array<ai::SimulatedPlayer, rules::kPlayersMax> bots;
    for (int seat = 0; seat < 4; ++seat) {
      for (int other = 0; other < 4; ++other) {
        if (order[static_cast<std::size_t>(seat)] + order[static_cast<std::size_t>(other)] != 1) {
          continue;
        }
        bots[static_cast<std::size_t>(seat)].friend_seat = other;
        bots[static_cast<std::size_t>(seat)].helping_cards = helping_cards;
      }
    }
    const auto credits = ai::CreditDefenders(ai::PlayWithPartners(bots, 4, rng));
    if (!credits) continue;
    rating::DefendedDeal deal{.taker = order[static_cast<std::size_t>(credits->taker)]};
    for (std::size_t seat = 0; seat < 4; ++seat) {
      if ((credits->defenders >> seat & 1u) == 0) continue;
      deal.defenders.push_back({.player = order[seat], .credit = credits->credits[seat]});
    }
    result.push_back(std::move(deal));
  }
  return result;
}

// Adds the number of deals after which a pair that helps each other has z = 5. z says by how many
// standard deviations the pair helps more than honest pairs. The number is computed from z after
// many deals, because z grows with the square root of the number of deals.
void AddCollusion(Figures& figures) {
  constexpr double kFalseShare = 0.01;
  for (const auto& [name, helping_cards] : {std::pair{"blatant", 100}, std::pair{"mild", 20}}) {
    double slope = 0;
    for (std::uint64_t seed = 1; seed <= kSeasons; ++seed) {
      for (const rating::PairResult& pair :
           rating::TestPairs(DefendedDeals(30, 6'000, helping_cards, seed), kFalseShare)) {
        if (pair.first == 0 && pair.second == 1) {
          slope += pair.z / std::sqrt(static_cast<double>(pair.deals)) / kSeasons;
        }
      }
    }
    figures.Add(absl::StrCat("collusion_deals_", name), 25 / (slope * slope), "deals");
  }
  // 142 players form 10,011 pairs. In 130,000 deals, nearly all pairs meet in 20 deals or more.
  const std::vector<rating::PairResult> honest =
      rating::TestPairs(DefendedDeals(142, 130'000, 0, 1), kFalseShare);
  figures.Add("collusion_honest_pairs", static_cast<double>(honest.size()), "pairs");
  figures.Add("collusion_false_flags",
              static_cast<double>(
                  std::count_if(honest.begin(), honest.end(),
                                [](const rating::PairResult& pair) { return pair.flagged; })),
              "pairs");
  Rng rng(1);
  std::vector<ai::History> histories;
  for (int i = 0; i < 1'000; ++i) histories.push_back(ai::PlayWithPartners({}, 4, rng));
  const double start = ProcessorSeconds();
  int credited = 0;
  for (const ai::History& history : histories) credited += ai::CreditDefenders(history) ? 1 : 0;
  figures.Add("collusion_credit_cpu_ms", 1e3 * (ProcessorSeconds() - start) / credited, "ms");
}

// A sum of twelve uniform numbers has nearly a normal distribution. Here its mean is 0 and its
// standard deviation is 1.
double Normal(Rng& rng) {
  int sum = 0;
  for (int part = 0; part < 12; ++part) sum += rng.Below(1'000'001);
  return sum / 1e6 - 6;
}

// A player of the simulated queue.
struct Regular {
  double true_skill = 0;
  rating::Skill skill;
  std::uint32_t network = 0;
  absl::Time waits_since;
  std::array<std::uint32_t, matching::kLastTables> last_tables{};
};

// Simulates four hours of a quiet ranked queue: 40 players with known ratings, and one person who
// plays in four tabs as four average players. If `helping` is true, a tab that sits at the table of
// the first tab loses points to it on purpose. If `one_network` is true, the matcher knows that the
// tabs have the same network. Returns the rating points that the first tab gains in an hour.
double FarmedPointsAnHour(bool helping, bool one_network, std::uint64_t seed) {
  constexpr std::size_t kTabs = 4;
  constexpr int kPlayers = 44;
  constexpr int kDeals = 6;
  constexpr int kHours = 4;
  constexpr double kGift = 60;  // The points that a helper loses to the first tab in each deal:
                                // about two thirds of the unit of a Garde.
  const rating::Model model(7'600, 91);
  const double deviation = std::sqrt(model.Prior().variance);
  Rng rng(seed);
  const absl::Time start = absl::FromUnixSeconds(1'800'000'000);
  std::vector<Regular> players(kPlayers);
  for (std::size_t i = 0; i < players.size(); ++i) {
    Regular& player = players[i];
    player.skill = model.Prior();
    player.waits_since = start;
    player.network = one_network && i < kTabs ? 1 : 0;
    if (i < kTabs) continue;
    player.true_skill = deviation * Normal(rng);
    player.skill = {.mu = player.true_skill + deviation / 3 * Normal(rng),
                    .variance = model.Prior().variance / 9};
    player.waits_since += absl::Seconds(rng.Below(900));
  }
  std::uint32_t tables = 0;
  for (absl::Time now = start; now < start + absl::Hours(kHours); now += absl::Seconds(2)) {
    std::vector<matching::MatchTicket> tickets;
    for (std::size_t i = 0; i < players.size(); ++i) {
      if (players[i].waits_since > now) continue;
      tickets.push_back({.id = static_cast<std::uint32_t>(i),
                         .player = static_cast<std::uint32_t>(i),
                         .rating = static_cast<int>(model.ShownRating(players[i].skill)),
                         .create_time = players[i].waits_since,
                         .last_tables = players[i].last_tables,
                         .network = players[i].network});
    }
    for (const matching::MatchedTable& table : matching::MakeTables(tickets, 4, now).tables) {
      ++tables;
      std::vector<std::size_t> seats;
      for (const std::size_t ticket : table.tickets) seats.push_back(tickets[ticket].player);
      std::sort(seats.begin(), seats.end());
      std::vector<rating::Entrant> entrants;
      double sum = 0;
      for (const std::size_t seat : seats) {
        double points = players[seat].true_skill * 4 / 3 +
                        std::sqrt(model.noise_variance() / kDeals) * Normal(rng);
        if (helping && seats[0] == 0 && seat > 0 && seat < kTabs) points -= kGift;
        if (helping && seat == 0) {
          points += kGift * static_cast<double>(std::count_if(
                                seats.begin(), seats.end(),
                                [](std::size_t each) { return each > 0 && each < kTabs; }));
        }
        entrants.push_back({.skill = players[seat].skill, .points_per_deal = points});
        sum += points;
      }
      for (rating::Entrant& entrant : entrants) entrant.points_per_deal -= sum / 4;
      const std::vector<rating::Skill> after = rating::Rate(model, entrants, kDeals);
      for (std::size_t i = 0; i < seats.size(); ++i) {
        Regular& player = players[seats[i]];
        player.skill = after[i];
        std::rotate(player.last_tables.begin(), player.last_tables.end() - 1,
                    player.last_tables.end());
        player.last_tables[0] = tables;
        const int pause = seats[i] < kTabs ? 0 : rng.Below(600);
        player.waits_since = now + absl::Minutes(10) + absl::Seconds(pause);
      }
    }
  }
  return (model.ShownRating(players[0].skill) - model.ShownRating(model.Prior())) / kHours;
}

// Adds the rating points an hour that the first tab gains because the other tabs help it. In the
// first figure, all tabs have one network, so the matcher never seats them together. In the second
// figure, the person has four networks, so the matcher may seat the tabs together.
void AddFarming(Figures& figures) {
  constexpr int kEvenings = 60;
  for (const bool one_network : {true, false}) {
    double gained = 0;
    for (std::uint64_t seed = 1; seed <= kEvenings; ++seed) {
      gained += (FarmedPointsAnHour(true, one_network, seed) -
                 FarmedPointsAnHour(false, one_network, seed)) /
                kEvenings;
    }
    figures.Add(one_network ? "farm_points_an_hour" : "farm_points_an_hour/four_networks", gained,
                "points");
  }
}

int Main() {
  Figures figures;
  const auto wants = [only = absl::GetFlag(FLAGS_only)](const char* part) {
    return only.empty() || only == part;
  };
  for (const int player_count : {3, 4, 5}) {
    if (wants("baselines")) AddBaselineTime(figures, player_count);
  }
  if (wants("rating")) AddRatingSpeed(figures);
  if (wants("farming")) AddFarming(figures);
  if (wants("collusion")) AddCollusion(figures);
  for (const int player_count : {3, 4, 5}) {
    if (wants("seasons")) AddSeasons(figures, player_count);
  }
  if (wants("rivals")) AddRivals(figures);
  figures.Print();
  return 0;
}

}  // namespace
}  // namespace tarot::bench

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  return tarot::bench::Main();
}
