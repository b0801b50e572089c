#include "tests/rivals/cards.h"

#include <sstream>

namespace rival {
namespace {

int RankOf(char c) {
  for (int rank = 1; rank <= 14; ++rank) {
    if (kRanks[rank] == c) return rank;
  }
  return 0;
}

int SuitOf(char c) {
  for (int suit = 0; suit < 4; ++suit) {
    if (kSuits[suit] == c) return suit;
  }
  return kTrump;
}

}  // namespace

std::vector<Card> Hand::Cards() const {
  std::vector<Card> cards;
  for (int suit = 0; suit < 5; ++suit) {
    for (std::uint32_t left = suits[Slot(suit)]; left != 0; left &= left - 1) {
      cards.push_back({suit, Lowest(left)});
    }
  }
  return cards;
}

Hand Pack() {
  Hand pack;
  for (int suit = 0; suit < 4; ++suit) pack.suits[Hand::Slot(suit)] = 0x7ffe;
  pack.suits[kTrump] = 0x3fffff;
  return pack;
}

Hand ParseHand(const std::string& text) {
  Hand hand;
  std::istringstream groups(text);
  std::string group;
  for (int at = 0; std::getline(groups, group, '/'); ++at) {
    if (group == "-") continue;
    if (at > 0) {
      for (const char c : group) hand.Add({at - 1, RankOf(c)});
      continue;
    }
    std::istringstream trumps(group);
    std::string trump;
    while (std::getline(trumps, trump, ',')) {
      hand.Add({kTrump, trump == "X" ? 0 : std::stoi(trump)});
    }
  }
  return hand;
}

Card ParseCard(const std::string& text) {
  if (text == "X") return {};
  if (text[0] == 'T') return {kTrump, std::stoi(text.substr(1))};
  return {SuitOf(text[0]), RankOf(text[1])};
}

std::string Name(Card card) {
  if (card.IsExcuse()) return "X";
  if (card.IsTrump()) return "T" + std::to_string(card.rank);
  return {kSuits[card.suit], kRanks[card.rank]};
}

std::string Name(const Hand& hand) {
  std::string trumps = hand.Excuse() ? "X" : "";
  for (int rank = 21; rank > 0; --rank) {
    if (hand.Has({kTrump, rank})) trumps += (trumps.empty() ? "" : ",") + std::to_string(rank);
  }
  std::string text = trumps.empty() ? "-" : trumps;
  for (int suit = 0; suit < 4; ++suit) {
    std::string ranks;
    for (int rank = 14; rank > 0; --rank) {
      if (hand.Has({suit, rank})) ranks += kRanks[rank];
    }
    text += "/" + (ranks.empty() ? "-" : ranks);
  }
  return text;
}

}  // namespace rival
