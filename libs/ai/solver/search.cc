// The functions of class Search; search.h describes the search. The pragma below allows newer
// instructions. It affects only the search, because all headers except search.h stand before it.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "libs/ai/solver/proof_table.h"

#ifdef TAROT_SEARCH_BMI2
#define TAROT_SEARCH_NAMESPACE search_bmi2
#pragma GCC push_options
#pragma GCC target("bmi,bmi2,lzcnt")
#endif
#include "libs/ai/solver/search.h"

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

inline Search::Search(const Setup& setup, const OpenPosition& position, ProofTable& table,
                      std::uint64_t node_cap)
    : setup_(setup),
      table_(table),
      node_cap_(node_cap == 0 ? ~0ull : node_cap),
      players_(position.players),
      attack_(setup.attack),
      position_(position) {
  for (int seat = 0; seat < players_; ++seat) {
    for (const Card card : position.hands[At(seat)]) GiveBack(seat, Index(card));
  }
  attack_has_petit_ = position.attack_has_petit;
  petit_before_ = position.petit_before;
  attack_tricks_ = std::min(position.attack_tricks, 1);
  defence_tricks_ = std::min(position.defence_tricks, setup.rules.slam_lost_tricks_max + 1);
  pool_ = setup.petit.size() + setup.excuse.size() + setup.slam.size();
  for (const rules::CardSet hand : position.hands) {
    for (const Card card : hand) pool_ += setup.weight[At(Index(card))];
  }
  root_.leader = position.leader;
  for (int i = 0; i < position.size; ++i) {
    const int card = Index(position.trick[At(i)]);
    pool_ += setup.weight[At(card)];
    const int seat = SeatOf(root_, i);
    Put(root_, seat, card);
  }
}

inline bool Search::Run(int need, int card, Result& result) {
  const int turn = SeatOf(root_, root_.size);
  const int tricks = HandSize(turn);
  if (card != kNone) {
    Put(root_, turn, card);
    Take(turn, card);
    ++nodes_;
  }
  if (root_.size == players_) {
    FinishTrick(root_, tricks, need, pool_, result);
  } else if (root_.size != 0) {
    Follow(root_, tricks, need, pool_, result);
  } else {
    SolveTricks(tricks, root_.leader, need, pool_, result);
  }
  return !out_of_nodes_;
}

inline int Search::Guess(int card) {
  guessing_ = true;
  Result result;
  Run(pool_, card, result);
  guessing_ = false;
  return result.amount;
}

// Solves the position in which `leader` leads to the first of the last `tricks` tricks. From here
// on, the camps share `pool` half points. Proves that the attack gets at least `need` of them, or
// that the defence gets more than `pool` - `need`.
inline void Search::SolveTricks(int tricks, int leader, int need, int pool, Result& out) {
  if (!guessing_ && (need <= 0 || need > pool)) {
    out = {.attack = need <= 0, .any_leader = true};
    return;
  }
  if (tricks == 1) return LastTrick(leader, need, pool, out);
  OpenTrick trick{.leader = leader};
  if (guessing_) return Follow(trick, tricks, need, pool, out);
  const bool keep = !root_trick_ || position_.barred.Empty();
  PositionKey key = ClassOf(leader, tricks);
  __builtin_prefetch(&table_.heads[table_.PlaceOf(key).set]);
  if (!root_trick_ && Bounded(leader, tricks, need, pool, out)) return;
  if (keep) {
    FillKey(key);
    if (Lookup(key, need, pool, out)) return;
  }
  Follow(trick, tricks, need, pool, out);
  if (keep && !out_of_nodes_) Store(key, out);
}

// Tries the moves of the seat in turn. Takes each card back from `trick`, which costs less than a
// copy of `trick` for every card.
inline void Search::Follow(OpenTrick& trick, int tricks, int need, int pool, Result& out) {
  const int seat = SeatOf(trick, trick.size);
  const bool mover = InAttack(seat);
  const int asked = trick.asked;
  const int best = trick.best;
  const int winner = trick.winner;
  const std::uint64_t suits = trick.suits;
  const std::uint32_t trumps = trick.trumps;
  std::array<Move, 24> moves;
  const int count = ListMoves(trick, seat, moves);
  Result all{.attack = !mover, .amount = pool};
  std::uint32_t known = 0;  // A bit for each move that an earlier proof refutes too.
  for (int i = 0; i < count; ++i) {
    if ((known >> i & 1) != 0) continue;
    const Move move = moves[At(i)];
    if (++nodes_ > node_cap_) out_of_nodes_ = true;
    if (out_of_nodes_) return;
    Put(trick, seat, move.card);
    Take(seat, move.card);
    if (trick.size == players_) {
      FinishTrick(trick, tricks, need, pool, out);
    } else {
      Follow(trick, tricks, need, pool, out);
    }
    GiveBack(seat, move.card);
    --trick.size;
    trick.asked = asked;
    trick.best = best;
    trick.winner = winner;
    trick.suits = suits;
    trick.trumps = trumps;
    if (out_of_nodes_ || guessing_) return;
    if (out.attack == mover) {
      if (trick.size == 0) Remember(tricks, seat, moves, i);
      MarkChoice(trick, seat, move.card, out.marks);
      return;
    }
    MarkGroup(move, seat, out.marks);
    known |= AlsoFail(seat, moves, count, i, known, out.marks);
    all.marks |= out.marks;
    all.amount = std::min(all.amount, out.amount);
  }
  MarkDuty(trick, seat, all.marks);
  out = all;
}

