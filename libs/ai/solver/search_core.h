// The search itself; compiled once for every kind of processor (search_*.cc), in a namespace of
// its own: TAROT_SEARCH_NAMESPACE. Alpha-beta with null windows over the cards, and partition
// search (Ginsberg, "GIB", 2001): a proof holds for all positions that differ in what it never
// looked at.
//
// Every proof is of the form "this camp gets at least so much". It may use
// - what the class key holds: lengths, the lead, holders of Petit and Excuse;
// - the owners of marked suit cards. Cards that are not marked are wild: any of the same suit and
//   hand may stand for it. A wild card counts half a point in a trick, its least;
// - that marked court cards count what they do: a higher one in the same place would do as well.
// - which of two trumps is the higher one: search_trumps.h.
// So a trick marks the rank that took it (and all above) or the trumps that the winning one beat,
// the camp's own court cards when their points are needed, and the trumps on which the duty to
// overtrump hung.
//
// Where the cards decide, the loops choose without branches: a wrong guess of the processor costs
// as much as some thirty instructions.
#pragma once

#include <algorithm>
#include <bit>

#include "libs/ai/solver/bits.h"
#include "libs/ai/solver/search.h"

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

using rules::Card;
using rules::Seat;

constexpr int kNone = -1;
// Loops over all seats: those that nobody has hold no cards.
constexpr int kSeats = rules::kPlayersMax;
constexpr int kFirstTrump = 56;
constexpr int kPetitIndex = 56;
constexpr int kExcuseIndex = 77;
constexpr int kTrumpSuit = 4;
constexpr int kTrumps = 21;
constexpr std::uint32_t kTrumpBits = (1u << 21) - 1;
constexpr std::uint32_t kExcuseBit = 1u << 21;
constexpr std::uint32_t kPetitBit = 1;

constexpr std::size_t At(int i) { return static_cast<std::size_t>(i); }
constexpr int SuitIndex(int card) { return std::min(card / 14, kTrumpSuit); }
constexpr std::uint64_t SuitBits(int suit) { return ((1ull << 14) - 1) << (14 * suit); }
// The card and all above it in its suit, or among the trumps.
constexpr std::uint64_t SuitFrom(int card) { return SuitBits(card / 14) & ~((1ull << card) - 1); }

// The highest card of each suit among `cards`.
constexpr std::uint64_t TopsOf(std::uint64_t cards) {
  constexpr std::uint64_t kLowest = 1ull | 1ull << 14 | 1ull << 28 | 1ull << 42;
  std::uint64_t below = cards;  // In the end all below the highest, and itself.
  for (int step = 1; step < 14; step *= 2) {
    below |= below >> step & kLowest * ((1u << (14 - step)) - 1);
  }
  return below & ~(below >> 1 & kLowest * ((1u << 13) - 1));
}

constexpr std::uint64_t kCourtBits = 0xFull << 10 | 0xFull << 24 | 0xFull << 38 | 0xFull << 52;

struct Trick {
  int leader = 0;
  int size = 0;
  int asked = kNone;         // Suit; kNone until a card that is not the Excuse.
  int best = kNone;          // The winning card,
  int winner = kNone;        // and whose it is.
  std::uint64_t suits = 0;   // The cards that lie in it,
  std::uint32_t trumps = 0;  // the Excuse as bit 21.
  std::array<std::uint8_t, rules::kPlayersMax> cards{};
};

// Proven: the attack (or the defence) gets at least `amount` from here on.
struct Result {
  bool attack = false;
  int amount = 0;
  bool any_leader = false;  // Whoever leads to the next trick.
  Marks marks;
};

// Set by nobody but ListMoves: every node has an array of them.
struct Move {
  std::uint8_t card;    // Highest of a group of equals,
  std::uint8_t lowest;  // and the lowest.
};

class Search {
 public:
  Search(const Setup& setup, const OpenPosition& position, SearchTable& table,
         std::uint64_t node_cap);

