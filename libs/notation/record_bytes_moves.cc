#include "libs/notation/record_bytes_moves.h"

#include <algorithm>
#include <array>
#include <bit>

#include "libs/base/error.h"
#include "libs/notation/bits.h"

namespace tarot::notation {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::Seat;
using Kind = rules::Action::Kind;

constexpr int kKindBits = 3;
constexpr int kSeatBits = 3;
constexpr int kContractBits = 3;
constexpr int kCardBits = 7;
constexpr unsigned kNobody = 127;  // A call of no card.
constexpr int kSizeBits = 7;       // How many cards a discard or a handful has.
constexpr int kCountBits = 8;      // How many entries a record has.
constexpr unsigned kEntriesMax = (1u << kCountBits) - 1;

// The cards of a hand, each at a place: in rising order at first, and when a card is played, the
// last one takes its place. So playing and looking up need no search.
class Hand {
 public:
  void Fill(CardSet cards) {
    size_ = 0;
    for (const Card card : cards) cards_[size_++] = card;
  }

  bool Empty() const { return size_ == 0; }
  unsigned Size() const { return static_cast<unsigned>(size_); }
  // Bits that tell the places apart; the hand is not empty.
  int PlaceBits() const { return std::bit_width(Size() - 1); }

  // Size() when it is not there.
  unsigned PlaceOf(Card card) const {
    const auto* end = cards_.begin() + size_;
    return static_cast<unsigned>(std::find(cards_.begin(), end, card) - cards_.begin());
  }

  Card TakeAt(unsigned place) {
    const Card card = cards_[place];
    cards_[place] = cards_[--size_];
    return card;
  }

  CardSet Cards() const {
    CardSet set;
    for (std::size_t i = 0; i < size_; ++i) set.Insert(cards_[i]);
    return set;
  }

 private:
  std::array<Card, rules::kCardCount> cards_;
  std::size_t size_ = 0;
};

// Cards in hand, and whose turn it would be if everybody just followed: both follow from what was
// written so far, without a look at the rules.
class Hands {
 public:
  explicit Hands(const Record& record) : record_(record) {
    for (Seat seat = 0; seat < record.players; ++seat) {
      hands_[Slot(seat)].Fill(record.hands[Slot(seat)]);
      playing_ += hands_[Slot(seat)].Empty() ? 0 : 1;
    }
  }

  Hand& Of(Seat seat) { return hands_[Slot(seat)]; }
  Seat Next() const { return last_ + 1 >= playing_ ? 0 : last_ + 1; }

  // After the action; a card played is taken from its hand already.
  void Note(const Entry& entry) {
    last_ = entry.seat;
    if (entry.action.kind != Kind::kDiscard) return;
    Hand& hand = hands_[Slot(entry.seat)];
    hand.Fill((hand.Cards() | record_.dog) - entry.action.cards);
  }

