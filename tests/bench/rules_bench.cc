// The speed of the rules on one core. Prints figures as a JSON list, each the median of five runs;
// the runs of all figures are interleaved, so that a busy moment of the machine hits them all.
#include <algorithm>
#include <bit>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/check.h"
#include "libs/base/rng.h"
#include "libs/base/stopwatch.h"
#include "libs/rules/legal.h"
#include "libs/rules/playout.h"
#include "libs/rules/test_deals.h"

namespace tarot::rules {
namespace {

constexpr int kRuns = 5;
constexpr int kDeals = 512;  // Different deals, so that no branch is learnt by heart.
constexpr auto kRunTime = absl::Milliseconds(400);

// What the compiler must not find unused.
volatile std::uint64_t sink = 0;

// Times that `work` does its unit of work in a second; each call does `per_call` of them.
double PerSecond(int per_call, const std::function<void()>& work) {
  work();
  const Stopwatch watch;
  double done = 0;
  do {
    work();
    done += per_call;
  } while (watch.Elapsed() < kRunTime);
  return done / absl::ToDoubleSeconds(watch.Elapsed());
}

// Somebody always takes: a deal that is passed out would count as a whole one for nothing.
Action Choice(const Deal& deal, Rng& rng) {
  if (deal.phase == Phase::kPlaying) return Action::Play(Pick(ListLegal(deal).cards, rng));
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

void Playouts(const std::vector<Deal>& deals, Rng& rng, PlayoutCode code) {
  for (const Deal& start : deals) {
    Playout playout = StartPlayout(start);
    PlayAtRandom(playout, rng, code);
    sink = sink + static_cast<std::uint64_t>(CountPlayout(start, playout).attack_half_points);
  }
}

// A hand and the cards on the table, as they come up in random play.
struct Position {
  CardSet hand;
  std::array<Card, 4> trick{};
  std::size_t size = 0;
};

std::vector<Position> Positions(std::vector<Deal> deals) {
  Rng rng(3);
  std::vector<Position> positions;
  for (Deal& deal : deals) {
    while (deal.phase == Phase::kPlaying && positions.size() < 4096) {
      Position position{.hand = deal.hands[static_cast<std::size_t>(deal.turn)]};
      for (const Trick trick = deal.CurrentTrick();
           position.size < static_cast<std::size_t>(trick.size); ++position.size) {
        position.trick[position.size] = trick.cards[position.size];
      }
      positions.push_back(position);
      Do(deal, Choice(deal, rng));
    }
  }
  return positions;
}

void Masks(const std::vector<Position>& positions) {
  std::uint64_t all = 0;
  for (const Position& p : positions) {
    const CardSet legal = LegalCards(p.hand, absl::MakeSpan(p.trick.data(), p.size));
    all += legal.suits() ^ legal.trumps();
  }
  sink = sink + all;
}

// Play-outs stopped at every card; few enough to stay in the processor's nearest memory.
std::vector<Playout> StoppedPlayouts(const std::vector<Deal>& deals) {
  Rng rng(5);
  std::vector<Playout> stopped;
  for (const Deal& deal : deals) {
    for (Playout playout = StartPlayout(deal); !playout.Over() && stopped.size() < 512;) {
      stopped.push_back(playout);
      playout.Play(Pick(playout.Legal(), rng));
    }
  }
  return stopped;
}

void PlayoutMasks(const std::vector<Playout>& stopped) {
  std::uint64_t all = 0;
  for (const Playout& playout : stopped) {
    const CardSet legal = playout.Legal();
    all += legal.suits() ^ legal.trumps();
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
  const std::vector<Playout> stopped = StoppedPlayouts(deals);
  Rng rng(4);
  std::vector<Figure> figures{
      {"playouts_per_s_plain", "1/s", kDeals, [&] { PlainPlayouts(deals, rng); }},
      {"playouts_per_s_portable", "1/s", kDeals,
       [&] { Playouts(deals, rng, PlayoutCode::kPortable); }},
      {"deals_per_s", "1/s", kDeals, [&] { WholeDeals(fresh, rng); }},
      {"legal_mask_ns", "ns", static_cast<int>(positions.size()), [&] { Masks(positions); }},
      {"legal_mask_playout_ns", "ns", static_cast<int>(stopped.size()),
       [&] { PlayoutMasks(stopped); }},
  };
  if (HasBmi2()) {
    figures.push_back({"playouts_per_s_native", "1/s", kDeals,
                       [&] { Playouts(deals, rng, PlayoutCode::kBmi2); }});
  }
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
