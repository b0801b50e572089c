// Measures the places of a ladder in memory (libs/rating/ranks.h). Prints figures as a JSON list.
// Usage: ranks_bench [--players=N]
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "absl/flags/flag.h"
#include "absl/flags/parse.h"
#include "libs/base/check.h"
#include "libs/base/rng.h"
#include "libs/rating/ranks.h"
#include "tests/bench/figures.h"

ABSL_FLAG(int, players, 1'000'000, "players with a place on the ladder");

namespace tarot::rating {
namespace {

constexpr int kSamples = 200'000;
constexpr int kPageSize = 21;
constexpr std::uint32_t kEndSecond = 2'000'000'000;

// Returns the id of player `number`. Ids of consecutive numbers look unrelated, like random ids.
PlayerId PlayerOf(int number) {
  Rng rng(static_cast<std::uint64_t>(number) + 1);
  std::array<std::uint8_t, 16> bytes{};
  for (std::size_t i = 0; i < bytes.size(); i += 8) {
    const std::uint64_t word = rng.Next();
    for (std::size_t j = 0; j < 8; ++j) {
      bytes[i + j] = static_cast<std::uint8_t>(word >> (8 * j));
    }
  }
  return PlayerId{Uuid(bytes)};
}

// Returns a skill in points per deal. The sum of four numbers has nearly a normal distribution.
double RandomMu(Rng& rng) {
  double sum = 0;
  for (int i = 0; i < 4; ++i) sum += rng.Below(1'000'000) / 1e6 - .5;
  return 18 * sum;
}

// Returns the time of each of kSamples calls, in nanoseconds. `prepare` makes the argument of the
// call and is not measured.
template <typename Prepare, typename Call>
std::vector<double> Nanoseconds(Prepare prepare, Call call) {
  std::vector<double> times;
  times.reserve(kSamples);
  for (int i = 0; i < kSamples; ++i) {
    const auto argument = prepare();
    const auto start = std::chrono::steady_clock::now();
    call(argument);
    const auto elapsed = std::chrono::steady_clock::now() - start;
    times.push_back(std::chrono::duration<double, std::nano>(elapsed).count());
  }
  return times;
}

// Returns the resident memory of this process.
double HeldBytes() {
  std::ifstream statm("/proc/self/statm");
  double total_pages = 0;
  double resident_pages = 0;
  statm >> total_pages >> resident_pages;
  return resident_pages * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

void Measure(int players) {
  Rng rng(1);
  const double before = HeldBytes();
  Ranks ranks;
  for (int i = 0; i < players; ++i) {
    ranks.Set({.mu = RandomMu(rng), .player = PlayerOf(i)}, kEndSecond);
  }
  bench::Figures figures;
  figures.Add("rank_players", players, "players");
  const auto add_times = [&](const std::string& name, const std::vector<double>& times) {
    figures.Add(name + "_p50_ns", bench::Quantile(times, .5), "ns");
    figures.Add(name + "_p99_ns", bench::Quantile(times, .99), "ns");
  };
  const auto random_player = [&] { return PlayerOf(rng.Below(players)); };
  std::int64_t sum = 0;  // The sum uses every answer, so the compiler cannot remove the calls.

  // A match changes a rating by a few tenths of a point.
  const auto new_key = [&] {
    const PlayerId player = random_player();
    return PlaceKey{.mu = ranks.Find(player)->mu + rng.Below(2001) / 1e3 - 1, .player = player};
  };
  add_times("rank_update",
            Nanoseconds(new_key, [&](const PlaceKey& key) { ranks.Set(key, kEndSecond); }));
  figures.Add("rank_bytes_a_player", (HeldBytes() - before) / players, "bytes");
  const auto rank_of = [&](PlayerId player) { return ranks.CountAbove(*ranks.Find(player)) + 1; };
  add_times("rank_my",
            Nanoseconds(random_player, [&](PlayerId player) { sum += rank_of(player); }));
  add_times("rank_around", Nanoseconds(random_player, [&](PlayerId player) {
              const std::int64_t rank = rank_of(player);
              sum += ranks.Range(rank - kPageSize / 2, rank + kPageSize / 2).front().rank;
            }));
  TAROT_CHECK(sum > 0);
  figures.Print();
}

}  // namespace
}  // namespace tarot::rating

int main(int argc, char** argv) {
  absl::ParseCommandLine(argc, argv);
  const int players = absl::GetFlag(FLAGS_players);
  TAROT_CHECK(players > 0);
  tarot::rating::Measure(players);
}
