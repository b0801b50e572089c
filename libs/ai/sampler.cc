#include "libs/ai/sampler.h"

#include <algorithm>

#include "libs/base/check.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Suit;

// The number of steps of the Markov chain for each unseen card. Before the first world, kFirstSteps
// steps per card make the chain forget the layout of FirstWay. Between two worlds, kSteps steps per
// card make the chain forget the previous world. If few cards are left, most steps are not
// possible. So the chain makes at least as many steps as for kCardsMin cards.
constexpr int kFirstSteps = 8;
constexpr int kSteps = 3;
constexpr int kCardsMin = 50;

// With a BidBelief, the steps between two worlds are divided into kStretches stretches. Before the
// first world, the sampler walks kFirstStretches more stretches.
constexpr int kStretches = 10;
constexpr int kFirstStretches = 40;

// Returns true with the probability exp(-fall / kLogUnit). `random` has 31 random bits.
bool KeepsFall(int fall, std::uint64_t random) {
  // The probability is 1 / 2^whole times a factor between 1/2 and 1. To compute this factor, the
  // code replaces the exponential function by a straight line. The error is at most 6.1 %.
  constexpr int kHalving = kLogUnit * 693 / 1000;
  const int whole = fall / kHalving;
  if (whole >= 20) return false;
  const std::uint64_t part = (std::uint64_t{1} << 31) *
                             static_cast<unsigned>(2 * kHalving - fall % kHalving) / (2 * kHalving);
  return random < part >> whole;
}

int Steps(int per_card, int cards) { return per_card * std::max(cards, kCardsMin); }

// Lays out the unseen cards in one possible way, by bipartite matching.
class FirstWay {
 public:
  explicit FirstWay(const Knowledge& knowledge) : knowledge_(knowledge) {
    for (const Card c : knowledge.unseen) Place(c);
  }
  CardSet lying(std::size_t place) const { return lying_[place]; }

 private:
  bool HasRoom(std::size_t place) const { return lying_[place].Size() < knowledge_.count[place]; }

  // Puts `card` in a place where it may be. If all these places are full, moves other cards along
  // the shortest path to a place with room.
  void Place(Card card) {
    struct Push {
      std::size_t from = kPlaces;
      Card card = rules::kNoCard;  // The card that moves from the place `from` to this place.
    };
    std::array<Push, kPlaces> push{};
    std::array<bool, kPlaces> reached{};
    std::array<std::size_t, kPlaces> queue{};
    std::size_t tail = 0;
    for (std::size_t place = 0; place < kPlaces; ++place) {
      if (!knowledge_.may[place].Contains(card) || knowledge_.count[place] == 0) continue;
      reached[place] = true;
      queue[tail++] = place;
    }
    for (std::size_t head = 0; head < tail; ++head) {
      std::size_t place = queue[head];
      if (HasRoom(place)) {
        for (; push[place].from < kPlaces; place = push[place].from) {
          lying_[push[place].from].Erase(push[place].card);
          lying_[place].Insert(push[place].card);
        }
        lying_[place].Insert(card);
        return;
      }
      for (std::size_t next = 0; next < kPlaces; ++next) {
        const CardSet movable = lying_[place] & knowledge_.may[next];
        if (reached[next] || knowledge_.count[next] == 0 || movable.Empty()) continue;
        reached[next] = true;
        push[next] = {.from = place, .card = movable.First()};
        queue[tail++] = next;
      }
    }
    // The constructor requires Satisfiable(), so the code never reaches this line.
    TAROT_CHECK(false);
  }

  const Knowledge& knowledge_;
  std::array<CardSet, kPlaces> lying_;
};

constexpr std::array<Suit, 4> kSuits{Suit::kSpades, Suit::kHearts, Suit::kDiamonds, Suit::kClubs};
// A player who chooses an écart likes to empty a suit. An empty suit is worth this number of half
// points.
constexpr int kVoidMerit = 12;

// Returns how much a player wants to discard `card`. `mine` are the player's cards of this suit.
// Honours without their King have the highest number, and cards of long suits the lowest.
int Wish(Card card, CardSet mine) {
  const int honour = HalfPoints(card) - 1;
  return (IsKing(mine.Last()) ? honour / 2 : 2 * honour) - 2 * mine.Size();
}

}  // namespace

Sampler::Sampler(const Knowledge& knowledge, rules::Seat viewer, CardSet own, Rng rng,
                 const BidBelief* belief)
    : rng_(rng),
      viewer_(viewer),
      own_(own),
      belief_(belief != nullptr && belief->Informs() ? belief : nullptr) {
  const FirstWay way(knowledge);
  for (const Card c : knowledge.unseen) {
    const auto index = static_cast<std::size_t>(Index(c));
    for (std::size_t place = 0; place < kPlaces; ++place) {
      if (knowledge.count[place] == 0) continue;
      if (knowledge.may[place].Contains(c)) may_[index] |= static_cast<std::uint8_t>(1u << place);
      if (!way.lying(place).Contains(c)) continue;
      const auto at = static_cast<std::uint8_t>(card_count_++);
      slots_[at] = {.at = at,
                    .card = static_cast<std::uint8_t>(index),
                    .place = static_cast<std::uint8_t>(place)};
    }
  }
  Walk(Steps(kFirstSteps, card_count_));
  if (belief_ == nullptr) return;
  LayOut();
  log_chance_ = belief_->LogChance(world_);
  WalkByBelief(kFirstStretches, Steps(kSteps, card_count_) / kStretches);
}