// The camp of the proof has won a trick: adds its points to `out`. Counts and marks only as many
// court cards of the trick as are necessary to reach `needed`.
inline void Search::Collect(const Worth& worth, int needed, Result& out) const {
  out.amount += worth.points;
  if (out.amount >= needed) return;
  const auto extra = [this](int card) { return setup_.weight[At(card)] - 1; };
  for (std::uint64_t courts = worth.courts; out.amount < needed && courts != 0;) {
    // Takes the cheapest card that is enough to reach `needed`. If no card is enough, takes the
    // most expensive card.
    int best = std::countr_zero(courts);
    for (std::uint64_t rest = courts & (courts - 1); rest != 0; rest &= rest - 1) {
      const int card = std::countr_zero(rest);
      const bool best_enough = out.amount + extra(best) >= needed;
      const bool enough = out.amount + extra(card) >= needed;
      if (best_enough ? enough && extra(card) < extra(best) : extra(card) > extra(best)) {
        best = card;
      }
    }
    out.amount += extra(best);
    out.marks.courts |= 1ull << best;
    courts &= ~(1ull << best);
  }
}

inline void Search::FinishTrick(const OpenTrick& trick, int tricks, int need, int pool,
                                Result& out) {
  if (tricks == 1) return SettleLast(trick, need, pool, out);
  const Worth worth = WorthOf(trick);
  const bool attack = InAttack(trick.winner);
  const int attack_tricks = attack_tricks_;
  const int defence_tricks = defence_tricks_;
  const int petit_before = petit_before_;
  const bool attack_has_petit = attack_has_petit_;
  const bool root_trick = root_trick_;
  const bool slam_open = SlamOpen();

  int petit_seat = kNone;
  for (int i = 0; (trick.trumps & kPetitBit) != 0 && petit_seat == kNone; ++i) {
    if (trick.cards[At(i)] == kPetitIndex) petit_seat = SeatOf(trick, i);
  }
  root_trick_ = false;
  petit_before_ = 0;
  if (attack) {
    attack_tricks_ = 1;
  } else {
    defence_tricks_ = std::min(defence_tricks_ + 1, setup_.rules.slam_lost_tricks_max + 1);
  }
  Pot settled;
  const bool petit_waits = tricks == 2 && excuse_ != kNone;
  if (petit_seat != kNone) {
    attack_has_petit_ = attack;
    if (petit_waits && PetitCountsFor(petit_seat, trick.winner)) {
      petit_before_ = attack ? 1 : -1;
    } else {
      settled.low += setup_.petit.low;
      settled.high += setup_.petit.high;
    }
  }
  if ((trick.trumps & kExcuseBit) != 0) {
    settled.low += setup_.excuse.low;
    settled.high += setup_.excuse.high;
  }
  if (slam_open && !SlamOpen()) {
    settled.low += setup_.slam.low;
    settled.high += setup_.slam.high;
  }
  const int points = worth.points + worth.court_points;
  SolveTricks(tricks - 1, trick.winner, need - settled.low - (attack ? points : 0),
              pool - settled.size() - points, out);
  if (guessing_) {
    out.amount += settled.low + (attack ? points : 0);
  } else if (!out_of_nodes_) {
    out.amount += out.attack ? settled.low : settled.high;
    if (out.attack == attack) Collect(worth, out.attack ? need : pool - need + 1, out);
    // There are two conditions: the rest of the proof holds for every leader, and this trick has no
    // Petit. If both hold, the proof does not depend on the seat that won this trick. But the proof
    // may still depend on the camp that won.
    const bool any_leader = out.any_leader && petit_seat == kNone;
    const bool slam = slam_open && setup_.slam.size() != 0;
    if (out.attack == attack || !any_leader || slam) MarkWinner(trick, any_leader, out.marks);
    out.any_leader = false;
  }
  attack_tricks_ = attack_tricks;
  defence_tricks_ = defence_tricks;
  petit_before_ = petit_before;
  attack_has_petit_ = attack_has_petit;
  root_trick_ = root_trick;
}

// In the first trick of five players, removes from `suits` the cards of the called suit that the
// seat may not play. Keeps them if the hand has no other card.
inline void Search::WithoutCalledSuit(const OpenTrick& trick, std::uint64_t& suits,
                                      std::uint32_t trumps) const {
  std::uint64_t barred = position_.barred.suits();
  const int called = Index(position_.called_card);
  if (trick.size == 0) {
    barred &= ~(1ull << called);
  } else if (!position_.barred_to_all || trick.cards[0] == called) {
    return;
  }
  if ((suits & ~barred) != 0 || trumps != 0) suits &= ~barred;
}

inline int Search::ListMoves(const OpenTrick& trick, int seat, std::array<Move, 24>& moves) const {
  std::uint64_t suits = suits_[At(seat)];
  std::uint32_t trumps = trumps_[At(seat)];
  if (trick.asked != kNone) {
    const std::uint64_t follow = trick.asked == kTrumpSuit ? 0 : suits & SuitBits(trick.asked);
    const std::uint32_t own = trumps & kTrumpBits;
    if (follow != 0) {
      suits = follow;
      trumps &= kExcuseBit;
    } else if (own != 0) {
      suits = 0;
      const std::uint32_t above = own & ~0u << std::bit_width(trick.trumps & kTrumpBits);
      if (above != 0) trumps = above | (trumps & kExcuseBit);
    }
  }
  if (root_trick_ && !position_.barred.Empty()) WithoutCalledSuit(trick, suits, trumps);

  int count = 0;
  const auto add = [&moves, &count](int card, int lowest) {
    moves[At(count++)] = {.card = static_cast<std::uint8_t>(card),
                          .lowest = static_cast<std::uint8_t>(lowest)};
  };
  // Two cards of the same suit and weight are equal if neither the winning card of the trick nor a
  // card of another hand is between them. A fence is the bit of a card that separates lower cards
  // from higher cards.
  std::uint64_t fences = (all_suits_ & ~suits_[At(seat)]) | kCourtBits | kCourtBits >> 1;
  std::uint32_t trump_fences = (all_trumps_ & ~trumps_[At(seat)]) | kPetitBit;
  if (setup_.twenty_one_may_fall) trump_fences |= 1u << 19;
  if (trick.best >= kFirstTrump) {
    trump_fences |= 1u << (trick.best - kFirstTrump);
  } else if (trick.best != kNone) {
    fences |= 1ull << trick.best;
  }
  while (suits != 0) {
    const int card = 63 - std::countl_zero(suits);
    const int end = 64 - std::countl_zero(fences & ((1ull << card) - 1));
    const std::uint64_t rest = suits & ((1ull << end) - 1);
    add(card, std::countr_zero(suits ^ rest));
    suits = rest;
  }
  for (std::uint32_t own = trumps & kTrumpBits; own != 0;) {
    const int bit = 31 - std::countl_zero(own);
    const int end = 32 - std::countl_zero(trump_fences & ((1u << bit) - 1));
    const std::uint32_t rest = own & ((1u << end) - 1);
    add(kFirstTrump + bit, kFirstTrump + std::countr_zero(own ^ rest));
    own = rest;
  }
  if ((trumps & kExcuseBit) != 0) add(kExcuseIndex, kExcuseIndex);
  if (count == 1) return count;
  Order(trick, seat, moves, count);
  return count;
}

