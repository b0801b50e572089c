// The search of the solver. It is a null-window alpha-beta search over the cards. Its proofs hold
// for whole classes of positions (partition search: Ginsberg, "GIB", 2001).
//
// Every proof has the form "this camp gets at least N half points from here on". It may depend on
// four things:
// - the class of the position: the lengths of the suits, the leader, and the holders of the Petit
//   and the Excuse;
// - the owners of marked suit cards. The other suit cards are wild: any other card of the same suit
//   and hand could take the place of a wild card. A wild card counts half a point in a trick, which
//   is the least that a card can count;
// - the points of marked court cards. The proof also holds if a higher court card is in the same
//   place;
// - the order of marked pairs of trumps (TrumpPairs).
// So for each trick of a proof, the search marks three things:
// - the card that took the trick. If it is a suit card, all ranks above it are marked too. If it is
//   a trump, its pairs with the trumps that it beat are marked;
// - the court cards whose points the camp needs;
// - the trumps that decided whether a seat had to overtrump.
//
// search.cc is compiled twice: for any processor, and for processors with BMI2 and LZCNT. Each
// compiled variant has its own namespace, TAROT_SEARCH_NAMESPACE. BestSearch() chooses a variant at
// run time. The inner loops avoid branches that depend on the cards, because the processor would
// often predict such branches wrongly.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "libs/ai/solver/proof_table.h"
#include "libs/rules/scoring.h"

#ifndef TAROT_SEARCH_NAMESPACE
#define TAROT_SEARCH_NAMESPACE search_portable
#endif

namespace tarot::ai {

// The answer of one null window. A null window asks whether the attack gets at least a given number
// of half points.
struct WindowResult {
  // False if the search used up its nodes. Then `attack` and `amount` mean nothing.
  bool finished = false;
  // True if the attack gets at least `amount` of the pool from here on. False if the defence does.
  bool attack = false;
  int amount = 0;  // The camp that `attack` names gets at least this many half points.
  std::uint64_t nodes = 0;
};

// The functions of one compiled variant of search.cc. All variants give the same results and node
// counts.
struct SearchCode {
  // Finds whether the attack gets `need` or more after `card` (the index of a card; -1 means after
  // the best card). If `node_cap` is 0, there is no limit.
  WindowResult (*window)(const Setup& setup, const OpenPosition& position, int card, int need,
                         std::uint64_t node_cap, ProofTable& table);
  // Returns an estimate of what the attack gets if each seat plays the card that looks best.
  int (*guess)(const Setup& setup, const OpenPosition& position, int card, ProofTable& table);
};
extern const SearchCode kPortableSearch;
extern const SearchCode kBmi2Search;
// Returns the fastest compiled variant of the search that this processor can run.
const SearchCode& BestSearch();

}  // namespace tarot::ai

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

// Gather packs the bits of `bits` that are in `mask` into the low bits. Spread is the inverse of
// Gather. Places returns a bit for each index at which `numbers` has the value `wanted`. `numbers`
// must be aligned to 16 bytes.
#ifdef TAROT_SEARCH_BMI2
inline std::uint64_t Gather(std::uint64_t bits, std::uint64_t mask) {
  return __builtin_ia32_pext_di(bits, mask);
}
inline std::uint64_t Spread(std::uint64_t bits, std::uint64_t mask) {
  return __builtin_ia32_pdep_di(bits, mask);
}
inline std::uint32_t Places(const std::array<std::uint16_t, 32>& numbers, std::uint16_t wanted) {
  using Eight = short __attribute__((vector_size(16), may_alias));
  using Bytes = char __attribute__((vector_size(16)));
  const auto* eights = reinterpret_cast<const Eight*>(numbers.data());
  const auto sixteen = [&](int i) {
    const auto low = eights[i] == static_cast<short>(wanted);
    const auto high = eights[i + 1] == static_cast<short>(wanted);
    const Bytes packed = __builtin_ia32_packsswb128(low, high);
    return static_cast<std::uint32_t>(__builtin_ia32_pmovmskb128(packed));
  };
  return sixteen(0) | sixteen(2) << 16;
}
#else
inline std::uint32_t Places(const std::array<std::uint16_t, 32>& numbers, std::uint16_t wanted) {
  std::uint32_t places = 0;
  for (std::size_t i = 0; i < 32; ++i) places |= (numbers[i] == wanted ? 1u : 0u) << i;
  return places;
}
inline std::uint64_t Gather(std::uint64_t bits, std::uint64_t mask) {
  std::uint64_t gathered = 0;
  for (int at = 0; mask != 0; mask &= mask - 1) {
    gathered |= (bits >> __builtin_ctzll(mask) & 1) << at++;
  }
  return gathered;
}
inline std::uint64_t Spread(std::uint64_t bits, std::uint64_t mask) {
  std::uint64_t spread = 0;
  for (; bits != 0; bits >>= 1, mask &= mask - 1) {
    if ((bits & 1) != 0) spread |= mask & (0 - mask);
  }
  return spread;
}
#endif

