// A deal as a value: its history, and the statements of a document about its result.
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

// The history of one deal. Seats are in the order of play: seat 0 ("A") speaks first, and the last
// seat deals. So equal deals are equal values, whichever seat a table counts from.
struct Record {
  // The next texts are for people to read; "?" means unknown.
  std::string event = "?";
  std::string site = "?";
  std::string date = "?";
  std::string round = "?";
  std::array<std::string, rules::kPlayersMax> names;

  // Has the form of rules::RuleSetText(): the name of a rule set, or the differences from a named
  // one.
  std::string rule_set;
  int players = 4;
  rules::Seat board_taker = rules::kNoSeat;  // Set if the board names the taker.
  // The hands after the deal, before any card moved.
  std::array<rules::CardSet, rules::kPlayersMax> hands;
  rules::CardSet dog;
  std::vector<Entry> entries;  // In the order in which the table accepted them.
  std::optional<dealing::DealSeed> seed;
  std::optional<dealing::Commitment> commitment;
  // The next members say how the cards follow from the seed and the nonces.
  dealing::Procedure procedure = dealing::Procedure::kSeedAlone;
  // The seat of this record that is the first seat of the table. Nonces enter the seed in the order
  // of the table's seats.
  rules::Seat first_chair = 0;
  bool first_deal = false;  // True for the first deal of a match.
  dealing::Nonces nonces;   // The raw bytes of each seat's nonce; empty if the seat added none.
  // The cards that the deal before left, if the pack was not shuffled.
  std::optional<rules::PackOrder> gathered;
  rules::PileSizes piles;  // The piles of `gathered`, with Procedure::kDrawnGathering.
  rules::Seat abandoned_by = rules::kNoSeat;  // The seat that left a deal before its end.
  // The tags to which TDN gives no meaning, from name to value.
  std::map<std::string, std::string> tags;

  rules::Seat Dealer() const { return players - 1; }
  friend bool operator==(const Record&, const Record&) = default;
};

// The parts of a score, and the unit: the points that each defender pays.
struct Account {
  bool won = false;
  int difference = 0;
  int petit_au_bout = 0;  // 1 for the attack, -1 for the defence, 0 if it was not made.
  int slam_points = 0;
  int handful_points = 0;
  int unit = 0;
  friend bool operator==(const Account&, const Account&) = default;
};

// The statements of a document that also follow from the history. An optional member is empty if
// the document does not state it.
struct Claims {
  rules::Outcome outcome = rules::Outcome::kScored;  // kNone means that the deal was abandoned.
  std::optional<rules::Seat> taker;
  std::optional<rules::Seat> partner;  // kNoSeat means that the taker is alone.
  std::optional<rules::Contract> contract;
  std::vector<rules::Seat> winners;  // Indexed by trick.
  std::optional<int> attack_half_points;
  std::optional<int> needed_half_points;
  std::optional<int> bouts;
  std::optional<Account> account;  // TDN cannot express this member.
  // The hand that cancelled the deal, and its seat. TDN cannot express these members.
  std::optional<rules::Seat> petit_sec_seat;
  std::optional<rules::CardSet> petit_sec_hand;
  std::optional<std::array<int, rules::kPlayersMax>> scores;
};

// Line numbers, counted from 1. There are none if the document does not come from a text.
struct Lines {
  std::map<std::string, int> tags;  // The line of each tag, by the name of the tag.
  std::vector<int> entries;         // In the order of Record::entries.
  std::vector<int> entry_columns;   // The column of each entry, in characters from 1.
  std::vector<int> winners;         // In the order of Claims::winners.
};

struct Document {
  Record record;
  Claims claims;
  Lines lines;
};

}  // namespace tarot::notation
