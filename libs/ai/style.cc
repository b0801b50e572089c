#include "libs/ai/style.h"

#include <algorithm>
#include <bit>

namespace tarot::ai {
namespace {

using rules::Card;
using rules::CardSet;
using rules::Seat;
using rules::Suit;

// Returns the index of the range that holds `value`. Range 0 has the values below from[0]. Range i
// begins at from[i - 1].
template <std::size_t N>
int Bucket(int value, const std::array<int, N>& from) {
  int bucket = 0;
  for (const int start : from) bucket += value >= start ? 1 : 0;
  return bucket;
}

constexpr int kRoles = 3;
constexpr int kStages = 5;
constexpr int kPlacesOfTaker = 4;
constexpr int kClasses = 13;  // The number of classes of cards. The last class is the Excuse.
constexpr int kTrumpClasses = 6;
constexpr int kMine = 6;    // The number of ranges for the count of the seat's own trumps.
constexpr int kTheirs = 5;  // The number of ranges for the count of the other seats' cards.
constexpr int kLength = 5;  // The number of ranges for the count of the seat's own cards of a suit.
constexpr int kValues = 4;

int ClassOf(Card card) {
  if (card == rules::kExcuse) return 12;
  const int rank = RankOf(card);
  if (!IsTrump(card)) return rank > 10 ? rank - 9 : (rank > 5 ? 1 : 0);
  return 6 + Bucket(rank, std::array{2, 8, 14, 18, 21});
}

// Makes one index from several small numbers. Each number is a digit of the index, and each digit
// has its own base.
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

// The offset of each table in the array of weights.
// A card with fewer than kStyleTerms weights has index 0 in place of the others. So the tables
// begin at 1.
constexpr int kLead0 = 1;
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

StyleFeatures::StyleFeatures(const FastDeal& deal)
    : deal_(deal), hand_(deal.Hand(deal.turn)), legal_(deal.Legal()), others_(deal.held - hand_) {
  const Seat me = deal.turn;
  role_ = me == deal.taker ? 0 : (deal.InAttack(me) ? 1 : 2);
  stage_ = Bucket(hand_.Size(), std::array{3, 5, 9, 14});
  if (me != deal.taker) {
    Seat seat = me;
    int steps = 0;
    do {
      seat = rules::SeatAfter(deal.players, deal.sits_out, seat, 1);
      ++steps;
    } while (seat != deal.taker);
    taker_at_ = steps == 1 ? 1 : (steps == deal.playing - 1 ? 3 : 2);
  }
  my_trumps_ = Bucket((hand_ & CardSet::AllTrumps()).Size(), std::array{1, 2, 4, 6, 9});
  their_trumps_ = Bucket((others_ & CardSet::AllTrumps()).Size(), std::array{1, 4, 8, 12});
  const unsigned opponents = deal.OpponentsOf(me);
  for (std::size_t s = 0; s < suits_.size(); ++s) {
    SuitFeatures& suit = suits_[s];
    const CardSet cards = CardSet::OfSuit(static_cast<Suit>(s));
    if ((legal_ & cards).Empty()) continue;  // The seat has no legal card of this suit now.
    suit.own = hand_ & cards;
    suit.held = others_ & cards;
    suit.mine = Bucket(suit.own.Size(), std::array{2, 3, 4, 6});
    suit.others = Bucket(suit.held.Size(), std::array{1, 3, 6, 9});
    const bool attack = deal.InAttack(me);
    const unsigned voids = deal.voids[s] & ~(1u << me);
    suit.shown = std::min<int>(deal.led_by[s][attack ? 1 : 0], 2) * 12 +
                 std::min<int>(deal.led_by[s][attack ? 0 : 1], 2) * 4 +
                 ((voids & opponents) != 0 ? 2 : 0) + ((voids & ~opponents) != 0 ? 1 : 0);
  }
  opponents_after_ = std::min(std::popcount(deal.waiting & opponents), 2);
  value_ = Bucket(HalfPoints(deal.trick), std::array{5, 10, 16});
  friend_ = deal.winner != rules::kNoSeat && deal.SameCamp(deal.winner, me) ? 1 : 0;
  if (deal.led == Suit::kNone) return;
  const Suit mine = SuitOf(legal_.First());
  reply_ = deal.led == Suit::kTrumps ? 1 : (mine == deal.led ? 0 : (mine == Suit::kTrumps ? 2 : 3));
  cheapest_ = ClassOf(legal_.First());
}

// Returns 0 for the lowest legal card of the suit of `card`, 2 for the highest, and 1 for any other
// card.
int StyleFeatures::Order(Card card) const {
  const CardSet own = legal_ & suits_[static_cast<std::size_t>(SuitOf(card))].own;
  return card == own.First() ? 0 : (card == own.Last() ? 2 : 1);
}

// Returns how many higher cards of its suit the other seats have: 0, 1, or 2 for two or more.
int StyleFeatures::Beaten(Card card) const {
  if (card == rules::kExcuse) return 0;
  const CardSet held = suits_[static_cast<std::size_t>(SuitOf(card))].held;
  if (IsTrump(card)) return std::min((held & CardSet::TrumpsAbove(RankOf(card))).Size(), 2);
  return std::min(std::popcount(held.suits() >> Index(card)), 2);
}

StyleTerms StyleFeatures::LeadTerms(Card card) const {
  const int kind = ClassOf(card);
  StyleTerms terms{};
  terms[0] = Mix(kLead0)(role_, kRoles)(kind, kClasses)(stage_, kStages)(taker_at_, kPlacesOfTaker);
  const int beaten = Beaten(card);
  terms[1] = Mix(kLead1)(role_, kRoles)(kind, kClasses)(beaten, 3)(my_trumps_, kMine)(their_trumps_,
                                                                                      kTheirs);
  if (card == rules::kExcuse) return terms;
  const SuitFeatures& suit = suits_[static_cast<std::size_t>(SuitOf(card))];
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

StyleTerms StyleFeatures::FollowTerms(Card card) const {
  const int kind = ClassOf(card);
  const bool same = card != rules::kExcuse && SuitOf(card) == SuitOf(deal_.winning);
  const int wins = same ? (RankOf(card) > RankOf(deal_.winning) ? 1 : 0) : (IsTrump(card) ? 1 : 0);
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
  const SuitFeatures& suit = suits_[static_cast<std::size_t>(SuitOf(card))];
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

StyleTerms StyleFeatures::Terms(Card card) const {
  return deal_.led == Suit::kNone ? LeadTerms(card) : FollowTerms(card);
}

StyleScores ScoreCards(const FastDeal& deal, const StyleWeights& weights) {
  const StyleFeatures features(deal);
  StyleScores scores{.legal = features.legal()};
  for (const Card card : scores.legal) {
    int score = 0;
    for (const std::uint16_t term : features.Terms(card)) score += weights[term];
    scores.score[static_cast<std::size_t>(scores.count++)] = score;
  }
  return scores;
}

int StylePlayOut(FastDeal& deal, const StyleWeights& weights) {
  int cards = 0;
  for (; !deal.Over(); ++cards) {
    const rules::CardSet legal = deal.Legal();
    if (legal.First() == legal.Last()) {
      deal.Play(legal.First());
      continue;
    }
    const StyleScores scores = ScoreCards(deal, weights);
    int best = scores.score[0] - 1;
    Card chosen = rules::kNoCard;
    int i = 0;
    for (const Card card : scores.legal) {
      const int score = scores.score[static_cast<std::size_t>(i++)];
      if (score <= best) continue;
      best = score;
      chosen = card;
    }
    deal.Play(chosen);
  }
  return cards;
}

}  // namespace tarot::ai