using rules::Card;
using rules::Seat;

constexpr int kNone = -1;
// Many loops run over this many seats, because a loop with a constant length is faster. The seats
// from players_ on hold no cards.
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
// Returns the suit card `card` and all cards above it in its suit.
constexpr std::uint64_t SuitFrom(int card) { return SuitBits(card / 14) & ~((1ull << card) - 1); }

// Returns the highest card of each suit among `cards`.
constexpr std::uint64_t TopsOf(std::uint64_t cards) {
  constexpr std::uint64_t kLowest = 1ull | 1ull << 14 | 1ull << 28 | 1ull << 42;
  // After the loop, `below` has the highest card of each suit and all ranks below it.
  std::uint64_t below = cards;
  for (int step = 1; step < 14; step *= 2) {
    below |= below >> step & kLowest * ((1u << (14 - step)) - 1);
  }
  return below & ~(below >> 1 & kLowest * ((1u << 13) - 1));
}

constexpr std::uint64_t kCourtBits = 0xFull << 10 | 0xFull << 24 | 0xFull << 38 | 0xFull << 52;

// The levels of a position or a proof describe its court cards. Each suit has four places: the
// places of its four highest cards in play, the highest card first. Each place has four bits. The
// lower three bits are 1 for a Jack, 2 for a Knight, 3 for a Queen and 4 for a King. They are 0 if
// the card is not a court card, or if the proof does not depend on it. The fourth bit is free for a
// flag.
constexpr std::uint64_t kLevelFlags = 0x8888'8888'8888'8888;

// Two tables about the court cards of a suit. In both tables, the first index is the set of the
// suit's court cards in play (bit 0 is the Jack).
struct CourtTable {
  std::array<std::array<std::uint16_t, 16>, 16> levels{};  // The second index is a set of cards.
  std::array<std::array<std::uint8_t, 16>, 16> cards{};    // The second index is a set of places.
};
constexpr CourtTable MakeCourtTable() {
  CourtTable table;
  for (unsigned all = 0; all < 16; ++all) {
    for (unsigned some = 0; some < 16; ++some) {
      int place = 0;
      for (int level = 4; level > 0; --level) {
        const unsigned card = 1u << (level - 1);
        if ((all & card) == 0) continue;
        if ((some & card) != 0) {
          table.levels[all][some] |= static_cast<std::uint16_t>(level << 4 * place);
        }
        if ((some >> place & 1) != 0) table.cards[all][some] |= static_cast<std::uint8_t>(card);
        ++place;
      }
    }
  }
  return table;
}
inline constexpr CourtTable kCourtTable = MakeCourtTable();

// Returns the levels of the court cards among `cards`, at their places among `all`.
inline std::uint64_t LevelsOf(std::uint64_t cards, std::uint64_t all) {
  std::uint64_t levels = 0;
  for (int suit = 3; suit >= 0; --suit) {
    const int jack = 14 * suit + 10;
    levels = levels << 16 | kCourtTable.levels[all >> jack & 15][cards >> jack & 15];
  }
  return levels;
}

// Returns the court cards of `all` at the places that have a level or a flag in `levels`.
inline std::uint64_t CourtsAt(std::uint64_t levels, std::uint64_t all) {
  std::uint64_t cards = 0;
  for (int suit = 0; levels != 0; ++suit, levels >>= 16) {
    std::uint64_t places = (levels | levels >> 1 | levels >> 2 | levels >> 3) & 0x1111;
    places = (places | places >> 3 | places >> 6 | places >> 9) & 15;
    const int jack = 14 * suit + 10;
    cards |= std::uint64_t{kCourtTable.cards[all >> jack & 15][places]} << jack;
  }
  return cards;
}

