#include "libs/ai/luck/replay.h"

#include "libs/ai/heuristic.h"
#include "libs/base/check.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::CardSet;
using rules::Contract;
using rules::Deal;
using rules::Phase;
using rules::Seat;

std::size_t At(Seat seat) { return static_cast<std::size_t>(seat); }

// Returns card number `index` (from 0) of `cards`.
rules::Card CardOf(CardSet cards, int index) {
  for (; index > 0; --index) cards.Erase(cards.First());
  return cards.First();
}

// Adds the largest handful of each seat to `view`, in the way bots of level `novice` show it.
void ShowHandfuls(const Deal& deal, rules::View& view) {
  for (Seat seat = 0; seat < deal.players; ++seat) {
    if (seat == deal.sits_out) continue;
    Deal first_card = deal;  // A seat that has a handful shows it when it plays its first card.
    first_card.turn = seat;
    const rules::LegalActions legal = ListLegal(first_card);
    for (int level = 3; level >= 1; --level) {
      if (!legal.handful_levels[static_cast<std::size_t>(level)]) continue;
      view.handfuls[static_cast<std::size_t>(view.handful_count++)] = {.seat = seat,
                                                                       .level = level};
      break;
    }
  }
}

// Makes the taker's decisions before the first card: the call, the écart, and whether to announce a
// slam.
void PrepareToPlay(Deal& deal) {
  while (deal.phase != Phase::kPlaying) {
    const rules::LegalActions legal = ListLegal(deal);
    const CardSet hand = deal.hands[At(deal.turn)];
    Action action;
    switch (deal.phase) {
      case Phase::kCalling:
        action =
            Action::Call(legal.calls.Empty() ? rules::kNoCard : HeuristicCall(hand, legal.calls));
        break;
      case Phase::kDiscarding: {
        const rules::DiscardRule rule{.allowed = legal.discards,
                                      .count = legal.discard_count,
                                      .trump_count = legal.discard_trump_count};
        action = Action::Discard(HeuristicDiscards(hand, rule, deal.called_card, 1).front());
        break;
      }
      default:
        action = Action::Slam(CertainSlam(hand));
    }
    TAROT_CHECK(Apply(deal, deal.turn, action).ok());
  }
}

}  // namespace

double NearlyNormal(Rng& rng) {
  std::uint64_t sum = 0;
  for (int i = 0; i < 3; ++i) {
    std::uint64_t bits = rng.Next();
    for (int part = 0; part < 4; ++part, bits >>= 16) sum += bits & 0xFFFF;
  }
  return static_cast<double>(sum) / 65536.0 - 6.0;
}

Replayer::Replayer(const Deal& dealt) : dealt_(dealt) {
  for (Seat seat = 0; seat < dealt.players; ++seat) {
    value_[At(seat)] = HandValue(dealt.dealt[At(seat)], true);
    plain_[At(seat)] = HandValue(dealt.dealt[At(seat)], false);
  }
}

Deal Replayer::HoldAuction(absl::Span<const ReplayBot> bots, Rng& rng) const {
  Deal deal = dealt_;
  while (deal.phase == Phase::kBidding) {
    const Seat seat = deal.turn;
    const ReplayBot& bot = bots[At(seat)];
    const double opinion = bot.bid_shift + bot.bid_noise * NearlyNormal(rng);
    const Contract bid =
        HeuristicBid(value_[At(seat)] + opinion, plain_[At(seat)] + opinion, deal.playing);
    const rules::LegalActions legal = ListLegal(deal);
    const bool may_bid = legal.bids[static_cast<std::size_t>(bid)];
    TAROT_CHECK(Apply(deal, seat, Action::Bid(may_bid ? bid : Contract::kPass)).ok());
  }
  return deal;
}

const Replayer::Start& Replayer::StartFor(const Deal& after_auction) {
  std::optional<Start>& start =
      starts_[At(after_auction.taker)][static_cast<std::size_t>(after_auction.contract)];
  if (start) return *start;
  Deal deal = after_auction;
  PrepareToPlay(deal);
  start.emplace();
  start->view = RememberedView(deal, deal.taker);
  ShowHandfuls(deal, start->view);
  start->world.hands = deal.hands;
  if (deal.discard.Empty()) start->world.aside = deal.dog;
  start->deal = MakeFastDeal(start->view, start->world);
  return *start;
}

std::array<int, rules::kPlayersMax> Replayer::Play(absl::Span<const ReplayBot> bots, Rng& rng) {
  std::array<int, rules::kPlayersMax> scores{};
  const Deal after_auction = HoldAuction(bots, rng);
  if (after_auction.phase == Phase::kDone) return scores;
  const Start& start = StartFor(after_auction);
  FastDeal deal = start.deal;
  while (!deal.Over()) {
    if (rng.Below(1000) < bots[At(deal.turn)].random_cards) {
      const CardSet legal = deal.Legal();
      deal.Play(CardOf(legal, rng.Below(legal.Size())));
    } else {
      deal.Play(HeuristicCard(deal));
    }
  }
  const rules::Score score =
      rules::ComputeScore(start.view.rules, Count(start.view, start.world, deal));
  for (Seat seat = 0; seat < deal.players; ++seat) {
    if (seat == deal.sits_out) continue;
    scores[At(seat)] = seat == deal.taker    ? score.taker
                       : deal.InAttack(seat) ? score.partner
                                             : score.defender;
  }
  return scores;
}

}  // namespace tarot::ai
