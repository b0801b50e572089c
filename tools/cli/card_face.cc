#include "tools/cli/card_face.h"

#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"

namespace tarot::cli {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Suit;

constexpr std::array<absl::string_view, 5> kSymbols = {"♠", "♥", "♦", "♣", "T"};

std::optional<int> ParseRank(absl::string_view text, int rank_max) {
  if (text.size() == 1 && rank_max == rules::kSuitSize) {
    switch (text[0]) {
      case 'V':
      case 'J':
        return 11;
      case 'C':
      case 'N':
        return 12;
      case 'D':
      case 'Q':
        return 13;
      case 'R':
      case 'K':
        return 14;
      case 'A':
        return 1;
      default:
        break;
    }
  }
  // Accepts only digits, because SimpleAtoi alone would also accept signs and spaces.
  int rank = 0;
  if (text.size() > 2 || text.find_first_not_of("0123456789") != absl::string_view::npos ||
      !absl::SimpleAtoi(text, &rank) || rank < 1 || rank > rank_max) {
    return std::nullopt;
  }
  return rank;
}

}  // namespace

absl::string_view SuitSymbol(Suit suit) {
  return suit == Suit::kNone ? "Ex" : kSymbols[static_cast<std::size_t>(suit)];
}

Tone SuitTone(Card card) {
  if (rules::IsBout(card)) return Tone::kBoldYellow;
  switch (rules::SuitOf(card)) {
    case Suit::kHearts:
      return Tone::kRed;
    case Suit::kDiamonds:
      return Tone::kCyan;
    case Suit::kClubs:
      return Tone::kGreen;
    case Suit::kTrumps:
      return Tone::kYellow;
    default:
      return Tone::kBold;
  }
}

std::string RankFace(Card card) {
  if (card == rules::kExcuse) return "Ex*";
  const int rank = rules::RankOf(card);
  if (rules::IsTrump(card)) return absl::StrCat(rank, rules::IsBout(card) ? "*" : "");
  if (rank <= 10) return absl::StrCat(rank);
  return std::string(1, "VCDR"[rank - 11]);
}

std::string Face(std::uint32_t number, const TextStyle& style) {
  if (number >= rules::kCardCount) return "?";
  const Card card = rules::CardAt(static_cast<int>(number));
  const absl::string_view symbol = card == rules::kExcuse ? "" : SuitSymbol(rules::SuitOf(card));
  return style.Paint(SuitTone(card), absl::StrCat(symbol, RankFace(card)));
}

std::string Faces(const CardNumbers& cards, const TextStyle& style) {
  std::string out;
  for (const std::uint32_t card : cards) {
    absl::StrAppend(&out, out.empty() ? "" : " ", Face(card, style));
  }
  return out;
}

CardSet ToSet(const CardNumbers& cards) {
  CardSet set;
  for (const std::uint32_t card : cards) {
    if (card < rules::kCardCount) set.Insert(rules::CardAt(static_cast<int>(card)));
  }
  return set;
}

std::vector<Card> SortedForHand(CardSet cards) {
  std::vector<Card> sorted;
  if (cards.Contains(rules::kExcuse)) sorted.push_back(rules::kExcuse);
  // The loops add the last card of the result first. The return statement reverses the order.
  for (const Suit suit :
       {Suit::kTrumps, Suit::kDiamonds, Suit::kClubs, Suit::kHearts, Suit::kSpades}) {
    for (const Card card : cards& CardSet::OfSuit(suit)) sorted.push_back(card);
  }
  return {sorted.rbegin(), sorted.rend()};
}

std::optional<Card> ParseTypedCard(absl::string_view typed) {
  const std::string upper = absl::AsciiStrToUpper(absl::StripAsciiWhitespace(typed));
  absl::string_view text = absl::StripSuffix(upper, "*");
  if (text == "EX" || text == "E" || text == "EXCUSE") return rules::kExcuse;
  constexpr std::array<absl::string_view, 5> kLetters = {"S", "H", "D", "C", "T"};
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    absl::string_view rest = text;
    if (!absl::ConsumePrefix(&rest, kLetters[i]) && !absl::ConsumePrefix(&rest, kSymbols[i])) {
      continue;
    }
    const bool trump = i == static_cast<std::size_t>(Suit::kTrumps);
    const auto rank = ParseRank(rest, trump ? rules::kTrumpCount : rules::kSuitSize);
    if (!rank) return std::nullopt;
    return trump ? rules::Trump(*rank) : rules::SuitCard(static_cast<Suit>(i), *rank);
  }
  const auto rank = ParseRank(text, rules::kTrumpCount);
  return rank ? std::optional(rules::Trump(*rank)) : std::nullopt;
}

}  // namespace tarot::cli