// Returns whether `levels` has at every place at least the level of `asked`.
constexpr bool LevelsReach(std::uint64_t levels, std::uint64_t asked) {
  return (((levels | kLevelFlags) - asked) & kLevelFlags) == kLevelFlags;
}

// Returns a flag for every place with a level.
constexpr std::uint64_t FlagsOf(std::uint64_t levels) {
  return (levels << 1 | levels << 2 | levels << 3) & kLevelFlags;
}

struct OpenTrick {
  int leader = 0;
  int size = 0;
  // The suit to follow; kNone until a seat plays a card other than the Excuse.
  int asked = kNone;
  int best = kNone;          // The winning card.
  int winner = kNone;        // The seat that played `best`.
  std::uint64_t suits = 0;   // The suit cards in the trick.
  std::uint32_t trumps = 0;  // The trumps in the trick; bit 21 is the Excuse.
  std::array<std::uint8_t, rules::kPlayersMax> cards{};
};

// A proof that a camp gets at least `amount` from here on. The camp is the attack if `attack` is
// true, and the defence if it is false.
struct Result {
  bool attack = false;
  int amount = 0;
  bool any_leader = false;  // True if the proof holds for every leader of the next trick.
  Marks marks;
};

// A group of equal cards, which count as one move. The members have no initial value: every node
// has an array of 24 moves, and to fill the array twice would cost time. ListMoves fills the moves
// that are used.
struct Move {
  std::uint8_t card;    // The highest card of the group.
  std::uint8_t lowest;  // The lowest card of the group.
};

// kVariety[n] says how much choice a hand with n playable cards has, on a logarithmic scale.
constexpr std::array<std::uint8_t, 25> kVariety = [] {
  std::array<std::uint8_t, 25> variety{};
  for (unsigned n = 0; n < variety.size(); ++n) {
    variety[n] = static_cast<std::uint8_t>(31 - std::countl_zero(n * n * n * n | 1));
  }
  return variety;
}();

// One search from one position. All functions are `inline`, so that the compiler merges most of
// them into Follow.
class Search {
 public:
  Search(const Setup& setup, const OpenPosition& position, ProofTable& table,
         std::uint64_t node_cap);

  // Finds whether the attack gets `need` or more from the root on, or after `card` if `card` is not
  // kNone. The answer is in result.attack. Returns false if the search used up its nodes.
  bool Run(int need, int card, Result& result);

  // Returns an estimate of what the attack gets if each seat plays the card that looks best.
  int Guess(int card);

  std::uint64_t nodes() const { return nodes_; }

 private:
  // A trick is worth `points` + `court_points` half points. `points` counts each court card as half
  // a point, which is the least that a card can count.
  struct Worth {
    int points = 0;
    int court_points = 0;  // The points of the court cards, less half a point for each card.
    std::uint64_t courts = 0;
  };

  bool InAttack(int seat) const { return (attack_ >> seat & 1u) != 0; }
  unsigned Camp(bool attack) const { return attack ? attack_ : ~attack_ & ((1u << players_) - 1); }
  int HandSize(int seat) const {
    return std::popcount(suits_[At(seat)]) + std::popcount(trumps_[At(seat)]);
  }
  // Returns the seat that plays card number `i` of the trick.
  int SeatOf(const OpenTrick& trick, int i) const {
    const int seat = trick.leader + i;
    return seat < players_ ? seat : seat - players_;
  }
  unsigned LengthOf(int seat, int suit) const { return suit_lengths_[At(suit)] >> 4 * seat & 15; }
  bool SlamOpen() const {
    return attack_tricks_ == 0 || defence_tricks_ <= setup_.rules.slam_lost_tricks_max;
  }

  // Adds a card to a trick.
  static void Put(OpenTrick& trick, int seat, int card);
  // Take() removes a card from a hand, and GiveBack() returns it to the hand.
  void Take(int seat, int card);
  void GiveBack(int seat, int card);

