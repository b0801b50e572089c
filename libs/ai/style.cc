#include "libs/ai/style.h"

#include <algorithm>
#include <bit>

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Seat;
using rules::Suit;

// Which of the ranges that begin at 0 and at each of `from` holds `value`.
template <std::size_t N>
int Bucket(int value, const std::array<int, N>& from) {
  int bucket = 0;
  for (const int start : from) bucket += value >= start ? 1 : 0;
  return bucket;
}

constexpr int kRoles = 3;
constexpr int kStages = 5;
constexpr int kPlacesOfTaker = 4;
constexpr int kClasses = 13;  // Of cards; the last is the Excuse.
constexpr int kTrumpClasses = 6;
constexpr int kMine = 6;    // Buckets of one's own trumps,
constexpr int kTheirs = 5;  // of others' cards,
constexpr int kLength = 5;  // and of one's own suit.
constexpr int kValues = 4;

int ClassOf(Card card) {
  if (card == rules::kExcuse) return 12;
  const int rank = RankOf(card);
  if (!IsTrump(card)) return rank > 10 ? rank - 9 : (rank > 5 ? 1 : 0);
  return 6 + Bucket(rank, std::array{2, 8, 14, 18, 21});
}

// Mixed radix: one number for several small ones.
class Mix {
 public:
  explicit Mix(int offset) : offset_(offset) {}
  Mix& operator()(int value, int values) {
    index_ = index_ * values + value;
    return *this;
  }
  operator std::uint16_t() const { return static_cast<std::uint16_t>(offset_ + index_); }

 private:
  int offset_;
  int index_ = 0;
};

// Where each table begins.
constexpr int kLead0 = 1;  // The weight before it belongs to what has nothing to say.
constexpr int kLead1 = kLead0 + kRoles * kClasses * kStages * kPlacesOfTaker;
constexpr int kLead2 = kLead1 + kRoles * kClasses * 3 * kMine * kTheirs;
constexpr int kLead2Trumps = kLead2 + kRoles * 5 * kLength * kTheirs * 3;
constexpr int kLead3 = kLead2Trumps + kRoles * kTrumpClasses * 3 * 3 * 2 * kMine;
constexpr int kLead3Trumps = kLead3 + kRoles * 36 * kPlacesOfTaker * 2 * 2;
constexpr int kFollow0 = kLead3Trumps + kRoles * kStages * 36 * kTheirs;
constexpr int kFollow1 = kFollow0 + kRoles * kClasses * 2 * 2 * 3 * 3;
constexpr int kFollow2 = kFollow1 + kRoles * kClasses * 2 * 2 * kValues * kStages;
constexpr int kFollow3 = kFollow2 + kRoles * 4 * kClasses * 3 * 2 * 2;
constexpr int kFollow3Trumps = kFollow3 + kRoles * 5 * kLength * kTheirs * 2 * 3 * 2;
constexpr int kFollow3Excuse = kFollow3Trumps + kRoles * kTrumpClasses * 2 * 3 * 2 * kMine * 2;
constexpr int kEnd = kFollow3Excuse + kRoles * kStages * 2 * kClasses * kValues;

static_assert(kEnd == kStyleWeightCount);

}  // namespace

StyleSight::StyleSight(const Table& table)
    : table_(table),
      hand_(table.Hand(table.turn)),
      legal_(table.Legal()),
      others_(table.held - hand_) {
  const Seat me = table.turn;
  role_ = me == table.taker ? 0 : (table.InAttack(me) ? 1 : 2);
  stage_ = Bucket(hand_.Size(), std::array{3, 5, 9, 14});
  if (me != table.taker) {
    Seat seat = me;
    int steps = 0;
    do {
      seat = rules::SeatAfter(table.players, table.sits_out, seat, 1);
      ++steps;
    } while (seat != table.taker);
    taker_at_ = steps == 1 ? 1 : (steps == table.playing - 1 ? 3 : 2);
  }
  my_trumps_ = Bucket((hand_ & CardSet::AllTrumps()).Size(), std::array{1, 2, 4, 6, 9});
  their_trumps_ = Bucket((others_ & CardSet::AllTrumps()).Size(), std::array{1, 4, 8, 12});
  const unsigned opponents = table.OpponentsOf(me);
  for (std::size_t s = 0; s < suits_.size(); ++s) {
    SuitSight& suit = suits_[s];
    const CardSet cards = CardSet::OfSuit(static_cast<Suit>(s));
    if ((legal_ & cards).Empty()) continue;  // Of no interest now.
    suit.own = hand_ & cards;
    suit.held = others_ & cards;
    suit.mine = Bucket(suit.own.Size(), std::array{2, 3, 4, 6});
    suit.others = Bucket(suit.held.Size(), std::array{1, 3, 6, 9});
    const bool attack = table.InAttack(me);
    const unsigned voids = table.voids[s] & ~(1u << me);
    suit.shown = std::min<int>(table.led_by[s][attack ? 1 : 0], 2) * 12 +
                 std::min<int>(table.led_by[s][attack ? 0 : 1], 2) * 4 +
                 ((voids & opponents) != 0 ? 2 : 0) + ((voids & ~opponents) != 0 ? 1 : 0);
  }
  opponents_after_ = std::min(std::popcount(table.waiting & opponents), 2);
  value_ = Bucket(HalfPoints(table.trick), std::array{5, 10, 16});
  friend_ = table.winner != rules::kNoSeat && table.SameCamp(table.winner, me) ? 1 : 0;
  if (table.led == Suit::kNone) return;
  const Suit mine = SuitOf(legal_.First());
  reply_ =
      table.led == Suit::kTrumps ? 1 : (mine == table.led ? 0 : (mine == Suit::kTrumps ? 2 : 3));
  cheapest_ = ClassOf(legal_.First());
}

