#include "libs/notation/tdn_trailer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "libs/base/status_macros.h"
#include "libs/notation/card_names.h"

namespace tarot::notation {
namespace {

using rules::CardSet;
using rules::Outcome;
using rules::Seat;

bool IsHex(absl::string_view text) {
  return text.size() % 2 == 0 && std::all_of(text.begin(), text.end(), [](char c) {
           return absl::ascii_isxdigit(static_cast<unsigned char>(c));
         });
}

// "C:40/41 bouts=2", halves as "40.5".
absl::Status Result(const TdnParts& parts, int players, Claims& claims) {
  const Token* tag = parts.Find("Result");
  if (tag == nullptr) return absl::OkStatus();
  const std::vector<std::string> words = absl::StrSplit(tag->value, absl::ByAnyChar(":/ "));
  if (words.size() != 4 || !absl::StartsWith(words[3], "bouts=")) {
    return TagError(*tag, "expected the form \"C:40/41 bouts=2\"");
  }
  TAROT_ASSIGN_OR_RETURN(const Seat seat, SeatOfTag(*tag, words[0], players));
  if (claims.taker && *claims.taker != seat) return TagError(*tag, "not the taker");
  claims.taker = seat;
  const bool half = absl::EndsWith(words[1], ".5");
  const auto made = ParseCount(words[1].substr(0, words[1].size() - (half ? 2 : 0)));
  const auto needed = ParseCount(words[2]);
  const auto bouts = ParseCount(words[3].substr(6));
  if (!made || !needed || !bouts) return TagError(*tag, "a number was expected");
  claims.attack_half_points = 2 * *made + (half ? 1 : 0);
  claims.needed_half_points = 2 * *needed;
  claims.bouts = bouts;
  return absl::OkStatus();
}

absl::Status Scores(const TdnParts& parts, const rules::RuleSet& rules, int players,
                    Claims& claims) {
  const Token* tag = parts.Find("Score");
  if (tag == nullptr) return absl::OkStatus();
  const std::vector<std::string> words = absl::StrSplit(tag->value, ' ', absl::SkipEmpty());
  if (static_cast<int>(words.size()) != players) return TagError(*tag, "expected a score a seat");
  claims.scores.emplace();
  int sum = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& part = words[i];
    if (!absl::StartsWith(part, SeatName(static_cast<Seat>(i)) + ":")) {
      return TagError(*tag, "expected the seats in order");
    }
    const bool sign = part.size() > 2 && (part[2] == '+' || part[2] == '-');
    const auto number = ParseCount(absl::string_view(part).substr(sign ? 3 : 2));
    if (!number) return TagError(*tag, "a number was expected");
    (*claims.scores)[i] = sign && part[2] == '-' ? -*number : *number;
    sum += (*claims.scores)[i];
  }
  const bool zero = rules.scoring == rules::Scoring::kNormal;
  return sum == 0 || !zero ? absl::OkStatus() : TagError(*tag, "the scores do not sum to zero");
}

absl::Status Termination(const TdnParts& parts, Document& document) {
  const Token* tag = parts.Find("Termination");
  if (tag == nullptr || tag->value == "normal") return absl::OkStatus();
  if (tag->value == "all-pass") {
    document.claims.outcome = Outcome::kAllPassed;
  } else if (tag->value == "petit-sec") {
    document.claims.outcome = Outcome::kPetitSec;
  } else if (absl::StartsWith(tag->value, "abandoned")) {
    document.claims.outcome = Outcome::kNone;
    if (tag->value == "abandoned") return absl::OkStatus();
    if (tag->value[9] != ' ') return TagError(*tag, "no such end");
    TAROT_ASSIGN_OR_RETURN(document.record.abandoned_by,
                           SeatOfTag(*tag, tag->value.substr(10), document.record.players));
  } else {
    return TagError(*tag, "no such end");
  }
  return absl::OkStatus();
}

template <std::size_t kSize>
absl::Status Bytes(const TdnParts& parts, const char* name,
                   std::optional<std::array<std::uint8_t, kSize>>& out) {
  const Token* tag = parts.Find(name);
  if (tag == nullptr) return absl::OkStatus();
  if (!IsHex(tag->value) || tag->value.size() != 2 * kSize) {
    return TagError(*tag, absl::StrCat("expected ", 2 * kSize, " hexadecimal digits"));
  }
  const std::string bytes = absl::HexStringToBytes(tag->value);
  std::copy(bytes.begin(), bytes.end(), out.emplace().begin());
  return absl::OkStatus();
}

// "2 C" or "2 C first": the procedure, the table's first seat, and whether the dealer was drawn.
absl::Status Dealing(const TdnParts& parts, Record& record) {
  const Token* tag = parts.Find("Dealing");
  if (tag == nullptr) return absl::OkStatus();
  const std::vector<std::string> words = absl::StrSplit(tag->value, ' ');
  const bool first = words.size() == 3 && words[2] == "first";
  if (words[0] != "2" || (words.size() != 2 && !first)) {
    return TagError(*tag, "expected the form \"2 C\" or \"2 C first\"");
  }
  record.procedure = dealing::Procedure::kSeedAndNonces;
  TAROT_ASSIGN_OR_RETURN(record.first_chair, SeatOfTag(*tag, words[1], record.players));
  record.first_deal = first;
  return absl::OkStatus();
}

// "A:" and the bytes in hexadecimal.
absl::Status Nonce(const Token& tag, Record& record) {
  const std::vector<std::string> words = absl::StrSplit(tag.value, absl::MaxSplits(':', 1));
  TAROT_ASSIGN_OR_RETURN(const Seat seat, SeatOfTag(tag, words[0], record.players));
  std::string& nonce = record.nonces[Slot(seat)];
  if (!nonce.empty()) return TagError(tag, "a second nonce of this seat");
  if (words.size() == 2 && IsHex(words[1])) nonce = absl::HexStringToBytes(words[1]);
  if (!nonce.empty() && nonce.size() <= dealing::kNonceBytesMax) return absl::OkStatus();
  return TagError(
      tag, absl::StrCat("expected 1 to ", dealing::kNonceBytesMax, " bytes as hexadecimal digits"));
}

absl::Status Gathered(const TdnParts& parts, Record& record) {
  const Token* tag = parts.Find("Gathered");
  if (tag == nullptr) return absl::OkStatus();
  rules::PackOrder& pack = record.gathered.emplace();
  CardSet seen;
  std::size_t size = 0;
  for (const absl::string_view word : absl::StrSplit(tag->value, ' ')) {
    const auto card = ParseCardName(word);
    if (!card || size == pack.size()) return TagError(*tag, "expected the 78 cards of the pack");
    pack[size++] = *card;
    seen.Insert(*card);
  }
  return seen == CardSet::All() ? absl::OkStatus() : TagError(*tag, "the pack lacks cards");
}

}  // namespace

absl::Status ReadClaims(const TdnParts& parts, const rules::RuleSet& rules, Document& document) {
  TAROT_RETURN_IF_ERROR(Result(parts, document.record.players, document.claims));
  TAROT_RETURN_IF_ERROR(Scores(parts, rules, document.record.players, document.claims));
  return Termination(parts, document);
}

absl::Status ReadProvenance(const TdnParts& parts, Record& record) {
  TAROT_RETURN_IF_ERROR(Bytes(parts, "Seed", record.seed));
  TAROT_RETURN_IF_ERROR(Bytes(parts, "Commit", record.commitment));
  TAROT_RETURN_IF_ERROR(Dealing(parts, record));
  const Token* more = parts.nonces.empty() ? parts.Find("Gathered") : &parts.nonces[0];
  if (more != nullptr && parts.Find("Dealing") == nullptr) {
    return TagError(*more, "the record has no Dealing");
  }
  for (const Token& tag : parts.nonces) {
    TAROT_RETURN_IF_ERROR(Nonce(tag, record));
  }
  return Gathered(parts, record);
}

}  // namespace tarot::notation
