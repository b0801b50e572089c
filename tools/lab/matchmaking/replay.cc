#include "tools/lab/matchmaking/replay.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/rng.h"

namespace tarot::lab {
namespace {

using matching::MatchedTable;
using matching::MatchTicket;
using matching::MatchWave;

constexpr absl::Duration kWaveEvery = absl::Seconds(2);
constexpr absl::Duration kAfterLast = absl::Hours(1);
constexpr int kRatingMax = 100'000;

// Gives each different text a number: 1, 2, 3 and so on.
class Numbers {
 public:
  std::uint32_t Of(absl::string_view text) {
    return numbers_.try_emplace(std::string(text), static_cast<std::uint32_t>(numbers_.size() + 1))
        .first->second;
  }

 private:
  std::map<std::string, std::uint32_t> numbers_;
};

// Returns a rating with mean 1500, standard deviation 300 and a nearly normal distribution. The sum
// of twelve uniform numbers from 0 to 1000 has mean 6000 and standard deviation 1000.
int NormalRating(Rng& rng) {
  int sum = 0;
  for (int i = 0; i < 12; ++i) sum += rng.Below(1001);
  return 1500 + (sum - 6000) * 300 / 1000;
}

}  // namespace

absl::StatusOr<std::vector<Arrival>> ReadArrivals(std::istream& in) {
  std::vector<Arrival> arrivals;
  Numbers players;
  Numbers tables;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    absl::StripAsciiWhitespace(&line);
    if (line.empty() || (number == 1 && absl::ascii_isalpha(static_cast<unsigned char>(line[0])))) {
      continue;
    }
    const std::vector<std::string> fields = absl::StrSplit(line, ',');
    double seconds = 0;
    double wait = -1;
    Arrival arrival;
    const bool right = fields.size() == 5 && absl::SimpleAtod(fields[0], &seconds) &&
                       seconds >= 0 && !fields[1].empty() &&
                       absl::SimpleAtoi(fields[2], &arrival.rating) &&
                       std::abs(arrival.rating) <= kRatingMax &&
                       (fields[3].empty() || (absl::SimpleAtod(fields[3], &wait) && wait >= 0));
    if (!right) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", number, " is not \"seconds,player,rating,wait,table\": ", line));
    }
    arrival.time = absl::Seconds(seconds);
    arrival.player = players.Of(fields[1]);
    if (wait >= 0) arrival.wait = absl::Seconds(wait);
    if (!fields[4].empty()) arrival.table = tables.Of(fields[4]);
    arrivals.push_back(arrival);
  }
  std::stable_sort(arrivals.begin(), arrivals.end(),
                   [](const Arrival& a, const Arrival& b) { return a.time < b.time; });
  if (!arrivals.empty()) {
    const absl::Duration first = arrivals.front().time;
    for (Arrival& arrival : arrivals) arrival.time -= first;
  }
  return arrivals;
}

std::vector<Arrival> RandomArrivals(double arrivals_per_second, int count, std::uint64_t seed) {
  constexpr absl::Duration kStep = absl::Milliseconds(10);
  Rng rng(seed);
  std::vector<Arrival> arrivals;
  // The probability, in millionths, that a player arrives in a step.
  const int chance = static_cast<int>(arrivals_per_second * 10'000);
  for (absl::Duration now; static_cast<int>(arrivals.size()) < count; now += kStep) {
    if (rng.Below(1'000'000) >= chance) continue;
    arrivals.push_back({.time = now,
                        .player = static_cast<std::uint32_t>(arrivals.size() + 1),
                        .rating = NormalRating(rng)});
  }
  return arrivals;
}

ReplayResult RecordedResult(absl::Span<const Arrival> arrivals) {
  ReplayResult result;
  std::map<std::uint32_t, std::pair<int, int>> ratings;  // The lowest and the highest rating, by
                                                         // table.
  for (const Arrival& arrival : arrivals) {
    if (!arrival.wait || arrival.table == 0) {
      ++result.unplaced;
      continue;
    }
    result.waits.push_back(absl::ToDoubleSeconds(*arrival.wait));
    auto& [low, high] =
        ratings.try_emplace(arrival.table, arrival.rating, arrival.rating).first->second;
    low = std::min(low, arrival.rating);
    high = std::max(high, arrival.rating);
  }
  for (const auto& [table, range] : ratings) result.spreads.push_back(range.second - range.first);
  return result;
}

ReplayResult Replay(absl::Span<const Arrival> arrivals, int seats, const Matcher& matcher) {
  ReplayResult result;
  if (arrivals.empty()) return result;
  std::vector<MatchTicket> waiting;
  std::set<std::uint32_t> waiting_players;
  std::map<std::uint32_t, std::array<std::uint32_t, matching::kLastTables>> last_tables;
  std::uint32_t table_count = 0;
  std::size_t next = 0;
  const absl::Duration end = arrivals.back().time + kAfterLast;
  for (absl::Duration now; now <= end; now += kWaveEvery) {
    for (; next < arrivals.size() && arrivals[next].time <= now; ++next) {
      const Arrival& arrival = arrivals[next];
      if (!waiting_players.insert(arrival.player).second) continue;
      waiting.push_back({.id = static_cast<std::uint32_t>(next),
                         .player = arrival.player,
                         .rating = arrival.rating,
                         .create_time = absl::UnixEpoch() + arrival.time,
                         .last_tables = last_tables[arrival.player]});
    }
    if (next == arrivals.size() && static_cast<int>(waiting.size()) < seats) break;
    const MatchWave wave = matcher(waiting, seats, absl::UnixEpoch() + now);
    for (const MatchedTable& table : wave.tables) {
      ++table_count;
      result.spreads.push_back(table.spread);
      for (const std::size_t i : table.tickets) {
        const MatchTicket& ticket = waiting[i];
        result.waits.push_back(absl::ToDoubleSeconds(absl::UnixEpoch() + now - ticket.create_time));
        waiting_players.erase(ticket.player);
        auto& tables = last_tables[ticket.player];
        std::copy_backward(tables.begin(), tables.end() - 1, tables.end());
        tables[0] = table_count;
      }
    }
    std::vector<MatchTicket> left;
    for (const matching::WaitingTicket& ticket : wave.waiting) {
      left.push_back(waiting[ticket.ticket]);
    }
    waiting = std::move(left);
  }
  result.unplaced = waiting.size();
  return result;
}

MatchWave FirstComeTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time) {
  const auto size = static_cast<std::size_t>(seats);
  MatchWave wave;
  std::vector<std::size_t> by_age(tickets.size());
  for (std::size_t i = 0; i < by_age.size(); ++i) by_age[i] = i;
  std::sort(by_age.begin(), by_age.end(), [&](std::size_t a, std::size_t b) {
    return std::pair(tickets[a].create_time, tickets[a].id) <
           std::pair(tickets[b].create_time, tickets[b].id);
  });
  std::size_t at = 0;
  for (; at + size <= by_age.size(); at += size) {
    MatchedTable& table = wave.tables.emplace_back();
    table.tickets.assign(by_age.begin() + static_cast<std::ptrdiff_t>(at),
                         by_age.begin() + static_cast<std::ptrdiff_t>(at + size));
    const auto [low, high] = std::minmax_element(
        table.tickets.begin(), table.tickets.end(),
        [&](std::size_t a, std::size_t b) { return tickets[a].rating < tickets[b].rating; });
    table.spread = tickets[*high].rating - tickets[*low].rating;
  }
  for (; at < by_age.size(); ++at) wave.waiting.push_back({.ticket = by_age[at]});
  return wave;
}

}  // namespace tarot::lab
