#include "libs/notation/tdn_play.h"

#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/base/status_macros.h"
#include "libs/notation/card_names.h"

namespace tarot::notation {
namespace {

using rules::Action;

void Append(Document& document, rules::Seat seat, const Action& action, int line, int column = 1) {
  document.record.entries.push_back({seat, action});
  document.lines.entries.push_back(line);
  document.lines.entry_columns.push_back(column);
}

// "9. B: H4 T12 H6 H3 =C", trick after trick; only the last may be cut short.
class PlayReader {
 public:
  PlayReader(rules::Seat leader, int playing, std::map<rules::Seat, HandfulTag> handfuls,
             Document& document)
      : leader_(leader), playing_(playing), handfuls_(std::move(handfuls)), document_(document) {}

  absl::Status Take(const Token& word) {
    const std::string& text = word.text;
    if (absl::EndsWith(text, ".")) return Number(word);
    if (absl::EndsWith(text, ":")) return Leader(word);
    if (trick_ == 0 || !led_) return TokenError(word, "expected a trick such as \"1. A:\"");
    return absl::StartsWith(text, "=") ? Winner(word) : Card(word);
  }

  absl::Status Finish() {
    // Shown, and the deal abandoned before the card.
    if (trick_ <= 1 && size_ < playing_) Show((leader_ + size_) % playing_);
    if (handfuls_.empty()) return absl::OkStatus();
    const auto& [seat, handful] = *handfuls_.begin();
    return LineError(handful.line, absl::StrCat(SeatName(seat), " was not to play a first card"));
  }

 private:
  absl::Status Number(const Token& word) {
    if (trick_ > 0 && !won_) return TokenError(word, "the trick before has no winner");
    if (ParseCount(absl::StripSuffix(word.text, ".")) != trick_ + 1) {
      return TokenError(word, absl::StrCat("expected trick ", trick_ + 1));
    }
    ++trick_;
    size_ = 0;
    led_ = won_ = false;
    return absl::OkStatus();
  }

  absl::Status Leader(const Token& word) {
    const auto seat = ParseSeatName(absl::StripSuffix(word.text, ":"), playing_);
    if (!seat || trick_ == 0 || led_) return TokenError(word, "a seat is not expected here");
    if (trick_ == 1 && *seat != leader_) {
      return TokenError(word, absl::StrCat("Play says that ", SeatName(leader_), " leads"));
    }
    leader_ = *seat;
    led_ = true;
    return absl::OkStatus();
  }

  absl::Status Card(const Token& word) {
    const auto card = ParseCardName(word.text);
    if (!card) return TokenError(word, absl::StrCat("'", word.text, "' is no card"));
    if (size_ == playing_) return TokenError(word, "the trick has too many cards");
    const rules::Seat seat = (leader_ + size_++) % playing_;
    if (trick_ == 1) Show(seat);
    Append(document_, seat, Action::Play(*card), word.line, word.column);
    return absl::OkStatus();
  }

  absl::Status Winner(const Token& word) {
    const auto seat = ParseSeatName(absl::StripPrefix(word.text, "="), playing_);
    if (!seat) return TokenError(word, absl::StrCat("'", word.text, "' names no seat"));
    if (won_ || size_ < playing_) {
      return TokenError(word, absl::StrCat("a winner after ", size_, " cards"));
    }
    won_ = true;
    document_.claims.winners.push_back(*seat);
    document_.lines.winners.push_back(word.line);
    return absl::OkStatus();
  }

  void Show(rules::Seat seat) {
    const auto found = handfuls_.find(seat);
    if (found == handfuls_.end()) return;
    Append(document_, seat, Action::Handful(found->second.cards), found->second.line);
    handfuls_.erase(found);
  }

  rules::Seat leader_;
  const int playing_;
  std::map<rules::Seat, HandfulTag> handfuls_;
  Document& document_;
  int trick_ = 0;  // From 1.
  int size_ = 0;   // Cards of the trick.
  bool led_ = false;
  bool won_ = false;
};

}  // namespace

absl::Status ReadAuction(const std::vector<Token>& words, rules::Seat first, int playing,
                         Document& document) {
  rules::Seat seat = first;
  for (const Token& word : words) {
    const auto contract = ParseContractName(word.text);
    if (!contract) return TokenError(word, absl::StrCat("'", word.text, "' is no bid"));
    Append(document, seat, Action::Bid(*contract), word.line, word.column);
    seat = (seat + 1) % playing;
  }
  return absl::OkStatus();
}

absl::Status ReadPlay(const std::vector<Token>& words, rules::Seat leader, int playing,
                      std::map<rules::Seat, HandfulTag> handfuls, Document& document) {
  PlayReader reader(leader, playing, std::move(handfuls), document);
  for (const Token& word : words) {
    TAROT_RETURN_IF_ERROR(reader.Take(word));
  }
  return reader.Finish();
}

}  // namespace tarot::notation
