#include <algorithm>

#include "libs/ai/thumb.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Suit;

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

// An écart that empties the suits of `emptied` (bits), then saves honours, then shortens suits.
struct Plan {
  CardSet cards;
  int merit = 0;
};

Plan PlanFor(CardSet hand, const rules::DiscardRule& rule, CardSet allowed, unsigned emptied) {
  Plan plan;
  std::vector<std::pair<int, Card>> rest;  // By how much one wants it gone.
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
      // Honours that their King does not protect go first; long suits stay.
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

}  // namespace

int HandValue(CardSet hand, bool distribution) {
  int value = TrumpValue(hand);
  for (const Suit suit : kSuits) {
    value += SuitValue(hand & CardSet::OfSuit(suit), suit, distribution);
  }
  return value;
}

std::vector<CardSet> ThumbDiscards(CardSet hand, const rules::DiscardRule& rule, Card keep,
                                   int count_max) {
  CardSet plain = rule.allowed - CardSet::AllTrumps();
  const int plain_count = rule.count - rule.trump_count;
  if (keep != rules::kNoCard && (plain - CardSet{keep}).Size() >= plain_count) plain.Erase(keep);
  CardSet trumps;
  for (const Card c : rule.allowed& CardSet::AllTrumps()) {
    // Where trumps may go freely they make up for what is missing.
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

Card ThumbCall(CardSet hand, CardSet calls) {
  Card best = rules::kNoCard;
  int best_merit = 0;
  for (const Card c : calls) {
    const CardSet suit = hand & CardSet::OfSuit(SuitOf(c));
    // A card of one's own means playing alone; a suit with its Queen gains most from its King.
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
  // Every trump that is out may sit in one hand.
  const int trumps = (hand & CardSet::AllTrumps()).Size();
  if (top_run(Suit::kTrumps, rules::kTrumpCount) < rules::kTrumpCount - trumps) return false;
  for (const Suit suit : kSuits) {
    if (top_run(suit, rules::kSuitSize) < (hand & CardSet::OfSuit(suit)).Size()) return false;
  }
  return true;
}

}  // namespace tarot::ai
