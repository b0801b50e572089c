// A deal as a value: its history, and what a document states about its result.
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

// The history of one deal. Seats are in the order of play: seat 0 ("A") speaks first, the last seat
// deals. So equal deals are equal values, whatever seat a table counts from.
struct Record {
  // For people; "?" when not known.
  std::string event = "?";
  std::string site = "?";
  std::string date = "?";
  std::string round = "?";
  std::array<std::string, rules::kPlayersMax> names;

  std::string rule_set;  // As rules::RuleSetText() writes it: a name, or the differences from one.
  int players = 4;
  rules::Seat board_taker = rules::kNoSeat;  // Set if the rule set leaves the taker to the board.
  std::array<rules::CardSet, rules::kPlayersMax> hands;  // As dealt.
  rules::CardSet dog;
  std::vector<Entry> entries;  // In the order they were accepted.
  std::optional<dealing::DealSeed> seed;
  std::optional<dealing::Commitment> commitment;
  // How the cards follow from the seed and the nonces.
  dealing::Procedure procedure = dealing::Procedure::kSeedAlone;
  rules::Seat first_chair = 0;  // The seat that is the table's first: nonces enter in its order.
  bool first_deal = false;      // The first deal of its match, whose dealer is drawn.
  dealing::Nonces nonces;       // By seat; raw bytes, empty where none.
  std::optional<rules::PackOrder> gathered;   // The pack before the cut, if it was not shuffled.
  rules::Seat abandoned_by = rules::kNoSeat;  // The seat that left a deal before its end.
  std::map<std::string, std::string> tags;    // The other tags of the text: name to value.

  rules::Seat Dealer() const { return players - 1; }
  friend bool operator==(const Record&, const Record&) = default;
};

// The parts of the unit of a score.
struct Account {
  bool won = false;
  int difference = 0;
  int petit_au_bout = 0;  // 1 attack, -1 defence, 0 not made.
  int slam_points = 0;
  int handful_points = 0;
  int unit = 0;
  friend bool operator==(const Account&, const Account&) = default;
};

// Statements of a document that also follow from the history. Empty if the document has none.
struct Claims {
  rules::Outcome outcome = rules::Outcome::kScored;  // kNone: abandoned.
  std::optional<rules::Seat> taker;
  std::optional<rules::Seat> partner;  // kNoSeat: the taker is alone.
  std::optional<rules::Contract> contract;
  std::vector<rules::Seat> winners;  // By trick.
  std::optional<int> attack_half_points;
  std::optional<int> needed_half_points;
  std::optional<int> bouts;
  std::optional<Account> account;  // TDN has no form for it.
  std::optional<std::array<int, rules::kPlayersMax>> scores;
};

// Line numbers from 1; empty for a document that was not text.
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