void Sampler::Walk(int steps) {
  if (card_count_ < 2) return;
  const auto count = static_cast<std::uint64_t>(card_count_);
  for (int i = 0; i < steps; ++i) {
    const std::uint64_t random = rng_.Next();
    if ((random & 15) == 0) {
      Rotate();
      continue;
    }
    // This multiplication is faster than Rng::Below(). It does not draw all indices equally often,
    // but the difference is below 2^-24 and does not matter here.
    const Slot a = slots_[(random >> 33) * count >> 31];
    const Slot b = slots_[(random >> 2 & 0x7fff'ffff) * count >> 31];
    if ((may_[a.card] >> b.place & may_[b.card] >> a.place & 1) == 0) continue;
    slots_[a.at].place = b.place;
    slots_[b.at].place = a.place;
  }
}

// Picks several cards and moves each card to the place of the next card. The last card moves to the
// place of the first card. Does nothing if a card cannot be in its new place. The chain needs this
// move: some layouts can be reached only if cards move through three or more places in a circle.
void Sampler::Rotate() {
  const int length = 3 + rng_.Below(kPlaces - 2);
  std::array<Slot*, kPlaces> picked{};
  unsigned allowed = 1;
  for (int k = 0; k < length; ++k) {
    Slot* slot = &slots_[static_cast<std::size_t>(rng_.Below(card_count_))];
    for (int before = 0; before < k; ++before) {
      if (picked[static_cast<std::size_t>(before)] == slot) return;
    }
    picked[static_cast<std::size_t>(k)] = slot;
  }
  for (int k = 0; k < length; ++k) {
    const Slot* next = picked[static_cast<std::size_t>((k + 1) % length)];
    allowed &= may_[picked[static_cast<std::size_t>(k)]->card] >> next->place;
  }
  if ((allowed & 1) == 0) return;
  const std::uint8_t first = picked[0]->place;
  for (int k = 0; k + 1 < length; ++k) {
    picked[static_cast<std::size_t>(k)]->place = picked[static_cast<std::size_t>(k + 1)]->place;
  }
  picked[static_cast<std::size_t>(length - 1)]->place = first;
}

void Sampler::WalkByBelief(int stretches, int steps) {
  for (int i = 0; i < stretches; ++i) {
    const auto before = slots_;
    Walk(steps);
    LayOut();
    const int log_chance = belief_->LogChance(world_);
    const int fall = log_chance_ - log_chance;
    if (fall <= 0 || KeepsFall(fall, rng_.Next() >> 33)) {
      log_chance_ = log_chance;
    } else {
      slots_ = before;
    }
  }
}

const World& Sampler::Next() {
  if (belief_ == nullptr) {
    Walk(Steps(kSteps, card_count_));
  } else {
    WalkByBelief(kStretches, Steps(kSteps, card_count_) / kStretches);
  }
  LayOut();
  return world_;
}

void Sampler::LayOut() {
  std::array<CardSet, kPlaces> lying;
  for (int i = 0; i < card_count_; ++i) {
    const Slot& slot = slots_[static_cast<std::size_t>(i)];
    lying[slot.place].Insert(rules::CardAt(slot.card));
  }
  for (std::size_t seat = 0; seat < world_.hands.size(); ++seat) world_.hands[seat] = lying[seat];
  world_.hands[static_cast<std::size_t>(viewer_)] = own_;
  world_.aside = lying[kAside];
}

LikelyDiscard::LikelyDiscard(const rules::View& view, const Knowledge& knowledge)
    : taker_(view.taker) {
  if (taker_ == rules::kNoSeat || taker_ == view.viewer) return;
  if (!rules::DogIsShown(view.rules, view.phase, view.contract)) return;
  count_ = knowledge.count[kAside];
  may_go_ = knowledge.may[kAside] - CardSet::AllTrumps();
  must_go_ = knowledge.unseen - knowledge.may[static_cast<std::size_t>(taker_)];
  played_ = PlayedBy(view, taker_);
}

CardSet LikelyDiscard::Choose(CardSet pool, unsigned emptied, int& merit) const {
  const CardSet hand = pool | played_;
  const CardSet may_go = pool & may_go_;
  CardSet cards = pool & must_go_;
  for (std::size_t i = 0; i < kSuits.size(); ++i) {
    if ((emptied >> i & 1u) == 0) continue;
    const CardSet mine = hand & CardSet::OfSuit(kSuits[i]);
    if (mine.Empty() || !may_go.ContainsAll(mine)) return CardSet();
    cards |= mine;
    merit += kVoidMerit;
  }
  if (cards.Size() > count_) return CardSet();
  std::array<int, rules::kCardCount> wish{};
  for (const Card card : may_go - cards) {
    wish[static_cast<std::size_t>(Index(card))] = Wish(card, hand & CardSet::OfSuit(SuitOf(card)));
  }
  while (cards.Size() < count_) {
    Card next = rules::kNoCard;
    for (const Card card : may_go - cards) {
      const bool more = next == rules::kNoCard || wish[static_cast<std::size_t>(Index(card))] >
                                                      wish[static_cast<std::size_t>(Index(next))];
      if (more) next = card;
    }
    if (next == rules::kNoCard) return CardSet();
    cards.Insert(next);
  }
  merit += HalfPoints(cards);
  return cards;
}

void LikelyDiscard::Rearrange(World& world) const {
  if (count_ == 0) return;
  CardSet& hand = world.hands[static_cast<std::size_t>(taker_)];
  const CardSet pool = hand | world.aside;
  CardSet best;
  int best_merit = 0;
  for (unsigned emptied = 0; emptied < 1u << kSuits.size(); ++emptied) {
    int merit = 0;
    const CardSet cards = Choose(pool, emptied, merit);
    if (cards.Empty() || merit <= best_merit) continue;
    best = cards;
    best_merit = merit;
  }
  if (best.Empty()) return;
  world.aside = best;
  hand = pool - best;
}

}  // namespace tarot::ai
