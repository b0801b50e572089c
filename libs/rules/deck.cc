#include "libs/rules/deck.h"

namespace tarot::rules {

DealtCards DealOut(const RuleSet& rules, int players, Seat dealer, const PackOrder& order) {
  DealtCards dealt;
  const int packet = rules.packet_size[static_cast<std::size_t>(players - 3)];
  const int rounds = rules.HandSize(players) / packet;
  std::size_t top = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 1; i <= players; ++i) {
      CardSet& hand = dealt.hands[static_cast<std::size_t>((dealer + i) % players)];
      for (int card = 0; card < packet; ++card) hand.Insert(order[top++]);
      const bool dog_due = i == 1 && round < rules.DogSize(players);
      if (dog_due && !rules.dog_last_cards) dealt.dog.Insert(order[top++]);
    }
  }
  while (top < order.size()) dealt.dog.Insert(order[top++]);
  return dealt;
}

}  // namespace tarot::rules
