#include "libs/matching/testing/reference_matcher.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <tuple>
#include <utility>

#include "libs/base/check.h"

namespace tarot::matching {
namespace {

constexpr int kWindowMax = 600;
// When tickets are ordered by age, ages are rounded down to a multiple of this time, the time
// between two waves. Among tickets of the same rounded age, people come before bots. Windows use
// the exact age.
constexpr absl::Duration kSameAge = absl::Seconds(2);
// Used only by the older rules. If all players of a table also sat together at their last table,
// the window of each player must exceed the spread by this number of points. A window of kWindowMax
// is always wide enough.
constexpr int kRepeatMalus = 200;
// To find a table for one ticket (the anchor), the matcher looks at the free tickets with the
// nearest ratings: kNeighbours below and kNeighbours above the anchor. In simulations, a higher
// number never gave smaller spreads. With this number, a wave of 10,000 tickets takes much less
// than the two seconds between waves.
constexpr int kNeighbours = 8;

class ReferenceMatcher {
 public:
  ReferenceMatcher(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                   absl::Duration block_wait, ReferenceRules rules, const RoundTrips& round_trips)
      : rules_(rules),
        round_trips_(round_trips),
        tickets_(tickets),
        seats_(static_cast<std::size_t>(seats)),
        lenient_since_(now - block_wait) {
    TAROT_CHECK(seats >= 2);
    const std::size_t n = tickets.size();
    for (const MatchTicket& ticket : tickets) {
      widening_.push_back(rules == ReferenceRules::kFirst ? 1 : WideningOf(ticket));
      window_.push_back(rules == ReferenceRules::kFirst
                            ? FirstWindow(now - ticket.create_time)
                            : RatingWindow(now - ticket.create_time, widening_.back()));
    }
    for (std::size_t i = 0; i < n; ++i) by_age_.push_back(i);
    by_rating_ = by_age_;
    std::sort(by_age_.begin(), by_age_.end(),
              [&](std::size_t a, std::size_t b) { return AgeKey(a, now) < AgeKey(b, now); });
    age_rank_.resize(n);
    for (std::size_t i = 0; i < n; ++i) age_rank_[by_age_[i]] = i;
    std::sort(by_rating_.begin(), by_rating_.end(), [&](std::size_t a, std::size_t b) {
      return std::pair(Rating(a), age_rank_[a]) < std::pair(Rating(b), age_rank_[b]);
    });
    place_.resize(n);
    for (std::size_t i = 0; i < n; ++i) place_[by_rating_[i]] = i;
    for (std::size_t i = 0; i <= n; ++i) {
      // `next_` and `previous_` link the free places to a ring. Place n has no ticket: it marks the
      // end of the ring.
      next_.push_back(i == n ? 0 : i + 1);
      previous_.push_back(i == 0 ? n : i - 1);
    }
    taken_.assign(n, false);
    kept_.assign(n, false);
    reasons_.assign(n, WaitReason::kRatingsTooFar);
  }

  MatchWave Run() {
    MatchWave wave;
    MakeTables(wave);
    const bool blocks =
        std::any_of(tickets_.begin(), tickets_.end(),
                    [](const MatchTicket& ticket) { return !ticket.blocked.empty(); });
    if (blocks) {
      // The second pass serves the tickets for which the first pass found no table without a block.
      lenient_ = true;
      MakeTables(wave);
    }
    for (const std::size_t i : by_age_) {
      if (taken_[i]) continue;
      wave.waiting.push_back({.ticket = i,
                              .position = static_cast<int>(wave.waiting.size()) + 1,
                              .window = window_[i],
                              .widening = widening_[i],
                              .reason = TooFew(i)  ? WaitReason::kTooFewPlayers
                                        : kept_[i] ? WaitReason::kKeptForPeople
                                                   : reasons_[i]});
    }
    return wave;
  }

