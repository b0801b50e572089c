// The knowledge of one seat: the view and the legal actions that the engine protocol sends, and the
// conclusions about hidden cards.
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
  Hand hand;  // The hand after the deal, before any card moved.
  std::map<std::string, std::string> tags;
  std::vector<std::string> handfuls;  // For example "C:X,21,…".
  std::vector<std::string> play;      // One line per trick.
  std::map<std::string, std::vector<std::string>> legal;
};

// The knowledge of one seat: the public state, its own hand, and the possible places of the other
// cards.
class Knowledge {
 public:
  // Computes the knowledge from `position`. The play must have begun.
  explicit Knowledge(const Position& position);

  // Returns a table with random hidden cards that agree with all that is known. After 51 failed
  // attempts, ignores which cards a seat may hold.
  Table Sample(std::mt19937_64& dice) const;

 private:
  void Follow(const std::string& line);
  void Learn(int seat, Card card);

  const int me_;
  Table table_;  // The table with only the cards that the seat knows.
  Hand unseen_;
  // The cards that may be at each seat, indexed by seat. The last element is for the écart.
  std::array<Hand, 6> may_;
  std::array<int, 6> count_{};
};

int SeatOf(char letter);

}  // namespace rival
