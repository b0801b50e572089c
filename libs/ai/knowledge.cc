#include "libs/ai/knowledge.h"

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Contract;
using rules::Phase;
using rules::Seat;
using rules::Suit;

class Detective {
 public:
  explicit Detective(const rules::View& view) : view_(view) {}

  Knowledge Solve() {
    FindUnseen();
    for (int place = 0; place < kPlaces; ++place) May(place) = facts_.unseen;
    for (Seat seat = 0; seat < view_.players; ++seat) {
      if (seat == view_.viewer) continue;
      facts_.count[static_cast<std::size_t>(seat)] =
          view_.hand_counts[static_cast<std::size_t>(seat)];
    }
    for (Seat seat = 0; seat < rules::kPlayersMax; ++seat) {
      if (seat == view_.viewer || seat >= view_.players) May(seat) = CardSet();
    }
    facts_.count[kAside] = AsideCount();
    ReadDog();
    ReadCall();
    ReadHandfuls();
    for (int i = 0; i < view_.trick_count; ++i) {
      ReadTrick(view_.tricks[static_cast<std::size_t>(i)]);
    }
    return facts_;
  }

 private:
  CardSet& May(int place) { return facts_.may[static_cast<std::size_t>(place)]; }

  // `cards` are in `place` and nowhere else.
  void OnlyAt(int place, CardSet cards) {
    for (int other = 0; other < kPlaces; ++other) {
      if (other != place) May(other) -= cards;
    }
  }

  bool DogTaken() const { return rules::DogIsShown(view_.rules, view_.phase, view_.contract); }

  bool CalledMayGo() const {
    return view_.called_card == rules::kNoCard || view_.rules.discard_called_card_allowed;
  }

  void FindUnseen() {
    CardSet seen = view_.hand | view_.discard | view_.discard_shown;
    for (int i = 0; i < view_.trick_count; ++i) {
      const rules::Trick& trick = view_.tricks[static_cast<std::size_t>(i)];
      for (int k = 0; k < trick.size; ++k) seen.Insert(trick.cards[static_cast<std::size_t>(k)]);
    }
    facts_.unseen = CardSet::All() - seen;
  }

  int AsideCount() const {
    const int dog_size = view_.rules.DogSize(view_.players);
    if (!DogTaken()) return dog_size;
    if (view_.viewer == view_.taker)
      return 0;  // The viewer has the dog in hand or knows the écart.
    return dog_size - view_.discard_shown.Size();
  }

  void ReadDog() {
    if (!DogTaken()) return;
    const CardSet trumps = CardSet::AllTrumps();
    May(kAside) -= CardSet::Kings() | CardSet::Bouts();
    if (view_.rules.trump_discard != rules::TrumpDiscard::kFree) May(kAside) -= trumps;
    for (Seat seat = 0; seat < view_.players; ++seat) {
      if (seat != view_.taker) May(seat) -= view_.dog;
    }
    // A taker discards trumps only if no other card can go.
    if (!view_.discard_shown.Empty()) {
      CardSet kept = trumps | CardSet::Kings() | CardSet{rules::kExcuse};
      if (!CalledMayGo()) kept.Insert(view_.called_card);
      May(view_.taker) &= kept;
    }
    if (!CalledMayGo()) May(kAside).Erase(view_.called_card);
  }

  void ReadCall() {
    if (view_.called_card == rules::kNoCard || view_.phase == Phase::kCalling) return;
    const CardSet called{view_.called_card};
    if (view_.partner != rules::kNoSeat) OnlyAt(view_.partner, called);
    const bool in_dog = view_.dog.Contains(view_.called_card);
    if (view_.rules.self_call == rules::SelfCall::kForbidden && !in_dog) May(view_.taker) -= called;
    if (view_.rules.call == rules::Call::kAnyCard) return;
    // A taker calls a lower rank only with all cards of the higher ranks in hand.
    CardSet higher;
    for (int rank = RankOf(view_.called_card) + 1; rank <= rules::kSuitSize; ++rank) {
      for (int s = 0; s < 4; ++s) higher.Insert(SuitCard(static_cast<Suit>(s), rank));
    }
    for (Seat seat = 0; seat < view_.players; ++seat) {
      if (seat != view_.taker) May(seat) -= higher;
    }
    if (!DogTaken()) May(kAside) -= higher;
  }

  void ReadHandfuls() {
    for (int i = 0; i < view_.handful_count; ++i) {
      const rules::ShownHandful& shown = view_.handfuls[static_cast<std::size_t>(i)];
      OnlyAt(shown.seat, shown.cards);
      // The Excuse replaces a missing trump, so the hand has no other trumps.
      if (shown.cards.Contains(rules::kExcuse)) {
        May(shown.seat) -= CardSet::AllTrumps() - shown.cards;
      }
    }
  }

  // A seat that does not follow suit has no card of it; one that does not overtrump has no higher
  // trump.
  void ReadTrick(const rules::Trick& trick) {
    Suit led = Suit::kNone;
    int top = 0;
    for (int k = 0; k < trick.size; ++k) {
      const Card card = trick.cards[static_cast<std::size_t>(k)];
      if (card == rules::kExcuse) continue;
      const Seat seat = view_.After(trick.leader, k);
      if (led == Suit::kNone) {
        led = SuitOf(card);
      } else {
        if (SuitOf(card) != led) May(seat) -= CardSet::OfSuit(led);
        const bool trumps_due = led == Suit::kTrumps || SuitOf(card) != led;
        if (trumps_due && !IsTrump(card)) May(seat) -= CardSet::AllTrumps();
        if (trumps_due && IsTrump(card) && RankOf(card) < top)
          May(seat) -= CardSet::TrumpsAbove(top);
      }
      if (IsTrump(card) && RankOf(card) > top) top = RankOf(card);
    }
  }

  const rules::View& view_;
  Knowledge facts_;
};

}  // namespace

bool Satisfiable(const Knowledge& knowledge) {
  // Hall's theorem: no set of places needs more cards than may be there, and every card has a
  // place.
  int total = 0;
  CardSet anywhere;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    if (knowledge.count[place] < 0) return false;
    total += knowledge.count[place];
    if (knowledge.count[place] > 0) anywhere |= knowledge.may[place];
  }
  if (total != knowledge.unseen.Size() || anywhere != knowledge.unseen) return false;
  for (unsigned places = 1; places < 1u << kPlaces; ++places) {
    int needed = 0;
    CardSet cards;
    for (std::size_t place = 0; place < kPlaces; ++place) {
      if ((places >> place & 1u) == 0) continue;
      needed += knowledge.count[place];
      cards |= knowledge.may[place];
    }
    if (needed > cards.Size()) return false;
  }
  return true;
}

std::optional<Knowledge> Know(const rules::View& view) {
  Knowledge knowledge = Detective(view).Solve();
  if (!Satisfiable(knowledge)) return std::nullopt;
  return knowledge;
}

}  // namespace tarot::ai