inline Search::Behind Search::BehindOf(const OpenTrick& trick, int seat, int asked) const {
  const bool attack = InAttack(seat);
  const std::uint64_t bits = asked == kTrumpSuit ? 0 : SuitBits(asked);
  Behind behind;
  for (int i = trick.size + 1; i < players_; ++i) {
    const int turn = SeatOf(trick, i);
    const std::uint64_t suits = suits_[At(turn)] & bits;
    const std::uint32_t trumps = trumps_[At(turn)] & kTrumpBits;
    const int below = suits == 0 && trumps != 0 ? kFirstTrump : 0;
    behind.highest[At(behind.count)] =
        below + 63 - std::countl_zero(suits != 0 ? suits : std::uint64_t{trumps});
    behind.with[At(behind.count++)] = InAttack(turn) == attack;
  }
  return behind;
}

// Returns how many replies the other seats have to the lead of a suit, on the scale of kVariety.
inline int Search::Replies(int leader, int suit) const {
  std::uint64_t lengths = suit == kTrumpSuit ? 0 : suit_lengths_[At(suit)];
  int replies = 0;
  for (int seat = 0; seat < kSeats; ++seat, lengths >>= 4) {
    if (seat == leader) continue;
    const int trumps = std::popcount(trumps_[At(seat)] & kTrumpBits);
    const int other = trumps != 0 ? trumps : std::popcount(suits_[At(seat)]);
    replies += kVariety[(lengths & 15) != 0 ? lengths & 15 : At(other)];
  }
  return replies;
}

// For the attack, leads that drive out trumps come before other losing leads while at least this
// many tricks are left.
constexpr int kDrivesFrom = 11;

inline void Search::Order(const OpenTrick& trick, int seat, std::array<Move, 24>& moves,
                          int count) const {
  const bool leads = trick.size == 0;
  const int left = leads ? HandSize(seat) : 0;
  const bool drives = left >= kDrivesFrom && InAttack(seat);
  const std::int16_t* learnt = leads ? LeadsOf(left)[At(seat)].data() : nullptr;
  int asked = trick.asked;
  Behind behind;
  bool with = false;  // True if the camp of `seat` is winning the trick.
  if (asked != kNone) {
    behind = BehindOf(trick, seat, asked);
    with = InAttack(trick.winner) == InAttack(seat);
  }
  int replies = 0;
  std::array<int, 24> scores;
  std::array<int, 24> places;
  for (int i = 0; i < count; ++i) {
    const int card = moves[At(i)].card;
    int score = 0;
    if (card == kExcuseIndex) {
      score = trick.asked != kNone && CampTakes(behind, trick.best, with) ? 990 : -3;
    } else {
      const int suit = SuitIndex(card);
      if (trick.asked == kNone && suit != asked) {
        asked = suit;
        behind = BehindOf(trick, seat, suit);
        if (leads) replies = Replies(seat, suit);
      }
      const bool trump = suit == kTrumpSuit;
      const bool best = (card > trick.best) & (trump | (suit == asked));
      const bool takes = CampTakes(behind, best ? card : trick.best, best | with);
      const int extra = 16 * (setup_.weight[At(card)] - 1);
      score = (takes ? 1000 + extra : -extra) - (card - 14 * suit) - (trump ? 8 : 0);
      // Early in the deal, a lead that drives out higher trumps comes before other losing leads of
      // the attack. After such a lead, the search must refute fewer cards.
      if (trump && drives && !takes) score += 800;
      // Leads with few replies come first, because their proofs are small.
      score -= 12 * replies;
    }
    if (leads) score += learnt[card];
    scores[At(i)] = score;
    // Inserts move `i` into the order of the earlier moves: `places` has the place of each move.
    int to = 0;
    for (int before = 0; before < i; ++before) {
      const bool behind_it = scores[At(before)] < score;
      places[At(before)] += behind_it ? 1 : 0;
      to += behind_it ? 0 : 1;
    }
    places[At(i)] = to;
  }
  const std::array<Move, 24> listed = moves;
  for (int i = 0; i < count; ++i) moves[At(places[At(i)])] = listed[At(i)];
}

// Raises the weight of the lead moves[won], which has won for its camp. Lowers the weights of the
// leads that failed before it. Then Order() puts leads that have won recently first.
inline void Search::Remember(int tricks, int seat, const std::array<Move, 24>& moves, int won) {
  auto& leads = LeadsOf(tricks)[At(seat)];
  for (int i = 0; i <= won; ++i) {
    std::int16_t& lead = leads[At(moves[At(i)].card)];
    const int towards = i == won ? ProofTable::kLeadMax : -ProofTable::kLeadMax;
    lead = static_cast<std::int16_t>(lead + (towards - lead) / 4);
  }
}

inline void Search::LastTrick(int leader, int need, int pool, Result& out) {
  OpenTrick trick{.leader = leader};
  nodes_ += static_cast<std::uint64_t>(players_);
  for (int i = 0; i < players_; ++i) {
    const int seat = SeatOf(trick, i);
    const std::uint64_t suits = suits_[At(seat)];
    Put(trick, seat,
        suits != 0 ? std::countr_zero(suits) : kFirstTrump + std::countr_zero(trumps_[At(seat)]));
  }
  SettleLast(trick, need, pool, out);
}

