#include "libs/rules/deck.h"

#include <algorithm>

#include "libs/base/check.h"
#include "libs/rules/deal.h"

namespace tarot::rules {
namespace {

// Describes the packets of one deal: in each of `count` rounds, each of `seats` players gets one
// packet of `packet` cards.
struct Round {
  int seats;
  int packet;
  int count;  // Number of rounds.

  int packets() const { return seats * count; }
};

Round RoundOf(const RuleSet& rules, int players) {
  const int packet = rules.packet_size[static_cast<std::size_t>(players - 3)];
  return {
      .seats = rules.Playing(players), .packet = packet, .count = rules.HandSize(players) / packet};
}

// Returns whether the rule set allows the dealer to give the dog a card directly after packet
// number `packets` of the deal.
bool MayFollow(const RuleSet& rules, const Round& round, int packets) {
  const int after = (round.packets() - packets) * round.packet;
  return after > 0 && packets * round.packet >= rules.dog_forbidden_first &&
         after >= rules.dog_forbidden_last;
}

using CardsAfter = std::array<std::uint8_t, kCardCount>;

// Returns an array whose element p is the number of cards that go to the dog directly after packet
// number p (from 1). `dog` is the size of the dog.
CardsAfter DogAfterPackets(const RuleSet& rules, const Round& round, int dog) {
  CardsAfter after{};
  while (dog > 0) {
    const int before = dog;
    for (int turn = 1; turn <= round.seats; ++turn) {
      for (int packet = turn; packet <= round.packets() && dog > 0; packet += round.seats) {
        if (!MayFollow(rules, round, packet)) continue;
        ++after[static_cast<std::size_t>(packet)];
        --dog;
      }
    }
    // The rule set forbids all places between packets, so DealOut() gives the last cards to the
    // dog.
    if (dog == before) break;
  }
  return after;
}

// A pack that grows: Put() adds cards at the bottom. The class also remembers the piles that the
// pack consists of.
class Pile {
 public:
  void Put(Card card) { order_[size_++] = card; }
  void Put(CardSet cards) {
    for (const Card card : cards) Put(card);
  }
  // Puts all tricks whose winner satisfies `mine` at the bottom, in the order in which they were
  // won.
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
  // Ends the current pile. Put() adds the next cards to a new pile.
  void EndPile() {
    if (size_ > start_) piles_.push_back({static_cast<std::uint8_t>(size_ - start_)});
    start_ = size_;
  }

  const PackOrder& Whole() const {
    TAROT_CHECK(size_ == order_.size());
    return order_;
  }
  // The piles that EndPile() ended. A pile without cards is left out.
  const PileSizes& Piles() const { return piles_; }

 private:
  PackOrder order_{};
  std::size_t size_ = 0;
  std::size_t start_ = 0;  // The position of the first card of the current pile.
  PileSizes piles_;
};

void GatherEveryone(const Deal& deal, Pile& pile) {
  pile.Put(deal.dog);
  for (int i = 1; i <= deal.players; ++i) {
    pile.EndPile();
    const Seat seat = (deal.dealer + i) % deal.players;
    pile.PutTricks(deal, [seat](Seat winner) { return winner == seat; });
  }
}

void GatherCamps(const Deal& deal, Pile& pile) {
  const bool defence_dog = deal.contract == Contract::kGardeContre;
  if (!defence_dog) pile.Put(deal.discard.Empty() ? deal.dog : deal.discard);
  pile.PutTricks(deal, [&](Seat winner) { return deal.InAttack(winner); });
  pile.EndPile();
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

PackOrder OrderedPack() {
  PackOrder order;
  for (int i = 0; i < kCardCount; ++i) order[static_cast<std::size_t>(i)] = CardAt(i);
  return order;
}

bool CutAllowed(const RuleSet& rules, int taken) {
  return taken >= rules.cut_min && taken <= kCardCount - rules.cut_min;
}

PackOrder Cut(const PackOrder& order, int taken) {
  PackOrder cut = order;
  std::rotate(cut.begin(), cut.begin() + taken, cut.end());
  return cut;
}

DealtCards DealOut(const RuleSet& rules, int players, Seat dealer, const PackOrder& order) {
  DealtCards dealt;
  const Round round = RoundOf(rules, players);
  const bool among = rules.dog_deal == DogDeal::kInterleavedSingly;
  const CardsAfter after = DogAfterPackets(rules, round, among ? rules.DogSize(players) : 0);
  std::size_t top = 0;
  for (int packet = 1; packet <= round.packets(); ++packet) {
    const int seat = (dealer + 1 + (packet - 1) % round.seats) % players;
    for (int i = 0; i < round.packet; ++i) {
      dealt.hands[static_cast<std::size_t>(seat)].Insert(order[top++]);
    }
    for (int i = 0; i < after[static_cast<std::size_t>(packet)]; ++i) {
      dealt.dog.Insert(order[top++]);
    }
  }
  while (top < order.size()) dealt.dog.Insert(order[top++]);
  return dealt;
}

int DogPlaces(const RuleSet& rules, int players) {
  const Round round = RoundOf(rules, players);
  int places = 0;
  for (int packet = 1; packet <= round.packets(); ++packet) {
    places += MayFollow(rules, round, packet) ? 1 : 0;
  }
  return places;
}

namespace {

Pile Gather(const Deal& deal) {
  TAROT_CHECK(deal.phase == Phase::kDone);
  Pile pile;
  if (deal.result.outcome != Outcome::kScored) {
    GatherHands(deal, pile);
  } else if (deal.rules.teams == Teams::kEveryoneAlone) {
    GatherEveryone(deal, pile);
  } else {
    GatherCamps(deal, pile);
  }
  pile.EndPile();
  return pile;
}

}  // namespace

PackOrder GatheredPack(const Deal& deal) { return Gather(deal).Whole(); }

bool MayGather(const RuleSet& rules, int players) {
  constexpr int kDogMax = 18;
  constexpr int kPacketMax = 12;
  return rules.DogSize(players) <= kDogMax &&
         rules.packet_size[static_cast<std::size_t>(players - 3)] <= kPacketMax;
}

PileSizes GatheredPiles(const Deal& deal) {
  TAROT_CHECK(deal.result.outcome == Outcome::kScored);
  return Gather(deal).Piles();
}

bool HoldsWholePack(const PileSizes& piles) {
  int cards = 0;
  for (const std::vector<std::uint8_t>& packets : piles) {
    if (packets.empty()) return false;
    for (const std::uint8_t size : packets) {
      if (size == 0) return false;
      cards += size;
    }
  }
  return cards == kCardCount;
}

}  // namespace tarot::rules
