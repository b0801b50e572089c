// Measures the time of one wave of the matcher on one core: processor time of the thread, median of
// the runs. A crowd has 100 to 1,000,000 tickets. Ratings are nearly normal with mean 1500 and
// standard deviation 300. Tickets have waited for 0 to 60 s: half of them for less than 7.5 s, and
// one of ten for about 44 s or more. The oldest ticket comes first, as the ticket store lists them.
// Each player has played at three tables before, each with about three other players of the crowd.
// In `blocks20`, each player blocks 20 random players of the crowd. Figures with the suffix
// `before` come from one run of an earlier, slower matcher
// (libs/matching/testing/reference_matcher.h). Prints a JSON list.
//
// The figures matcher_wait_* and matcher_spread_* come from simulated queues
// (libs/matching/testing/evening.h) with 0.2, 1 and 5 arrivals a second and 40,000 players. For
// comparison, `first_rules` is an earlier matcher, whose windows did not depend on the density of
// ratings. `first_come` is a matcher that makes tables of the oldest tickets, whatever their
// ratings are.
//
// The figures with `regulars` come from simulations of 24 hours, in which 60 to 1,000 players queue
// again after each match of 10 minutes. `first_meetings` is an earlier matcher, which looked only
// at the last table of each player.
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/rng.h"
#include "libs/matching/matcher.h"
#include "libs/matching/testing/evening.h"
#include "libs/matching/testing/reference_matcher.h"
#include "tests/bench/figures.h"
#include "tools/lab/matchmaking/replay.h"

namespace tarot::bench {
namespace {

using matching::MatchTicket;
using matching::MatchWave;

constexpr int kMillion = 1'000'000;
const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);

// The tickets of one wave, with the lists of blocks.
struct Crowd {
  std::vector<MatchTicket> tickets;
  std::vector<std::uint32_t> blocked;
};

Crowd MakeCrowd(int size, int blocks_each) {
  Rng rng(1);
  Crowd crowd;
  for (int i = 0; i < size; ++i) {
    int sum = 0;  // The sum of twelve uniform numbers is nearly normal.
    for (int part = 0; part < 12; ++part) sum += rng.Below(1001);
    const double share = rng.Below(1'000'000) * 1e-6;
    crowd.tickets.push_back({.rating = 1500 + (sum - 6000) * 300 / 1000,
                             .create_time = kNow - absl::Seconds(60 * share * share * share)});
  }
  std::sort(
      crowd.tickets.begin(), crowd.tickets.end(),
      [](const MatchTicket& a, const MatchTicket& b) { return a.create_time < b.create_time; });
  const auto each = static_cast<std::size_t>(blocks_each);
  for (std::size_t i = 0; i < crowd.tickets.size(); ++i) {
    for (std::size_t block = 0; block < each; ++block) {
      crowd.blocked.push_back(static_cast<std::uint32_t>(rng.Below(size)));
    }
    std::sort(crowd.blocked.end() - blocks_each, crowd.blocked.end());
  }
  for (std::size_t i = 0; i < crowd.tickets.size(); ++i) {
    MatchTicket& ticket = crowd.tickets[i];
    ticket.id = ticket.player = static_cast<std::uint32_t>(i);
    for (std::uint32_t& table : ticket.last_tables) {
      table = 1 + static_cast<std::uint32_t>(rng.Below(size / 4));
    }
    ticket.blocked = absl::MakeConstSpan(crowd.blocked).subspan(i * each, each);
  }
  return crowd;
}

double ProcessorMilliseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

// Returns the milliseconds of a wave of tables of four, the median of `runs` runs.
template <typename Matcher>
double WaveMilliseconds(const Crowd& crowd, int runs, Matcher matcher) {
  std::vector<double> times;
  for (int run = 0; run < runs; ++run) {
    const double start = ProcessorMilliseconds();
    const MatchWave wave = matcher(crowd.tickets, 4, kNow, absl::InfiniteDuration());
    times.push_back(ProcessorMilliseconds() - start);
    TAROT_CHECK(wave.tables.size() * 4 + wave.waiting.size() == crowd.tickets.size());
  }
  return Quantile(std::move(times), 0.5);
}

MatchWave FirstRules(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                     absl::Duration block_wait) {
  return ReferenceTables(tickets, seats, now, block_wait, matching::ReferenceRules::kFirst);
}

MatchWave FirstMeetings(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                        absl::Duration block_wait) {
  return ReferenceTables(tickets, seats, now, block_wait, matching::ReferenceRules::kFirstMeetings);
}

void AddWaves(Figures& figures) {
  for (const int size : {100, 1'000, 10'000}) {
    figures.Add(absl::StrCat("matcher_wave_ms/", size),
                WaveMilliseconds(MakeCrowd(size, 0), 101, matching::MakeNearTables), "ms");
  }
  for (const int blocks : {0, 20}) {
    const std::string name = blocks == 0 ? "matcher_1m_ms" : "matcher_1m_blocks20_ms";
    const Crowd crowd = MakeCrowd(kMillion, blocks);
    figures.Add(name, WaveMilliseconds(crowd, 7, matching::MakeNearTables), "ms");
    figures.Add(name + "/before", WaveMilliseconds(crowd, 1, FirstRules), "ms");
  }
}

void AddEvenings(Figures& figures) {
  using matching::Evening;
  for (const double rate : {1.0, 0.2, 5.0}) {
    const auto add = [&](const std::string& suffix, const auto& matcher) {
      const Evening evening =
          matching::Simulate({.arrivals_per_second = rate, .players = 40'000, .matcher = matcher});
      const std::string of = rate == 1.0 ? suffix : absl::StrCat("/", rate, "_a_second", suffix);
      for (const int percent : {50, 95, 99}) {
        figures.Add(absl::StrCat("matcher_wait_p", percent, "_s", of),
                    Quantile(evening.waits, percent / 100.0), "s");
      }
      for (const int percent : {50, 95}) {
        figures.Add(absl::StrCat("matcher_spread_p", percent, of),
                    Quantile(evening.spreads, percent / 100.0), "points");
      }
    };
    add("", matching::MakeNearTables);
    add("/first_rules", FirstRules);
    add("/first_come", [](absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                          absl::Duration) { return lab::FirstComeTables(tickets, seats, now); });
  }
}

void AddRegulars(Figures& figures) {
  for (const int players : {60, 150, 400, 1'000}) {
    const auto add = [&](const std::string& suffix, const auto& matcher) {
      const matching::Regulars regulars =
          matching::SimulateRegulars({.players = players, .matcher = matcher});
      const std::string of = absl::StrCat("/", players, "_regulars", suffix);
      figures.Add("matcher_wait_p50_s" + of, Quantile(regulars.waits, 0.5), "s");
      figures.Add("matcher_wait_p99_s" + of, Quantile(regulars.waits, 0.99), "s");
      figures.Add("matcher_spread_p50" + of, Quantile(regulars.spreads, 0.5), "points");
      figures.Add("matcher_met_last" + of, regulars.met_last, "of pairs");
      figures.Add("matcher_met_last_three" + of, regulars.met_last_three, "of pairs");
    };
    add("", matching::MakeNearTables);
    add("/first_rules", FirstRules);
    add("/first_meetings", FirstMeetings);
  }
}

int Main() {
  Figures figures;
  AddWaves(figures);
  AddEvenings(figures);
  AddRegulars(figures);
  figures.Print();
  return 0;
}

}  // namespace
}  // namespace tarot::bench

int main() { return tarot::bench::Main(); }