 private:
  const Record& record_;
  std::array<Hand, rules::kPlayersMax> hands_;
  Seat last_ = rules::kNoSeat;
  int playing_ = 0;
};

void PutSet(CardSet cards, BitWriter& bits) {
  bits.Put(static_cast<unsigned>(cards.Size()), kSizeBits);
  for (const Card card : cards) bits.Put(static_cast<unsigned>(card), kCardBits);
}

// False unless the cards stand in rising order.
bool TakeSet(BitReader& bits, CardSet& cards) {
  int last = -1;
  for (unsigned left = bits.Take(kSizeBits); left > 0; --left) {
    const auto index = static_cast<int>(bits.Take(kCardBits));
    if (index <= last || !rules::IsCard(index)) return false;
    cards.Insert(rules::CardAt(index));
    last = index;
  }
  return true;
}

void PutAction(const Action& action, BitWriter& bits) {
  switch (action.kind) {
    case Kind::kBid:
      return bits.Put(static_cast<unsigned>(action.contract), kContractBits);
    case Kind::kCall:
      return bits.Put(action.card == rules::kNoCard ? kNobody : static_cast<unsigned>(action.card),
                      kCardBits);
    case Kind::kSlam:
      return bits.Put(action.announce ? 1 : 0, 1);
    case Kind::kDiscard:
    case Kind::kHandful:
      return PutSet(action.cards, bits);
    case Kind::kPlay:
      return;  // By its place in the hand.
  }
}

// False for what PutAction does not write.
bool TakeAction(Kind kind, BitReader& bits, Action& action) {
  action.kind = kind;
  switch (kind) {
    case Kind::kBid: {
      const unsigned contract = bits.Take(kContractBits);
      action.contract = static_cast<rules::Contract>(contract);
      return contract <= static_cast<unsigned>(rules::Contract::kGardeContre);
    }
    case Kind::kCall: {
      const unsigned card = bits.Take(kCardBits);
      if (card != kNobody) action.card = rules::CardAt(static_cast<int>(card));
      return card == kNobody || rules::IsCard(static_cast<int>(card));
    }
    case Kind::kSlam:
      action.announce = bits.Take(1) != 0;
      return true;
    case Kind::kDiscard:
    case Kind::kHandful:
      return TakeSet(bits, action.cards);
    case Kind::kPlay:
      return true;
  }
  return false;
}

}  // namespace

absl::Status PutMoves(const Record& record, std::string& out) {
  if (record.entries.size() > kEntriesMax) return BadRequest("record", "too many actions");
  BitWriter bits(out);
  bits.Put(static_cast<unsigned>(record.entries.size()), kCountBits);
  Hands hands(record);
  for (const Entry& entry : record.entries) {
    if (entry.seat < 0 || entry.seat >= record.players) {
      return BadRequest("record", "an action of a seat that is none");
    }
    const bool play = entry.action.kind == Kind::kPlay;
    const bool follows = play && entry.seat == hands.Next();
    bits.Put(follows ? 1 : 0, 1);
    if (!follows) {
      bits.Put(static_cast<unsigned>(entry.action.kind), kKindBits);
      bits.Put(static_cast<unsigned>(entry.seat), kSeatBits);
    }
    if (play) {
      Hand& hand = hands.Of(entry.seat);
      const unsigned place = hand.PlaceOf(entry.action.card);
      if (place == hand.Size()) {
        return BadRequest("record", "a card is played by a seat that does not hold it");
      }
      bits.Put(place, hand.PlaceBits());
      hand.TakeAt(place);
    }
    PutAction(entry.action, bits);
    hands.Note(entry);
  }
  bits.Finish();
  return absl::OkStatus();
}

std::string TakeMoves(absl::string_view bytes, Record& record) {
  BitReader bits(bytes);
  const unsigned count = bits.Take(kCountBits);
  record.entries.resize(count);
  Hands hands(record);
  for (Entry& entry : record.entries) {
    if (bits.Overrun()) break;
    Kind kind = Kind::kPlay;
    entry.seat = hands.Next();
    if (bits.Take(1) == 0) {
      const unsigned number = bits.Take(kKindBits);
      const auto seat = static_cast<Seat>(bits.Take(kSeatBits));
      if (number > static_cast<unsigned>(Kind::kPlay)) return "an action of an unknown kind";
      if (seat >= record.players) return "an action of a seat that is none";
      kind = static_cast<Kind>(number);
      if (kind == Kind::kPlay && seat == entry.seat) return "a seat is told that goes without";
      entry.seat = seat;
    }
    if (!TakeAction(kind, bits, entry.action)) return "an action that cannot be read";
    if (kind == Kind::kPlay) {
      Hand& hand = hands.Of(entry.seat);
      if (hand.Empty()) return "a card is played from an empty hand";
      const unsigned place = bits.Take(hand.PlaceBits());
      if (place >= hand.Size()) return "a card that the hand does not have";
      entry.action.card = hand.TakeAt(place);
    }
    hands.Note(entry);
  }
  return bits.AtEnd() ? "" : "the actions do not end where the record does";
}

}  // namespace tarot::notation
