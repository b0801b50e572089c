#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/notation/record_bytes.h"
#include "libs/notation/record_bytes_form.h"
#include "libs/notation/record_bytes_moves.h"

namespace tarot::notation {
namespace {

using rules::CardSet;
using rules::Seat;

// The inverse of Folded(): 0, 1, 2, 3, ... as 0, -1, 1, -2, ...
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
    // Only what an encoder writes: no text twice, no empty part announced.
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
      return BadRequest("record", "of a version that is not known, or cut short");
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

  // A seat, or kNoSeat once it is bad.
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
        if (byte == 0 && shift > 0) Bad("a number is longer than it need be");
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
    if ((flags_ & ~static_cast<unsigned>(kAllFlags)) != 0) Bad("a part that is not known");
    Record& record = doc_.record;
    const std::uint32_t code = Number();
    if (code >= std::size(kRuleSets)) Bad("a rule set that is not known");
    if (!bad_.empty()) return BadRequest("record", bad_);
    record.rule_set = code == 0 ? Text() : std::string(kRuleSets[code]);
    record.players = static_cast<int>(Byte());
    if (record.players < rules::kPlayersMin || record.players > rules::kPlayersMax) {
      return BadRequest("record", "not 3 to 5 players");
    }
    if (code == 0 && std::find(std::begin(kRuleSets), std::end(kRuleSets), record.rule_set) !=
                         std::end(kRuleSets)) {
      Bad("a named rule set is spelled out");
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
      if (byte >= 216) return Bad("a card of nobody");
      for (int k = 0; k < 3; ++k, byte /= 6) owned[byte % 6].Insert(rules::CardAt(index++));
    }
    Record& record = doc_.record;
    for (Seat seat = 0; seat < record.players; ++seat) record.hands[Slot(seat)] = owned[Slot(seat)];
    record.dog = owned[Slot(record.players)];
    if (record.players < 5 && !owned[5].Empty()) Bad("a card of nobody");
    if (record.players < 4 && !owned[4].Empty()) Bad("a card of nobody");
  }

  void Fairness() {
    Record& record = doc_.record;
    if (Has(kSeed)) Fill(record.seed.emplace());
    if (Has(kCommitment)) Fill(record.commitment.emplace());
    if (Has(kProvenance)) {
      record.procedure = dealing::Procedure::kSeedAndNonces;
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
  std::string bad_;  // What is wrong; empty as long as nothing is.
  Document doc_;
};

}  // namespace

absl::StatusOr<Document> DecodeRecord(absl::string_view bytes) { return Decoder(bytes).Run(); }

}  // namespace tarot::notation
