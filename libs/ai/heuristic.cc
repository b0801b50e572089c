#include "libs/ai/heuristic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

#include "libs/base/check.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::Contract;
using rules::Seat;
using rules::Suit;
using rules::View;

constexpr std::array<Suit, 4> kSuits{Suit::kSpades, Suit::kHearts, Suit::kDiamonds, Suit::kClubs};

int TrumpValue(CardSet hand) {
  const CardSet trumps = hand & CardSet::AllTrumps();
  const int count = trumps.Size();
  int value = 0;
  if (hand.Contains(rules::kTwentyOne)) value += 10;
  if (hand.Contains(rules::kExcuse)) value += 8;
  if (hand.Contains(rules::kPetit) && count >= 4) value += std::min(9, 2 * count - 3);
  if (count >= 4) value += 2 * count;
  for (int rank = 16; rank <= 21; ++rank) {
    if (!trumps.Contains(rules::Trump(rank))) continue;
    value += 2;
    if (rank > 16 && trumps.Contains(rules::Trump(rank - 1))) ++value;
  }
  return value;
}

int SuitValue(CardSet cards, Suit suit, bool distribution) {
  const bool king = cards.Contains(SuitCard(suit, 14));
  const bool queen = cards.Contains(SuitCard(suit, 13));
  int value = (king ? 6 : 0) + (queen ? 3 : 0) + (king && queen ? 1 : 0);
  if (cards.Contains(SuitCard(suit, 12))) value += 2;
  if (cards.Contains(SuitCard(suit, 11))) value += 1;
  const int length = cards.Size();
  if (length >= 5) value += 2 * std::min(length, 7) - 5;
  if (distribution && length == 0) value += 5;
  if (distribution && length == 1) value += 3;
  return value;
}

// A possible écart. The higher the merit, the better the écart.
struct Plan {
  CardSet cards;
  int merit = 0;
};