  // Whether the attack gets `need` or more from the root on, by result.attack; after `card`, where
  // one is given. False when the nodes ran out.
  bool Run(int need, int card, Result& result);
  // What the attack gets when everybody plays the card that looks best: a guess.
  int Guess(int card);
  std::uint64_t nodes() const { return nodes_; }

 private:
  // Half points of a trick: with every court card at its least, and what is left out by that.
  struct Worth {
    int points = 0;
    int court_points = 0;
    std::uint64_t courts = 0;
  };

  bool InAttack(int seat) const { return (attack_ >> seat & 1u) != 0; }
  unsigned Camp(bool attack) const { return attack ? attack_ : ~attack_ & ((1u << players_) - 1); }
  int HandSize(int seat) const {
    return std::popcount(suits_[At(seat)]) + std::popcount(trumps_[At(seat)]);
  }
  // Who plays the card `i` of the trick.
  int SeatOf(const Trick& trick, int i) const {
    const int seat = trick.leader + i;
    return seat < players_ ? seat : seat - players_;
  }
  unsigned LengthOf(int seat, int suit) const { return suit_lengths_[At(suit)] >> 4 * seat & 15; }
  static void Put(Trick& trick, int seat, int card);
  void Take(int seat, int card);
  void GiveBack(int seat, int card);

  void SolveTricks(int tricks, int leader, int need, int pool, Result& out);
  void Follow(Trick& trick, int tricks, int need, int pool, Result& out);
  void FinishTrick(const Trick& trick, int tricks, int need, int pool, Result& out);
  void LastTrick(int leader, int need, int pool, Result& out);
  void SettleLast(const Trick& played, int need, int pool, Result& out);
  int PetitAuBout(const Trick& trick, bool excuse_led_slam) const;
  Worth WorthOf(const Trick& trick) const;
  void Collect(const Worth& worth, int needed, Result& out) const;

  static bool IsWild(int card, const Marks& marks);
  void MarkGroup(const Move& move, int seat, Marks& marks) const;
  std::uint32_t AlsoFail(int seat, const std::array<Move, 24>& moves, int count, int failed,
                         std::uint32_t known, Marks& marks) const;
  static int HighestTrump(const Trick& trick) {
    return 31 - std::countl_zero(trick.trumps & kTrumpBits);
  }
  bool MustMeetTrump(const Trick& trick, int seat) const;
  void MarkChoice(const Trick& trick, int seat, int card, Marks& marks) const;
  void MarkDuty(const Trick& trick, int seat, Marks& marks) const;
  void MarkWinner(const Trick& trick, bool any_of_camp, Marks& marks) const;

  int ListMoves(const Trick& trick, int seat, std::array<Move, 24>& moves) const;
  void WithoutCalledSuit(const Trick& trick, std::uint64_t& suits, std::uint32_t trumps) const;
  // Of those who play after a seat: the highest card that each may take the trick with, or kNone,
  // and whether he is of the seat's camp.
  struct Behind {
    int count = 0;
    std::array<int, rules::kPlayersMax - 1> highest;
    std::array<bool, rules::kPlayersMax - 1> with;
  };
  Behind BehindOf(const Trick& trick, int seat, int asked) const;
  static bool CampTakes(const Behind& behind, int best, bool with);
  void Order(const Trick& trick, int seat, std::array<Move, 24>& moves, int count) const;
  int Replies(int leader, int suit) const;
  SearchTable::Leads& LeadsOf(int tricks) const;
  void Remember(int tricks, int seat, const std::array<Move, 24>& moves, int won);