inline void Search::SettleLast(const OpenTrick& played, int need, int pool, Result& out) {
  OpenTrick trick = played;
  int excuse_seat = kNone;
  bool petit = false;
  for (int i = 0; i < players_; ++i) {
    if (trick.cards[At(i)] == kExcuseIndex) excuse_seat = SeatOf(trick, i);
    if (trick.cards[At(i)] == kPetitIndex) petit = true;
  }
  const bool excuse_takes_last = excuse_seat != kNone && ExcuseTakesLast(trick, excuse_seat);
  bool twenty_one_falls = false;
  if (excuse_takes_last) {
    twenty_one_falls =
        trick.best == kFirstTrump + 20 && InAttack(trick.winner) != InAttack(excuse_seat);
    trick.winner = excuse_seat;
  }
  const bool attack = InAttack(trick.winner);
  const int attack_tricks = attack_tricks_ + (attack ? 1 : 0);
  const int defence_tricks = defence_tricks_ + (attack ? 0 : 1);
  // The half points of the attack above `setup_.base`, from the Excuse, the Petit and a slam. The
  // cards of this trick are added below.
  int gain = 0;
  if (excuse_seat != kNone) {
    const bool holder = InAttack(excuse_seat);
    bool owner = holder;
    const bool slam =
        setup_.rules.SlamRulesHold(holder) && (holder ? defence_tricks : attack_tricks) == 0;
    if (setup_.rules.excuse_last_trick == rules::ExcuseLastTrick::kChangesCamp) {
      owner = slam == holder;
    } else if (setup_.rules.excuse_last_trick == rules::ExcuseLastTrick::kToTrickWinner) {
      owner = attack;
    } else if (setup_.rules.excuse_last_trick == rules::ExcuseLastTrick::kLostOnlyToSlam) {
      if ((holder ? attack_tricks : defence_tricks) == 0) owner = !holder;
    }
    gain += setup_.ExcuseGain(petit ? attack : attack_has_petit_, owner, twenty_one_falls) +
            setup_.excuse.low;
  }
  const int petit_au_bout = PetitAuBout(trick, excuse_takes_last);
  if (petit || (setup_.petit.size() != 0 && petit_before_ != 0)) gain += setup_.petit.low;
  if (petit_au_bout > 0) gain += setup_.petit.high;
  if (petit_au_bout < 0) gain -= setup_.petit.low;
  if (setup_.slam.size() != 0 && SlamOpen()) {
    gain += setup_.slam.low;
    if (defence_tricks <= setup_.rules.slam_lost_tricks_max) {
      gain += setup_.slam.high;
    } else if (attack_tricks == 0) {
      gain -= setup_.slam.low;
    }
  }
  const Worth worth = WorthOf(trick);
  const int points = worth.points + worth.court_points;
  const int total = gain + (attack ? points : 0);
  if (guessing_) {
    out.amount = total;
    return;
  }
  const int pots = pool - points;
  out = {.attack = total >= need};
  out.amount = out.attack ? gain : pots - gain;
  if (out.attack == attack) Collect(worth, out.attack ? need : pool - need + 1, out);
  if (!excuse_takes_last) MarkWinner(trick, false, out.marks);
}

// Returns how many tricks the trumps of `seat` are sure to take. The other camp has the trumps
// `opponents` and `killers` other cards that can win a trick. Each of these cards can beat at most
// one trump of `seat`. Sets `least` to the lowest trump that takes a trick.
inline int Search::BoundTricks(int seat, std::uint32_t opponents, int killers, int& least) const {
  int lost = 0;
  int taken = 0;
  for (std::uint32_t own = trumps_[At(seat)] & kTrumpBits; own != 0;) {
    const int bit = 31 - std::countl_zero(own);
    own &= ~(1u << bit);
    const bool beaten = killers + std::popcount(opponents >> bit) > lost;
    lost += beaten ? 1 : 0;
    taken += beaten ? 0 : 1;
    least = beaten ? least : kFirstTrump + bit;
  }
  return taken;
}

inline int Search::ForcedCourts(int seat, int tricks, int left, Marks& marks) const {
  int points = 0;
  for (int other = 0; other < kSeats; ++other) {
    const std::uint64_t courts = suits_[At(other)] & kCourtBits;
    int forced = tricks - left + std::popcount(courts);
    if (forced <= 0 || other == seat) continue;
    marks.courts |= courts;
    for (int rank = 10; rank < 14 && forced > 0; ++rank) {
      const std::uint64_t of_rank = courts & (1ull | 1ull << 14 | 1ull << 28 | 1ull << 42) << rank;
      const int count = std::min(forced, std::popcount(of_rank));
      points += count * (2 * (rank - 10) + 2);
      forced -= count;
    }
  }
  return points;
}

// Returns how many half points of Setup::excuse the camp of `hand` is sure to get. `attack` says
// whether this camp is the attack. `hand` takes `taken` of the `left` tricks. If `cashed` is true,
// these are the next tricks. If this camp has the Excuse, its holder must be able to play it before
// the last trick, in a trick for which the bound needs no other card of this holder. If the other
// camp has the Excuse, this camp must take a trick: the other camp gains with the Excuse only in a
// slam.
inline int Search::ExcuseShare(bool attack, int hand, bool cashed, int taken, int left) const {
  if (excuse_ == kNone) return 0;
  bool sure = taken > 0;
  if (InAttack(excuse_) == attack) {
    sure = !cashed ? left >= 2 : excuse_ == hand ? taken + 2 <= left : left >= 4;
  }
  if (!sure) return 0;
  return attack ? setup_.excuse.low : setup_.excuse.high;
}

