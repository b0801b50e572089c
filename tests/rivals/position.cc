#include "tests/rivals/position.h"

#include <algorithm>
#include <sstream>

namespace rival {
namespace {

constexpr std::size_t kAside = 5;

std::size_t At(int seat) { return static_cast<std::size_t>(seat); }

std::string Tag(const Position& position, const std::string& name) {
  const auto found = position.tags.find(name);
  return found == position.tags.end() ? "" : found->second;
}

void Remove(Hand& from, const Hand& what) {
  for (std::size_t suit = 0; suit < 5; ++suit) from.suits[suit] &= ~what.suits[suit];
}

// Returns the cards that may lie in an écart: neither kings nor trumps.
Hand Discardable() {
  Hand cards = Pack();
  cards.suits[kTrump] = 0;
  for (int suit = 0; suit < 4; ++suit) cards.Drop({suit, 14});
  return cards;
}

}  // namespace

int SeatOf(char letter) { return letter - 'A'; }

Knowledge::Knowledge(const Position& position) : me_(position.me), unseen_(Pack()) {
  table_.players = position.players;
  table_.taker = SeatOf(Tag(position, "Taker")[0]);
  const std::string contract = Tag(position, "Contract");
  table_.multiplier = contract == "P" ? 1 : contract == "G" ? 2 : contract == "GS" ? 4 : 6;
  const std::string call = Tag(position, "Call");
  if (position.players == 5 && !call.empty() && call != "-") {
    table_.called = ParseCard(call);
    table_.called_suit = table_.called.suit;
  }
  Hand own = position.hand;
  const Hand dog = Tag(position, "Dog") == "?" ? Hand() : ParseHand(Tag(position, "Dog"));
  const std::string ecart = Tag(position, "Ecart");
  const bool taken = !ecart.empty();
  Hand shown;  // The trumps that the taker had to discard.
  const std::size_t hidden = ecart.find("/?");
  if (hidden != std::string::npos) shown = ParseHand(ecart.substr(0, hidden));
  if (me_ == table_.taker && taken) {
    for (const Card card : dog.Cards()) own.Add(card);
    const Hand aside = ParseHand(ecart);
    Remove(own, aside);
    Remove(unseen_, aside);
    for (const Card card : aside.Cards()) table_.aside += card.Points();
  }
  if (table_.called_suit >= 0 && me_ != table_.taker && own.Has(table_.called)) {
    table_.partner = me_;
  }
  Remove(unseen_, own);
  Remove(unseen_, shown);
  for (const Card card : shown.Cards()) table_.aside += card.Points();
  const int dealt = (78 - (position.players == 5 ? 3 : 6)) / position.players;
  for (int seat = 0; seat < position.players; ++seat) {
    may_[At(seat)] = Pack();
    count_[At(seat)] = seat == me_ ? 0 : dealt;
  }
  may_[kAside] = taken ? Discardable() : Pack();
  const int dog_size = 78 - dealt * position.players;
  count_[kAside] = me_ == table_.taker && taken ? 0 : dog_size - shown.Size();
  // The cards of the dog are in the taker's hand or in the écart.
  if (taken && me_ != table_.taker) {
    for (int seat = 0; seat < position.players; ++seat) {
      if (seat != table_.taker) Remove(may_[At(seat)], dog);
    }
  }
  for (const std::string& handful : position.handfuls) {
    const Hand cards = ParseHand(handful.substr(handful.rfind(':') + 1));
    for (std::size_t place = 0; place < may_.size(); ++place) {
      if (place != At(SeatOf(handful[0]))) Remove(may_[place], cards);
    }
  }
  table_.tricks_left = dealt;
  table_.hands[At(me_)] = own;
  for (const std::string& line : position.play) Follow(line);
}

// A line has the form: "3. C: S1 SQ SK S2 =A".
void Knowledge::Follow(const std::string& line) {
  std::istringstream words(line);
  std::string number, leader, word;
  words >> number >> leader;
  table_.leader = SeatOf(leader[0]);
  while (words >> word) {
    if (word[0] == '=') break;
    const Card card = ParseCard(word);
    const int seat = table_.Turn();
    if (seat != me_) {
      Learn(seat, card);
      --count_[At(seat)];
    }
    if (table_.called_suit >= 0 && card == table_.called && seat != table_.taker) {
      table_.partner = seat;
    }
    unseen_.Drop(card);
    table_.Play(card);
  }
}

// Removes the cards that `seat` cannot hold after it played `card`.
void Knowledge::Learn(int seat, Card card) {
  const int led = table_.Led();
  if (led < 0 || card.IsExcuse()) return;
  Hand& may = may_[At(seat)];
  if (led != kTrump && card.suit != led) may.suits[Hand::Slot(led)] = 0;
  if (card.suit == led && led != kTrump) return;
  if (!card.IsTrump()) {
    may.suits[kTrump] &= 1u;
    return;
  }
  int highest = 0;
  for (const Card other : table_.trick)
    highest = std::max(highest, other.IsTrump() ? other.rank : 0);
  if (card.rank < highest) may.suits[kTrump] &= (2u << highest) - 1;
}

Table Knowledge::Sample(std::mt19937_64& dice) const {
  Table table = table_;
  for (int attempt = 0;; ++attempt) {
    std::array<Hand, 6> placed{};
    std::array<int, 6> left = count_;
    std::vector<Card> cards = unseen_.Cards();
    for (std::size_t i = cards.size(); i > 1; --i) std::swap(cards[i - 1], cards[dice() % i]);
    const auto places = [&](Card card) {
      int open = 0;
      for (std::size_t p = 0; p < 6; ++p) open += left[p] > 0 && may_[p].Has(card) ? 1 : 0;
      return open;
    };
    std::stable_sort(cards.begin(), cards.end(),
                     [&](Card a, Card b) { return places(a) < places(b); });
    bool good = true;
    for (const Card card : cards) {
      int room = 0;
      for (std::size_t p = 0; p < 6; ++p) {
        if (may_[p].Has(card) || attempt > 50) room += left[p];
      }
      good = good && room > 0;
      if (!good) break;
      auto pick = static_cast<int>(dice() % static_cast<std::uint64_t>(room));
      for (std::size_t p = 0; p < 6; ++p) {
        if (!may_[p].Has(card) && attempt <= 50) continue;
        pick -= left[p];
        if (pick >= 0) continue;
        placed[p].Add(card);
        --left[p];
        break;
      }
    }
    if (!good) continue;
    for (int seat = 0; seat < table.players; ++seat) {
      if (seat != me_) table.hands[At(seat)] = placed[At(seat)];
      const bool called = table.called_suit >= 0 && table.HandOf(seat).Has(table.called);
      if (called && seat != table.taker) table.partner = seat;
    }
    // The écart counts for the attack. The dog of a Garde sans also counts for the attack.
    if (table.multiplier < 6) {
      for (const Card card : placed[kAside].Cards()) table.aside += card.Points();
    }
    return table;
  }
}

}  // namespace rival
