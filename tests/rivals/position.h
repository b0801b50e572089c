// What a seat knows, from the view and the legal lines of the engine protocol, and what it proves
// about the cards that it does not see.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "tests/rivals/table.h"

namespace rival {

struct Position {
  int players = 4;
  int me = 0;
  Hand hand;  // As dealt.
  std::map<std::string, std::string> tags;
  std::vector<std::string> handfuls;  // "C:X,21,…"
  std::vector<std::string> play;      // A line a trick.
  std::map<std::string, std::vector<std::string>> legal;
};

// The public state, my hand, and where the other cards may lie.
class Knowledge {
 public:
  // The play has begun.
  explicit Knowledge(const Position& position);

  // A table with the hidden cards laid at random in a way that fits all that is known.
  Table Sample(std::mt19937_64& dice) const;

 private:
  void Follow(const std::string& line);
  void Learn(int seat, Card card);

  const int me_;
  Table table_;  // My own cards only.
  Hand unseen_;
  std::array<Hand, 6> may_;  // By seat; the last place is the écart.
  std::array<int, 6> count_{};
};

int SeatOf(char letter);

}  // namespace rival