  // SolveTricks begins a trick, Follow plays a card to the trick, and FinishTrick ends the trick.
  // LastTrick plays the last trick, and SettleLast ends it.
  void SolveTricks(int tricks, int leader, int need, int pool, Result& out);
  void Follow(OpenTrick& trick, int tricks, int need, int pool, Result& out);
  void FinishTrick(const OpenTrick& trick, int tricks, int need, int pool, Result& out);
  void LastTrick(int leader, int need, int pool, Result& out);
  void SettleLast(const OpenTrick& played, int need, int pool, Result& out);
  // Returns whether the Excuse wins the last trick if `seat` has played the Excuse to it.
  bool ExcuseTakesLast(const OpenTrick& trick, int seat) const {
    return setup_.rules.excuse_wins_slam &&
           (seat == trick.leader || setup_.rules.excuse_wins_when_partner_leads) &&
           setup_.rules.SlamRulesHold(InAttack(seat)) &&
           (InAttack(seat) ? defence_tricks_ : attack_tricks_) == 0;
  }
  // Returns whether the Petit counts as Petit au bout at the end of the deal, if `seat` plays the
  // Petit and `winner` wins its trick.
  bool PetitCountsFor(int seat, int winner) const {
    return rules::PetitCounts(setup_.rules.petit_condition, seat == winner,
                              InAttack(seat) == InAttack(winner));
  }
  // Returns 1 if the attack has the Petit au bout, -1 if the defence has it, and 0 if no camp has
  // it.
  int PetitAuBout(const OpenTrick& trick, bool excuse_takes_last) const {
    for (int i = 0; i < players_; ++i) {
      if (trick.cards[At(i)] != kPetitIndex) continue;
      const int seat = SeatOf(trick, i);
      if (!PetitCountsFor(seat, trick.winner)) return 0;
      return InAttack(trick.winner) ? 1 : -1;
    }
    return excuse_takes_last && setup_.rules.petit_before_excuse ? petit_before_ : 0;
  }
  Worth WorthOf(const OpenTrick& trick) const {
    Worth worth{.points = players_, .courts = trick.suits & kCourtBits};
    std::uint64_t of_rank = 1ull << 13 | 1ull << 27 | 1ull << 41 | 1ull << 55;
    for (int extra = 8; extra > 0; extra -= 2, of_rank >>= 1) {
      worth.court_points += extra * std::popcount(worth.courts & of_rank);
    }
    if ((trick.trumps & kPetitBit) != 0) worth.points += setup_.weight[kPetitIndex] - 1;
    if ((trick.trumps & kExcuseBit) != 0) worth.points += setup_.weight[kExcuseIndex] - 1;
    return worth;
  }
  void Collect(const Worth& worth, int needed, Result& out) const;

  // Lists the legal moves of a seat, the most promising move first. Returns their number.
  int ListMoves(const OpenTrick& trick, int seat, std::array<Move, 24>& moves) const;
  void WithoutCalledSuit(const OpenTrick& trick, std::uint64_t& suits, std::uint32_t trumps) const;
  // The `count` seats that play to the trick after a given seat, in order. highest[i] is the
  // highest card with which seat i of this list can take the trick, or kNone. with[i] is true if
  // this seat is in the camp of the given seat.
  struct Behind {
    int count = 0;
    std::array<int, rules::kPlayersMax - 1> highest;
    std::array<bool, rules::kPlayersMax - 1> with;
  };
  Behind BehindOf(const OpenTrick& trick, int seat, int asked) const;
  // Returns whether the camp of a seat wins the trick. Assumes that each later seat beats the
  // winning card of the other camp if it can. `best` is the card that is winning now. `with` is
  // true if this camp has played `best`.
  static bool CampTakes(const Behind& behind, int best, bool with) {
    for (int i = 0; i < behind.count; ++i) {
      const bool takes = (behind.highest[At(i)] > best) & (behind.with[At(i)] != with);
      best = takes ? behind.highest[At(i)] : best;
      with = with != takes;
    }
    return with;
  }
  void Order(const OpenTrick& trick, int seat, std::array<Move, 24>& moves, int count) const;
  int Replies(int leader, int suit) const;
  ProofTable::Leads& LeadsOf(int tricks) const { return table_.leads[At(SpanOf(tricks))]; }
  void Remember(int tricks, int seat, const std::array<Move, 24>& moves, int won);

