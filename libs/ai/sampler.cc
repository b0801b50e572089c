#include "libs/ai/sampler.h"

#include "libs/base/check.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;

// Steps a card: the walk forgets where it began, or the world before.
constexpr int kFirstSteps = 8;
constexpr int kSteps = 3;

}  // namespace

Sampler::Sampler(const Knowledge& knowledge, rules::Seat viewer, CardSet own, Rng rng)
    : knowledge_(knowledge), rng_(rng), viewer_(viewer), own_(own) {
  for (const Card c : knowledge_.unseen) cards_[static_cast<std::size_t>(card_count_++)] = c;
  for (int i = 0; i < card_count_; ++i) Place(cards_[static_cast<std::size_t>(i)]);
  Walk(kFirstSteps * card_count_);
}

// Lays `card` where it may lie, pushing others on along the shortest way to a place with room.
void Sampler::Place(Card card) {
  struct Push {
    int from = -1;
    Card card = rules::kNoCard;  // Goes from `from` to here.
  };
  std::array<Push, kPlaces> push{};
  std::array<int, kPlaces> queue{};
  std::array<bool, kPlaces> reached{};
  int tail = 0;
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  for (int place = 0; place < kPlaces; ++place) {
    if (!knowledge_.may[at(place)].Contains(card) || knowledge_.count[at(place)] == 0) continue;
    reached[at(place)] = true;
    queue[at(tail++)] = place;
  }
  for (int head = 0; head < tail; ++head) {
    int place = queue[at(head)];
    if (lying_[at(place)].Size() < knowledge_.count[at(place)]) {
      while (push[at(place)].from >= 0) {
        const Push step = push[at(place)];
        lying_[at(step.from)].Erase(step.card);
        lying_[at(place)].Insert(step.card);
        place_[at(Index(step.card))] = static_cast<std::uint8_t>(place);
        place = step.from;
      }
      lying_[at(place)].Insert(card);
      place_[at(Index(card))] = static_cast<std::uint8_t>(place);
      return;
    }
    for (int next = 0; next < kPlaces; ++next) {
      const CardSet movable = lying_[at(place)] & knowledge_.may[at(next)];
      if (reached[at(next)] || knowledge_.count[at(next)] == 0 || movable.Empty()) continue;
      reached[at(next)] = true;
      push[at(next)] = {.from = place, .card = movable.First()};
      queue[at(tail++)] = next;
    }
  }
  TAROT_CHECK(false);  // Not Satisfiable.
}

// One step picks cards and moves each to the place of the next, when all may. Two cards mostly; up
// to one a place, because some ways are joined only by a longer round.
void Sampler::Walk(int steps) {
  if (card_count_ < 2) return;
  for (int i = 0; i < steps; ++i) {
    std::uint64_t bits = rng_.Next();
    int length = 2;
    for (; length < kPlaces && (bits & 3) == 0; bits >>= 2) ++length;
    std::array<Card, kPlaces> picked{};
    std::array<std::uint8_t, kPlaces> places{};
    for (std::size_t k = 0; k < static_cast<std::size_t>(length); ++k) {
      // A bias of 2^-25 is nothing here, and this is faster than Below().
      const auto pick = (rng_.Next() >> 32) * static_cast<std::uint64_t>(card_count_) >> 32;
      picked[k] = cards_[pick];
      places[k] = place_[static_cast<std::size_t>(Index(picked[k]))];
    }
    bool allowed = true;
    CardSet distinct;
    for (std::size_t k = 0; k < static_cast<std::size_t>(length); ++k) {
      const std::size_t next = k + 1 == static_cast<std::size_t>(length) ? 0 : k + 1;
      allowed = allowed && !distinct.Contains(picked[k]) &&
                knowledge_.may[places[next]].Contains(picked[k]);
      distinct.Insert(picked[k]);
    }
    if (!allowed) continue;
    for (std::size_t k = 0; k < static_cast<std::size_t>(length); ++k) {
      const std::size_t next = k + 1 == static_cast<std::size_t>(length) ? 0 : k + 1;
      lying_[places[k]].Erase(picked[k]);
      lying_[places[next]].Insert(picked[k]);
      place_[static_cast<std::size_t>(Index(picked[k]))] = places[next];
    }
  }
}

const World& Sampler::Next() {
  Walk(kSteps * card_count_);
  for (std::size_t seat = 0; seat < world_.hands.size(); ++seat) world_.hands[seat] = lying_[seat];
  world_.hands[static_cast<std::size_t>(viewer_)] = own_;
  world_.aside = lying_[kAside];
  return world_;
}

}  // namespace tarot::ai