// 0 the lowest, 2 the highest of the suit in hand, 1 between.
int StyleSight::Order(Card card) const {
  const CardSet own = legal_ & suits_[static_cast<std::size_t>(SuitOf(card))].own;
  return card == own.First() ? 0 : (card == own.Last() ? 2 : 1);
}

// How many cards of its suit with others are higher: 0, 1, or 2 for more.
int StyleSight::Beaten(Card card) const {
  if (card == rules::kExcuse) return 0;
  const CardSet held = suits_[static_cast<std::size_t>(SuitOf(card))].held;
  if (IsTrump(card)) return std::min((held & CardSet::TrumpsAbove(RankOf(card))).Size(), 2);
  return std::min(std::popcount(held.suits() >> Index(card)), 2);
}

StyleTerms StyleSight::LeadTerms(Card card) const {
  const int kind = ClassOf(card);
  StyleTerms terms{};
  terms[0] = Mix(kLead0)(role_, kRoles)(kind, kClasses)(stage_, kStages)(taker_at_, kPlacesOfTaker);
  const int beaten = Beaten(card);
  terms[1] = Mix(kLead1)(role_, kRoles)(kind, kClasses)(beaten, 3)(my_trumps_, kMine)(their_trumps_,
                                                                                      kTheirs);
  if (card == rules::kExcuse) return terms;
  const SuitSight& suit = suits_[static_cast<std::size_t>(SuitOf(card))];
  if (IsTrump(card)) {
    const int petit_out = suit.held.Contains(rules::kPetit) ? 1 : 0;
    terms[2] = Mix(kLead2Trumps)(role_, kRoles)(kind - 6, kTrumpClasses)(Order(card), 3)(beaten, 3)(
        petit_out, 2)(my_trumps_, kMine);
    terms[3] =
        Mix(kLead3Trumps)(role_, kRoles)(stage_, kStages)(suit.shown, 36)(their_trumps_, kTheirs);
  } else {
    terms[2] = Mix(kLead2)(role_, kRoles)(std::max(kind - 1, 0), 5)(suit.mine, kLength)(
        suit.others, kTheirs)(Order(card), 3);
    terms[3] = Mix(kLead3)(role_, kRoles)(suit.shown, 36)(taker_at_, kPlacesOfTaker)(
        beaten == 0 ? 1 : 0, 2)(kind > 1 ? 1 : 0, 2);
  }
  return terms;
}

StyleTerms StyleSight::FollowTerms(Card card) const {
  const int kind = ClassOf(card);
  const bool same = card != rules::kExcuse && SuitOf(card) == SuitOf(table_.winning);
  const int wins = same ? (RankOf(card) > RankOf(table_.winning) ? 1 : 0) : (IsTrump(card) ? 1 : 0);
  const int beaten = Beaten(card);
  StyleTerms terms{};
  terms[0] = Mix(kFollow0)(role_, kRoles)(kind, kClasses)(wins, 2)(friend_, 2)(opponents_after_, 3)(
      beaten, 3);
  terms[1] = Mix(kFollow1)(role_, kRoles)(kind, kClasses)(wins, 2)(friend_, 2)(value_, kValues)(
      stage_, kStages);
  if (card == rules::kExcuse) {
    terms[3] = Mix(kFollow3Excuse)(role_, kRoles)(stage_, kStages)(friend_, 2)(cheapest_, kClasses)(
        value_, kValues);
    return terms;
  }
  const int order = Order(card);
  terms[2] = Mix(kFollow2)(role_, kRoles)(reply_, 4)(kind, kClasses)(order, 3)(wins, 2)(friend_, 2);
  const SuitSight& suit = suits_[static_cast<std::size_t>(SuitOf(card))];
  if (IsTrump(card)) {
    const int petit_out = suit.held.Contains(rules::kPetit) ? 1 : 0;
    terms[3] = Mix(kFollow3Trumps)(role_, kRoles)(kind - 6, kTrumpClasses)(order == 0 ? 1 : 0, 2)(
        beaten, 3)(petit_out, 2)(my_trumps_, kMine)(wins, 2);
  } else {
    terms[3] = Mix(kFollow3)(role_, kRoles)(std::max(kind - 1, 0), 5)(suit.mine, kLength)(
        suit.others, kTheirs)(friend_, 2)(opponents_after_, 3)(wins, 2);
  }
  return terms;
}

StyleTerms StyleSight::Terms(Card card) const {
  return table_.led == Suit::kNone ? LeadTerms(card) : FollowTerms(card);
}

StyleScores ScoreCards(const Table& table, const StyleWeights& weights) {
  const StyleSight sight(table);
  StyleScores scores{.legal = sight.legal()};
  for (const Card card : scores.legal) {
    int score = 0;
    for (const std::uint16_t term : sight.Terms(card)) score += weights[term];
    scores.score[static_cast<std::size_t>(scores.count++)] = score;
  }
  return scores;
}

int StylePlayOut(Table& table, const StyleWeights& weights) {
  int cards = 0;
  for (; !table.Over(); ++cards) {
    const rules::CardSet legal = table.Legal();
    if (legal.First() == legal.Last()) {
      table.Play(legal.First());
      continue;
    }
    const StyleScores scores = ScoreCards(table, weights);
    int best = scores.score[0] - 1;
    Card chosen = rules::kNoCard;
    int i = 0;
    for (const Card card : scores.legal) {
      const int score = scores.score[static_cast<std::size_t>(i++)];
      if (score <= best) continue;
      best = score;
      chosen = card;
    }
    table.Play(chosen);
  }
  return cards;
}

}  // namespace tarot::ai
