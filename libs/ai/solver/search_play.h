// Alpha-beta over the cards of a trick, and from trick to trick. Included by search_core.h only.
#pragma once

namespace tarot::ai::TAROT_SEARCH_NAMESPACE {

inline Search::Search(const Setup& setup, const OpenPosition& position, SearchTable& table,
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
    // What an empty hand plays is looked at by nobody.
    const int seat = SeatOf(root_, i);
    Put(root_, seat, card);
  }
}

inline void Search::Put(Trick& trick, int seat, int card) {
  trick.cards[At(trick.size++)] = static_cast<std::uint8_t>(card);
  if (card < kFirstTrump) {
    trick.suits |= 1ull << card;
  } else {
    trick.trumps |= 1u << (card - kFirstTrump);
    if (card == kExcuseIndex) {
      if (trick.winner == kNone) trick.winner = seat;  // For now.
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

// The lead to a trick; `tricks` are left. What the attack gets of the `pool` from here on is `need`
// or more, or else the defence gets more than the rest.
inline void Search::SolveTricks(int tricks, int leader, int need, int pool, Result& out) {
  if (!guessing_ && (need <= 0 || need > pool)) {
    out = {.attack = need <= 0, .any_leader = true};
    return;
  }
  if (tricks == 1) return LastTrick(leader, need, pool, out);
  Trick trick{.leader = leader};
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

// Leaves `trick` as it was: no copy at every card.
inline void Search::Follow(Trick& trick, int tricks, int need, int pool, Result& out) {
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
  std::uint32_t known = 0;  // Moves that fail by a proof against another.
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

inline Search::Worth Search::WorthOf(const Trick& trick) const {
  Worth worth{.points = players_, .courts = trick.suits & kCourtBits};
  std::uint64_t of_rank = 1ull << 13 | 1ull << 27 | 1ull << 41 | 1ull << 55;
  for (int extra = 8; extra > 0; extra -= 2, of_rank >>= 1) {
    worth.court_points += extra * std::popcount(worth.courts & of_rank);
  }
  if ((trick.trumps & kPetitBit) != 0) worth.points += setup_.weight[kPetitIndex] - 1;
  if ((trick.trumps & kExcuseBit) != 0) worth.points += setup_.weight[kExcuseIndex] - 1;
  return worth;
}

// What the prover took in this trick, and what it must have marked for that: as few court cards as
// reach `needed`.
inline void Search::Collect(const Worth& worth, int needed, Result& out) const {
  out.amount += worth.points;
  if (out.amount >= needed) return;
  const auto extra = [this](int card) { return setup_.weight[At(card)] - 1; };
  for (std::uint64_t courts = worth.courts; out.amount < needed && courts != 0;) {
    // The least that is enough, or else the most.
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

inline void Search::FinishTrick(const Trick& trick, int tricks, int need, int pool, Result& out) {
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
    if (petit_waits && (!setup_.rules.petit_must_win || petit_seat == trick.winner)) {
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
    // What holds whoever leads, without what is in this trick, holds whoever takes the trick.
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

}  // namespace tarot::ai::TAROT_SEARCH_NAMESPACE