 private:
  // Returns true if too few tickets are left to fill a table with `ticket`. A table has either
  // people and strong bots, or only bots.
  bool TooFew(std::size_t ticket) const {
    std::size_t with_people = 0, with_bots = 0;
    for (std::size_t i = 0; i < tickets_.size(); ++i) {
      if (taken_[i]) continue;
      with_people += tickets_[i].bots_only ? 0 : 1;
      with_bots += tickets_[i].bot ? 1 : 0;
    }
    return (tickets_[ticket].bots_only || with_people < seats_) &&
           (!tickets_[ticket].bot || with_bots < seats_);
  }

  WaitReason WhyNone(std::size_t anchor) {
    if (rules_ != ReferenceRules::kCurrent) return WaitReason::kRatingsTooFar;
    WaitReason reason = WaitReason::kRatingsTooFar;
    ignores_meetings_ = true;
    if (BestTable(anchor)) {
      reason = WaitReason::kMetJustNow;
    } else {
      ignores_distances_ = true;
      if (BestTable(anchor)) {
        reason = WaitReason::kFarAway;
      } else {
        ignores_blocks_ = true;
        if (BestTable(anchor)) {
          reason = WaitReason::kBlocked;
        } else {
          ignores_networks_ = true;
          if (BestTable(anchor)) reason = WaitReason::kSameNetwork;
        }
      }
    }
    ignores_meetings_ = ignores_distances_ = ignores_blocks_ = ignores_networks_ = false;
    return reason;
  }

  // Serves each ticket that is still free, the oldest first. To serve a ticket means to make the
  // table with the smallest spread for this ticket.
  void MakeTables(MatchWave& wave) {
    for (const std::size_t anchor : by_age_) {
      if (taken_[anchor] || kept_[anchor] || (lenient_ && !WaitedLong(anchor))) continue;
      std::optional<MatchedTable> table = BestTable(anchor);
      if (!table) {
        reasons_[anchor] = WhyNone(anchor);
        if (!tickets_[anchor].bot) KeepBotsFor(anchor);
        continue;
      }
      for (const std::size_t member : table->tickets) Take(member);
      wave.tables.push_back(*std::move(table));
    }
  }

  std::tuple<std::int64_t, bool, absl::Time, std::uint32_t> AgeKey(std::size_t i,
                                                                   absl::Time now) const {
    const MatchTicket& ticket = tickets_[i];
    return {-((now - ticket.create_time) / kSameAge), ticket.bot, ticket.create_time, ticket.id};
  }

  static int FirstWindow(absl::Duration age) {
    const std::int64_t seconds = std::clamp<std::int64_t>(absl::ToInt64Seconds(age), 0, 3600);
    return std::min(100 + static_cast<int>(seconds) * 4, kWindowMax);
  }

  float WideningOf(const MatchTicket& ticket) const {
    const auto near = [&](const MatchTicket& other) {
      return std::abs(std::int64_t{other.rating} - ticket.rating) <= kNear;
    };
    const auto count = std::count_if(tickets_.begin(), tickets_.end(), near);
    return Widening(ticket.rating, static_cast<std::size_t>(count), tickets_.size());
  }

  int Rating(std::size_t i) const { return tickets_[i].rating; }

  bool WaitedLong(std::size_t i) const { return tickets_[i].create_time <= lenient_since_; }

  // Returns true if two tickets must not sit together.
  bool Blocked(std::size_t a, std::size_t b) const {
    const bool ignores_blocks = ignores_blocks_ || (lenient_ && WaitedLong(a) && WaitedLong(b));
    if (!ignores_blocks && BlockBetween(tickets_[a], tickets_[b])) return true;
    const std::uint32_t network = tickets_[a].network;
    if (network != 0 && network == tickets_[b].network && !ignores_networks_) return true;
    const auto shuns = [this](std::size_t x, std::size_t y) {
      return tickets_[x].bots_only && !tickets_[y].bot;
    };
    return shuns(a, b) || shuns(b, a);
  }

  // Reserves the bots among the candidates of a person who got no table. Until the end of the wave,
  // these bots form no table without people.
  void KeepBotsFor(std::size_t person) {
    for (const std::size_t i : Candidates(person)) kept_[i] = tickets_[i].bot;
  }