// Returns how many tricks `hand` takes with its master cards of `suit` while every hand that could
// ruff must follow suit. Adds the points of these cards, and the marks, to `out`.
inline int Search::MasterTricks(int hand, int suit, const Ruffs& ruffs, Result& out) const {
  const std::uint64_t bits = SuitBits(suit);
  const std::uint64_t mine = suits_[At(hand)] & bits;
  const std::uint64_t theirs = all_suits_ & bits & ~mine;
  std::uint64_t masters =
      theirs == 0 ? mine : mine & ~((2ull << (63 - std::countl_zero(theirs))) - 1);
  unsigned safe = kNeverRuffs;
  unsigned longest = 0;
  std::uint64_t lengths = suit_lengths_[At(suit)] & ~(15ull << 4 * hand);
  for (int seat = 0; seat < kSeats; ++seat, lengths >>= 4) {
    const unsigned length = lengths & 15;
    longest = std::max(longest, length);
    safe = std::min(safe, length | ruffs[At(seat)]);
  }
  if (safe == 0) return 0;
  if (excuse_ != kNone && excuse_ != hand) {
    // The holder of the Excuse can play the Excuse here, and so keep a card of the suit longer.
    const unsigned length = LengthOf(excuse_, suit);
    longest = std::max(longest, length + (length > 0 ? 1 : 0));
  }
  if (std::popcount(masters) >= static_cast<int>(longest)) masters = mine;
  int taken = 0;
  int lowest = kNone;
  for (std::uint64_t rest = masters; rest != 0 && safe > 0; --safe) {
    lowest = 63 - std::countl_zero(rest);
    rest &= ~(1ull << lowest);
    ++taken;
    out.amount += setup_.weight[At(lowest)] - 1;
  }
  if (theirs != 0) {
    const std::uint64_t top = masters & ~((2ull << (63 - std::countl_zero(theirs))) - 1);
    out.marks.suits |= SuitFrom(std::max(lowest, std::countr_zero(top)));
  }
  out.marks.courts |= masters & kCourtBits & SuitFrom(lowest);
  return taken;
}

// Returns whether the trumps and the master cards of `hand` win enough points for its camp. `out`
// already counts the `taken` tricks of the trumps. `hand` must be sure to win a trick with a trump,
// and then plays its master cards of suits that no hand can ruff. Before that trick, a hand with
// trumps cannot discard. So `hand` keeps its master cards, or wins a trick with each. And the other
// hands with trumps cannot become void in another suit.
inline bool Search::MastersSuffice(int hand, int taken, int left, int needed, Result& out) const {
  const std::uint64_t tops = suits_[At(hand)] & tops_;
  if (tops == 0) return false;
  const bool attack = out.attack;
  const std::uint32_t own = trumps_[At(hand)] & kTrumpBits;
  const std::uint32_t others = all_trumps_ & kTrumpBits & ~own;
  int entry = kFirstTrump + 31 - std::countl_zero(own);
  if (own < others && BoundTricks(hand, others, 0, entry) == 0) return false;
  Ruffs ruffs{};
  for (int seat = 0; seat < kSeats; ++seat) {
    ruffs[At(seat)] = (trumps_[At(seat)] & others) != 0 ? 0 : kNeverRuffs;
  }
  int masters = 0;
  for (std::uint64_t rest = tops; rest != 0; rest &= rest - 1) {
    masters += MasterTricks(hand, std::countr_zero(rest) / 14, ruffs, out);
  }
  if (masters == 0) return false;
  const int lowest = entry - kFirstTrump;
  out.marks.trumps.Add(lowest, others & ((1u << lowest) - 1));
  taken += masters;
  out.amount += LeastOf(taken) + ExcuseShare(attack, hand, false, taken, left);
  if (out.amount >= needed) return true;
  out.amount += ForcedCourts(hand, taken, left, out.marks);
  return out.amount >= needed;
}

// Returns whether the trumps of one hand of the camp, with or without the master cards of this
// hand, are sure to win `needed` half points.
inline bool Search::TrumpsSuffice(bool attack, int tricks, int needed, Result& out) const {
  std::uint32_t opponents = 0;
  for (int seat = 0; seat < kSeats; ++seat) {
    opponents |= InAttack(seat) != attack ? trumps_[At(seat)] & kTrumpBits : 0;
  }
  const int killers = ExcuseMayWin(attack) ? 1 : 0;
  for (unsigned rest = Camp(attack); rest != 0; rest &= rest - 1) {
    const int seat = std::countr_zero(rest);
    const std::uint32_t own = trumps_[At(seat)] & kTrumpBits;
    if (own == 0) continue;
    int least = kNone;
    const int taken = BoundTricks(seat, opponents, killers, least);
    if (taken == 0) continue;
    const bool petit = petit_ == seat && opponents == 0 && killers == 0;
    const int trumps = petit ? setup_.weight[kPetitIndex] - 1 : 0;
    out = {.attack = attack, .amount = trumps};
    const int lowest = least - kFirstTrump;
    out.marks.trumps.Add(lowest, opponents & ((1u << lowest) - 1));
    out.amount += LeastOf(taken) + ExcuseShare(attack, seat, false, taken, tricks);
    if (out.amount >= needed) return true;
    out.amount += ForcedCourts(seat, taken, tricks, out.marks);
    if (out.amount >= needed) return true;
    out.amount = trumps;
    out.marks.courts = 0;
    if (killers == 0 && MastersSuffice(seat, taken, tricks, needed, out)) return true;
  }
  return false;
}

