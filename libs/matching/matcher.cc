#include "libs/matching/matcher.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "libs/base/check.h"

namespace tarot::matching {
namespace {

constexpr int kWindowMin = 80;
constexpr int kWindowPerSecond = 4;
constexpr int kWindowMax = 600;
constexpr double kWideningMax = 3;
// The prior is the distribution of ratings that we assume before we see any ticket. It is a normal
// distribution with this mean and this standard deviation, and it counts as much as kPriorTickets
// tickets. In simulations with fewer prior tickets, players with rare ratings waited longer. With
// more prior tickets, spreads were larger if the ratings of the players differed from the prior.
constexpr double kPriorMean = 1500, kPriorDeviation = 300, kPriorTickets = 100;
// The share of the prior that lies within kNear points of its mean.
constexpr double kPeakShare = 0.383;
// When tickets are ordered by age, ages are rounded down to a multiple of this time, which is the
// time between two waves. Among tickets of the same rounded age, people come before bots. Windows
// use the exact age.
constexpr absl::Duration kSameAge = absl::Seconds(2);
// Players who met at one of their last tables should not meet again at once, so they need wider
// windows. If a player met another player of the table, the player's window must exceed the spread
// by at least kMetMalus. If a player met all others of the table, the window must exceed the spread
// by at least kMetAllMalus. A window of kWindowMax is always wide enough. With average ratings, a
// window grows by kMetMalus in 25 s and by kMetAllMalus in 50 s. In this time, the matcher may find
// a table with other players.
constexpr int kMetMalus = 100;
constexpr int kMetAllMalus = 200;
// If the players of a table are far from each other, the windows must exceed the spread by this
// number of points for each millisecond of the longest round trip. An average player waits 25 s
// longer for a table with a round trip of 100 ms.
constexpr int kPointsPerMillisecond = 1;
// To find a table for one ticket (the anchor), the matcher considers this many free tickets with
// the next lower ratings, and as many with the next higher ratings. In simulations, a higher number
// never gave smaller spreads.
constexpr std::size_t kNeighbours = 8;
// The matcher asks the processor early to load the data of a ticket: while it works on the ticket
// with age rank r, it asks for the ticket with age rank r + kPrefetchAhead.
constexpr std::size_t kPrefetchAhead = 24;

// A number of a ticket: its index in the argument of MakeTables(), its rank by age, or its place by
// rating.
using Index = std::uint32_t;

int WidenedWindow(int window, float widening) {
  return static_cast<int>(std::min<float>(static_cast<float>(window) * widening, kWindowMax));
}

// Returns the indices of the tickets, oldest first, in the order that MakeTables() describes.
std::vector<Index> SortByAge(absl::Span<const MatchTicket> tickets, absl::Time now) {
  const auto older = [](const MatchTicket& a, const MatchTicket& b) {
    return a.create_time != b.create_time ? a.create_time < b.create_time : a.id < b.id;
  };
  std::vector<Index> by_time(tickets.size());
  std::iota(by_time.begin(), by_time.end(), Index{0});
  if (!std::is_sorted(tickets.begin(), tickets.end(), older)) {
    std::sort(by_time.begin(), by_time.end(),
              [&](Index a, Index b) { return older(tickets[a], tickets[b]); });
  }
  // Tickets of the same rounded age are now next to each other. The loop puts the people of each
  // rounded age before the bots.
  std::vector<Index> by_age, bots;
  by_age.reserve(tickets.size());
  std::int64_t rounded = 0;
  const auto add_bots = [&] {
    by_age.insert(by_age.end(), bots.begin(), bots.end());
    bots.clear();
  };
  for (const Index i : by_time) {
    const std::int64_t age =
        absl::ToInt64Nanoseconds(now - tickets[i].create_time) / absl::ToInt64Nanoseconds(kSameAge);
    if (age != rounded) add_bots();
    rounded = age;
    (tickets[i].bot ? bots : by_age).push_back(i);
  }
  add_bots();
  return by_age;
}

// Returns the ranks by age (indices in `by_age`), sorted by rating. Among equal ratings the older
// ticket comes first. This is a counting sort of up to three passes, one for each digit of a
// rating.
std::vector<Index> RanksByRating(absl::Span<const MatchTicket> tickets,
                                 const std::vector<Index>& by_age) {
  constexpr int kDigitBits = 12;
  constexpr std::uint32_t kDigitMask = (1u << kDigitBits) - 1;
  std::vector<Index> ranks(by_age.size());
  std::iota(ranks.begin(), ranks.end(), Index{0});
  if (by_age.empty()) return ranks;
  // keys[rank] is the rating of the ticket minus the lowest rating.
  std::vector<std::uint32_t> keys;
  keys.reserve(by_age.size());
  int lowest = std::numeric_limits<int>::max();
  for (const MatchTicket& ticket : tickets) lowest = std::min(lowest, ticket.rating);
  for (const Index i : by_age) {
    keys.push_back(static_cast<std::uint32_t>(tickets[i].rating) -
                   static_cast<std::uint32_t>(lowest));
  }
  const std::uint32_t highest = *std::max_element(keys.begin(), keys.end());
  std::vector<Index> sorted(ranks.size());
  for (int shift = 0; shift < 32 && (highest >> shift) > 0; shift += kDigitBits) {
    const std::uint32_t digit_max = std::min(highest >> shift, kDigitMask);
    // begin[digit] is the position in `sorted` for the next rank whose key has this digit in this
    // pass.
    std::vector<Index> begin(digit_max + 2, 0);
    for (const std::uint32_t key : keys) ++begin[((key >> shift) & kDigitMask) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    for (const Index rank : ranks) sorted[begin[(keys[rank] >> shift) & kDigitMask]++] = rank;
    ranks.swap(sorted);
  }
  return ranks;
}

// The data of one ticket that the search needs. The slots are sorted by rating. So tickets with
// similar ratings share cache lines. The index of a slot is the place of its ticket.
struct Slot {
  int rating = 0;
  Index age_rank = 0;
  Index next = 0, previous = 0;  // The nearest free places above and below this place.
  float widening = 1;
  std::uint32_t network = 0;
  std::int16_t window = 0;
  std::uint8_t region = 0;
  bool bot = false;
  bool bots_only = false;
  bool waited_long = false;  // True if the ticket has waited for `block_wait` or longer.
  bool kept = false;         // True for a bot that is reserved for a table with people.
};

// The players whom one player blocks. There is one SlotBlocks for each slot.
struct SlotBlocks {
  // `filter` has the bit player % 128 of each blocked player. If this bit is not set for a player,
  // the player is not in `blocked`, and a search of the list is not needed. With 20 blocked
  // players, the filter avoids six of seven searches.
  std::array<std::uint64_t, 2> filter{};
  const std::uint32_t* blocked = nullptr;
  std::uint32_t blocked_count = 0;
  std::uint32_t player = 0;

  bool MayBlock(std::uint32_t other) const {
    return ((filter[other / 64 % 2] >> (other % 64)) & 1) != 0;
  }
};

bool HasPlayer(absl::Span<const std::uint32_t> sorted, std::uint32_t player) {
  return std::binary_search(sorted.begin(), sorted.end(), player);
}

// The place of the anchor, and the places of the free tickets that could sit with the anchor. They
// are sorted by rating.
struct Candidates {
  static constexpr std::size_t kMax = 2 * kNeighbours + 1;

  std::array<Index, kMax> places{};
  std::size_t size = 0;
  std::size_t middle = 0;  // The anchor's index in `places`.
};

using LastTables = std::array<std::uint32_t, kLastTables>;

// The rules that a search leaves out. WhyNone() leaves out more and more rules until a search finds
// a table.
struct Relaxed {
  bool meetings = false;
  bool distances = false;
  bool blocks = false;
  bool networks = false;
};

// A table with the anchor. During the search, some seats may still be free.
struct FoundTable {
  std::array<Index, Candidates::kMax> places{};
  // met[i] is the number of other players of this table whom the player at places[i] met.
  std::array<int, Candidates::kMax> met{};
  std::size_t size = 0;
  int spread = 0;
  int round_trip = 0;  // The longest round trip between two players, in milliseconds.
};

class Matcher {
 public:
  Matcher(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
          absl::Duration block_wait, const RoundTrips& round_trips)
      : tickets_(tickets),
        round_trips_(round_trips),
        seats_(static_cast<std::size_t>(seats)),
        by_age_(SortByAge(tickets, now)),
        place_(tickets.size()),
        slots_(tickets.size() + 1),
        taken_(tickets.size(), false),
        reasons_(tickets.size(), WaitReason::kRatingsTooFar) {
    TAROT_CHECK(seats >= 2);
    TAROT_CHECK(tickets.size() < std::numeric_limits<Index>::max());
    const absl::Time lenient_since = now - block_wait;
    const auto n = static_cast<Index>(tickets.size());
    const std::vector<Index> ranks = RanksByRating(tickets, by_age_);
    for (Index place = 0; place < n; ++place) place_[ranks[place]] = place;
    // `next` and `previous` link the free places to a ring. Place n has no ticket: it marks the end
    // of the ring.
    slots_[n] = {.next = 0, .previous = n - 1};
    if (n == 0) slots_[n].previous = 0;
    for (Index rank = 0; rank < n; ++rank) {
      const MatchTicket& ticket = tickets[by_age_[rank]];
      const Index place = place_[rank];
      slots_[place] = {.rating = ticket.rating,
                       .age_rank = rank,
                       .next = place + 1,
                       .previous = place == 0 ? n : place - 1,
                       .network = ticket.network,
                       .window = static_cast<std::int16_t>(RatingWindow(now - ticket.create_time)),
                       .region = ticket.region,
                       .bot = ticket.bot,
                       .bots_only = ticket.bots_only,
                       .waited_long = ticket.create_time <= lenient_since};
      has_blocks_ = has_blocks_ || !ticket.blocked.empty();
      has_networks_ = has_networks_ || ticket.network != 0;
      has_regions_ = has_regions_ || ticket.region != 0;
      has_last_tables_ = has_last_tables_ || ticket.last_tables != LastTables{};
    }
    WidenWindows();
    if (has_blocks_) FillBlocks();
    if (has_last_tables_) {
      last_tables_.resize(n);
      for (Index rank = 0; rank < n; ++rank) {
        last_tables_[place_[rank]] = tickets[by_age_[rank]].last_tables;
      }
    }
  }

  MatchWave Run() {
    MatchWave wave;
    wave.tables.reserve(tickets_.size() / seats_);
    MakeTables(wave);
    if (has_blocks_) {
      // The second pass serves the tickets for which the first pass found no table without a block.
      lenient_ = true;
      MakeTables(wave);
    }
    CountLeft();
    wave.waiting.reserve(left_.people + left_.strong_bots + left_.weak_bots);
    for (Index rank = 0; rank < by_age_.size(); ++rank) {
      if (taken_[rank]) continue;
      const Slot& slot = slots_[place_[rank]];
      wave.waiting.push_back({.ticket = by_age_[rank],
                              .position = static_cast<int>(wave.waiting.size()) + 1,
                              .window = slot.window,
                              .widening = slot.widening,
                              .reason = TooFew(slot) ? WaitReason::kTooFewPlayers
                                        : slot.kept  ? WaitReason::kKeptForPeople
                                                     : reasons_[rank]});
    }
    return wave;
  }

  std::vector<Obstacle> Explain(std::size_t ticket) const {
    std::vector<Obstacle> obstacles(tickets_.size(), Obstacle::kNone);
    const auto own = std::find(by_age_.begin(), by_age_.end(), static_cast<Index>(ticket));
    const Index anchor = place_[static_cast<std::size_t>(own - by_age_.begin())];
    for (Index rank = 0; rank < by_age_.size(); ++rank) {
      if (place_[rank] != anchor) obstacles[by_age_[rank]] = PairObstacle(anchor, place_[rank]);
    }
    return obstacles;
  }

 private:
  void WidenWindows() {
    const std::size_t n = tickets_.size();
    // The places from `begin` to `end` - 1 have ratings within kNear points of the slot's rating.
    std::size_t begin = 0, end = 0;
    for (std::size_t place = 0; place < n; ++place) {
      Slot& slot = slots_[place];
      if (place > 0 && slots_[place - 1].rating == slot.rating) {
        slot.widening = slots_[place - 1].widening;
      } else {
        const std::int64_t rating = slot.rating;
        while (slots_[begin].rating < rating - kNear) ++begin;
        while (end < n && slots_[end].rating <= rating + kNear) ++end;
        slot.widening = Widening(slot.rating, end - begin, n);
      }
      slot.window = static_cast<std::int16_t>(WidenedWindow(slot.window, slot.widening));
    }
  }

  void FillBlocks() {
    blocks_.resize(tickets_.size());
    for (Index rank = 0; rank < by_age_.size(); ++rank) {
      const MatchTicket& ticket = tickets_[by_age_[rank]];
      std::uint64_t low = 0, high = 0;
      for (const std::uint32_t player : ticket.blocked) {
        const std::uint64_t bit = std::uint64_t{1} << (player % 64);
        const std::uint64_t is_high = std::uint64_t{0} - player / 64 % 2;  // All bits or none.
        high |= bit & is_high;
        low |= bit & ~is_high;
      }
      blocks_[place_[rank]] = {.filter = {low, high},
                               .blocked = ticket.blocked.data(),
                               .blocked_count = static_cast<std::uint32_t>(ticket.blocked.size()),
                               .player = ticket.player};
    }
  }

  void CountLeft() {
    for (Index rank = 0; rank < by_age_.size(); ++rank) {
      if (taken_[rank]) continue;
      const Slot& slot = slots_[place_[rank]];
      ++(!slot.bot ? left_.people : slot.bots_only ? left_.weak_bots : left_.strong_bots);
    }
  }

  // Returns true if too few tickets are left to fill a table with `slot`. Counts only tickets that
  // may sit with `slot`.
  bool TooFew(const Slot& slot) const {
    const std::size_t with_people = left_.people + left_.strong_bots;
    const std::size_t with_bots = left_.weak_bots + left_.strong_bots;
    if (!slot.bot) return with_people < seats_;
    return std::max(with_bots, slot.bots_only ? 0 : with_people) < seats_;
  }

  // Serves each ticket that is still free, the oldest first. To serve a ticket means to make the
  // table with the smallest spread for this ticket.
  void MakeTables(MatchWave& wave) {
    for (std::size_t rank = 0; rank < by_age_.size(); ++rank) {
      if (taken_[rank]) continue;
      if (rank + kPrefetchAhead < by_age_.size() && !taken_[rank + kPrefetchAhead]) {
        const Index ahead = place_[rank + kPrefetchAhead];
        __builtin_prefetch(&slots_[ahead]);
        if (has_blocks_) __builtin_prefetch(&blocks_[ahead]);
      }
      const Index anchor = place_[rank];
      if (slots_[anchor].kept || (lenient_ && !slots_[anchor].waited_long)) continue;
      const Candidates near = CandidatesOf(anchor, {});
      const FoundTable table = BestTable(near, {});
      if (table.size == 0) {
        reasons_[rank] = WhyNone(near);
        if (!slots_[anchor].bot) KeepBots(near);
        continue;
      }
      wave.tables.push_back(Take(table));
    }
  }

  // Returns the first rule that forbids a table with the tickets at places `a` and `b`, or kNone.
  // Does not check ratings and earlier meetings.
  Obstacle PlayersObstacle(Index a, Index b, const Relaxed& relaxed) const {
    const Slot& x = slots_[a];
    const Slot& y = slots_[b];
    const bool ignores_blocks = relaxed.blocks || (lenient_ && x.waited_long && y.waited_long);
    if (has_blocks_ && !ignores_blocks && (Blocks(a, b) || Blocks(b, a))) return Obstacle::kBlocked;
    if (x.network != 0 && x.network == y.network && !relaxed.networks) {
      return Obstacle::kSameNetwork;
    }
    if ((x.bots_only && !y.bot) || (y.bots_only && !x.bot)) return Obstacle::kBotsOnly;
    return Obstacle::kNone;
  }

  // Returns the first rule that forbids every table with the tickets at these two places, or kNone.
  // If one ticket belongs to a person and the other ticket to a bot, the person's ticket is the
  // anchor.
  Obstacle PairObstacle(Index anchor, Index other) const {
    if (slots_[anchor].bot && !slots_[other].bot) std::swap(anchor, other);
    const std::int64_t distance =
        std::abs(std::int64_t{slots_[anchor].rating} - slots_[other].rating);
    if (distance > kWindowMax) return Obstacle::kRatingsTooFar;
    FoundTable pair{.spread = static_cast<int>(distance)};
    const Obstacle of_anchor = Seat(anchor, anchor, {}, pair);
    return of_anchor == Obstacle::kNone ? Seat(anchor, other, {}, pair) : of_anchor;
  }

  bool Blocks(Index a, Index b) const {
    const SlotBlocks& own = blocks_[a];
    const std::uint32_t player = blocks_[b].player;
    return own.MayBlock(player) &&
           HasPlayer(absl::MakeConstSpan(own.blocked, own.blocked_count), player);
  }

  // Reserves the bots among the candidates of a person who got no table. Until the end of the wave,
  // these bots form no table without people.
  void KeepBots(const Candidates& near) {
    for (std::size_t i = 0; i < near.size; ++i) {
      Slot& slot = slots_[near.places[i]];
      slot.kept = slot.bot;
    }
  }

  // Returns whether the window of `slot` allows a table with this spread that serves `anchor`. If
  // the anchor is a person's ticket, a bot accepts any spread.
  static bool Spans(const Slot& anchor, const Slot& slot, int spread) {
    return (slot.bot && !anchor.bot) || spread <= slot.window;
  }

  // Removes the places of a table from the ring of free places.
  MatchedTable Take(const FoundTable& found) {
    MatchedTable table{.spread = found.spread};
    table.tickets.reserve(found.size);
    std::array<Index, Candidates::kMax> ranks{};
    for (std::size_t i = 0; i < found.size; ++i) {
      const Slot& slot = slots_[found.places[i]];
      slots_[slot.previous].next = slot.next;
      slots_[slot.next].previous = slot.previous;
      taken_[slot.age_rank] = true;
      ranks[i] = slot.age_rank;
    }
    std::sort(ranks.begin(), ranks.begin() + found.size);
    for (std::size_t i = 0; i < found.size; ++i) table.tickets.push_back(by_age_[ranks[i]]);
    return table;
  }

  // Returns the place of the anchor, and the places of free tickets that could sit with the anchor.
  // Takes at most kNeighbours tickets with lower ratings and at most kNeighbours with higher
  // ratings.
  Candidates CandidatesOf(Index anchor, const Relaxed& relaxed) const {
    const Slot& own = slots_[anchor];
    const auto end = static_cast<Index>(tickets_.size());
    Candidates near;
    const auto walk = [&](Index Slot::*step) {
      std::size_t left = kNeighbours;
      for (Index at = own.*step; at != end && left > 0; at = slots_[at].*step) {
        const Slot& other = slots_[at];
        const std::int64_t distance = std::abs(std::int64_t{other.rating} - own.rating);
        if (distance > own.window) break;
        const bool kept = other.kept && own.bot;
        if (kept || !Spans(own, other, static_cast<int>(distance))) continue;
        if (PlayersObstacle(anchor, at, relaxed) != Obstacle::kNone) continue;
        if (!relaxed.distances && TooFarAway(own, other, static_cast<int>(distance))) continue;
        near.places[near.size++] = at;
        --left;
      }
    };
    walk(&Slot::previous);
    std::reverse(near.places.begin(), near.places.begin() + near.size);
    near.middle = near.size;
    near.places[near.size++] = anchor;
    walk(&Slot::next);
    return near;
  }

  // Returns the table with the smallest spread among the possible tables of the anchor. If no table
  // is possible, returns a table of size 0.
  FoundTable BestTable(const Candidates& near, const Relaxed& relaxed) const {
    FoundTable best;
    const Slot& anchor = slots_[near.places[near.middle]];
    for (std::size_t low = 0; low <= near.middle; ++low) {
      const int lowest = slots_[near.places[low]].rating;
      for (std::size_t high = near.middle; high < near.size; ++high) {
        const int spread = slots_[near.places[high]].rating - lowest;
        if (spread > anchor.window || (best.size > 0 && spread >= best.spread)) break;
        if (high - low + 1 < seats_) continue;
        const FoundTable table = TableBetween(near, low, high, relaxed);
        if (table.size > 0) best = table;
      }
    }
    return best;
  }

  // Returns why no table of these candidates is possible. Each search leaves out one more rule: the
  // rule about meetings, then also about distances, then about blocks, then about networks. When
  // a search finds a table, the rule that was left out last is the reason.
  WaitReason WhyNone(const Candidates& near) const {
    const Relaxed meetings{.meetings = true};
    if (has_last_tables_ && BestTable(near, meetings).size > 0) return WaitReason::kMetJustNow;
    const Index anchor = near.places[near.middle];
    const Relaxed two{.meetings = true, .distances = true};
    if (has_regions_ && BestTable(CandidatesOf(anchor, two), two).size > 0) {
      return WaitReason::kFarAway;
    }
    const Relaxed three{.meetings = true, .distances = true, .blocks = true};
    if (has_blocks_ && BestTable(CandidatesOf(anchor, three), three).size > 0) {
      return WaitReason::kBlocked;
    }
    const Relaxed all{.meetings = true, .distances = true, .blocks = true, .networks = true};
    if (has_networks_ && BestTable(CandidatesOf(anchor, all), all).size > 0) {
      return WaitReason::kSameNetwork;
    }
    return WaitReason::kRatingsTooFar;
  }

  // Returns a table with the anchor, the candidate `low` with the lowest rating, and the candidate
  // `high` with the highest rating. `low` or `high` may be the anchor itself. The oldest of the
  // candidates with ratings between these two fill the other seats, as far as the rules allow.
  // Returns a table of size 0 if the rules forbid a table with the anchor, `low` and `high`, or if
  // seats stay free.
  FoundTable TableBetween(const Candidates& near, std::size_t low, std::size_t high,
                          const Relaxed& relaxed) const {
    const Index anchor = near.places[near.middle];
    FoundTable table{.spread = slots_[near.places[high]].rating - slots_[near.places[low]].rating};
    const auto seat = [&](std::size_t candidate) {
      return Seat(anchor, near.places[candidate], relaxed, table) == Obstacle::kNone;
    };
    if (!seat(near.middle)) return {};
    if (low != near.middle && !seat(low)) return {};
    if (high != near.middle && !seat(high)) return {};
    Index tried = 0;  // All candidates whose age rank is below `tried` have been tried.
    while (table.size < seats_) {
      std::size_t oldest = high;
      Index oldest_rank = std::numeric_limits<Index>::max();
      for (std::size_t i = low + 1; i < high; ++i) {
        const Index rank = slots_[near.places[i]].age_rank;
        if (i == near.middle || rank < tried || rank >= oldest_rank) continue;
        oldest = i;
        oldest_rank = rank;
      }
      if (oldest == high) return {};
      tried = oldest_rank + 1;
      seat(oldest);
    }
    return table;
  }

  // Adds the ticket at `place` to the table and returns kNone. If a rule forbids the ticket, adds
  // nothing and returns this rule.
  Obstacle Seat(Index anchor, Index place, const Relaxed& relaxed, FoundTable& table) const {
    if (!Spans(slots_[anchor], slots_[place], table.spread)) return Obstacle::kRatingsTooFar;
    for (std::size_t i = 0; i < table.size; ++i) {
      const Obstacle obstacle = PlayersObstacle(table.places[i], place, relaxed);
      if (obstacle != Obstacle::kNone) return obstacle;
    }
    table.places[table.size] = place;
    if (has_last_tables_ || has_regions_) {
      const Obstacle obstacle = CheckWindows(anchor, relaxed, table);
      if (obstacle != Obstacle::kNone) return obstacle;
    }
    ++table.size;
    return Obstacle::kNone;
  }

  // Checks the rules about meetings and round trips for the players in `table` and for the player
  // whom Seat() tries to add. The place of this player is table.places[table.size]. If a rule
  // forbids the table, returns the first such rule and leaves `table` unchanged. If no rule forbids
  // the table, updates `table` and returns kNone.
  Obstacle CheckWindows(Index anchor, const Relaxed& relaxed, FoundTable& table) const {
    const Index place = table.places[table.size];
    const std::array<int, Candidates::kMax> met_before = table.met;
    table.met[table.size] = 0;
    for (std::size_t i = 0; has_last_tables_ && !relaxed.meetings && i < table.size; ++i) {
      if (!Met(table.places[i], place)) continue;
      ++table.met[i];
      ++table.met[table.size];
    }
    const int round_trip = has_regions_ && !relaxed.distances
                               ? std::max(table.round_trip, RoundTripTo(table, place))
                               : 0;
    const Obstacle obstacle = !WindowsAllow(slots_[anchor], table, 0) ? Obstacle::kMetJustNow
                              : !WindowsAllow(slots_[anchor], table, round_trip)
                                  ? Obstacle::kFarAway
                                  : Obstacle::kNone;
    if (obstacle == Obstacle::kNone) {
      table.round_trip = round_trip;
    } else {
      table.met = met_before;
    }
    return obstacle;
  }

  // Returns the longest round trip between the player at `place` and a player of the table.
  int RoundTripTo(const FoundTable& table, Index place) const {
    int longest = 0;
    for (std::size_t i = 0; i < table.size; ++i) {
      longest = std::max(
          longest, round_trips_.Between(slots_[table.places[i]].region, slots_[place].region));
    }
    return longest;
  }

  // Returns true if the round trip between the two players forbids every table with both of them.
  // `spread` is the least possible spread of such a table.
  bool TooFarAway(const Slot& anchor, const Slot& other, int spread) const {
    if (!has_regions_) return false;
    const int points = kPointsPerMillisecond * round_trips_.Between(anchor.region, other.region);
    const int needed = std::min(spread + points, kWindowMax);
    return !Spans(anchor, anchor, needed) || !Spans(anchor, other, needed);
  }

  // Returns true if the players at these two places met at one of their last tables. A person and a
  // bot never count as players who met.
  bool Met(Index a, Index b) const {
    if (slots_[a].bot != slots_[b].bot) return false;
    const LastTables& others = last_tables_[b];
    return std::any_of(last_tables_[a].begin(), last_tables_[a].end(), [&](std::uint32_t table) {
      return table != 0 && std::find(others.begin(), others.end(), table) != others.end();
    });
  }

  // Returns whether the windows are wide enough for the spread of the table. They must be wider if
  // players have met before, or if `round_trip` is long. Checks the same players as CheckWindows().
  bool WindowsAllow(const Slot& anchor, const FoundTable& table, int round_trip) const {
    for (std::size_t i = 0; i <= table.size; ++i) {
      const bool met_all = static_cast<std::size_t>(table.met[i]) == seats_ - 1;
      const int malus = table.met[i] == 0 ? 0 : met_all ? kMetAllMalus : kMetMalus;
      const int needed =
          std::min(table.spread + malus + kPointsPerMillisecond * round_trip, kWindowMax);
      if (!Spans(anchor, slots_[table.places[i]], needed)) return false;
    }
    return true;
  }

  // The tickets without a table at the end of the wave.
  struct Left {
    std::size_t people = 0;
    std::size_t strong_bots = 0;  // Bots that may sit with people.
    std::size_t weak_bots = 0;
  };

  const absl::Span<const MatchTicket> tickets_;
  const RoundTrips& round_trips_;
  const std::size_t seats_;
  // True during the second pass. In this pass, two players with a block may sit together if both
  // have waited for `block_wait`.
  bool lenient_ = false;
  bool has_networks_ = false;        // True if any ticket has a network.
  bool has_regions_ = false;         // True if any ticket has a region.
  bool has_blocks_ = false;          // True if any ticket has a block.
  const std::vector<Index> by_age_;  // Indices of the tickets, oldest first.
  std::vector<Index> place_;  // place_[rank] is the place of the ticket with this rank by age.
  std::vector<Slot> slots_;   // slots_[place] has the data of the ticket at this place.
  std::vector<SlotBlocks> blocks_;  // One for each slot; empty if no ticket has a block.
  bool has_last_tables_ = false;    // True if any player has a previous table.
  std::vector<LastTables>
      last_tables_;          // One for each slot; empty if no player has a previous table.
  std::vector<bool> taken_;  // taken_[rank] belongs to the ticket with this rank by age.
  // reasons_[rank] says why the ticket with this rank by age got no table when the matcher served
  // it.
  std::vector<WaitReason> reasons_;
  Left left_;
};

}  // namespace

bool BlockBetween(const MatchTicket& a, const MatchTicket& b) {
  return HasPlayer(a.blocked, b.player) || HasPlayer(b.blocked, a.player);
}

int RatingWindow(absl::Duration age, float widening) {
  const std::int64_t seconds = std::clamp<std::int64_t>(absl::ToInt64Seconds(age), 0, 3600);
  const int window = kWindowMin + static_cast<int>(seconds) * kWindowPerSecond;
  return WidenedWindow(std::min(window, kWindowMax), widening);
}

float Widening(int rating, std::size_t near, std::size_t size) {
  const double z = (rating - kPriorMean) / kPriorDeviation;
  const double of_prior = kPriorTickets * kPeakShare * std::exp(-z * z / 2);
  const double share =
      (static_cast<double>(near) + of_prior) / (static_cast<double>(size) + kPriorTickets);
  return static_cast<float>(std::clamp(std::sqrt(kPeakShare / share), 1.0, kWideningMax));
}

MatchWave MakeTables(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                     absl::Duration block_wait, const RoundTrips& round_trips) {
  return Matcher(tickets, seats, now, block_wait, round_trips).Run();
}

std::vector<Obstacle> Explain(absl::Span<const MatchTicket> tickets, int seats, absl::Time now,
                              absl::Duration block_wait, std::size_t anchor,
                              const RoundTrips& round_trips) {
  return Matcher(tickets, seats, now, block_wait, round_trips).Explain(anchor);
}

}  // namespace tarot::matching
