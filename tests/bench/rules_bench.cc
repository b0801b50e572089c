// The speed of the rules on one core. Prints figures as a JSON list, each the median of five runs;
// the runs of all figures are interleaved, so that a busy moment of the machine hits them all.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <ctime>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/rng.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/rules/trick.h"

namespace tarot::rules {
namespace {

constexpr int kRuns = 5;
constexpr int kDeals = 512;              // Different deals, so that no branch is learnt by heart.
constexpr std::size_t kPositions = 512;  // Few enough to stay in the processor's nearest memory.
constexpr int kRounds = 256;
constexpr int kMasks = kRounds * static_cast<int>(kPositions);
constexpr double kRunSeconds = 0.4;

// What the compiler must not find unused.
volatile std::uint64_t sink = 0;

// Seconds of processor time of this thread: what else runs on the machine is not counted, although
// it still takes its share of caches and of a core's second thread.
double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Times that `work` does its unit of work in a second; each call does `per_call` of them.
double PerSecond(int per_call, const std::function<void()>& work) {
  work();
  const double start = ProcessorSeconds();
  double done = 0;
  double seconds = 0;
  do {
    work();
    done += per_call;
    seconds = ProcessorSeconds() - start;
  } while (seconds < kRunSeconds);
  return done / seconds;
}

// A card of `set` by lot, in a few instructions: this is no part of what is measured. (The first
// card from a place drawn among all; so not each equally likely.)
Card AnyCard(CardSet set, Rng& rng) {
  const std::uint64_t draw = rng.Next();
  const std::uint64_t from = ~0ull << (draw & 63);
  const bool suit = set.trumps() == 0 || (set.suits() != 0 && (draw >> 6 & 3) != 0);
  const std::uint64_t word = suit ? set.suits() : set.trumps() << 16;
  const int bit = std::countr_zero((word & from) != 0 ? word & from : word);
  return CardAt(suit ? bit : bit - 16 + 56);
}

// Somebody always takes: a deal that is passed out would count as a whole one for nothing.
Action Choice(const Deal& deal, Rng& rng) {
  if (deal.phase == Phase::kPlaying) return Action::Play(AnyCard(ListLegal(deal).cards, rng));
  const bool last_word = deal.phase == Phase::kBidding && deal.bid_count + 1 == deal.players;
  if (last_word && std::count(deal.bids.begin(), deal.bids.end(), Contract::kPass) ==
                       static_cast<long>(deal.bids.size())) {
    return Action::Bid(Contract::kGarde);
  }
  return RandomAction(deal, rng);
}

void Do(Deal& deal, const Action& action) { TAROT_CHECK(Apply(deal, deal.turn, action).ok()); }

// Deals of four players under the federation's rules, none of them cancelled.
std::vector<Deal> FreshDeals() {
  Rng rng(1);
  std::vector<Deal> deals;
  while (deals.size() < kDeals) {
    Deal deal = RandomDeal(FindRuleSet("fft")->rules, 4, rng);
    if (deal.phase != Phase::kDone) deals.push_back(deal);
  }
  return deals;
}

// The same deals when the first card is due.
std::vector<Deal> DealsAtFirstCard() {
  Rng rng(2);
  std::vector<Deal> deals = FreshDeals();
  for (Deal& deal : deals) {
    while (deal.phase != Phase::kPlaying) Do(deal, Choice(deal, rng));
  }
  return deals;
}

void WholeDeals(const std::vector<Deal>& deals, Rng& rng) {
  for (const Deal& dealt : deals) {
    Deal deal = StartDeal(dealt.rules, dealt.players, dealt.dealer, dealt.dealt, dealt.dog);
    while (deal.phase != Phase::kDone) Do(deal, Choice(deal, rng));
    sink = sink + static_cast<std::uint64_t>(deal.result.bouts);
  }
}

// What a play-out costs with the plain state machine.
void PlainPlayouts(const std::vector<Deal>& deals, Rng& rng) {
  for (const Deal& start : deals) {
    Deal deal = start;
    while (deal.phase != Phase::kDone) {
      Do(deal, Action::Play(Pick(ListLegal(deal).cards, rng)));
    }
    sink = sink + static_cast<std::uint64_t>(deal.result.attack_half_points);
  }
}

// A hand and the cards on the table, as they come up in random play.
struct Position {
  CardSet hand;
  std::array<Card, 4> trick{};
  std::size_t size = 0;
  Demand demand;  // Of these cards.
};

std::vector<Position> Positions(std::vector<Deal> deals) {
  Rng rng(3);
  std::vector<Position> positions;
  for (Deal& deal : deals) {
    while (deal.phase == Phase::kPlaying && positions.size() < kPositions) {
      Position position{.hand = deal.hands[static_cast<std::size_t>(deal.turn)]};
      for (const Trick trick = deal.CurrentTrick();
           position.size < static_cast<std::size_t>(trick.size); ++position.size) {
        position.trick[position.size] = trick.cards[position.size];
      }
      position.demand = DemandOf(absl::MakeSpan(position.trick.data(), position.size));
      positions.push_back(position);
      Do(deal, Choice(deal, rng));
    }
  }
  return positions;
}

// The legal cards of all `positions`, often enough that reading the clock is nothing to it.
template <typename Positions, typename LegalOf>
void Masks(const Positions& positions, const LegalOf& legal_of) {
  std::uint64_t all = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (const auto& p : positions) {
      const CardSet legal = legal_of(p);
      all += legal.suits() ^ legal.trumps();
    }
    asm volatile("" : "+r"(all) : : "memory");  // The next round is not known to be the same.
  }
  sink = sink + all;
}

struct Figure {
  std::string name;
  std::string unit;
  int per_call;
  std::function<void()> work;
  std::vector<double> runs{};