// Returns whether `hand`, once it has the lead, wins at least `needed` half points in tricks in a
// row. It plays its highest trumps, and then its master cards of suits that no hand can ruff. If
// its partner `leader` leads, one of these tricks must bring the lead to `hand`.
inline bool Search::QuickTricks(int hand, int leader, int left, int needed, Result& out) const {
  const bool attack = InAttack(hand);
  const std::uint32_t own = trumps_[At(hand)] & kTrumpBits;
  const std::uint32_t others = all_trumps_ & kTrumpBits & ~own;
  const std::uint32_t run =
      others == 0 ? own : own & ~((2u << (31 - std::countl_zero(others))) - 1);
  const std::uint64_t tops = suits_[At(hand)] & tops_;
  if (tops == 0 && run == 0 && hand != leader) return false;
  const int rounds = std::popcount(run);
  bool drawn = true;  // True if `rounds` rounds of trumps leave no trump in the other hands.
  Ruffs ruffs{};
  for (int seat = 0; seat < kSeats; ++seat) {
    const int length = std::popcount(trumps_[At(seat)] & others);
    const bool stripped = length + (excuse_ == seat && length > 0 ? 1 : 0) <= rounds;
    ruffs[At(seat)] = stripped ? kNeverRuffs : 0;
    drawn = drawn && stripped;
  }
  // `hand` wins the Petit if the holder of the Petit runs out of other trumps, or is a partner of
  // `hand`. But if neither of the two leads, this partner may have to overtrump in the first round.
  int petit = 0;
  if (petit_ != kNone && petit_ != hand && rounds > 0) {
    const bool given =
        InAttack(petit_) == attack && rounds > (hand == leader || petit_ == leader ? 0 : 1);
    if (ruffs[At(petit_)] != 0 || given) petit = setup_.weight[kPetitIndex] - 1;
  }
  bool leads = hand == leader || (rounds > 0 && (trumps_[At(leader)] & kTrumpBits) != 0);
  int taken = rounds;
  if (drawn) {
    taken = std::popcount(own);
    if (petit_ == hand) petit = setup_.weight[kPetitIndex] - 1;
  }
  out = {.attack = attack, .amount = petit};
  if (others != 0 && run != 0) {
    out.marks.trumps.Add(std::countr_zero(run), others);
  }
  if (leads) {
    const int sure = LeastOf(taken) + petit + ExcuseShare(attack, hand, true, taken, left);
    if (sure >= needed) {
      out.amount = sure;
      return true;
    }
  }
  for (std::uint64_t rest = tops; rest != 0; rest &= rest - 1) {
    const int suit = std::countr_zero(rest) / 14;
    const int cashed = MasterTricks(hand, suit, ruffs, out);
    taken += cashed;
    if (cashed == 0 || leads || (suits_[At(leader)] & SuitBits(suit)) == 0) continue;
    leads = true;
    for (int seat = 0; seat < players_; ++seat) {
      const bool trumps = seat != hand && (trumps_[At(seat)] & kTrumpBits) != 0;
      if (trumps && (suits_[At(seat)] & SuitBits(suit)) == 0) leads = false;
    }
  }
  if (!leads) return false;
  out.amount += LeastOf(taken) + ExcuseShare(attack, hand, true, taken, left);
  if (out.amount >= needed) return true;
  out.amount += ForcedCourts(hand, taken, left, out.marks);
  return out.amount >= needed;
}

// Returns whether a bound decides the null window without a search.
inline bool Search::Bounded(int leader, int tricks, int need, int pool, Result& out) {
  const bool attack = InAttack(leader);
  const int needed = attack ? need : pool - need + 1;
  const int theirs = attack ? pool - need + 1 : need;
  tops_ = TopsOf(all_suits_);
  if (QuickTricks(leader, leader, tricks, needed, out)) return true;
  if (TrumpsSuffice(!attack, tricks, theirs, out) || TrumpsSuffice(attack, tricks, needed, out)) {
    out.any_leader = true;
    return true;
  }
  for (unsigned rest = Camp(attack) & ~(1u << leader); rest != 0; rest &= rest - 1) {
    const int seat = std::countr_zero(rest);
    if (QuickTricks(seat, leader, tricks, needed, out)) return true;
  }
  return false;
}

// If the proof against `move` depends on one card of its group, marks all cards of the group.
inline void Search::MarkGroup(const Move& move, int seat, Marks& marks) const {
  if (move.card == move.lowest) return;
  if (move.card < kFirstTrump) {
    if ((marks.suits & ((2ull << move.card) - (1ull << move.lowest))) != 0) {
      marks.suits |= SuitFrom(move.lowest);
    }
  } else {
    const std::uint32_t group = (2u << (move.card - 56)) - (1u << (move.lowest - 56));
    Share(trumps_[At(seat)] & group, marks.trumps, marks.trumps);
  }
}

// Returns a bit for each later move that the proof against move number `failed` also refutes. Moves
// that are in `known` may be missing.
inline std::uint32_t Search::AlsoFail(int seat, const std::array<Move, 24>& moves, int count,
                                      int failed, std::uint32_t known, Marks& marks) const {
  const int card = moves[At(failed)].card;
  std::uint32_t found = 0;
  if (card < kFirstTrump) {
    if (!IsWild(card, marks)) return 0;
    const std::uint64_t wild = SuitBits(SuitIndex(card)) & ~(marks.suits | marks.courts);
    for (int i = failed + 1; i < count; ++i) {
      const int other = moves[At(i)].card;
      const bool fails = (other < kFirstTrump) & (wild >> other % 64 & 1);
      found |= (fails ? 1u : 0u) << i;
    }
    return found;
  }
  const TrumpPairs proof = marks.trumps;
  for (int i = failed + 1; i < count; ++i) {
    const int other = moves[At(i)].card;
    if (other < kFirstTrump || (known >> i & 1) != 0 || !Alike(card, other, proof)) continue;
    found |= 1u << i;
    Share(1u << (card - kFirstTrump) | 1u << (other - kFirstTrump), proof, marks.trumps);
    MarkGroup(moves[At(i)], seat, marks);
  }
  return found;
}

// The proof uses the winning `card`, so it holds only in positions where `card` is legal. Marks the
// trumps whose order makes `card` legal.
inline void Search::MarkChoice(const OpenTrick& trick, int seat, int card, Marks& marks) const {
  if (card < kFirstTrump || card == kExcuseIndex || !MustMeetTrump(trick, seat)) return;
  const std::uint32_t own = trumps_[At(seat)] & kTrumpBits;
  const int trump = card - kFirstTrump;
  const int highest = HighestTrump(trick);
  if ((own >> trump) == 1) return;  // The highest trump of a hand is always legal.
  if (trump > highest) {
    marks.trumps.Add(trump, trick.trumps & kTrumpBits);
  } else {
    marks.trumps.Add(highest, own);
  }
}