// Returns an écart that empties the suits of `emptied` (one bit for each suit), as far as the rules
// allow. The free places of the écart get first the honours that the hand might lose, and then
// cards of short suits.
Plan PlanFor(CardSet hand, const rules::DiscardRule& rule, CardSet allowed, unsigned emptied) {
  Plan plan;
  // The first member of each pair says how useful it is to discard the card.
  std::vector<std::pair<int, Card>> rest;
  for (std::size_t i = 0; i < kSuits.size(); ++i) {
    const CardSet mine = hand & CardSet::OfSuit(kSuits[i]);
    const CardSet can_go = mine & allowed;
    const bool king = mine.Contains(SuitCard(kSuits[i], 14));
    if ((emptied >> i & 1u) != 0) {
      plan.cards |= can_go;
      plan.merit += can_go == mine && !mine.Empty() ? 12 : 0;
      continue;
    }
    for (const Card c : can_go) {
      // The most useful discards are honours without their King. The least useful discards are
      // cards of long suits.
      const int honour = HalfPoints(c) - 1;
      rest.emplace_back((king ? honour / 2 : 2 * honour) - 2 * mine.Size(), c);
    }
  }
  std::stable_sort(rest.begin(), rest.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  const int plain = rule.count - rule.trump_count;
  for (const auto& [wish, card] : rest) {
    if (plan.cards.Size() >= plain) break;
    plan.cards.Insert(card);
  }
  plan.merit += HalfPoints(plan.cards);
  return plan;
}

// The facts by which the seat in turn chooses a card.
struct Situation {
  explicit Situation(const FastDeal& t)
      : deal(t),
        me(t.turn),
        hand(t.Hand(t.turn)),
        legal(t.Legal()),
        others(t.held - hand),
        opponents_after(std::popcount(t.waiting & t.OpponentsOf(t.turn))) {}

  // Returns whether the opponents who still have to play to this trick will probably not beat
  // `card`.
  bool Safe(Card card) const {
    if (opponents_after == 0) return true;
    if (IsTrump(card)) return (others & CardSet::TrumpsAbove(RankOf(card))).Empty();
    const CardSet suit = others & CardSet::OfSuit(SuitOf(card));
    if (!suit.Empty() && RankOf(suit.Last()) > RankOf(card)) return false;
    return (others & CardSet::AllTrumps()).Empty() || suit.Size() >= 3 * opponents_after;
  }

  const FastDeal& deal;
  const Seat me;
  const CardSet hand;
  const CardSet legal;
  const CardSet others;
  const int opponents_after;  // The number of opponents who still have to play to this trick.
};

// Returns how much the player wants to keep `card`.
int Cost(Card card) {
  if (card == rules::kExcuse) return 1000;
  if (IsTrump(card)) return card == rules::kPetit ? 200 : 10 + RankOf(card);
  return 16 * HalfPoints(card) + RankOf(card);
}

Card Cheapest(CardSet cards) {
  Card best = rules::kNoCard;
  for (const Card c : cards) {
    if (best == rules::kNoCard || Cost(c) < Cost(best)) best = c;
  }
  return best;
}

// Returns the card with the most points, for a trick that the seat's own camp wins. Does not give
// the 21, because the 21 can win a later trick.
Card Richest(CardSet cards) {
  Card best = rules::kNoCard;
  for (const Card c : cards - CardSet{rules::kExcuse, rules::kTwentyOne}) {
    if (best == rules::kNoCard || HalfPoints(c) > HalfPoints(best)) best = c;
  }
  return best == rules::kNoCard ? cards.First() : best;
}

Card LeadTrump(CardSet trumps, CardSet others) {
  const Card top = trumps.Last();
  if ((others & CardSet::TrumpsAbove(RankOf(top))).Empty()) return top;
  return Cheapest(trumps);
}

// Compares the suits in which this seat has the highest card that is still in a hand. Chooses the
// suit of which the other hands have the most cards, and returns the highest card of this suit.
// Returns kNoCard if the other hands have fewer than `others_min` cards of every such suit.
Card LeadMaster(const Situation& s, int others_min) {
  Card best = rules::kNoCard;
  int longest = others_min - 1;
  for (const Suit suit : kSuits) {
    const CardSet mine = s.legal & CardSet::OfSuit(suit);
    const CardSet theirs = s.others & CardSet::OfSuit(suit);
    if (mine.Empty()) continue;
    const bool master = theirs.Empty() || RankOf(theirs.Last()) < RankOf(mine.Last());
    if (master && theirs.Size() > longest) {
      longest = theirs.Size();
      best = mine.Last();
    }
  }
  return best;
}

// Returns the lowest card of the longest suit. The length of a suit counts less if the lowest card
// of the suit has points.
Card LeadLow(CardSet cards) {
  Card best = rules::kNoCard;
  int best_length = -100;
  for (const Suit suit : kSuits) {
    const CardSet mine = cards & CardSet::OfSuit(suit);
    if (mine.Empty()) continue;
    const int length = 2 * mine.Size() - HalfPoints(mine.First());
    if (length > best_length) {
      best_length = length;
      best = mine.First();
    }
  }
  return best;
}

Card Lead(const Situation& s) {
  const CardSet trumps = s.legal & CardSet::AllTrumps();
  const CardSet their_trumps = s.others & CardSet::AllTrumps();
  const bool attack = s.deal.InAttack(s.me);
  const bool draws = attack && !their_trumps.Empty() && 2 * trumps.Size() > their_trumps.Size();
  if (draws && trumps != CardSet{rules::kPetit}) return LeadTrump(trumps, s.others);
  const int others_min = their_trumps.Empty() ? 0 : 2 * (s.deal.players - 1);
  if (const Card master = LeadMaster(s, others_min); master != rules::kNoCard) return master;
  if (const Card low = LeadLow(s.legal); low != rules::kNoCard) return low;
  if (!trumps.Empty()) return LeadTrump(trumps, s.others);
  return s.legal.First();
}

// Returns the legal cards that beat all cards that are now in the trick.
CardSet Winners(const Situation& s) {
  const FastDeal& t = s.deal;
  if (t.led == Suit::kNone) return s.legal - CardSet{rules::kExcuse};
  if (IsTrump(t.winning)) return s.legal & CardSet::TrumpsAbove(RankOf(t.winning));
  CardSet winners = s.legal & CardSet::AllTrumps();
  for (const Card c : s.legal& CardSet::OfSuit(SuitOf(t.winning))) {
    if (RankOf(c) > RankOf(t.winning)) winners.Insert(c);
  }
  return winners;
}

Card Follow(const Situation& s) {
  const FastDeal& t = s.deal;
  const CardSet plain = s.legal - CardSet{rules::kExcuse};
  const CardSet winners = Winners(s);
  const bool ours = t.winning != rules::kNoCard && t.SameCamp(t.winner, s.me);
  if (ours && s.Safe(t.winning) && (winners.Empty() || !IsTrump(plain.Last())))
    return Richest(plain);
  CardSet safe;
  for (const Card c : winners) {
    if (s.Safe(c)) safe.Insert(c);
  }
  const CardSet trumps = safe & CardSet::AllTrumps();
  if (safe.Contains(rules::kPetit)) return rules::kPetit;
  if (!trumps.Empty()) return trumps.First();
  if (!safe.Empty()) return safe.Last();
  // The other camp has played the Petit to this trick. It is worth a high trump to catch this
  // Petit, even if a later seat may play a higher trump.
  if (!ours && t.trick.Contains(rules::kPetit)) {
    const CardSet high = winners & CardSet::AllTrumps();
    if (!high.Empty()) return high.Last();
  }
  return Cheapest(plain);
}

// The lowest HandValue() for each contract. For Garde sans and Garde contre, HandValue() is
// computed without `distribution`, because the taker does not take the dog. Index 0 of kBidTables
// is for three players.
struct BidTable {
  int prise, garde, garde_sans, garde_contre;
};
constexpr std::array<BidTable, 3> kBidTables{
    {{56, 66, 96, 116}, {44, 54, 80, 96}, {34, 42, 68, 84}}};

Action ChooseBid(const View& view) {
  const Contract bid =
      HeuristicBid(HandValue(view.hand, true), HandValue(view.hand, false), view.playing);
  const auto& legal = view.legal.bids;
  if (legal[static_cast<std::size_t>(bid)]) return Action::Bid(bid);
  // A pass is illegal only if a tournament board has fixed the viewer as the taker.
  std::size_t lowest = 0;
  while (!legal[lowest]) ++lowest;
  return Action::Bid(static_cast<Contract>(lowest));
}

Action ChooseDiscard(const View& view) {
  const rules::DiscardRule rule{.allowed = view.legal.discards,
                                .count = view.legal.discard_count,
                                .trump_count = view.legal.discard_trump_count};
  return Action::Discard(HeuristicDiscards(view.hand, rule, view.called_card, 1).front());
}

// Returns the card that the heuristic plays. For this choice, the function assumes that the other
// seats hold all unseen cards.
Action ChooseCard(const View& view) {
  World world;
  world.hands[static_cast<std::size_t>(view.viewer)] = view.hand;
  FastDeal deal = MakeFastDeal(view, world);
  if (view.partner != rules::kNoSeat) deal.attack |= 1u << static_cast<unsigned>(view.partner);
  CardSet gone = view.discard | view.discard_shown;
  for (int i = 0; i < view.trick_count; ++i) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(i)];
    for (int k = 0; k < trick.size; ++k) gone.Insert(trick.cards[static_cast<std::size_t>(k)]);
  }
  deal.held = CardSet::All() - gone;
  const rules::Card card = HeuristicCard(deal);
  return Action::Play(view.legal.cards.Contains(card) ? card : view.legal.cards.First());
}