  double Median() {
    std::sort(runs.begin(), runs.end());
    return runs[runs.size() / 2];
  }
};

void Print(std::vector<Figure>& figures) {
  std::string out;
  const auto line = [&](const std::string& name, double value, const std::string& unit) {
    absl::StrAppend(&out, out.empty() ? "[\n " : ",\n ", "{\"name\": \"", name,
                    "\", \"value\": ", value, ", \"unit\": \"", unit, "\"}");
  };
  const double plain = figures[0].Median();
  for (Figure& figure : figures) {
    const bool inverse = figure.unit == "ns";
    line(figure.name, inverse ? 1e9 / figure.Median() : figure.Median(), figure.unit);
    if (figure.name.find("playouts_per_s_") == 0 && &figure != &figures[0]) {
      line(absl::StrCat(figure.name, "/ratio_to_plain"), figure.Median() / plain, "1");
    }
  }
  std::printf("%s\n]\n", out.c_str());
}

int Main() {
  const std::vector<Deal> fresh = FreshDeals();
  const std::vector<Deal> deals = DealsAtFirstCard();
  const std::vector<Position> positions = Positions(deals);
  Rng rng(4);
  std::vector<Figure> figures{
      {"playouts_per_s_plain", "1/s", kDeals, [&] { PlainPlayouts(deals, rng); }},
      {"deals_per_s", "1/s", kDeals, [&] { WholeDeals(fresh, rng); }},
      {"legal_mask_ns", "ns", kMasks,
       [&] {
         Masks(positions, [](const Position& p) { return LegalCardsUnder(p.hand, p.demand); });
       }},
      {"legal_mask_of_trick_ns", "ns", kMasks,
       [&] {
         Masks(positions, [](const Position& p) {
           return LegalCards(p.hand, absl::MakeSpan(p.trick.data(), p.size));
         });
       }},
  };
  for (int run = 0; run < kRuns; ++run) {
    for (Figure& figure : figures) {
      figure.runs.push_back(PerSecond(figure.per_call, figure.work));
      std::fprintf(stderr, "run %d: %s %.0f/s\n", run + 1, figure.name.c_str(), figure.runs.back());
    }
  }
  Print(figures);
  return 0;
}

}  // namespace
}  // namespace tarot::rules

int main() { return tarot::rules::Main(); }