  // The functions from here to Bounded() compute bounds. A bound is a number of points that a camp
  // is sure to get, and the functions find it without a search. LeastOf() returns the least number
  // of half points in `tricks` tricks. It leaves out the court cards and the Petit.
  int LeastOf(int tricks) const {
    const bool light = excuse_ != kNone && setup_.weight[kExcuseIndex] == 0;
    return tricks * players_ - (light && tricks > 0 ? 1 : 0);
  }
  // Returns whether the Excuse of the other camp may win the last trick. `attack` says whether the
  // own camp is the attack. If it is true, the other camp is the defence.
  bool ExcuseMayWin(bool attack) const {
    return setup_.rules.excuse_wins_slam && excuse_ != kNone && InAttack(excuse_) != attack &&
           (attack ? attack_tricks_ : defence_tricks_) == 0;
  }
  int BoundTricks(int seat, std::uint32_t opponents, int killers, int& least) const;
  int ExcuseShare(bool attack, int hand, bool cashed, int taken, int left) const;
  // `seat` takes `tricks` of the `left` tricks. In these tricks, a hand with more than `left` -
  // `tricks` court cards must play some of its court cards. The bound counts the cheapest of them.
  // Returns the half points of the counted cards, less one for each card. Marks all court cards of
  // such hands.
  int ForcedCourts(int seat, int tricks, int left, Marks& marks) const;
  // One number for each seat: 0 if the seat can perhaps ruff, and kNeverRuffs if it cannot.
  // kNeverRuffs is larger than the number of cards in any suit.
  using Ruffs = std::array<unsigned, rules::kPlayersMax>;
  static constexpr unsigned kNeverRuffs = 15;
  int MasterTricks(int hand, int suit, const Ruffs& ruffs, Result& out) const;
  bool MastersSuffice(int hand, int taken, int left, int needed, Result& out) const;
  bool TrumpsSuffice(bool attack, int tricks, int needed, Result& out) const;
  bool QuickTricks(int hand, int leader, int left, int needed, Result& out) const;
  bool Bounded(int leader, int tricks, int need, int pool, Result& out);

  // Marks say which cards a proof depends on. Returns true if `card` is a wild card of a proof with
  // these marks: any other card of the same suit and hand could take its place.
  static bool IsWild(int card, const Marks& marks) {
    return ((marks.suits | marks.courts) >> card & 1) == 0;
  }
  void MarkGroup(const Move& move, int seat, Marks& marks) const;
  std::uint32_t AlsoFail(int seat, const std::array<Move, 24>& moves, int count, int failed,
                         std::uint32_t known, Marks& marks) const;
  static int HighestTrump(const OpenTrick& trick) {
    return 31 - std::countl_zero(trick.trumps & kTrumpBits);
  }
  // Returns whether two conditions are met: the seat must play a trump, and the trick holds a trump
  // above the Petit. Only then do the ranks of trumps decide which cards are legal.
  bool MustMeetTrump(const OpenTrick& trick, int seat) const {
    if ((trick.trumps & kTrumpBits & ~kPetitBit) == 0) return false;
    if ((trumps_[At(seat)] & kTrumpBits) == 0) return false;
    return trick.asked == kTrumpSuit || (suits_[At(seat)] & SuitBits(trick.asked)) == 0;
  }
  void MarkChoice(const OpenTrick& trick, int seat, int card, Marks& marks) const;
  void MarkDuty(const OpenTrick& trick, int seat, Marks& marks) const;
  void MarkWinner(const OpenTrick& trick, bool any_of_camp, Marks& marks) const;

  // The next functions handle the order of the trumps. The search numbers the trumps by rank. The
  // table of proofs numbers them by hand: first all trumps of the first hand, then those of the
  // second hand, and so on.
  using TrumpStarts = std::array<int, rules::kPlayersMax + 1>;
  bool Alike(int card, int other, const TrumpPairs& pairs) const;
  static void Share(std::uint32_t cards, const TrumpPairs& from, TrumpPairs& pairs);
  // Numbers all trumps from 0, hand by hand. Returns the number of the first trump of each hand.
  // After the last hand, the array has the number of all trumps.
  TrumpStarts NumberTrumps() const {
    TrumpStarts starts{};
    for (int seat = 0; seat < players_; ++seat) {
      starts[At(seat + 1)] = starts[At(seat)] + std::popcount(trumps_[At(seat)] & kTrumpBits);
    }
    return starts;
  }
  TrumpRows OrderOfTrumps(const TrumpStarts& starts) const;
  TrumpRows PairsByHand(const TrumpPairs& pairs, const TrumpStarts& starts) const;
  TrumpPairs PairsByRank(const TrumpRows& rows, const TrumpStarts& starts) const;