  // Returns whether the window of ticket `i` allows a table with this spread that serves `anchor`.
  // If the anchor is a person's ticket, a bot accepts any spread.
  bool Spans(std::size_t anchor, std::size_t i, int spread) const {
    return (tickets_[i].bot && !tickets_[anchor].bot) || spread <= window_[i];
  }

  void Take(std::size_t ticket) {
    const std::size_t place = place_[ticket];
    next_[previous_[place]] = next_[place];
    previous_[next_[place]] = previous_[place];
    taken_[ticket] = true;
  }

  // Returns the free tickets that could sit with the anchor, and the anchor itself, sorted by
  // rating.
  std::vector<std::size_t> Candidates(std::size_t anchor) const {
    std::vector<std::size_t> found = {anchor};
    const auto walk = [&](const std::vector<std::size_t>& step) {
      int left = kNeighbours;
      for (std::size_t at = step[place_[anchor]]; at != tickets_.size() && left > 0;
           at = step[at]) {
        const std::size_t other = by_rating_[at];
        const int distance = std::abs(Rating(other) - Rating(anchor));
        if (distance > window_[anchor]) break;
        const bool kept = kept_[other] && tickets_[anchor].bot;
        const int needed = std::min(distance + RoundTrip(anchor, other), kWindowMax);
        if (!kept && Spans(anchor, other, distance) && !Blocked(anchor, other) &&
            Spans(anchor, anchor, needed) && Spans(anchor, other, needed)) {
          found.push_back(other);
          --left;
        }
      }
    };
    walk(previous_);
    std::reverse(found.begin(), found.end());
    walk(next_);
    return found;
  }

  // Returns the table with the smallest spread among the possible tables of the anchor. Returns
  // nullopt if no table is possible.
  std::optional<MatchedTable> BestTable(std::size_t anchor) {
    const std::vector<std::size_t> near = Candidates(anchor);
    const auto middle = std::find(near.begin(), near.end(), anchor);
    std::optional<MatchedTable> best;
    for (auto low = near.begin(); low <= middle; ++low) {
      for (auto high = middle; high != near.end(); ++high) {
        const int spread = Rating(*high) - Rating(*low);
        if (best && spread >= best->spread) break;
        const auto size = static_cast<std::size_t>(high - low) + 1;
        if (size < seats_) continue;
        std::optional<MatchedTable> table = TableBetween(absl::MakeConstSpan(&*low, size), anchor);
        if (table && rules_ != ReferenceRules::kCurrent && !AllowedNow(*table, anchor)) {
          table.reset();
        }
        if (table) best = std::move(table);
      }
    }
    return best;
  }

  // Returns a table with the anchor, and with the first and the last ticket of `range`. One of
  // these two may be the anchor itself. The oldest of the tickets between the two fill the other
  // seats, as far as the rules allow. Returns nullopt if the rules forbid a table with the anchor
  // and these two tickets, or if seats stay free.
  std::optional<MatchedTable> TableBetween(absl::Span<const std::size_t> range,
                                           std::size_t anchor) const {
    MatchedTable table{.spread = Rating(range.back()) - Rating(range.front())};
    const auto sits = [&](std::size_t i) {
      return std::find(table.tickets.begin(), table.tickets.end(), i) != table.tickets.end();
    };
    const auto seat = [&](std::size_t i) {
      if (sits(i)) return true;
      if (table.tickets.size() == seats_ || !Spans(anchor, i, table.spread)) return false;
      for (const std::size_t member : table.tickets) {
        if (Blocked(member, i)) return false;
      }
      table.tickets.push_back(i);
      if (rules_ == ReferenceRules::kCurrent && !WindowsAllow(table, anchor)) {
        table.tickets.pop_back();
        return false;
      }
      return true;
    };
    if (!seat(anchor) || !seat(range.front()) || !seat(range.back())) return std::nullopt;
    const auto older = [this](std::size_t a, std::size_t b) { return age_rank_[a] < age_rank_[b]; };
    std::vector<std::size_t> between(range.begin(), range.end());
    std::sort(between.begin(), between.end(), older);
    for (const std::size_t i : between) seat(i);
    if (table.tickets.size() < seats_) return std::nullopt;
    std::sort(table.tickets.begin(), table.tickets.end(), older);
    return table;
  }

