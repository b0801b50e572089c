#include "libs/rules/cards.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace tarot::rules {
namespace {

constexpr char kSuitLetters[] = "SHDCT";
constexpr char kRankLetters[] = "123456789TJNQK";

}  // namespace

// A card has two text forms. CardName() is for people, so it uses the letters of playing cards (J N
// Q K). CardText() is for programs, so it writes a rank as a number. The test vectors use
// CardText(), because the program in tests/referee also reads these vectors.
std::string CardName(Card card) {
  if (card == kExcuse) return "X";
  if (IsTrump(card)) return CardText(card);
  return {kSuitLetters[static_cast<int>(SuitOf(card))], kRankLetters[RankOf(card) - 1]};
}

std::string CardText(Card card) {
  if (card == kExcuse) return "EX";
  return absl::StrCat(std::string(1, kSuitLetters[static_cast<int>(SuitOf(card))]), RankOf(card));
}

std::optional<Card> ParseCard(absl::string_view text) {
  if (text == "EX") return kExcuse;
  if (text.size() < 2 || text.size() > 3 || text[1] < '1' || text[1] > '9') return std::nullopt;
  const absl::string_view letters(kSuitLetters, 5);
  const std::size_t suit = letters.find(text[0]);
  int rank = 0;
  if (suit == absl::string_view::npos || !absl::SimpleAtoi(text.substr(1), &rank)) {
    return std::nullopt;
  }
  if (static_cast<Suit>(suit) == Suit::kTrumps) {
    return rank <= kTrumpCount ? std::optional(Trump(rank)) : std::nullopt;
  }
  return rank <= kSuitSize ? std::optional(SuitCard(static_cast<Suit>(suit), rank)) : std::nullopt;
}

}  // namespace tarot::rules
