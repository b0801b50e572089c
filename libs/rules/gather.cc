#include "libs/rules/gather.h"

#include "libs/base/check.h"

namespace tarot::rules {
namespace {

// Puts cards beneath those that lie there.
class Pile {
 public:
  void Put(Card card) { order_[size_++] = card; }
  void Put(CardSet cards) {
    for (const Card card : cards) Put(card);
  }
  // The tricks of those whom `mine` takes, as they were won.
  template <typename Mine>
  void PutTricks(const Deal& deal, Mine mine) {
    for (int i = 0; i < deal.trick_count; ++i) {
      const Trick& trick = deal.tricks[static_cast<std::size_t>(i)];
      if (!mine(trick.winner)) continue;
      for (int card = 0; card < trick.size; ++card) {
        Put(trick.cards[static_cast<std::size_t>(card)]);
      }
    }
  }

  const PackOrder& Whole() const {
    TAROT_CHECK(size_ == order_.size());
    return order_;
  }

 private:
  PackOrder order_{};
  std::size_t size_ = 0;
};

void GatherEveryone(const Deal& deal, Pile& pile) {
  pile.Put(deal.dog);
  for (int i = 1; i <= deal.players; ++i) {
    const Seat seat = (deal.dealer + i) % deal.players;
    pile.PutTricks(deal, [seat](Seat winner) { return winner == seat; });
  }
}

void GatherCamps(const Deal& deal, Pile& pile) {
  const bool defence_dog = deal.contract == Contract::kGardeContre;
  if (!defence_dog) pile.Put(deal.discard.Empty() ? deal.dog : deal.discard);
  pile.PutTricks(deal, [&](Seat winner) { return deal.InAttack(winner); });
  if (defence_dog) pile.Put(deal.dog);
  pile.PutTricks(deal, [&](Seat winner) { return !deal.InAttack(winner); });
}

void GatherHands(const Deal& deal, Pile& pile) {
  for (int i = 1; i <= deal.players; ++i) {
    pile.Put(deal.dealt[static_cast<std::size_t>((deal.dealer + i) % deal.players)]);
  }
  pile.Put(deal.dog);
}

}  // namespace

PackOrder GatheredPack(const Deal& deal) {
  TAROT_CHECK(deal.phase == Phase::kDone);
  Pile pile;
  if (deal.result.outcome != Outcome::kScored) {
    GatherHands(deal, pile);
  } else if (deal.rules.teams == Teams::kEveryoneAlone) {
    GatherEveryone(deal, pile);
  } else {
    GatherCamps(deal, pile);
  }
  return pile.Whole();
}

}  // namespace tarot::rules
