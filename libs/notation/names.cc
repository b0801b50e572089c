#include "libs/notation/names.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "libs/rules/action.h"

namespace tarot::notation {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::Suit;

constexpr absl::string_view kSuits = "SHDC";
constexpr absl::string_view kRanks = "123456789TJNQK";
constexpr absl::string_view kContracts[] = {"-", "P", "G", "GS", "GC"};

// Adds `card` to `set`. Returns false if the set already holds it.
bool Add(CardSet& set, Card card) {
  if (set.Contains(card)) return false;
  set.Insert(card);
  return true;
}

std::string SuitName(CardSet cards, Suit suit) {
  std::string out;
  for (const Card c : cards& CardSet::OfSuit(suit)) {
    out += kRanks[static_cast<std::size_t>(rules::RankOf(c) - 1)];
  }
  std::reverse(out.begin(), out.end());
  return out.empty() ? "-" : out;
}

}  // namespace

std::optional<Card> ParseCardName(absl::string_view text) {
  if (text == "X") return rules::kExcuse;
  if (text.size() < 2) return std::nullopt;
  if (text[0] == 'T') {
    const std::optional<int> rank = ParseCount(text.substr(1));
    if (!rank || *rank < 1 || *rank > rules::kTrumpCount) return std::nullopt;
    return rules::Trump(*rank);
  }
  const std::size_t suit = kSuits.find(text[0]);
  const std::size_t rank = kRanks.find(text[1]);
  if (text.size() != 2 || suit == kSuits.npos || rank == kRanks.npos) return std::nullopt;
  return rules::SuitCard(static_cast<Suit>(suit), static_cast<int>(rank) + 1);
}

std::string TrumpsName(CardSet trumps) {
  std::string out = trumps.Contains(rules::kExcuse) ? "X" : "";
  for (int rank = rules::kTrumpCount; rank >= 1; --rank) {
    if (!trumps.Contains(rules::Trump(rank))) continue;
    absl::StrAppend(&out, out.empty() ? "" : ",", rank);
  }
  return out.empty() ? "-" : out;
}

std::optional<CardSet> ParseTrumpsName(absl::string_view text) {
  CardSet set;
  if (text == "-") return set;
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    const std::optional<int> rank = ParseCount(part);
    if (part != "X" && (!rank || *rank < 1 || *rank > rules::kTrumpCount)) return std::nullopt;
    if (!Add(set, part == "X" ? rules::kExcuse : rules::Trump(*rank))) return std::nullopt;
  }
  return set;
}

std::string HandName(CardSet hand) {
  return absl::StrCat(TrumpsName(hand), "/", SuitName(hand, Suit::kSpades), "/",
                      SuitName(hand, Suit::kHearts), "/", SuitName(hand, Suit::kDiamonds), "/",
                      SuitName(hand, Suit::kClubs));
}

std::optional<CardSet> ParseHandName(absl::string_view text) {
  const std::vector<absl::string_view> groups = absl::StrSplit(text, '/');
  if (groups.size() != 5) return std::nullopt;
  std::optional<CardSet> set = ParseTrumpsName(groups[0]);
  if (!set) return std::nullopt;
  for (std::size_t suit = 0; suit < 4; ++suit) {
    const absl::string_view ranks = groups[suit + 1];
    if (ranks.empty()) return std::nullopt;
    if (ranks == "-") continue;
    for (const char letter : ranks) {
      const std::size_t rank = kRanks.find(letter);
      if (rank == kRanks.npos) return std::nullopt;
      const Card card = rules::SuitCard(static_cast<Suit>(suit), static_cast<int>(rank) + 1);
      if (!Add(*set, card)) return std::nullopt;
    }
  }
  return set;
}

absl::string_view ContractName(rules::Contract contract) {
  return kContracts[static_cast<std::size_t>(contract)];
}

std::optional<rules::Contract> ParseContractName(absl::string_view text) {
  for (std::size_t i = 0; i < std::size(kContracts); ++i) {
    if (kContracts[i] == text) return static_cast<rules::Contract>(i);
  }
  return std::nullopt;
}

std::string SeatName(rules::Seat seat) { return {static_cast<char>('A' + seat)}; }

std::optional<rules::Seat> ParseSeatName(absl::string_view text, int players) {
  if (text.size() != 1 || text[0] < 'A' || text[0] >= 'A' + players) return std::nullopt;
  return text[0] - 'A';
}

std::optional<int> ParseCount(absl::string_view text) {
  int number = 0;
  if (text.empty() || text.size() > 6 || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  for (const char c : text) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(c))) return std::nullopt;
    number = 10 * number + (c - '0');
  }
  return number;
}

using rules::Action;

std::string ActionName(const Action& action) {
  switch (action.kind) {
    case Action::Kind::kBid:
      return absl::StrCat("bid ", ContractName(action.contract));
    case Action::Kind::kCall:
      return "call " + (action.card == rules::kNoCard ? "-" : CardName(action.card));
    case Action::Kind::kDiscard:
      return "discard " + HandName(action.cards);
    case Action::Kind::kSlam:
      return action.announce ? "slam yes" : "slam no";
    case Action::Kind::kHandful:
      return "handful " + TrumpsName(action.cards);
    case Action::Kind::kPlay:
      return "play " + CardName(action.card);
  }
  return "";
}

std::optional<Action> ParseActionName(absl::string_view text) {
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  if (words.size() != 2) return std::nullopt;
  const std::string& what = words[1];
  if (words[0] == "bid") {
    if (const auto contract = ParseContractName(what)) return Action::Bid(*contract);
  } else if (words[0] == "call") {
    if (what == "-") return Action::Call(rules::kNoCard);
    if (const auto card = ParseCardName(what)) return Action::Call(*card);
  } else if (words[0] == "discard") {
    if (const auto cards = ParseHandName(what)) return Action::Discard(*cards);
  } else if (words[0] == "slam") {
    if (what == "yes" || what == "no") return Action::Slam(what == "yes");
  } else if (words[0] == "handful") {
    if (const auto cards = ParseTrumpsName(what)) return Action::Handful(*cards);
  } else if (words[0] == "play") {
    if (const auto card = ParseCardName(what)) return Action::Play(*card);
  }
  return std::nullopt;
}

}  // namespace tarot::notation