  // ClassOf and FillKey make the key of the position. Lookup reads the table of proofs, and Store
  // writes to it.
  PositionKey ClassOf(int leader, int tricks) const;
  void FillKey(PositionKey& key) const;
  bool Lookup(const PositionKey& key, int need, int pool, Result& out) const;
  void Store(const PositionKey& key, const Result& result);

  const Setup& setup_;
  ProofTable& table_;
  const std::uint64_t node_cap_;
  std::uint64_t nodes_ = 0;
  bool out_of_nodes_ = false;
  const int players_;
  const unsigned attack_;  // A bit for each seat of the attack.

  std::array<std::uint64_t, rules::kPlayersMax> suits_{};
  std::array<std::uint32_t, rules::kPlayersMax> trumps_{};  // Bit 21 is the Excuse.
  std::uint64_t all_suits_ = 0;
  std::uint32_t all_trumps_ = 0;
  std::uint64_t tops_ = 0;  // The highest card of each suit; set by Bounded().
  // The number of cards of each suit (trumps last) in each hand, four bits per hand.
  std::array<std::uint64_t, 5> suit_lengths_{};
  int petit_ = kNone;              // The seat that holds the Petit.
  bool attack_has_petit_ = false;  // True if the Petit counts for the attack.
  int petit_before_ = 0;           // The same as OpenPosition::petit_before.
  int excuse_ = kNone;             // The seat that holds the Excuse.
  int attack_tricks_ = 0;          // 1 if the attack has won a trick, otherwise 0.
  // The number of tricks of the defence. The count stops when the attack can no longer make a slam.
  int defence_tricks_ = 0;
  bool guessing_ = false;
  // True in the first trick of the search. Only in this trick can a seat be forbidden to play the
  // called suit.
  bool root_trick_ = true;
  const OpenPosition& position_;
  OpenTrick root_;
  int pool_ = 0;
};

inline void Search::Put(OpenTrick& trick, int seat, int card) {
  trick.cards[At(trick.size++)] = static_cast<std::uint8_t>(card);
  if (card < kFirstTrump) {
    trick.suits |= 1ull << card;
  } else {
    trick.trumps |= 1u << (card - kFirstTrump);
    if (card == kExcuseIndex) {
      // If a seat leads the Excuse, this seat is winning until another seat plays a card.
      if (trick.winner == kNone) trick.winner = seat;
      return;
    }
  }
  const int suit = SuitIndex(card);
  trick.asked = trick.asked == kNone ? suit : trick.asked;
  const bool takes = (card > trick.best) & ((suit == trick.asked) | (suit == kTrumpSuit));
  trick.best = takes ? card : trick.best;
  trick.winner = takes ? seat : trick.winner;
}

inline void Search::GiveBack(int seat, int card) {
  if (card < kFirstTrump) {
    suits_[At(seat)] |= 1ull << card;
    all_suits_ |= 1ull << card;
  } else {
    const std::uint32_t bit = 1u << (card - kFirstTrump);
    trumps_[At(seat)] |= bit;
    all_trumps_ |= bit;
    if (card == kPetitIndex) petit_ = seat;
    if (card == kExcuseIndex) {
      excuse_ = seat;
      return;
    }
  }
  suit_lengths_[At(SuitIndex(card))] += 1ull << 4 * seat;
}

inline void Search::Take(int seat, int card) {
  if (card < kFirstTrump) {
    suits_[At(seat)] &= ~(1ull << card);
    all_suits_ &= ~(1ull << card);
  } else {
    const std::uint32_t bit = 1u << (card - kFirstTrump);
    trumps_[At(seat)] &= ~bit;
    all_trumps_ &= ~bit;
    if (card == kPetitIndex) petit_ = kNone;
    if (card == kExcuseIndex) {
      excuse_ = kNone;
      return;
    }
  }
  suit_lengths_[At(SuitIndex(card))] -= 1ull << 4 * seat;
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