// If the seat must overtrump, the proof has refuted only the cards that are then legal. So it holds
// only where the seat must overtrump. Marks the trumps whose order decides this.
inline void Search::MarkDuty(const OpenTrick& trick, int seat, Marks& marks) const {
  if (!MustMeetTrump(trick, seat)) return;
  const int highest = HighestTrump(trick);
  const std::uint32_t above = kTrumpBits & ~0u << highest;
  const std::uint32_t own = trumps_[At(seat)] & kTrumpBits;
  if ((own & above) == 0 || (own & ~above) == 0) return;
  marks.trumps.Add(highest, (own | (trick.trumps & kTrumpBits)) & ~above);
  marks.trumps.Add(31 - std::countl_zero(own), 1u << highest);
}

// If the winning card `trick.best` is a trump, marks the trumps that it beat. If it is a suit card
// that beat another card of its suit, marks it and all cards above it. If `any_of_camp` is true,
// any card of the winning camp may win, so only the cards of the other camp count.
inline void Search::MarkWinner(const OpenTrick& trick, bool any_of_camp, Marks& marks) const {
  std::uint64_t rivals = trick.suits & SuitBits(SuitIndex(trick.best));
  std::uint32_t beaten = trick.trumps & kTrumpBits & ~kPetitBit;
  for (int i = 0; any_of_camp && i < players_; ++i) {
    const int card = trick.cards[At(i)];
    if (InAttack(SeatOf(trick, i)) != InAttack(trick.winner)) continue;
    if (card < kFirstTrump) {
      rivals &= ~(1ull << card);
    } else {
      beaten &= ~(1u << (card - kFirstTrump));
    }
  }
  if (trick.best >= kFirstTrump) {
    const int best = trick.best - kFirstTrump;
    beaten &= ~(1u << best);
    if (beaten != 0) marks.trumps.Add(best, beaten);
  } else if ((rivals & ~(1ull << trick.best)) != 0) {
    marks.suits |= SuitFrom(trick.best);
  }
}

// `card` and `other` are trumps of one hand, and a proof says that `card` fails. Returns whether
// this proof also holds for `other` if the two cards change places in it. This is false for the
// Petit, which has points, and for the 21 if the setup has `twenty_one_may_fall`.
inline bool Search::Alike(int card, int other, const TrumpPairs& pairs) const {
  const int high = std::max(card, other) - kFirstTrump;
  const int low = std::min(card, other) - kFirstTrump;
  if (low <= 0 || high >= (setup_.twenty_one_may_fall ? 20 : 21)) return false;
  if (pairs.Below(high) >> low != 0) return false;
  for (int between = low + 1; between < high; ++between) {
    if ((pairs.Below(between) >> low & 1) != 0) return false;
  }
  return true;
}

// `cards` are trumps of one hand. Looks for each other trump t that has a pair in `from` with at
// least one of `cards`. Adds to `pairs` the pairs of t with all of `cards`.
inline void Search::Share(std::uint32_t cards, const TrumpPairs& from, TrumpPairs& pairs) {
  std::uint32_t below = 0;
  for (std::uint32_t rest = cards; rest != 0; rest &= rest - 1) {
    below |= from.Below(std::countr_zero(rest));
  }
  for (std::uint32_t rest = cards; below != 0 && rest != 0; rest &= rest - 1) {
    pairs.Add(std::countr_zero(rest), below);
  }
  for (int trump = 32 - std::countl_zero(cards); trump < kTrumps; ++trump) {
    if ((from.Below(trump) & cards) != 0) pairs.Add(trump, cards);
  }
}

// Returns the set of the lower trumps of all hands, for each trump of this position.
inline TrumpRows Search::OrderOfTrumps(const TrumpStarts& starts) const {
  TrumpRows rows{};
  TrumpStarts next = starts;
  std::uint64_t lower = 0;
  for (std::uint32_t rest = all_trumps_ & kTrumpBits; rest != 0; rest &= rest - 1) {
    const int trump = std::countr_zero(rest);
    int seat = 0;
    while ((trumps_[At(seat)] >> trump & 1) == 0) ++seat;
    const int number = next[At(seat)]++;
    rows[At(number / 3)] |= lower << (number % 3 * kTrumps);
    lower |= 1ull << number;
  }
  return rows;
}

inline TrumpRows Search::PairsByHand(const TrumpPairs& pairs, const TrumpStarts& starts) const {
  TrumpRows rows{};
  for (int seat = 0; seat < players_; ++seat) {
    int number = starts[At(seat)];
    for (std::uint32_t rest = trumps_[At(seat)] & kTrumpBits; rest != 0; rest &= rest - 1) {
      const std::uint32_t below = pairs.Below(std::countr_zero(rest));
      std::uint64_t row = 0;
      for (int other = 0; below != 0 && other < players_; ++other) {
        row |= Gather(below, trumps_[At(other)] & kTrumpBits) << starts[At(other)];
      }
      rows[At(number / 3)] |= row << (number % 3 * kTrumps);
      ++number;
    }
  }
  return rows;
}

inline TrumpPairs Search::PairsByRank(const TrumpRows& rows, const TrumpStarts& starts) const {
  TrumpPairs pairs;
  for (int seat = 0; seat < players_; ++seat) {
    int number = starts[At(seat)];
    for (std::uint32_t rest = trumps_[At(seat)] & kTrumpBits; rest != 0; rest &= rest - 1) {
      const std::uint64_t row = rows[At(number / 3)] >> (number % 3 * kTrumps) & kTrumpBits;
      ++number;
      if (row == 0) continue;
      std::uint64_t below = 0;
      for (int other = 0; other < players_; ++other) {
        // Spread drops the higher bits, which belong to later hands.
        below |= Spread(row >> starts[At(other)], trumps_[At(other)] & kTrumpBits);
      }
      pairs.Add(std::countr_zero(rest), static_cast<std::uint32_t>(below));
    }
  }
  return pairs;
}

