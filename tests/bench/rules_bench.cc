// Measures the rules on one core, as our programs use them: play-outs of the bots, the legal cards
// that bots and servers ask for, and whole deals through Apply. For comparison it also measures a
// plain engine, which finds legal cards one by one (libs/rules/testing/naive_rules.h), and prints
// the ratio. Prints a JSON list. Each figure is the median of five runs, in processor time. The
// runs of all figures are interleaved, so that a busy moment of the machine disturbs all of them
// equally.
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "libs/ai/heuristic.h"
#include "libs/ai/style.h"
#include "libs/rules/testing/naive_rules.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/rules/view.h"
#include "tests/bench/figures.h"

namespace tarot::bench {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::Deal;
using rules::Phase;

constexpr int kRuns = 5;
// With many different deals, the processor cannot learn which way each branch goes.
constexpr std::size_t kDeals = 512;
// This number of positions fits into a fast cache of the processor.
constexpr std::size_t kPositions = 512;
constexpr double kRunSeconds = 0.4;

// Results are stored here, so that the compiler cannot remove their computation as unused.
volatile std::uint64_t sink = 0;

// Returns the processor time of this thread, so that other programs do not count.
double ProcessorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Returns the number of units per second. Each call of `work` does `per_call` units.
double PerSecond(std::size_t per_call, const std::function<void()>& work) {
  const double start = ProcessorSeconds();
  double done = 0;
  double seconds = 0;
  do {
    work();
    done += static_cast<double>(per_call);
    seconds = ProcessorSeconds() - start;
  } while (seconds < kRunSeconds);
  return done / seconds;
}

void Do(Deal& deal, const Action& action) { TAROT_CHECK(Apply(deal, deal.turn, action).ok()); }

// Returns a random legal action. But the last seat of the auction bids a Garde if this is legal,
// because a deal that all seats pass costs almost no time.
Action Decide(const Deal& deal, Rng& rng) {
  const bool last_word = deal.phase == Phase::kBidding && deal.bid_count + 1 == deal.playing;
  if (last_word && ListLegal(deal).bids[2]) return Action::Bid(rules::Contract::kGarde);
  return RandomAction(deal, rng);
}

// Makes deals of four players under FFT. Leaves out deals that end before the first bid.
std::vector<Deal> FreshDeals() {
  Rng rng(1);
  std::vector<Deal> deals;
  while (deals.size() < kDeals) {
    Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
    if (deal.phase != Phase::kDone) deals.push_back(deal);
  }
  return deals;
}

// Returns the deals of FreshDeals(), played until just before their first card.
std::vector<Deal> DealsAtFirstCard() {
  Rng rng(2);
  std::vector<Deal> deals = FreshDeals();
  for (Deal& deal : deals) {
    while (deal.phase != Phase::kPlaying) Do(deal, Decide(deal, rng));
  }
  return deals;
}

// A deal as a bot has it: a view, a world, and the fast deal that the bot makes from both.
struct BotDeal {
  rules::View view;
  ai::World world;
  ai::FastDeal start;
};

BotDeal MakeBotDeal(const Deal& deal) {
  BotDeal bot{.view = RememberedView(deal, deal.taker), .world = {.hands = deal.hands}};
  if (deal.discard.Empty()) bot.world.aside = deal.dog;
  bot.start = MakeFastDeal(bot.view, bot.world);
  return bot;
}

template <typename PlayOut>
void PlayOuts(const std::vector<BotDeal>& deals, const PlayOut& play_out) {
  for (const BotDeal& bot : deals) {
    ai::FastDeal deal = bot.start;
    play_out(deal);
    sink = sink + static_cast<std::uint64_t>(Count(bot.view, bot.world, deal).attack_half_points);
  }
}

std::vector<Card> PlainLegal(const Deal& deal) {
  std::vector<Card> legal;
  for (const Card card : deal.hands[static_cast<std::size_t>(deal.turn)]) {
    if (rules::naive::MayPlay(deal, card)) legal.push_back(card);
  }
  return legal;
}

Card AnyOf(const std::vector<Card>& cards, Rng& rng) {
  return cards[static_cast<std::size_t>(rng.Below(static_cast<int>(cards.size())))];
}

void PlainPlayOuts(const std::vector<Deal>& deals, Rng& rng) {
  for (const Deal& start : deals) {
    Deal deal = start;
    while (deal.phase != Phase::kDone) Do(deal, Action::Play(AnyOf(PlainLegal(deal), rng)));
    sink = sink + static_cast<std::uint64_t>(deal.result.attack_half_points);
  }
}

// Plays whole deals: auction, écart and cards. `choose` returns a legal next action.
template <typename Choose>
void WholeDeals(const std::vector<Deal>& deals, const Choose& choose) {
  for (const Deal& dealt : deals) {
    Deal deal = StartDeal(dealt.rules, dealt.players, dealt.dealer, dealt.dealt, dealt.dog);
    while (deal.phase != Phase::kDone) Do(deal, choose(deal));
    sink = sink + static_cast<std::uint64_t>(deal.result.bouts);
  }
}

// Positions of random play, in the form of the rules and in the form of the bots.
struct Positions {
  std::vector<Deal> deals;
  std::vector<ai::FastDeal> fast;
};

Positions MakePositions(const std::vector<Deal>& deals) {
  Rng rng(3);
  Positions positions;
  for (Deal deal : deals) {
    while (deal.phase == Phase::kPlaying && positions.deals.size() < kPositions) {
      positions.deals.push_back(deal);
      positions.fast.push_back(MakeBotDeal(deal).start);
      Do(deal, Action::Play(Pick(ListLegal(deal).cards, rng)));
    }
  }
  return positions;
}

// Computes the legal cards of each position kRounds times. PerSecond() reads the clock only once
// after each call, so that the reading costs little.
constexpr int kRounds = 64;
template <typename Position, typename LegalOf>
void Masks(const std::vector<Position>& positions, const LegalOf& legal_of) {
  std::uint64_t all = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (const Position& position : positions) all += legal_of(position);
    // This line prevents the compiler from merging the rounds.
    asm volatile("" : "+r"(all) : : "memory");
  }
  sink = sink + all;
}