Action ChoosePlay(const View& view) {
  for (int level = 3; level >= 1; --level) {
    if (!view.legal.handful_levels[static_cast<std::size_t>(level)]) continue;
    const int size = view.rules.HandfulSize(view.players, level);
    return Action::Handful(HandfulCards(view.legal.handful_cards, size));
  }
  return ChooseCard(view);
}

}  // namespace

int HandValue(CardSet hand, bool distribution) {
  int value = TrumpValue(hand);
  for (const Suit suit : kSuits) {
    value += SuitValue(hand & CardSet::OfSuit(suit), suit, distribution);
  }
  return value;
}

Contract HeuristicBid(double value, double plain_value, int playing) {
  const BidTable& limits = kBidTables[static_cast<std::size_t>(playing - 3)];
  if (plain_value >= limits.garde_contre) return Contract::kGardeContre;
  if (plain_value >= limits.garde_sans) return Contract::kGardeSans;
  if (value >= limits.garde) return Contract::kGarde;
  return value >= limits.prise ? Contract::kPrise : Contract::kPass;
}

std::vector<CardSet> HeuristicDiscards(CardSet hand, const rules::DiscardRule& rule, Card keep,
                                       int count_max) {
  CardSet plain = rule.allowed - CardSet::AllTrumps();
  const int plain_count = rule.count - rule.trump_count;
  if (keep != rules::kNoCard && (plain - CardSet{keep}).Size() >= plain_count) plain.Erase(keep);
  CardSet trumps;
  for (const Card c : rule.allowed& CardSet::AllTrumps()) {
    // The player discards trumps only if the other cards are too few for the écart.
    if (trumps.Size() < rule.count - std::min(plain.Size(), plain_count)) trumps.Insert(c);
  }
  std::vector<Plan> plans;
  for (unsigned emptied = 0; emptied < 16; ++emptied) {
    Plan plan = PlanFor(hand, rule, plain, emptied);
    if ((plan.cards | trumps).Size() != rule.count) continue;
    plan.cards |= trumps;
    const bool known = std::any_of(plans.begin(), plans.end(),
                                   [&](const Plan& p) { return p.cards == plan.cards; });
    if (!known) plans.push_back(plan);
  }
  std::stable_sort(plans.begin(), plans.end(),
                   [](const Plan& a, const Plan& b) { return a.merit > b.merit; });
  std::vector<CardSet> discards;
  for (const Plan& plan : plans) {
    if (static_cast<int>(discards.size()) < count_max) discards.push_back(plan.cards);
  }
  return discards;
}

