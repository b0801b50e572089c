#include "libs/rules/claim.h"

#include <algorithm>

#include "absl/types/span.h"
#include "libs/base/check.h"

namespace tarot::rules {
namespace {

constexpr CardSet kAllTrumps = CardSet::AllTrumps();

absl::Span<const Card> CardsOf(const Trick& trick) {
  return absl::MakeSpan(trick.cards.data(), static_cast<std::size_t>(trick.size));
}

// The facts that the claimer knows about the hand of another seat.
struct Opponent {
  CardSet cards;        // The cards that the seat may hold.
  int count = 0;        // The number of cards that the seat holds.
  bool played = false;  // True if the seat has played to the trick on the table.
};

// `cards` are the cards that a seat may hold. The seat has played `card` to a trick that already
// had the cards of `before`. Removes from `cards` the cards that the seat cannot hold, because with
// such a card the rules would not have allowed `card`.
void LearnFromCard(absl::Span<const Card> before, Card card, CardSet& cards) {
  const Demand demand = DemandOf(before);
  if (!demand.asked || card == kExcuse) return;
  const CardSet suit = CardSet::FromWords(demand.suit, 0);
  if (suit.Contains(card)) return;
  cards -= suit;
  const CardSet above = CardSet::FromWords(0, demand.above);
  if (!IsTrump(card)) {
    cards -= kAllTrumps;
  } else if (!above.Contains(card)) {
    cards -= above;
  }
}

// Plays the claimer's cards in a given order. Checks whether these cards win against every hand
// that the other seats may have.
class Claim {
 public:
  explicit Claim(const View& view) : view_(view), table_(CardsOf(Current())) {
    CardSet unseen = CardSet::All() - view.hand - view.discard - view.discard_shown;
    for (int i = 0; i < view.trick_count; ++i) {
      for (const Card card : CardsOf(TrickAt(i))) unseen.Erase(card);
    }
    for (Seat seat = 0; seat < view.players; ++seat) {
      Opponent& other = others_[static_cast<std::size_t>(seat)];
      if (seat == view.viewer || seat == view.sits_out) continue;
      other.cards = unseen;
      other.count = view.hand_counts[static_cast<std::size_t>(seat)];
      // The taker took the shown dog, so no other seat holds a card of the dog.
      if (seat != view.taker) other.cards -= view.dog;
    }
    for (int i = 0; i < view.handful_count; ++i) {
      const ShownHandful& shown = view.handfuls[static_cast<std::size_t>(i)];
      for (Seat seat = 0; seat < view.players; ++seat) {
        if (seat != shown.seat) others_[static_cast<std::size_t>(seat)].cards -= shown.cards;
      }
    }
    for (int i = 0; i < view.trick_count; ++i) LearnFromTrick(TrickAt(i));
  }

  // Returns the index in `order` of the first card that may lose its trick, or the size of `order`
  // if each card wins its trick.
  std::size_t FirstLoss(absl::Span<const Card> order) const {
    std::size_t at = 0;
    while (at < order.size() && !MayLose(order, at)) ++at;
    return at;
  }

 private:
  const Trick& TrickAt(int index) const { return view_.tricks[static_cast<std::size_t>(index)]; }
  const Trick& Current() const { return TrickAt(view_.trick_count - 1); }

  void LearnFromTrick(const Trick& trick) {
    for (int i = 0; i < trick.size; ++i) {
      const Seat seat = view_.After(trick.leader, i);
      Opponent& other = others_[static_cast<std::size_t>(seat)];
      const absl::Span<const Card> cards = CardsOf(trick);
      LearnFromCard(cards.subspan(0, static_cast<std::size_t>(i)),
                    cards[static_cast<std::size_t>(i)], other.cards);
      if (&trick == &Current()) other.played = true;
    }
  }

  // Returns the suit that the other seats must follow in trick `at` of the claim.
  Suit SuitAsked(absl::Span<const Card> order, std::size_t at) const {
    for (const Card card : table_) {
      if (at == 0 && card != kExcuse) return SuitOf(card);
    }
    return SuitOf(order[at]);
  }

  bool MayLose(absl::Span<const Card> order, std::size_t at) const {
    const bool last = at + 1 == order.size();
    if (last && ExcuseOfAnotherWins(order.size())) return true;
    if (order[at] == kExcuse) return !last || !OwnExcuseWins(order.size());
    if (at == 0 && !BeatsTheTable(order[0])) return true;
    return std::any_of(others_.begin(), others_.end(), [&](const Opponent& other) {
      return !(at == 0 && other.played) && MayBeat(other, order, at);
    });
  }