  // search_bounds.h
  int LeastOf(int tricks) const;
  bool ExcuseMayWin(bool attack) const;
  int BoundTricks(int seat, std::uint32_t opponents, int killers, int& least) const;
  int ExcuseShare(bool attack, int hand, bool cashed, int taken, int left) const;
  int ForcedCourts(int seat, int tricks, int left, Marks& marks) const;
  // Of each seat, 0 when it may ruff, else kNeverRuffs: more than any suit has cards.
  using Ruffs = std::array<unsigned, rules::kPlayersMax>;
  static constexpr unsigned kNeverRuffs = 15;
  int MasterTricks(int hand, int suit, const Ruffs& ruffs, Result& out) const;
  bool MastersSuffice(int hand, int taken, int left, int needed, Result& out) const;
  bool TrumpsSuffice(bool attack, int tricks, int needed, Result& out) const;
  bool QuickTricks(int hand, int leader, int left, int needed, Result& out) const;
  bool Bounded(int leader, int tricks, int need, int pool, Result& out);

  // search_trumps.h
  using TrumpStarts = std::array<int, rules::kPlayersMax + 1>;
  bool Alike(int card, int other, const TrumpPairs& pairs) const;
  static void Share(std::uint32_t cards, const TrumpPairs& from, TrumpPairs& pairs);
  TrumpStarts NumberTrumps() const;
  TrumpRows OrderOfTrumps(const TrumpStarts& starts) const;
  TrumpRows PairsByHand(const TrumpPairs& pairs, const TrumpStarts& starts) const;
  TrumpPairs PairsByRank(const TrumpRows& rows, const TrumpStarts& starts) const;

  PositionKey ClassOf(int leader, int tricks) const;
  void FillKey(PositionKey& key) const;
  bool Lookup(const PositionKey& key, int need, int pool, Result& out) const;
  void Store(const PositionKey& key, const Result& result);
  bool SlamOpen() const {
    return attack_tricks_ == 0 || defence_tricks_ <= setup_.rules.slam_lost_tricks_max;
  }

  const Setup& setup_;
  SearchTable& table_;
  const std::uint64_t node_cap_;
  std::uint64_t nodes_ = 0;
  bool out_of_nodes_ = false;
  const int players_;
  const unsigned attack_;  // Seats.

  std::array<std::uint64_t, rules::kPlayersMax> suits_{};
  std::array<std::uint32_t, rules::kPlayersMax> trumps_{};  // With the Excuse as bit 21.
  std::uint64_t all_suits_ = 0;
  std::uint32_t all_trumps_ = 0;
  std::uint64_t tops_ = 0;  // The highest card of each suit, for Bounded().
  // Of each suit, trumps last; four bits for each hand.
  std::array<std::uint64_t, 5> suit_lengths_{};
  int petit_ = kNone;              // Who holds the Petit, and
  bool attack_has_petit_ = false;  // who had it in a trick.
  int petit_before_ = 0;
  int excuse_ = kNone;      // Who holds the Excuse.
  int attack_tricks_ = 0;   // Up to 1,
  int defence_tricks_ = 0;  // up to one more than a slam may lose.
  bool guessing_ = false;
  bool root_trick_ = true;  // In it the called suit may be barred.
  const OpenPosition& position_;
  Trick root_;
  int pool_ = 0;
};

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE

#include "libs/ai/solver/search_bounds.h"
#include "libs/ai/solver/search_courts.h"
#include "libs/ai/solver/search_keys.h"
#include "libs/ai/solver/search_last.h"
#include "libs/ai/solver/search_leads.h"
#include "libs/ai/solver/search_marks.h"
#include "libs/ai/solver/search_moves.h"
#include "libs/ai/solver/search_play.h"
#include "libs/ai/solver/search_trumps.h"

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

inline int GuessAmount(const Setup& setup, const OpenPosition& position, int card,
                       SearchTable& table) {
  Search search(setup, position, table, 0);
  return search.Guess(card);
}

inline WindowResult Window(const Setup& setup, const OpenPosition& position, int card, int need,
                           std::uint64_t node_cap, SearchTable& table) {
  Search search(setup, position, table, node_cap);
  Result result;
  const bool finished = search.Run(need, card, result);
  return {.finished = finished,
          .attack = result.attack,
          .amount = result.amount,
          .nodes = search.nodes()};
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
