// Measures the time of one wave over many tickets.
#include <benchmark/benchmark.h>

#include <array>
#include <cstdint>
#include <vector>

#include "libs/base/rng.h"
#include "libs/matching/matcher.h"

namespace tarot::matching {
namespace {

// Makes tickets with ratings 600..2400, mostly near 1500, and ages up to `age_seconds_max`.
std::vector<MatchTicket> Crowd(std::int64_t size, int age_seconds_max, absl::Time now) {
  Rng rng(1);
  std::vector<MatchTicket> tickets(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    std::array<std::uint8_t, 16> bytes{};
    bytes[0] = static_cast<std::uint8_t>(i >> 8);
    bytes[1] = static_cast<std::uint8_t>(i);
    tickets[i] = {.id = TicketId{Uuid(bytes)},
                  .player = PlayerId{Uuid(bytes)},
                  .rating = 600 + rng.Below(601) + rng.Below(601) + rng.Below(601),
                  .create_time = now - absl::Seconds(rng.Below(age_seconds_max + 1))};
  }
  return tickets;
}

void BM_Wave(benchmark::State& state) {
  const absl::Time now = absl::FromUnixSeconds(1'800'000'000);
  const std::vector<MatchTicket> tickets = Crowd(state.range(0), /*age_seconds_max=*/60, now);
  for (auto _ : state) benchmark::DoNotOptimize(MakeTables(tickets, 4, now));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_Wave)->Arg(100)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tarot::matching

BENCHMARK_MAIN();