  bool BeatsTheTable(Card card) const {
    Trick trick = Current();
    trick.cards[static_cast<std::size_t>(trick.size++)] = card;
    return WinningPosition(CardsOf(trick)) == trick.size - 1;
  }

  // Returns how often `other` must follow `suit` in the tricks of the claim before trick `at`.
  int MustFollow(const Opponent& other, absl::Span<const Card> order, std::size_t at,
                 Suit suit) const {
    int count = 0;
    for (std::size_t i = other.played ? 1 : 0; i < at; ++i) count += SuitAsked(order, i) == suit;
    return count;
  }

  // Returns whether `other` may beat the claimer's card in trick `at`. Assumes that the claimer
  // wins each trick before `at`, so the claimer leads each trick after the first.
  bool MayBeat(const Opponent& other, absl::Span<const Card> order, std::size_t at) const {
    const Card own = order[at];
    const Suit asked = SuitAsked(order, at);
    const bool own_is_trump = IsTrump(own);
    const CardSet higher =
        own_is_trump ? CardSet::TrumpsAbove(RankOf(own)) : HigherOfSuit(own) | kAllTrumps;
    for (const Suit suit : {SuitOf(own), Suit::kTrumps}) {
      const CardSet of_suit = other.cards & CardSet::OfSuit(suit);
      if ((of_suit & higher).Empty()) continue;
      // Before this trick, the seat must follow this suit MustFollow() times. It can still have a
      // higher card only if it had at least as many other cards of the suit. The Excuse can replace
      // one of these other cards.
      const int spare = of_suit.Size() - 1 + (other.cards.Contains(kExcuse) ? 1 : 0);
      if (spare < MustFollow(other, order, at, suit)) continue;
      if (suit == asked) return true;
      // The seat may play a trump only if it has no card of the suit `asked` left. It can have
      // played one card of this suit to each earlier trick in which this suit was asked.
      const CardSet rest = other.cards - CardSet::OfSuit(asked);
      if (rest.Size() + MustFollow(other, order, at, asked) >= other.count) return true;
    }
    return false;
  }

  static CardSet HigherOfSuit(Card card) {
    CardSet higher;
    for (const Card each : CardSet::OfSuit(SuitOf(card))) {
      if (RankOf(each) > RankOf(card)) higher.Insert(each);
    }
    return higher;
  }

  // Returns whether the special rules for the Excuse in a slam may apply to the claimer's camp.
  bool SlamRules() const {
    return view_.rules.excuse_slam_wins_when_led && view_.taker != kNoSeat &&
           (Attacks() || view_.rules.excuse_slam_applies_to_defence);
  }
  bool Attacks() const { return view_.viewer == view_.taker || view_.viewer == view_.partner; }

  // If `certain` is true, returns whether `seat` is certainly in the claimer's camp. If `certain`
  // is false, returns whether `seat` may be in this camp.
  bool SameCamp(Seat seat, bool certain) const {
    if (seat == view_.viewer) return true;
    const bool pairs = view_.playing == 5 && view_.called_card != kNoCard;
    if (view_.viewer == view_.taker) {
      return pairs && (view_.partner == kNoSeat ? !certain : seat == view_.partner);
    }
    if (view_.viewer == view_.partner) return seat == view_.taker;
    if (seat == view_.taker || seat == view_.partner) return false;
    return !certain || !pairs || view_.partner != kNoSeat;
  }

  // If `certain` is true, returns whether the claimer's camp has certainly won all complete tricks.
  // If `certain` is false, returns whether this camp may have won them.
  bool WonEveryTrick(bool certain) const {
    for (int i = 0; i + 1 < view_.trick_count; ++i) {
      if (!SameCamp(TrickAt(i).winner, certain)) return false;
    }
    return true;
  }

  // Returns whether the claimer's Excuse wins the last trick. It can win only if the claimer leads
  // this trick.
  bool OwnExcuseWins(std::size_t tricks) const {
    return (tricks > 1 || table_.empty()) && SlamRules() && WonEveryTrick(true);
  }