struct Figure {
  std::string name;
  // The name of the plain engine's figure with which this figure is compared. Empty if this figure
  // itself measures the plain engine.
  std::string plain;
  std::string unit;  // The unit of the figure: "1/s", or "ns" for the time of one unit of work.
  std::size_t per_call;
  std::function<void()> work;
  std::vector<double> runs{};

  double PerSecond() const { return Quantile(runs, 0.5); }
};

void Print(const std::vector<Figure>& figures) {
  Figures out;
  for (const Figure& figure : figures) {
    const double per_second = figure.PerSecond();
    out.Add(figure.name, figure.unit == "ns" ? 1e9 / per_second : per_second, figure.unit);
    for (const Figure& plain : figures) {
      if (plain.name != figure.plain) continue;
      out.Add(figure.name + "/ratio_to_plain", per_second / plain.PerSecond(), "1");
    }
  }
  out.Print();
}

int Main() {
  const std::vector<Deal> fresh = FreshDeals();
  const std::vector<Deal> deals = DealsAtFirstCard();
  const Positions positions = MakePositions(deals);
  std::vector<BotDeal> bots;
  for (const Deal& deal : deals) bots.push_back(MakeBotDeal(deal));
  Rng rng(4);
  const auto word = [](CardSet cards) { return cards.suits() ^ cards.trumps(); };
  std::vector<Figure> figures{
      {"playouts_per_s_plain", "", "1/s", kDeals, [&] { PlainPlayOuts(deals, rng); }},
      {"playouts_per_s_heuristic", "playouts_per_s_plain", "1/s", kDeals,
       [&] { PlayOuts(bots, [](ai::FastDeal& deal) { ai::HeuristicPlayOut(deal); }); }},
      {"playouts_per_s_style", "playouts_per_s_plain", "1/s", kDeals,
       [&] {
         PlayOuts(bots, [](ai::FastDeal& deal) { ai::StylePlayOut(deal, ai::kFittedStyle); });
       }},
      {"deals_per_s_plain", "", "1/s", kDeals,
       [&] {
         WholeDeals(fresh, [&](const Deal& deal) {
           const bool playing = deal.phase == Phase::kPlaying;
           return playing ? Action::Play(AnyOf(PlainLegal(deal), rng)) : Decide(deal, rng);
         });
       }},
      {"deals_per_s", "deals_per_s_plain", "1/s", kDeals,
       [&] {
         WholeDeals(fresh, [&](const Deal& deal) {
           const bool playing = deal.phase == Phase::kPlaying;
           return playing ? Action::Play(Pick(ListLegal(deal).cards, rng)) : Decide(deal, rng);
         });
       }},
      {"legal_mask_ns_plain", "", "ns", kRounds * kPositions,
       [&] { Masks(positions.deals, [](const Deal& deal) { return PlainLegal(deal).size(); }); }},
      // A bot asks an ai::FastDeal for the legal cards. The server asks a rules::Deal.
      {"legal_mask_ns", "legal_mask_ns_plain", "ns", kRounds * kPositions,
       [&] {
         Masks(positions.fast, [&](const ai::FastDeal& deal) { return word(deal.Legal()); });
       }},
      {"list_legal_ns", "legal_mask_ns_plain", "ns", kRounds * kPositions,
       [&] {
         Masks(positions.deals, [&](const Deal& deal) { return word(ListLegal(deal).cards); });
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
}  // namespace tarot::bench

int main() { return tarot::bench::Main(); }
