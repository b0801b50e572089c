#include "libs/notation/record_bytes.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/base/error.h"
#include "libs/base/status_macros.h"
#include "libs/notation/prove.h"
#include "libs/notation/record_bytes_form.h"
#include "libs/notation/record_bytes_moves.h"

namespace tarot::notation {
namespace {

using rules::CardSet;
using rules::Seat;

// 0, -1, 1, -2, ... as 0, 1, 2, 3, ...
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

  // Whose each card is: a seat, or `players` for the dog.
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

}  // namespace tarot::notation