  // Returns whether the Excuse of another seat may win the last trick.
  bool ExcuseOfAnotherWins(std::size_t tricks) const {
    if (!view_.rules.excuse_slam_wins_when_led || view_.taker == kNoSeat) return false;
    // If only the last trick is left, this function does not check which camp won the earlier
    // tricks. Instead, the function assumes that each camp may still make a slam.
    if (tricks == 1 && std::find(table_.begin(), table_.end(), kExcuse) != table_.end()) {
      return true;
    }
    for (Seat seat = 0; seat < view_.players; ++seat) {
      if (!others_[static_cast<std::size_t>(seat)].cards.Contains(kExcuse)) continue;
      if (tricks == 1 && !table_.empty()) return true;
      // The claimer leads the last trick, so the claimer's camp has won the trick before. The other
      // camp therefore makes no slam. Only the Excuse of the claimer's partner may win.
      if (view_.rules.excuse_slam_wins_when_partner_leads && SlamRules() && SameCamp(seat, false) &&
          WonEveryTrick(false)) {
        return true;
      }
    }
    return false;
  }

  const View& view_;
  const absl::Span<const Card> table_;  // The cards of the trick on the table.
  std::array<Opponent, kPlayersMax> others_;
};

// Appends `cards` to `proof.order`, highest card first.
void AppendFalling(CardSet cards, ClaimProof& proof) {
  while (!cards.Empty()) {
    const Card card = cards.Last();
    cards.Erase(card);
    proof.order[static_cast<std::size_t>(proof.size++)] = card;
  }
}

// Returns an order of the hand that begins with `first`. Then the trumps follow, because they draw
// the trumps of the other seats. Then each suit follows from its highest card to its lowest,
// because the highest cards draw the cards that could beat the lower cards. With `petit_last`, the
// Petit comes after the suits. The Excuse comes last.
ClaimProof OrderFrom(Card first, CardSet hand, bool petit_last) {
  ClaimProof proof;
  proof.order[static_cast<std::size_t>(proof.size++)] = first;
  hand.Erase(first);
  CardSet end;
  if (petit_last) end = hand & CardSet{kPetit};
  const CardSet excuse = hand & CardSet{kExcuse};
  AppendFalling((hand & kAllTrumps) - end, proof);
  AppendFalling(hand - kAllTrumps - excuse, proof);
  AppendFalling(end, proof);
  AppendFalling(excuse, proof);
  return proof;
}

// Returns the card that a seat other than the claimer plays; see PlayOutClaim().
Card CardOfOther(CardSet legal, bool own_camp) {
  if (own_camp && legal != CardSet{kPetit}) legal.Erase(kPetit);
  if (legal.Contains(kExcuse)) return kExcuse;
  Card lowest = legal.First();
  for (const Card card : legal) {
    if (RankOf(card) < RankOf(lowest)) lowest = card;
  }
  return lowest;
}

}  // namespace

ClaimProof ProveClaim(const View& view) {
  TAROT_CHECK(view.phase == Phase::kPlaying && view.viewer == view.turn);
  const Claim claim(view);
  ClaimProof best{.lost_trick = view.trick_count};
  for (const bool petit_last : {true, false}) {
    // The claimer's first card is tried in this order: trumps, suits, the Petit. Trumps and suits
    // go from the highest card to the lowest.
    ClaimProof firsts;
    AppendFalling((view.legal.cards & kAllTrumps) - CardSet{kPetit}, firsts);
    AppendFalling(view.legal.cards - kAllTrumps, firsts);
    AppendFalling(view.legal.cards & CardSet{kPetit}, firsts);
    for (int i = 0; i < firsts.size; ++i) {
      ClaimProof tried =
          OrderFrom(firsts.order[static_cast<std::size_t>(i)], view.hand, petit_last);
      const absl::Span<const Card> order(tried.order.data(), static_cast<std::size_t>(tried.size));
      const std::size_t loss = claim.FirstLoss(order);
      if (loss == order.size()) return tried;
      best.lost_trick = std::max(best.lost_trick, view.trick_count + static_cast<int>(loss));
    }
  }
  return best;
}

std::vector<Card> PlayOutClaim(const Deal& deal, const ClaimProof& proof) {
  const Seat claimer = deal.turn;
  Deal played = deal;
  std::vector<Card> cards;
  int next = 0;
  while (played.phase == Phase::kPlaying) {
    const Card card = played.turn == claimer
                          ? proof.order[static_cast<std::size_t>(next++)]
                          : CardOfOther(ListLegal(played).cards,
                                        played.InAttack(played.turn) == played.InAttack(claimer));
    TAROT_CHECK(Apply(played, played.turn, Action::Play(card)).ok());
    cards.push_back(card);
  }
  return cards;
}

}  // namespace tarot::rules