Card HeuristicCall(CardSet hand, CardSet calls) {
  Card best = rules::kNoCard;
  int best_merit = 0;
  for (const Card c : calls) {
    const CardSet suit = hand & CardSet::OfSuit(SuitOf(c));
    // A player who calls a card of their own hand plays without a partner. So this is the last
    // choice. A King helps most in a suit where the hand has the Queen.
    int merit = hand.Contains(c) ? -100 : 20 * RankOf(c);
    merit += suit.Contains(SuitCard(SuitOf(c), 13)) ? 6 : 0;
    merit += suit.Empty() ? -3 : std::min(suit.Size(), 4);
    if (best == rules::kNoCard || merit > best_merit) {
      best = c;
      best_merit = merit;
    }
  }
  return best;
}

CardSet HandfulCards(CardSet choice, int size) {
  const CardSet trumps = choice & CardSet::AllTrumps();
  if (trumps.Size() < size) return trumps | CardSet{rules::kExcuse};
  CardSet shown;
  for (const Card c : trumps - CardSet{rules::kPetit}) {
    if (shown.Size() < size) shown.Insert(c);
  }
  if (shown.Size() < size) shown.Insert(rules::kPetit);
  return shown;
}

bool CertainSlam(CardSet hand) {
  const auto top_run = [&](Suit suit, int highest) {
    int run = 0;
    for (int rank = highest; rank > 0; --rank, ++run) {
      const Card c = suit == Suit::kTrumps ? rules::Trump(rank) : SuitCard(suit, rank);
      if (!hand.Contains(c)) break;
    }
    return run;
  };
  // The trumps must win all tricks even if one other hand holds all missing trumps.
  const int trumps = (hand & CardSet::AllTrumps()).Size();
  if (top_run(Suit::kTrumps, rules::kTrumpCount) < rules::kTrumpCount - trumps) return false;
  for (const Suit suit : kSuits) {
    if (top_run(suit, rules::kSuitSize) < (hand & CardSet::OfSuit(suit)).Size()) return false;
  }
  return true;
}

Card HeuristicCard(const FastDeal& deal) {
  const Situation s(deal);
  if (s.legal.First() == s.legal.Last()) return s.legal.First();
  const bool has_excuse = s.legal.Contains(rules::kExcuse);
  // If the seat kept the Excuse for the last trick, it would lose the Excuse. So it plays the
  // Excuse now.
  if (has_excuse && s.hand.Size() == 2 && !deal.CampHasAllTricks(s.me)) return rules::kExcuse;
  if (deal.led == Suit::kNone) return Lead(s);
  const Card card = Follow(s);
  // The other camp wins this trick, and `card` is a Knight, a Queen, a King or the Petit. The seat
  // saves this card: it plays the Excuse instead.
  const bool lost = !Winners(s).Contains(card) && !deal.SameCamp(deal.winner, s.me);
  return has_excuse && lost && Cost(card) >= 80 ? rules::kExcuse : card;
}

int HeuristicPlayOut(FastDeal& deal) {
  int cards = 0;
  for (; !deal.Over(); ++cards) deal.Play(HeuristicCard(deal));
  return cards;
}

Decision Novice::Choose(const View& view, Rng /*rng*/, const Request& /*request*/) const {
  switch (view.phase) {
    case rules::Phase::kBidding:
      return {.action = ChooseBid(view)};
    case rules::Phase::kCalling:
      if (view.legal.calls.Empty()) return {.action = Action::Call(rules::kNoCard)};
      return {.action = Action::Call(HeuristicCall(view.hand, view.legal.calls))};
    case rules::Phase::kDiscarding:
      return {.action = ChooseDiscard(view)};
    case rules::Phase::kSlam:
      return {.action = Action::Slam(CertainSlam(view.hand))};
    case rules::Phase::kPlaying:
      return {.action = ChoosePlay(view)};
    case rules::Phase::kDone:
      break;
  }
  TAROT_CHECK(false);  // No seat is in turn.
  return {};
}

}  // namespace tarot::ai
