// A deal as it is written down: all that happened, and what the text says came of it.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "libs/dealing/provenance.h"
#include "libs/rules/deal.h"

namespace tarot::notation {

constexpr std::size_t Slot(rules::Seat seat) { return static_cast<std::size_t>(seat); }

struct Entry {
  rules::Seat seat = rules::kNoSeat;
  rules::Action action;
  friend bool operator==(const Entry&, const Entry&) = default;
};

// The history of one deal. Seats are in the order of play: seat 0 ("A") speaks first, the last one
// deals. Wherever a table counts its seats from, equal deals are equal values.
struct Record {
  // For people; "?" where not known.
  std::string event = "?";
  std::string site = "?";
  std::string date = "?";
  std::string round = "?";
  std::array<std::string, rules::kPlayersMax> names;

  std::string rule_set;  // Its name, or how it differs from one: rules::RuleSetText().
  int players = 4;
  rules::Seat board_taker = rules::kNoSeat;  // Where the rule set leaves the taker to the board.
  std::array<rules::CardSet, rules::kPlayersMax> hands;  // As dealt.
  rules::CardSet dog;
  std::vector<Entry> entries;  // In the order they were accepted.
  std::optional<dealing::DealSeed> seed;
  std::optional<dealing::Commitment> commitment;
  // How the cards follow from the seed, and what else entered it.
  dealing::Procedure procedure = dealing::Procedure::kSeedAlone;
  rules::Seat first_chair = 0;  // The seat that is the table's first: nonces enter in its order.
  bool first_deal = false;      // Of its match, so that its dealer was drawn.
  dealing::Nonces nonces;       // By seat; raw bytes, empty where none.
  std::optional<rules::PackOrder> gathered;   // The pack before the cut, where it was not shuffled.
  rules::Seat abandoned_by = rules::kNoSeat;  // Of a deal that did not end, where somebody left it.
  std::map<std::string, std::string> tags;    // Whatever else the text had: name to value.

  rules::Seat Dealer() const { return players - 1; }
  friend bool operator==(const Record&, const Record&) = default;
};

// How the unit of a score comes about.
struct Account {
  bool won = false;
  int difference = 0;
  int petit_au_bout = 0;  // 1 attack, -1 defence, 0 nobody.
  int slam_points = 0;
  int handful_points = 0;
  int unit = 0;
  friend bool operator==(const Account&, const Account&) = default;
};

// What a text states although it follows from the history. Empty where it states nothing.
struct Claims {
  rules::Outcome outcome = rules::Outcome::kScored;  // kNone: abandoned.
  std::optional<rules::Seat> taker;
  std::optional<rules::Seat> partner;  // kNoSeat: the taker is alone.
  std::optional<rules::Contract> contract;
  std::vector<rules::Seat> winners;  // By trick.
  std::optional<int> attack_half_points;
  std::optional<int> needed_half_points;
  std::optional<int> bouts;
  std::optional<Account> account;  // TDN does not state it.
  std::optional<std::array<int, rules::kPlayersMax>> scores;
};

// Lines from 1; empty for a document that was no text.
struct Lines {
  std::map<std::string, int> tags;  // By name.
  std::vector<int> entries;         // As Record::entries.
  std::vector<int> entry_columns;   // The same, in characters from 1.
  std::vector<int> winners;         // As Claims::winners.
};

struct Document {
  Record record;
  Claims claims;
  Lines lines;
};

}  // namespace tarot::notation