  bool Met(std::size_t a, std::size_t b) const {
    if (a == b || tickets_[a].bot != tickets_[b].bot) return false;
    for (const std::uint32_t one : tickets_[a].last_tables) {
      for (const std::uint32_t other : tickets_[b].last_tables) {
        if (one != 0 && one == other) return true;
      }
    }
    return false;
  }

  // Returns the round trip between two players, in milliseconds; 0 while the search ignores it.
  int RoundTrip(std::size_t a, std::size_t b) const {
    return ignores_distances_ ? 0 : round_trips_.Between(tickets_[a].region, tickets_[b].region);
  }

  bool WindowsAllow(const MatchedTable& table, std::size_t anchor) const {
    int longest = 0;
    for (const std::size_t a : table.tickets) {
      for (const std::size_t b : table.tickets) longest = std::max(longest, RoundTrip(a, b));
    }
    for (const std::size_t i : table.tickets) {
      const auto met =
          std::count_if(table.tickets.begin(), table.tickets.end(),
                        [&](std::size_t other) { return !ignores_meetings_ && Met(i, other); });
      const int of_meetings = met == 0 ? 0 : met + 1 == static_cast<int>(seats_) ? 200 : 100;
      const int malus = of_meetings + longest;
      if (!Spans(anchor, i, std::min(table.spread + malus, kWindowMax))) return false;
    }
    return true;
  }

  bool AllowedNow(const MatchedTable& table, std::size_t anchor) const {
    const std::uint32_t last = tickets_[table.tickets[0]].last_tables[0];
    if (last == 0) return true;
    const int needed = std::min(table.spread + kRepeatMalus, kWindowMax);
    bool wide = true;
    int people = 0;
    for (const std::size_t i : table.tickets) {
      if (tickets_[i].last_tables[0] != last) return true;
      wide = wide && Spans(anchor, i, needed);
      people += tickets_[i].bot ? 0 : 1;
    }
    // If the table has only one person, this person may meet the same bots again.
    return wide || people == 1;
  }

  const ReferenceRules rules_;
  const RoundTrips& round_trips_;
  const absl::Span<const MatchTicket> tickets_;
  const std::size_t seats_;
  // A ticket that was made at this time or before has waited for `block_wait`.
  const absl::Time lenient_since_;
  // True during the second pass. In this pass, two players with a block may sit together if both
  // have waited for `block_wait`.
  bool lenient_ = false;
  std::vector<int> window_;
  std::vector<float> widening_;
  // Indices of the tickets: by_age_[0] is the oldest ticket, by_rating_[0] has the lowest rating.
  std::vector<std::size_t> by_age_, by_rating_;
  // age_rank_[i] is the position of ticket i in `by_age_`. place_[i] is the position of ticket i in
  // `by_rating_`.
  std::vector<std::size_t> age_rank_, place_;
  // next_[place] and previous_[place] are the nearest free places above and below `place`.
  std::vector<std::size_t> next_, previous_;
  std::vector<bool> taken_;
  std::vector<bool> kept_;  // True for a bot that is reserved for a table with people.
  std::vector<WaitReason> reasons_;
  // WhyNone() sets these members one after another, to find the rule that forbids a table.
  bool ignores_meetings_ = false, ignores_distances_ = false, ignores_blocks_ = false,
       ignores_networks_ = false;
};

}  // namespace

MatchWave ReferenceTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                          absl::Duration block_wait, ReferenceRules rules,
                          const RoundTrips& round_trips) {
  return ReferenceMatcher(tickets, seats, now, block_wait, rules, round_trips).Run();
}

}  // namespace tarot::matching
