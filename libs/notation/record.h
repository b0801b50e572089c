// Defines a deal as a value: its history, and the statements of a document about its result.
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

// The history of one deal. Seats are numbered in the order of play: seat 0 ("A") speaks first, and
// the last seat deals. These numbers do not depend on the seats at the table, so equal deals give
// equal records.
struct Record {
  // `event`, `site`, `date` and `round` are for people to read; "?" means unknown.
  std::string event = "?";
  std::string site = "?";
  std::string date = "?";
  std::string round = "?";
  std::array<std::string, rules::kPlayersMax> names;

  // The rule set in the form of rules::RuleSetText(): its name, or its differences from a named
  // rule set.
  std::string rule_set;
  int players = 4;
  // The taker that the board names; kNoSeat if there is no board.
  rules::Seat board_taker = rules::kNoSeat;
  // The hands as dealt, before the taker takes the dog.
  std::array<rules::CardSet, rules::kPlayersMax> hands;
  rules::CardSet dog;
  // The actions of the seats, in the order in which the table accepted them.
  std::vector<Entry> entries;
  std::optional<dealing::DealSeed> seed;
  std::optional<dealing::Commitment> commitment;
  // `procedure` and the members up to `piles` say how the cards follow from the seed and the
  // nonces.
  dealing::Procedure procedure = dealing::Procedure::kSeedAlone;
  // The seat number, in this record, of the table's first seat. The procedure uses the nonces in
  // the order of the table's seats.
  rules::Seat first_chair = 0;
  bool first_deal = false;  // True for the first deal of a match.
  dealing::Nonces nonces;   // The raw bytes of each seat's nonce; empty if the seat added none.
  // The cards that the previous deal left, if the pack was not shuffled.
  std::optional<rules::PackOrder> gathered;
  rules::PileSizes piles;  // The piles of `gathered`. Set only with Procedure::kDrawnGathering.
  rules::Seat abandoned_by = rules::kNoSeat;  // The seat that left a deal before its end.
  // The tags to which TDN gives no meaning, from name to value.
  std::map<std::string, std::string> tags;

  rules::Seat Dealer() const { return players - 1; }
  friend bool operator==(const Record&, const Record&) = default;
};

// The parts of a score, and the unit. The unit is the points that each defender pays; it is
// negative if each defender gets points.
struct Account {
  bool won = false;
  int difference = 0;
  // The camp that gets the Petit au bout: 1 is the attack, -1 the defence, 0 none.
  int petit_au_bout = 0;
  int slam_points = 0;
  int handful_points = 0;
  int unit = 0;
  friend bool operator==(const Account&, const Account&) = default;
};

// The statements of a document that a replay of its history can check. If the document does not
// state a value, the optional member for this value is empty.
struct Claims {
  // The outcome; kNone if the deal was abandoned.
  rules::Outcome outcome = rules::Outcome::kScored;
  std::optional<rules::Seat> taker;
  std::optional<rules::Seat> partner;  // The partner; kNoSeat if the taker is alone.
  std::optional<rules::Contract> contract;
  std::vector<rules::Seat> winners;  // Indexed by trick.
  std::optional<int> attack_half_points;
  std::optional<int> needed_half_points;
  std::optional<int> bouts;
  std::optional<Account> account;  // TDN cannot express this member.
  // The seat and the hand of the petit sec that cancelled the deal. TDN cannot express these
  // members.
  std::optional<rules::Seat> petit_sec_seat;
  std::optional<rules::CardSet> petit_sec_hand;
  std::optional<std::array<int, rules::kPlayersMax>> scores;
};

// The lines of a document, counted from 1. The members are empty if the document does not come from
// a text.
struct Lines {
  std::map<std::string, int> tags;  // The line of each tag, by the name of the tag.
  std::vector<int> entries;         // In the order of Record::entries.
  std::vector<int> entry_columns;   // The column of each entry, counted in characters from 1.
  std::vector<int> winners;         // In the order of Claims::winners.
};

struct Document {
  Record record;
  Claims claims;
  Lines lines;
};

}  // namespace tarot::notation