// Returns the class of the position: the part of the key that all positions of the class share.
inline PositionKey Search::ClassOf(int leader, int tricks) const {
  PositionKey key;
  key.a = suit_lengths_[0] | suit_lengths_[1] << 20 | suit_lengths_[2] << 40;
  int petit = petit_ + 1;
  if (petit_ == kNone && excuse_ != kNone && attack_has_petit_) petit = 7;
  int so_far = 0;
  const bool slam = setup_.slam.size() != 0 && SlamOpen();
  if (excuse_ != kNone || slam) so_far = attack_tricks_ + 2 * defence_tricks_ + 1;
  int twenty_one = 0;  // 1 plus the seat of a 21 that the Excuse could beat; 0 if none.
  for (int seat = 0; setup_.twenty_one_may_fall && seat < players_; ++seat) {
    if ((trumps_[At(seat)] >> 20 & 1) != 0) twenty_one = seat + 1;
  }
  // All hands have the same size, so the lengths of the suits also give the number of trumps.
  const auto small = static_cast<std::uint64_t>(tricks | leader << 5 | (excuse_ + 1) << 8 |
                                                petit << 11 | so_far << 14 | twenty_one << 17);
  key.b = suit_lengths_[3] | small << 20 | table_.generation << 40;
  return key;
}

inline void Search::FillKey(PositionKey& key) const {
  // Owners are numbered from 1; 0 means that the card has no owner.
  const std::array suits{suits_[0] | suits_[2] | suits_[4], suits_[1] | suits_[2],
                         suits_[3] | suits_[4]};
  for (std::size_t bit = 0; bit < 3; ++bit) key.owners[bit] = Gather(suits[bit], all_suits_);
  key.levels = LevelsOf(all_suits_, all_suits_);
}

inline bool Search::Lookup(const PositionKey& key, int need, int pool, Result& out) const {
  const ProofTable::Place place = table_.PlaceOf(key);
  const ProofTable::Head& head = table_.heads[place.set];
  const TrumpStarts starts = NumberTrumps();
  const std::size_t words = At(starts[At(players_)] + 2) / 3;
  TrumpRows order;
  bool ordered = false;
  for (std::uint32_t places = Places(head.tags, place.tag) & ~(1u << ProofTable::kWays);
       places != 0; places &= places - 1) {
    const std::size_t i = At(std::countr_zero(places));
    const bool attack = (head.claims[i] & 1) != 0;
    const int amount = head.claims[i] >> 1;
    if (amount < (attack ? need : pool - need + 1)) continue;
    const Proof& proof = table_.proofs[place.set * ProofTable::kWays + i];
    if (proof.key.a != key.a || proof.key.b != key.b) continue;
    const std::uint64_t differ = (proof.key.owners[0] ^ key.owners[0]) |
                                 (proof.key.owners[1] ^ key.owners[1]) |
                                 (proof.key.owners[2] ^ key.owners[2]);
    if ((differ & proof.mask) != 0) continue;
    if (!LevelsReach(key.levels, proof.key.levels & ~kLevelFlags)) continue;
    if (!ordered) order = OrderOfTrumps(starts);
    ordered = true;
    std::uint64_t amiss = 0;
    for (std::size_t word = 0; word < words; ++word) amiss |= proof.trumps[word] & ~order[word];
    if (amiss != 0) continue;
    out.attack = attack;
    out.any_leader = false;
    out.amount = amount;
    out.marks.courts = CourtsAt(proof.key.levels, all_suits_);
    // If a rank matters, all ranks above it matter too, including ranks that are out of play.
    const std::uint64_t marked =
        Spread(proof.mask, all_suits_) & ~CourtsAt(proof.key.levels & kLevelFlags, all_suits_);
    out.marks.suits = 0;
    for (int suit = 0; suit < 4; ++suit) {
      const std::uint64_t ranks = marked & SuitBits(suit);
      if (ranks != 0) out.marks.suits |= SuitFrom(std::countr_zero(ranks));
    }
    out.marks.trumps = PairsByRank(proof.trumps, starts);
    return true;
  }
  return false;
}

inline void Search::Store(const PositionKey& key, const Result& result) {
  const ProofTable::Place place = table_.PlaceOf(key);
  ProofTable::Head& head = table_.heads[place.set];
  const std::size_t at = head.next;
  head.next = at + 1 == ProofTable::kWays ? 0 : static_cast<std::uint16_t>(at + 1);
  const int amount = std::min(result.amount, 0x7FFF);
  head.tags[at] = place.tag;
  head.claims[at] = static_cast<std::uint16_t>(2 * amount + (result.attack ? 1 : 0));
  Proof& proof = table_.proofs[place.set * ProofTable::kWays + at];
  proof.key = key;
  const std::uint64_t counted = result.marks.courts & all_suits_;
  proof.key.levels =
      LevelsOf(counted, all_suits_) | FlagsOf(LevelsOf(counted & ~result.marks.suits, all_suits_));
  proof.mask = Gather(result.marks.suits | counted, all_suits_);
  proof.trumps = PairsByHand(result.marks.trumps, NumberTrumps());
}

inline int GuessAmount(const Setup& setup, const OpenPosition& position, int card,
                       ProofTable& table) {
  Search search(setup, position, table, 0);
  return search.Guess(card);
}

inline WindowResult Window(const Setup& setup, const OpenPosition& position, int card, int need,
                           std::uint64_t node_cap, ProofTable& table) {
  Search search(setup, position, table, node_cap);
  Result result;
  const bool finished = search.Run(need, card, result);
  return {.finished = finished,
          .attack = result.attack,
          .amount = result.amount,
          .nodes = search.nodes()};
}

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE

#ifdef TAROT_SEARCH_BMI2
#pragma GCC pop_options
#endif

namespace tarot::ai {

#ifdef TAROT_SEARCH_BMI2
const SearchCode kBmi2Search{.window = search_bmi2::Window, .guess = search_bmi2::GuessAmount};
#else
const SearchCode kPortableSearch{.window = search_portable::Window,
                                 .guess = search_portable::GuessAmount};

const SearchCode& BestSearch() {
  return __builtin_cpu_supports("bmi2") ? kBmi2Search : kPortableSearch;
}
#endif

}  // namespace tarot::ai
