#include "libs/notation/record_bytes.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/base/error.h"
#include "libs/notation/prove.h"
#include "libs/notation/record.h"

namespace tarot::notation {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::Seat;
using Kind = rules::Action::Kind;

constexpr absl::string_view kMagic = "TR\x01";  // "\x01" is the version of the format.
constexpr std::size_t kChecksumBytes = 4;
// Each byte holds the owners of three cards. An owner is a number from 0 to 5: a seat, or the
// number of players if the card is in the dog.
constexpr int kPackBytes = 26;

// A stored record names its rule set by an index of this list. So never move an element, and add
// new rule sets at the end. If the values of a named rule set change, its element becomes a text
// with the old values (rules::RuleSetText()). Index 0 means that the text of the rule set follows.
constexpr absl::string_view kRuleSets[] = {"",
                                           "fft",
                                           "club",
                                           "webguide",
                                           "booklet",
                                           "booklet_customs",
                                           "booklet_practice1",
                                           "booklet_practice2",
                                           "booklet_practice3",
                                           "preneur",
                                           "shogix",
                                           "shogix_free5",
                                           "pagat",
                                           "fft_duplicate",
                                           "fft_teams",
                                           "fft_dead5"};

// A flag for each part that a record may omit.
enum Flag : unsigned {
  kTexts = 1u << 0,  // The record has an event, a site, a date or a round other than "?".
  kNames = 1u << 1,
  kTags = 1u << 2,
  kBoardTaker = 1u << 3,
  kSeed = 1u << 4,
  kCommitment = 1u << 5,
  // The record has procedure 2 or 3. This part has the first seat of the table, a bit for the first
  // deal of a match, and the nonces.
  kProvenance = 1u << 6,
  kGathered = 1u << 7,
  kAbandonedBy = 1u << 8,
  kCardPoints = 1u << 9,
  kScores = 1u << 10,
  // The record has procedure 3. With kGathered, the piles follow the gathered pack.
  kDrawnGathering = 1u << 11,
  kAllFlags = (1u << 12) - 1,
};

// Returns a flag for each part that `document` has.
unsigned FlagsOf(const Document& document) {
  const Record& r = document.record;
  const auto said = [](const std::string& text) { return text != "?"; };
  const auto named = [](const std::string& name) { return !name.empty(); };
  unsigned flags = 0;
  const auto set = [&](bool on, Flag flag) { flags |= on ? static_cast<unsigned>(flag) : 0u; };
  set(said(r.event) || said(r.site) || said(r.date) || said(r.round), kTexts);
  set(std::any_of(r.names.begin(), r.names.end(), named), kNames);
  set(!r.tags.empty(), kTags);
  set(r.board_taker != rules::kNoSeat, kBoardTaker);
  set(r.seed.has_value(), kSeed);
  set(r.commitment.has_value(), kCommitment);
  set(r.procedure != dealing::Procedure::kSeedAlone, kProvenance);
  set(r.gathered.has_value(), kGathered);
  set(r.abandoned_by != rules::kNoSeat, kAbandonedBy);
  set(document.claims.attack_half_points && document.claims.bouts, kCardPoints);
  set(document.claims.scores.has_value(), kScores);
  set(r.procedure == dealing::Procedure::kDrawnGathering, kDrawnGathering);
  return flags;
}

// Returns an FNV-1a checksum. It detects every change of a single byte, and misses about one of
// four billion other changes.
std::uint32_t Checksum(absl::string_view bytes) {
  std::uint32_t hash = 2166136261u;
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// Writes seven bits per byte, the low bits first. The top bit says that more bytes follow.
void PutNumber(std::string& out, std::uint32_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

// Writes the length, then the bytes.
void PutText(std::string& out, absl::string_view text) {
  PutNumber(out, static_cast<std::uint32_t>(text.size()));
  out.append(text.data(), text.size());
}

class BitWriter {
 public:
  explicit BitWriter(std::string& out) : out_(out) {}

  // Writes the low `width` (0 to 16) bits of `value`. The higher bits of `value` must be zero.
  void Put(unsigned value, int width) {
    word_ |= std::uint64_t{value} << filled_;
    filled_ += width;
    for (; filled_ >= 8; filled_ -= 8, word_ >>= 8) out_ += static_cast<char>(word_ & 0xFF);
  }

  // Fills the rest of the last byte with zeros.
  void Finish() {
    if (filled_ > 0) Put(0, 8 - filled_);
  }

 private:
  std::string& out_;
  std::uint64_t word_ = 0;
  int filled_ = 0;
};

// Reads numbers of a few bits from bytes. Beyond the end it reads zeros. Overrun() and AtEnd()
// detect such reads.
class BitReader {
 public:
  explicit BitReader(absl::string_view bytes) : bytes_(bytes) {}

  unsigned Take(int width) {
    const std::size_t byte = at_ / 8;
    std::uint64_t word = 0;
    if (byte + sizeof(word) <= bytes_.size()) {
      std::memcpy(&word, bytes_.data() + byte, sizeof(word));
      if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    } else {
      for (std::size_t i = byte; i < bytes_.size(); ++i) {
        word |= std::uint64_t{static_cast<unsigned char>(bytes_[i])} << (8 * (i - byte));
      }
    }
    word >>= at_ % 8;
    at_ += static_cast<std::size_t>(width);
    return static_cast<unsigned>(word & ((std::uint64_t{1} << width) - 1));
  }

  // Returns true if the caller has read more bits than there are.
  bool Overrun() const { return at_ > 8 * bytes_.size(); }

  // Returns true if only the zeros that fill the last byte are unread.
  bool AtEnd() const {
    if (Overrun() || (at_ + 7) / 8 != bytes_.size()) return false;
    return at_ % 8 == 0 || static_cast<unsigned char>(bytes_.back()) >> (at_ % 8) == 0;
  }

 private:
  absl::string_view bytes_;
  std::size_t at_ = 0;  // The position in bits.
};

constexpr int kKindBits = 3;
constexpr int kSeatBits = 3;
constexpr int kContractBits = 3;
constexpr int kCardBits = 7;
constexpr unsigned kNoCardCode = 127;  // The code for a call in which the taker names no card.
constexpr int kSizeBits = 7;   // The number of cards in a discard or a handful takes 7 bits.
constexpr int kCountBits = 8;  // The number of entries in a record takes 8 bits.
constexpr unsigned kEntriesMax = (1u << kCountBits) - 1;

// The cards of a hand, as an array. At first they are in rising order. When a card is played, the
// last card of the array moves to the place of the played card. So the reader finds a card by its
// place without a search.
class Hand {
 public:
  void Fill(CardSet cards) {
    size_ = 0;
    for (const Card card : cards) cards_[size_++] = card;
  }

  bool Empty() const { return size_ == 0; }
  unsigned Size() const { return static_cast<unsigned>(size_); }
  // Returns the number of bits that a place needs. The hand must not be empty.
  int PlaceBits() const { return std::bit_width(Size() - 1); }

  // Returns the place of `card`, or Size() if the hand does not hold it.
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

// Keeps the hands up to date while entries are written or read, and predicts the seat of the next
// entry. The prediction uses only the earlier entries, not the rules.
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

  // Call this function after each action. If the action plays a card, first take the card from the
  // hand.
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

// Reads a set of cards. Returns false if a card does not exist or if the cards are not in rising
// order.
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
      return bits.Put(
          action.card == rules::kNoCard ? kNoCardCode : static_cast<unsigned>(action.card),
          kCardBits);
    case Kind::kSlam:
      return bits.Put(action.announce ? 1 : 0, 1);
    case Kind::kDiscard:
    case Kind::kHandful:
      return PutSet(action.cards, bits);
    case Kind::kPlay:
      return;  // The caller writes the place of the card in the hand.
  }
}

// Returns false for bits that PutAction() never writes.
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
      if (card != kNoCardCode) action.card = rules::CardAt(static_cast<int>(card));
      return card == kNoCardCode || rules::IsCard(static_cast<int>(card));
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

// Appends the entries of `record`. The hands and the dog of `record` must be a complete pack.
// Returns INVALID_ARGUMENT BAD_REQUEST for a card that the seat does not hold, for a seat number
// out of range, or for too many entries.
absl::Status PutMoves(const Record& record, std::string& out) {
  if (record.entries.size() > kEntriesMax) return BadRequest("record", "too many actions");
  BitWriter bits(out);
  bits.Put(static_cast<unsigned>(record.entries.size()), kCountBits);
  Hands hands(record);
  for (const Entry& entry : record.entries) {
    if (entry.seat < 0 || entry.seat >= record.players) {
      return BadRequest("record", "an action of a seat number out of range");
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

// Reads the entries of `record` from `bytes`, which must contain nothing else. The hands and the
// dog must be a complete pack. Returns a text about the error, or "" if there is none.
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
      if (seat >= record.players) return "an action of a seat number out of range";
      kind = static_cast<Kind>(number);
      if (kind == Kind::kPlay && seat == entry.seat)
        return "the seat of a card is written although it is in turn";
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
  return bits.AtEnd() ? "" : "the record does not end after the last action";
}

// Maps 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
std::uint32_t Folded(int value) {
  return static_cast<std::uint32_t>(value) << 1 ^ static_cast<std::uint32_t>(value >> 31);
}

template <typename Bytes>
absl::string_view View(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

class Encoder {
 public:
  explicit Encoder(const Document& document) : doc_(document), record_(document.record) {}

  absl::StatusOr<std::string> Run() {
    out_.reserve(256);
    out_.append(kMagic.data(), kMagic.size());
    flags_ = FlagsOf(doc_);
    PutNumber(out_, flags_);
    TAROT_RETURN_IF_ERROR(Table());
    if (Has(kTexts)) {
      for (const std::string* text : {&record_.event, &record_.site, &record_.date, &record_.round})
        PutText(out_, *text);
    }
    for (Seat seat = 0; Has(kNames) && seat < record_.players; ++seat) {
      PutText(out_, record_.names[Slot(seat)]);
    }
    if (Has(kTags)) Tags();
    TAROT_RETURN_IF_ERROR(Cards());
    Fairness();
    Claims();
    TAROT_RETURN_IF_ERROR(PutMoves(record_, out_));
    const std::uint32_t checksum = Checksum(out_);
    for (int shift = 0; shift < 32; shift += 8) out_ += static_cast<char>(checksum >> shift & 0xFF);
    return std::move(out_);
  }

 private:
  bool Has(Flag flag) const { return (flags_ & flag) != 0; }

  absl::Status Table() {
    const auto* known = std::find(std::begin(kRuleSets) + 1, std::end(kRuleSets), record_.rule_set);
    const bool custom = known == std::end(kRuleSets);
    PutNumber(out_, custom ? 0 : static_cast<std::uint32_t>(known - std::begin(kRuleSets)));
    if (custom) PutText(out_, record_.rule_set);
    if (record_.players < rules::kPlayersMin || record_.players > rules::kPlayersMax) {
      return BadRequest("record", "3 to 5 players");
    }
    out_ += static_cast<char>(record_.players);
    for (const Seat seat : {record_.board_taker, record_.abandoned_by, record_.first_chair}) {
      if (seat < rules::kNoSeat || seat >= record_.players) {
        return BadRequest("record", "there is no such seat");
      }
    }
    if (Has(kBoardTaker)) out_ += static_cast<char>(record_.board_taker);
    if (Has(kAbandonedBy)) out_ += static_cast<char>(record_.abandoned_by);
    return absl::OkStatus();
  }

  void Tags() {
    PutNumber(out_, static_cast<std::uint32_t>(record_.tags.size()));
    for (const auto& [name, value] : record_.tags) {
      PutText(out_, name);
      PutText(out_, value);
    }
  }

  // Writes a number for each card: the seat that got it, or the number of players if the card is in
  // the dog.
  absl::Status Cards() {
    std::array<unsigned, rules::kCardCount> owner;
    owner.fill(6);
    int given = 0;
    for (Seat seat = 0; seat <= record_.players; ++seat) {
      const CardSet cards = seat < record_.players ? record_.hands[Slot(seat)] : record_.dog;
      for (const rules::Card card : cards)
        owner[Slot(rules::Index(card))] = static_cast<unsigned>(seat);
      given += cards.Size();
    }
    if (given != rules::kCardCount || std::count(owner.begin(), owner.end(), 6u) > 0) {
      return BadRequest("record", "hands and dog do not hold every card once");
    }
    for (std::size_t i = 0; i < owner.size(); i += 3) {
      out_ += static_cast<char>(owner[i] + 6 * owner[i + 1] + 36 * owner[i + 2]);
    }
    return absl::OkStatus();
  }

  void Fairness() {
    const auto put = [this](const auto& bytes) { out_.append(View(bytes).data(), bytes.size()); };
    if (Has(kSeed)) put(*record_.seed);
    if (Has(kCommitment)) put(*record_.commitment);
    if (Has(kProvenance)) {
      out_ += static_cast<char>(record_.first_chair << 1 | (record_.first_deal ? 1 : 0));
      for (Seat seat = 0; seat < record_.players; ++seat) {
        PutText(out_, record_.nonces[Slot(seat)]);
      }
    }
    for (std::size_t i = 0; Has(kGathered) && i < record_.gathered->size(); ++i) {
      out_ += static_cast<char>((*record_.gathered)[i]);
    }
    if (!Has(kGathered) || !Has(kDrawnGathering)) return;
    PutNumber(out_, static_cast<std::uint32_t>(record_.piles.size()));
    for (const std::vector<std::uint8_t>& packets : record_.piles) {
      PutText(out_,
              absl::string_view(reinterpret_cast<const char*>(packets.data()), packets.size()));
    }
  }

  void Claims() {
    out_ += static_cast<char>(doc_.claims.outcome);
    if (Has(kCardPoints)) {
      PutNumber(out_, Folded(*doc_.claims.attack_half_points));
      PutNumber(out_, Folded(*doc_.claims.bouts));
    }
    for (Seat seat = 0; Has(kScores) && seat < record_.players; ++seat) {
      PutNumber(out_, Folded((*doc_.claims.scores)[Slot(seat)]));
    }
  }

  const Document& doc_;
  const Record& record_;
  unsigned flags_ = 0;
  std::string out_;
};

// Maps 0, 1, 2, 3, ... to 0, -1, 1, -2, ...; this is the inverse of Folded().
int Unfolded(std::uint32_t value) { return static_cast<int>(value >> 1 ^ (~(value & 1) + 1)); }

class Decoder {
 public:
  explicit Decoder(absl::string_view bytes) : bytes_(bytes) {}

  absl::StatusOr<Document> Run() {
    TAROT_RETURN_IF_ERROR(Envelope());
    TAROT_RETURN_IF_ERROR(Table());
    Record& record = doc_.record;
    if (Has(kTexts)) {
      for (std::string* text : {&record.event, &record.site, &record.date, &record.round})
        *text = Text();
    }
    for (Seat seat = 0; Has(kNames) && seat < record.players; ++seat) {
      record.names[Slot(seat)] = Text();
    }
    if (Has(kTags)) Tags();
    Cards();
    Fairness();
    Claims();
    if (bad_.empty()) bad_ = TakeMoves(bytes_, record);
    // The encoder sets a flag only for a part that is not empty. So the flags that were read must
    // equal the flags of the decoded document.
    if (bad_.empty() && FlagsOf(doc_) != flags_) bad_ = "a part is empty";
    if (!bad_.empty()) return BadRequest("record", bad_);
    return std::move(doc_);
  }

 private:
  bool Has(Flag flag) const { return (flags_ & flag) != 0; }
  void Bad(absl::string_view what) {
    if (bad_.empty()) bad_ = std::string(what);
    bytes_ = {};
  }

  absl::Status Envelope() {
    if (!absl::StartsWith(bytes_, kMagic.substr(0, 2))) {
      return BadRequest("record", "these are not the bytes of a record");
    }
    if (bytes_.size() < kMagic.size() + kChecksumBytes || bytes_[2] != kMagic[2]) {
      return BadRequest("record", "an unknown version, or cut short");
    }
    const absl::string_view body = bytes_.substr(0, bytes_.size() - kChecksumBytes);
    const absl::string_view end = bytes_.substr(body.size());
    std::uint32_t checksum = 0;
    for (std::size_t i = 0; i < kChecksumBytes; ++i) {
      checksum |= std::uint32_t{static_cast<unsigned char>(end[i])} << (8 * i);
    }
    if (checksum != Checksum(body)) return BadRequest("record", "damaged: the checksum differs");
    bytes_ = body.substr(kMagic.size());
    return absl::OkStatus();
  }

  unsigned Byte() {
    if (bytes_.empty()) {
      Bad("cut short");
      return 0;
    }
    const auto byte = static_cast<unsigned char>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte;
  }

  // Returns the next byte as a seat; kNoSeat after an error.
  Seat SeatByte() {
    const unsigned seat = Byte();
    if (seat < static_cast<unsigned>(doc_.record.players)) return static_cast<Seat>(seat);
    Bad("there is no such seat");
    return rules::kNoSeat;
  }

  std::uint32_t Number() {
    std::uint32_t value = 0;
    for (int shift = 0; shift < 35; shift += 7) {
      const unsigned byte = Byte();
      if (shift == 28 && byte > 0x0F) break;
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) {
        if (byte == 0 && shift > 0) Bad("a number is longer than necessary");
        return value;
      }
    }
    Bad("a number is too large");
    return 0;
  }

  absl::string_view Take(std::size_t size) {
    if (size > bytes_.size()) {
      Bad("cut short");
      return {};
    }
    const absl::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }

  std::string Text() { return std::string(Take(Number())); }

  template <typename Bytes>
  void Fill(Bytes& out) {
    const absl::string_view taken = Take(out.size());
    std::copy(taken.begin(), taken.end(), out.begin());
  }

  absl::Status Table() {
    flags_ = Number();
    if ((flags_ & ~static_cast<unsigned>(kAllFlags)) != 0) Bad("an unknown part");
    Record& record = doc_.record;
    const std::uint32_t code = Number();
    if (code >= std::size(kRuleSets)) Bad("an unknown rule set");
    if (!bad_.empty()) return BadRequest("record", bad_);
    record.rule_set = code == 0 ? Text() : std::string(kRuleSets[code]);
    record.players = static_cast<int>(Byte());
    if (record.players < rules::kPlayersMin || record.players > rules::kPlayersMax) {
      return BadRequest("record", "not 3 to 5 players");
    }
    if (code == 0 && std::find(std::begin(kRuleSets), std::end(kRuleSets), record.rule_set) !=
                         std::end(kRuleSets)) {
      Bad("a named rule set is written as text");
    }
    if (Has(kBoardTaker)) record.board_taker = SeatByte();
    if (Has(kAbandonedBy)) record.abandoned_by = SeatByte();
    return absl::OkStatus();
  }

  void Tags() {
    std::string last;
    for (std::uint32_t left = Number(); left > 0 && bad_.empty(); --left) {
      std::string name = Text();
      std::string value = Text();
      if (!doc_.record.tags.empty() && name <= last) Bad("tags out of order");
      last = name;
      doc_.record.tags.emplace_hint(doc_.record.tags.end(), std::move(name), std::move(value));
    }
  }

  void Cards() {
    std::array<CardSet, 6> owned;
    int index = 0;
    for (const char c : Take(kPackBytes)) {
      unsigned byte = static_cast<unsigned char>(c);
      if (byte >= 216) return Bad("a card without an owner");
      for (int k = 0; k < 3; ++k, byte /= 6) owned[byte % 6].Insert(rules::CardAt(index++));
    }
    Record& record = doc_.record;
    for (Seat seat = 0; seat < record.players; ++seat) record.hands[Slot(seat)] = owned[Slot(seat)];
    record.dog = owned[Slot(record.players)];
    if (record.players < 5 && !owned[5].Empty()) Bad("a card without an owner");
    if (record.players < 4 && !owned[4].Empty()) Bad("a card without an owner");
  }

  void Fairness() {
    Record& record = doc_.record;
    if (Has(kSeed)) Fill(record.seed.emplace());
    if (Has(kCommitment)) Fill(record.commitment.emplace());
    if (Has(kDrawnGathering) && !Has(kProvenance)) Bad("procedure 3 without its nonces");
    if (Has(kProvenance)) {
      record.procedure = Has(kDrawnGathering) ? dealing::Procedure::kDrawnGathering
                                              : dealing::Procedure::kSeedAndNonces;
      const unsigned byte = Byte();
      record.first_deal = (byte & 1) != 0;
      record.first_chair = static_cast<Seat>(byte >> 1);
      if (record.first_chair >= record.players) Bad("there is no such seat");
      for (Seat seat = 0; seat < record.players; ++seat) record.nonces[Slot(seat)] = Text();
    }
    if (!Has(kGathered)) return;
    CardSet seen;
    for (rules::Card& card : record.gathered.emplace()) {
      const unsigned index = Byte();
      if (!rules::IsCard(static_cast<int>(index))) return Bad("no card");
      card = rules::CardAt(static_cast<int>(index));
      seen.Insert(card);
    }
    if (seen != CardSet::All()) Bad("the gathered pack lacks cards");
    if (!Has(kDrawnGathering)) return;
    const std::uint32_t piles = Number();
    for (std::uint32_t i = 0; i < piles && i < rules::kCardCount && bad_.empty(); ++i) {
      const std::string sizes = Text();
      record.piles.emplace_back(sizes.begin(), sizes.end());
    }
    if (!rules::HoldsWholePack(record.piles)) Bad("the piles do not hold the pack");
  }

  void Claims() {
    const unsigned outcome = Byte();
    if (outcome > static_cast<unsigned>(rules::Outcome::kPetitSec)) return Bad("no such outcome");
    doc_.claims.outcome = static_cast<rules::Outcome>(outcome);
    if (Has(kCardPoints)) {
      doc_.claims.attack_half_points = Unfolded(Number());
      doc_.claims.bouts = Unfolded(Number());
    }
    if (!Has(kScores)) return;
    doc_.claims.scores.emplace();
    for (Seat seat = 0; seat < doc_.record.players; ++seat) {
      (*doc_.claims.scores)[Slot(seat)] = Unfolded(Number());
    }
  }

  absl::string_view bytes_;
  unsigned flags_ = 0;
  std::string bad_;  // The first problem; empty if there is none.
  Document doc_;
};

}  // namespace

absl::StatusOr<std::string> EncodeDocument(const Document& document) {
  return Encoder(document).Run();
}

absl::StatusOr<std::string> EncodeRecord(const Record& record) {
  TAROT_ASSIGN_OR_RETURN(const Replayed replayed, Replay(record));
  if (!replayed.problem.empty()) {
    return BadRequest(absl::StrCat("entries[", replayed.legal, "]"), replayed.problem);
  }
  const rules::DealResult& result = replayed.deal.result;
  Document document{.record = record};
  document.claims.outcome = result.outcome;
  if (result.outcome == rules::Outcome::kScored) {
    document.claims.attack_half_points = result.attack_half_points;
    document.claims.bouts = result.bouts;
    document.claims.scores = result.scores;
  }
  return EncodeDocument(document);
}

absl::StatusOr<Document> DecodeRecord(absl::string_view bytes) { return Decoder(bytes).Run(); }

absl::StatusOr<std::string> EncodeMoves(const Record& record) {
  std::string bytes;
  TAROT_RETURN_IF_ERROR(PutMoves(record, bytes));
  return bytes;
}

absl::Status DecodeMoves(absl::string_view bytes, Record& record) {
  const std::string bad = TakeMoves(bytes, record);
  return bad.empty() ? absl::OkStatus() : BadRequest("record", bad);
}

bool IsArchive(absl::string_view bytes) { return absl::StartsWith(bytes, kArchiveMagic); }

void AppendToArchive(absl::string_view record, std::string& archive) {
  if (archive.empty()) archive = kArchiveMagic;
  PutText(archive, record);
}

absl::StatusOr<std::vector<absl::string_view>> SplitArchive(absl::string_view archive) {
  if (!IsArchive(archive)) return BadRequest("archive", "this is not an archive");
  archive.remove_prefix(absl::string_view(kArchiveMagic).size());
  std::vector<absl::string_view> records;
  while (!archive.empty()) {
    std::size_t size = 0;
    std::size_t at = 0;
    bool more = true;
    for (; more && at < archive.size() && at < 5; ++at) {
      const auto byte = static_cast<unsigned char>(archive[at]);
      size |= static_cast<std::size_t>(byte & 0x7F) << (7 * at);
      more = byte >= 0x80;
    }
    archive.remove_prefix(at);
    if (more || size > archive.size()) {
      return BadRequest("archive", absl::StrCat("cut short in record ", records.size() + 1));
    }
    records.push_back(archive.substr(0, size));
    archive.remove_prefix(size);
  }
  return records;
}

}  // namespace tarot::notation
