// Makes the samples for the fit of the bidding. `tarot-lab fit samples` prints two kinds of lines:
//   H players deal place classic classic_over features... mean sd mean sd
//   T players deal place dog half_points bouts petit slam bonus partner
// An H line is a hand as dealt. `classic` is ClassicValue() without distribution and `classic_over`
// is ClassicValue() with distribution. The numbers `mean` and `sd` are the mean and the standard
// deviation of the margin in play-outs, in hundredths of half points. The first pair is for a
// contract where the taker takes the dog, the second pair for an untouched dog.
// A T line is the end of the deal if this hand takes and the level `club` plays all seats with a
// small budget per move. Hands that are too weak to take have no T lines. `dog` is 0 if the taker
// took the dog. `dog` is 1 if the dog stayed untouched and counts for the taker, and 2 if it counts
// for the defence. `bonus` is the number of points that the taker gets from each opponent for
// handfuls. `partner` is a place or -1.
// With `untouched`, the program prints only hands that are nearly strong enough to leave the dog,
// with N instead of H. Their T lines are only for contracts that leave the dog untouched.
#include <cmath>
#include <cstdio>

#include "libs/ai/arena.h"
#include "libs/ai/bid_model.h"
#include "libs/ai/classic_bid.h"
#include "libs/ai/evaluation.h"
#include "libs/ai/heuristic.h"
#include "libs/ai/sampler.h"
#include "libs/rules/bidding.h"
#include "tools/lab/fit/fit.h"
#include "tools/lab/fit/samples.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Contract;

constexpr int kCardsAMove = 2500;
constexpr int kCardsADiscard = 20'000;
// A hand whose HandValue() is below this number is too weak to take. The first index is the number
// of players minus 3. The second index is 0 if the taker takes the dog, and 1 if the dog stays
// untouched.
constexpr int kHopeless[3][2] = {{44, 76}, {30, 60}, {20, 50}};
constexpr int kNearUntouched[3] = {50, 34, 24};

constexpr Contract kContracts[2] = {Contract::kGarde, Contract::kGardeSans};

// Returns the deal after an auction in which only the seat at `place` bids.
rules::Deal TakenAt(rules::Deal deal, int place, Contract contract) {
  const rules::Seat taker = deal.After(deal.dealer, 1 + place);
  while (deal.phase == rules::Phase::kBidding) {
    Apply(deal, deal.turn, Action::Bid(deal.turn == taker ? contract : Contract::kPass));
  }
  return deal;
}

void PrintHand(const rules::Deal& start, int place, char kind, std::uint64_t number) {
  rules::Deal deal = start;
  while (deal.bid_count < place) Apply(deal, deal.turn, Action::Bid(Contract::kPass));
  const rules::View view = RememberedView(deal, deal.turn);
  std::printf("%c %d %llu %d %d %d", kind, deal.players, static_cast<unsigned long long>(number),
              place, ClassicValue(view.hand, false), ClassicValue(view.hand, true));
  for (const int f : FeaturesOf(view.hand, place, view.playing)) std::printf(" %d", f);
  rules::Card call = rules::kNoCard;
  if (view.playing == 5) call = HeuristicCall(view.hand, CallableCards(view.rules, view.hand));
  for (const Contract contract : kContracts) {
    Sampler sampler(*Know(view), view.viewer, view.hand, Rng(number));
    double sum = 0;
    double squares = 0;
    std::uint64_t nodes = 0;
    for (int i = 0; i < kFitWorlds; ++i) {
      const int margin = MarginOf(PlayOutContract(view, sampler.Next(), contract, call, nodes));
      sum += margin;
      squares += margin * margin;
    }
    const double mean = sum / kFitWorlds;
    const double variance = squares / kFitWorlds - mean * mean;
    std::printf(" %.0f %.0f", 100 * mean, 100 * std::sqrt(variance));
  }
  std::printf("\n");
}

void PrintTaken(const rules::Deal& start, int place, Contract contract, std::uint64_t number) {
  rules::Deal deal = TakenAt(start, place, contract);
  const Policy& club = *FindPolicy("club");
  Rng rng(number * 16 + static_cast<std::uint64_t>(place));
  while (deal.phase != rules::Phase::kPlaying) {
    const Request request{.node_budget = kCardsADiscard};
    Apply(deal, deal.turn, club.Choose(RememberedView(deal, deal.turn), rng, request).action);
  }
  const std::vector<const Policy*> seats(static_cast<std::size_t>(deal.players), &club);
  PlayToEnd(deal, seats, rng, kCardsAMove);
  const rules::DealResult& result = deal.result;
  int partner = -1;
  for (int p = 0; p < deal.playing; ++p) {
    if (deal.partner == deal.After(deal.dealer, 1 + p)) partner = p;
  }
  const auto print = [&](int dog, int half_points, int bouts) {
    std::printf("T %d %llu %d %d %d %d %d %d %d %d\n", deal.players,
                static_cast<unsigned long long>(number), place, dog, half_points, bouts,
                result.petit_au_bout, static_cast<int>(result.slam), result.score.handful_points,
                partner);
  };
  const bool taken = contract == Contract::kGarde;
  print(taken ? 0 : 1, result.attack_half_points, result.bouts);
  if (taken) return;
  // The next line is for the contract in which the dog counts for the defence. The taker would play
  // almost the same cards, so the line uses the result of the same play, without the dog.
  print(2, result.attack_half_points - HalfPoints(deal.dog),
        result.bouts - (deal.dog & rules::CardSet::Bouts()).Size());
}

}  // namespace

void PrintDealSamples(int players, int deals, std::uint64_t seed, bool untouched) {
  const rules::RuleSet& rules = rules::FindRuleSet("fft")->rules;
  const auto limits = kHopeless[players - 3];
  for (int i = 0; i < deals; ++i) {
    const std::uint64_t number = seed + static_cast<std::uint64_t>(i);
    Rng rng(number);
    const rules::Deal start = RandomDeal(rules, players, rng);
    for (int place = 0; place < players; ++place) {
      const auto seat = static_cast<std::size_t>(start.After(start.dealer, 1 + place));
      const rules::CardSet hand = start.hands[seat];
      const bool near = HandValue(hand, false) >= kNearUntouched[players - 3];
      if (untouched && !near) continue;
      PrintHand(start, place, untouched ? 'N' : 'H', number);
      if (!untouched && HandValue(hand, true) >= limits[0])
        PrintTaken(start, place, Contract::kGarde, number);
      if (untouched || HandValue(hand, false) >= limits[1])
        PrintTaken(start, place, Contract::kGardeSans, number);
    }
  }
}

}  // namespace tarot::ai
