// An independent program that plays against our bots. It shares no code with our bots. It speaks
// the protocol of docs/engine_protocol.md. It chooses cards by heuristic ("rule"), or by the mean
// result of heuristic play-outs in N sampled worlds ("pimc N"). Before the first card, the program
// decides by simple rules.
#include <algorithm>
#include <cstdint>
#include <iostream>
#include <sstream>

#include "tests/rivals/position.h"

namespace rival {
namespace {

// Returns the value of the hand in the point count that beginners learn.
int Strength(const Hand& hand) {
  int strength = hand.Excuse() ? 8 : 0;
  const int trumps = std::popcount(hand.Trumps());
  strength += hand.Has({kTrump, 21}) ? 10 : 0;
  strength += hand.Has({kTrump, 1}) ? (trumps > 5 ? 8 : trumps > 4 ? 5 : 0) : 0;
  strength += trumps > 4 ? 2 * trumps : 0;
  strength += 2 * std::popcount(hand.Trumps() & ~0xffffu);
  for (int suit = 0; suit < 4; ++suit) {
    for (int rank = 11; rank <= 14; ++rank) {
      if (hand.Has({suit, rank})) strength += rank == 14 ? 6 : rank - 10;
    }
  }
  return strength;
}

std::string Bid(const Position& position) {
  const auto& words = position.legal.at("bid");
  const auto may = [&](const char* bid) {
    return std::find(words.begin(), words.end(), bid) != words.end();
  };
  const int strength = Strength(position.hand);
  if (strength >= 81 && may("GC")) return "bid GC";
  if (strength >= 71 && may("GS")) return "bid GS";
  if (strength >= 56 && may("G")) return "bid G";
  if (strength >= 40 && strength < 56 && may("P")) return "bid P";
  return "bid " + (may("-") ? "-" : words.front());
}

// Returns a discard, with the cards of short suits first and honours last.
std::string Discard(const Position& position) {
  const auto& words = position.legal.at("discard");  // The line has the form: 6 trumps 0 of HAND.
  const int count = std::stoi(words[0]);
  const int trumps = std::stoi(words[2]);
  const Hand allowed = ParseHand(words[4]);
  std::vector<Card> cards = allowed.Cards();
  const auto cost = [&](Card card) {
    if (card.suit == kTrump) return trumps > 0 ? 1000 + card.rank : 900 + card.rank;
    return 10 * allowed.Count(card.suit) + card.rank / 2 - (card.rank > 10 ? 8 : 0);
  };
  std::stable_sort(cards.begin(), cards.end(), [&](Card a, Card b) { return cost(a) < cost(b); });
  Hand chosen;
  for (int i = 0; i < count; ++i) chosen.Add(cards[static_cast<std::size_t>(i)]);
  return "discard " + Name(chosen);
}

std::string Call(const Position& position) {
  const auto& words = position.legal.at("call");
  std::string best = words.front();
  int longest = -1;
  for (const std::string& word : words) {
    if (word == "-" || word == "X" || word[0] == 'T') continue;
    const Card card = ParseCard(word);
    const int length = position.hand.Has(card) ? 0 : position.hand.Count(card.suit);
    if (length > longest) {
      longest = length;
      best = word;
    }
  }
  return "call " + best;
}

Card Pimc(const Knowledge& knowledge, const std::vector<Card>& cards, int me, int worlds,
          std::mt19937_64& dice) {
  std::vector<long> sums(cards.size());
  for (int world = 0; world < worlds && cards.size() > 1; ++world) {
    const Table now = knowledge.Sample(dice);
    for (std::size_t i = 0; i < cards.size(); ++i) {
      Table table = now;
      table.Play(cards[i]);
      while (!table.Over()) table.Play(RuleCard(table));
      sums[i] += table.Score(me);
    }
  }
  const auto best = std::max_element(sums.begin(), sums.end()) - sums.begin();
  return cards[static_cast<std::size_t>(best)];
}

std::string Decide(const Position& position, int worlds, std::mt19937_64& dice) {
  if (position.legal.contains("bid")) return Bid(position);
  if (position.legal.contains("discard")) return Discard(position);
  if (position.legal.contains("call")) return Call(position);
  if (position.legal.contains("slam")) return "slam no";
  std::vector<Card> cards;
  for (const std::string& word : position.legal.at("play")) cards.push_back(ParseCard(word));
  const Knowledge knowledge(position);
  if (worlds > 0) return "play " + Name(Pimc(knowledge, cards, position.me, worlds, dice));
  const Card card = RuleCard(knowledge.Sample(dice));
  const bool legal = std::find(cards.begin(), cards.end(), card) != cards.end();
  return "play " + Name(legal ? card : cards.front());
}

// Reads one line of a view.
void ReadView(const std::string& line, Position& position) {
  if (line[0] == '[') {
    const std::size_t blank = line.find(' ');
    const std::size_t quote = line.find('"');
    const std::string name = line.substr(1, blank - 1);
    const std::string value = line.substr(quote + 1, line.rfind('"') - quote - 1);
    position.tags[name] = value;
    if (name == "Poignee") position.handfuls.push_back(value);
    if (name != "Deal") return;
    std::istringstream hands(value.substr(2));
    std::string hand;
    for (int seat = 0; hands >> hand; ++seat) {
      if (hand != "?" && seat == position.me) position.hand = ParseHand(hand);
    }
  } else if (line[0] >= '0' && line[0] <= '9') {
    position.play.push_back(line);
  }
}

void Serve(int worlds) {
  std::mt19937_64 dice;
  Position position;
  bool in_view = false;
  for (std::string line; std::getline(std::cin, line);) {
    std::istringstream words(line);
    std::string word, name;
    words >> word;
    if (in_view) {
      in_view = word != "*";
      if (in_view && !line.empty()) ReadView(line, position);
    } else if (word == "tarot") {
      std::cout << "id name rival\nprotocol 1\ntarotok" << std::endl;
    } else if (word == "isready") {
      std::cout << "readyok" << std::endl;
    } else if (word == "newdeal") {
      position = Position();
      std::uint64_t seed = 0;
      char seat = 'A';
      words >> name >> position.players >> name >> seat >> name >> seed;
      position.me = SeatOf(seat);
      dice.seed(seed);
    } else if (word == "view") {
      Position next;
      next.players = position.players;
      next.me = position.me;
      position = next;
      in_view = true;
    } else if (word == "legal" && words >> name) {
      auto& legal = position.legal[name];
      for (std::string what; words >> what;) legal.push_back(what);
    } else if (word == "go") {
      std::cout << "bestaction " << Decide(position, worlds, dice) << std::endl;
    } else if (word == "quit") {
      return;
    }
  }
}

}  // namespace
}  // namespace rival

int main(int argc, char** argv) {
  const std::string kind = argc > 1 ? argv[1] : "";
  if (kind != "rule" && !(kind == "pimc" && argc > 2)) {
    std::cerr << "usage: rival rule | rival pimc WORLDS\n";
    return 2;
  }
  rival::Serve(kind == "rule" ? 0 : std::max(1, std::stoi(argv[2])));
  return 0;
}
