#include "libs/ai/sampler.h"

#include <algorithm>

#include "libs/base/check.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;

// Steps a card: the walk forgets where it began, or the world before. Near the end most steps are
// refused, so few cards get as many as kCardsMin would.
constexpr int kFirstSteps = 8;
constexpr int kSteps = 3;
constexpr int kCardsMin = 50;

int Steps(int per_card, int cards) { return per_card * std::max(cards, kCardsMin); }

// One way to lay the unseen cards, found as a matching.
class FirstWay {
 public:
  explicit FirstWay(const Knowledge& knowledge) : knowledge_(knowledge) {
    for (const Card c : knowledge.unseen) Place(c);
  }
  CardSet lying(std::size_t place) const { return lying_[place]; }

 private:
  bool HasRoom(std::size_t place) const { return lying_[place].Size() < knowledge_.count[place]; }

  // Lays `card` where it may lie, pushing others on along the shortest way to a place with room.
  void Place(Card card) {
    struct Push {
      std::size_t from = kPlaces;
      Card card = rules::kNoCard;  // Goes from `from` to here.
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
    TAROT_CHECK(false);  // Not Satisfiable.
  }

  const Knowledge& knowledge_;
  std::array<CardSet, kPlaces> lying_;
};

}  // namespace

Sampler::Sampler(const Knowledge& knowledge, rules::Seat viewer, CardSet own, Rng rng)
    : rng_(rng), viewer_(viewer), own_(own) {
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
    // A bias of 2^-24 is nothing here, and this is faster than Below().
    const Slot a = slots_[(random >> 33) * count >> 31];
    const Slot b = slots_[(random >> 2 & 0x7fff'ffff) * count >> 31];
    if ((may_[a.card] >> b.place & may_[b.card] >> a.place & 1) == 0) continue;
    slots_[a.at].place = b.place;
    slots_[b.at].place = a.place;
  }
}

// Moves each of several cards to the place of the next, when all may. Some ways of laying the cards
// are joined only by a round through three places or more.
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

const World& Sampler::Next() {
  Walk(Steps(kSteps, card_count_));
  std::array<CardSet, kPlaces> lying;
  for (int i = 0; i < card_count_; ++i) {
    const Slot& slot = slots_[static_cast<std::size_t>(i)];
    lying[slot.place].Insert(rules::CardAt(slot.card));
  }
  for (std::size_t seat = 0; seat < world_.hands.size(); ++seat) world_.hands[seat] = lying[seat];
  world_.hands[static_cast<std::size_t>(viewer_)] = own_;
  world_.aside = lying[kAside];
  return world_;
}

}  // namespace tarot::ai
