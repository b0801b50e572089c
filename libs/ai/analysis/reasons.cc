#include "libs/ai/analysis/reasons.h"

#include <algorithm>

#include "libs/ai/analysis/seat_facts.h"
#include "libs/ai/heuristic.h"
#include "libs/rules/handful.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::Seat;
using rules::Suit;
using rules::View;
using Camp = SeatFacts::Camp;

constexpr std::size_t kReasonsMax = 3;
constexpr std::array<Suit, 4> kSuits{Suit::kSpades, Suit::kHearts, Suit::kDiamonds, Suit::kClubs};

// Two shares of the sampled layouts must differ by at least this much, in thousandths. With 400
// layouts, the standard error of a difference is at most 35.
constexpr int kSharesDiffer = 105;
// Two chances of the contract must differ by at least this much, in thousandths, and by more than
// kErrors standard errors of their difference.
constexpr int kContractsDiffer = 50;
// A number is certain to be above another if it is higher by more than this many standard errors.
constexpr int kErrors = 3;
// A card often loses the trick if it does so in at least this share of the layouts.
constexpr int kOften = 500;
constexpr int kTopTrump = 19;
constexpr int kFewHalfPoints = 4;

bool IsCourt(Card card) { return rules::Courts().Contains(card); }

// Finds the reasons for a played card.
class CardReasons {
 public:
  CardReasons(const ReasonInput& input, const Knowledge& knowledge)
      : input_(input),
        view_(input.view),
        facts_(input.view, knowledge),
        played_(input.played.card),
        better_(input.better.card),
        after_played_(facts_.WinnerAfter(played_)),
        after_better_(facts_.WinnerAfter(better_)) {}

  std::vector<Reason> Find() {
    FindLost();
    FindSure();
    FindTrumps();
    FindExcuse();
    FindVoids();
    FindCardsOut();
    FindShares();
    FindPoints();
    FindOpen();
    return reasons_;
  }

 private:
  Reason& Add(ReasonKind kind) {
    reasons_.push_back({.kind = kind, .card = played_, .other_card = better_});
    return reasons_.back();
  }
  void AddPoints(ReasonKind kind) {
    Reason& reason = Add(kind);
    reason.number = HalfPoints(played_);
    reason.better_number = HalfPoints(better_);
  }
  bool Has(ReasonKind kind) const {
    return std::any_of(reasons_.begin(), reasons_.end(),
                       [kind](const Reason& reason) { return reason.kind == kind; });
  }
  int PlayedLosesTrick() const { return input_.events ? 1000 - input_.events->shares[0].trick : 0; }

  // The trick is certain to be lost.
  void FindLost() {
    if (after_played_ != Camp::kOther || played_ == rules::kExcuse) return;
    if (played_ == rules::kPetit) {
      Add(ReasonKind::kPetitGiven);
    } else if (better_ == rules::kExcuse) {
      const bool worth = IsTrump(played_) || HalfPoints(played_) >= 5;
      if (worth && view_.hand.Size() > 2) Add(ReasonKind::kExcuseSaves);
    } else if (after_better_ == Camp::kOther && HalfPoints(played_) > HalfPoints(better_)) {
      AddPoints(ReasonKind::kPointsGiven);
    }
  }

  // The trick is certain to be won.
  void FindSure() {
    if (after_better_ != Camp::kOwn) return;
    const bool excuse = played_ == rules::kExcuse || better_ == rules::kExcuse;
    const bool more = HalfPoints(better_) > HalfPoints(played_) && better_ != rules::kTwentyOne;
    if (after_played_ == Camp::kOwn && !excuse && more) {
      AddPoints(better_ == rules::kPetit ? ReasonKind::kPetitMissed : ReasonKind::kPointsMissed);
    }
    if (facts_.Leads() || facts_.Beats(better_) || !facts_.Beats(played_)) return;
    if (facts_.CampOf(facts_.Winner()) != Camp::kOwn) return;
    Reason& reason = Add(ReasonKind::kPartnerTaken);
    reason.seat = facts_.Winner();
    reason.other_card = facts_.WinningCard();
  }

  void FindTrumps() {
    if (!IsTrump(played_)) return;
    if (IsTrump(better_) && better_ != rules::kPetit && RankOf(played_) > RankOf(better_) &&
        after_played_ == after_better_ && after_played_ != Camp::kUnknown &&
        facts_.Beats(played_) == facts_.Beats(better_)) {
      Add(ReasonKind::kTrumpTooHigh);
      return;
    }
    const int tricks = view_.trick_count - 1 + view_.hand.Size();
    const bool early = 2 * (view_.hand.Size() - 1) >= tricks;
    const bool better_tops = IsTrump(better_) && RankOf(better_) >= kTopTrump;
    if (RankOf(played_) < kTopTrump || !early || better_tops || !facts_.Beats(played_)) return;
    CardSet others;
    for (Seat seat = 0; seat < view_.players; ++seat) others |= facts_.MayHold(seat);
    if (!(others & CardSet::TrumpsAbove(RankOf(played_))).Empty()) return;
    if (facts_.HalfPointsOnTable() > kFewHalfPoints) return;
    Reason& reason = Add(ReasonKind::kTopTrumpEarly);
    if (!facts_.Leads()) reason.number = facts_.HalfPointsOnTable();
  }

  void FindExcuse() {
    const int tricks_left = view_.hand.Size() - 1;
    if (better_ == rules::kExcuse && tricks_left == 1 && ExcuseIsLostAtTheEnd()) {
      Add(ReasonKind::kExcuseLost);
    }
    // In the last trick, the seat may lose the Excuse. So this trick does not count.
    constexpr int kManyTricks = 5;
    if (played_ == rules::kExcuse && HalfPoints(better_) == 1 && tricks_left > kManyTricks) {
      Add(ReasonKind::kExcuseEarly).number = tricks_left - 1;
    }
  }

  // Returns whether the Excuse goes to the other camp if the seat plays it to the last trick. If
  // the seat's camp has won all tricks, the Excuse may stay.
  bool ExcuseIsLostAtTheEnd() const {
    const auto rule = view_.rules.excuse_last_trick;
    if (rule != rules::ExcuseLastTrick::kChangesCamp) return false;
    for (int i = 0; i + 1 < view_.trick_count; ++i) {
      const Seat winner = view_.tricks[static_cast<std::size_t>(i)].winner;
      if (facts_.CampOf(winner) == Camp::kOther) return true;
    }
    return false;
  }

  // Returns the first later seat of the other camp that has shown a void in `suit` and may have a
  // trump. Returns kNoSeat if there is none.
  Seat RuffsLater(Suit suit) const {
    for (const Seat seat : facts_.SeatsAfter()) {
      const bool trumps = !(facts_.MayHold(seat) & CardSet::AllTrumps()).Empty();
      if (facts_.CampOf(seat) == Camp::kOther && trumps && facts_.VoidShown(seat, suit) > 0) {
        return seat;
      }
    }
    return rules::kNoSeat;
  }

  void FindVoids() {
    const Suit suit = SuitOf(played_);
    const bool honour = IsCourt(played_) && facts_.SuitLed(played_) == suit &&
                        after_played_ != Camp::kOwn && HalfPoints(better_) < HalfPoints(played_);
    const bool winning = facts_.Beats(played_) || facts_.CampOf(facts_.Winner()) == Camp::kOwn;
    if (honour && winning && RuffsLater(suit) != rules::kNoSeat) {
      AddVoid(ReasonKind::kSuitRuffed, suit, RuffsLater(suit));
    }
    const Suit led = SuitOf(better_);
    const bool small = led < Suit::kTrumps && HalfPoints(better_) == 1;
    if (facts_.Leads() && small && RuffsLater(led) != rules::kNoSeat &&
        (suit >= Suit::kTrumps || RuffsLater(suit) == rules::kNoSeat)) {
      AddVoid(ReasonKind::kForcesTrump, led, RuffsLater(led));
    }
  }
  void AddVoid(ReasonKind kind, Suit suit, Seat seat) {
    Reason& reason = Add(kind);
    reason.suit = suit;
    reason.seat = seat;
    reason.trick = facts_.VoidShown(seat, suit);
  }

  // Cards that are still out and often beat the played card.
  void FindCardsOut() {
    const Suit suit = SuitOf(played_);
    const bool courts = IsCourt(played_) && HalfPoints(better_) < HalfPoints(played_);
    const bool trump = IsTrump(played_) && RankOf(played_) >= 15 && better_ < played_;
    if (!courts && !trump) return;
    if (facts_.SuitLed(played_) != suit || !facts_.Beats(played_)) return;
    if (PlayedLosesTrick() < kOften || Has(ReasonKind::kSuitRuffed)) return;
    CardSet higher;
    for (const Card card : facts_.MayFollow() & CardSet::OfSuit(suit)) {
      if (RankOf(card) > RankOf(played_)) higher.Insert(card);
    }
    const CardSet trumps = facts_.MayFollow() & CardSet::AllTrumps();
    if (!higher.Empty()) {
      Reason& reason = Add(ReasonKind::kHigherOut);
      reason.other_card = higher.Last();
      reason.number = PlayedLosesTrick();
    } else if (courts && !trumps.Empty()) {
      Reason& reason = Add(ReasonKind::kTrumpsOut);
      reason.trumps = trumps.Size();
      reason.number = PlayedLosesTrick();
    }
  }

  // Adds a reason if the two shares differ enough. `gain` is how much better the second share is
  // for the seat.
  void AddShares(ReasonKind kind, int played, int better, int gain, int enough) {
    if (gain < enough) return;
    Reason& reason = Add(kind);
    reason.number = played;
    reason.better_number = better;
  }

  void FindShares() {
    if (input_.events) {
      const EventShares& a = input_.events->shares[0];
      const EventShares& b = input_.events->shares[1];
      if (!Has(ReasonKind::kPetitGiven) && !Has(ReasonKind::kPetitMissed)) {
        AddShares(ReasonKind::kPetitDanger, a.petit_lost, b.petit_lost, a.petit_lost - b.petit_lost,
                  kSharesDiffer);
      }
      AddShares(ReasonKind::kPetitCatch, a.petit_caught, b.petit_caught,
                b.petit_caught - a.petit_caught, kSharesDiffer);
      AddShares(ReasonKind::kPetitLast, a.petit_last, b.petit_last, b.petit_last - a.petit_last,
                kSharesDiffer);
    }
    const ContractChance& played = input_.played_chance;
    const ContractChance& better = input_.better_chance;
    if (played.made && better.made && played.difference_error) {
      const bool attacks = view_.viewer == view_.taker || view_.viewer == view_.partner;
      const int more = *better.made - *played.made;
      AddShares(ReasonKind::kContractChance, *played.made, *better.made, attacks ? more : -more,
                std::max(kContractsDiffer, kErrors * *played.difference_error + 1));
    }
    const bool certain = after_played_ != Camp::kUnknown && after_better_ != Camp::kUnknown;
    const bool said = Has(ReasonKind::kHigherOut) || Has(ReasonKind::kTrumpsOut) ||
                      Has(ReasonKind::kSuitRuffed) || certain;
    if (input_.events && !said) {
      const EventShares& a = input_.events->shares[0];
      const EventShares& b = input_.events->shares[1];
      AddShares(ReasonKind::kTrickChance, a.trick, b.trick, b.trick - a.trick, kSharesDiffer);
    }
  }

  // The mean of the card points explains little, so it is given only if there is no other reason.
  void FindPoints() {
    if (!reasons_.empty() || !input_.events) return;
    constexpr int kHalfPoint = 100;
    const SampledEvents& events = *input_.events;
    if (events.difference < kHalfPoint || events.difference < 3 * events.difference_error) return;
    // A difference of 100 is one half point, which is 5 tenths of a point.
    Add(ReasonKind::kCardPoints).number = (events.difference + 10) / 20;
  }

  void FindOpen() {
    // This fact explains no cost, so it is given only beside a reason.
    if (input_.open_cost == 0 && !reasons_.empty()) Add(ReasonKind::kFreeOpen);
    const Suit suit = SuitOf(played_);
    if (!IsCourt(played_) || facts_.SuitLed(played_) != suit || Has(ReasonKind::kSuitRuffed))
      return;
    if (!facts_.Beats(played_)) return;
    for (const Seat seat : facts_.SeatsAfter()) {
      const CardSet hand = input_.hands[static_cast<std::size_t>(seat)];
      const bool ruffs =
          (hand & CardSet::OfSuit(suit)).Empty() && !(hand & CardSet::AllTrumps()).Empty();
      if (!ruffs || facts_.CampOf(seat) != Camp::kOther) continue;
      Reason& reason = Add(ReasonKind::kRuffedOpen);
      reason.suit = suit;
      reason.seat = seat;
      return;
    }
  }

  const ReasonInput& input_;
  const View& view_;
  const SeatFacts facts_;
  const Card played_;
  const Card better_;
  const Camp after_played_;
  const Camp after_better_;
  std::vector<Reason> reasons_;
};

std::vector<Reason> BidReasons(const ReasonInput& input) {
  // The largest standard error of a chance that the analysis gives, in thousandths.
  constexpr int kErrorMax = 50;
  const auto sure = [](const ContractChance& chance) {
    return !chance.made || (chance.error && *chance.error <= kErrorMax);
  };
  const ContractChance& played = input.played_chance;
  const ContractChance& better = input.better_chance;
  if (!played.made && !better.made) return {};
  if (!sure(played) || !sure(better)) return {};
  return {
      {.kind = ReasonKind::kContractChance, .number = played.made, .better_number = better.made}};
}

std::vector<Reason> DiscardReasons(const ReasonInput& input) {
  std::vector<Reason> reasons;
  const CardSet after_played = input.view.hand - input.played.cards;
  const CardSet after_better = input.view.hand - input.better.cards;
  int voids_played = 0, voids_better = 0;
  Suit emptied = Suit::kNone;
  for (const Suit suit : kSuits) {
    const CardSet cards = CardSet::OfSuit(suit);
    const bool void_played = (after_played & cards).Empty();
    const bool void_better = (after_better & cards).Empty();
    voids_played += void_played ? 1 : 0;
    voids_better += void_better ? 1 : 0;
    if (void_better && !void_played) emptied = suit;
    const bool bare = (after_played & cards).Size() == 1 && (after_better & cards).Size() != 1;
    if (!bare) continue;
    const Card left = (after_played & cards).First();
    const bool needs_guard = RankOf(left) == 12 || RankOf(left) == 13;
    if (needs_guard) reasons.push_back({.kind = ReasonKind::kDiscardBare, .card = left});
  }
  if (voids_better > voids_played) {
    reasons.push_back({.kind = ReasonKind::kDiscardVoid, .suit = emptied});
  }
  const int played = HalfPoints(input.played.cards);
  const int better = HalfPoints(input.better.cards);
  if (better - played >= 4) {
    reasons.push_back(
        {.kind = ReasonKind::kDiscardPoints, .number = played, .better_number = better});
  }
  return reasons;
}

std::vector<Reason> CallReasons(const ReasonInput& input) {
  const Card played = input.played.card;
  const Card better = input.better.card;
  if (played == rules::kNoCard || better == rules::kNoCard) return {};
  const CardSet hand = input.view.hand;
  if (hand.Contains(better)) return {};
  if (hand.Contains(played)) return {{.kind = ReasonKind::kCallOwn, .card = played}};
  const Card queen = SuitCard(SuitOf(better), 13);
  const bool helps =
      IsKing(better) && hand.Contains(queen) && !hand.Contains(SuitCard(SuitOf(played), 13));
  if (!helps) return {};
  return {{.kind = ReasonKind::kCallQueen, .card = better, .other_card = queen}};
}

std::vector<Reason> SlamReasons(const ReasonInput& input) {
  std::vector<Reason> reasons;
  if (!input.better.announce || input.played.announce) return reasons;
  const View& view = input.view;
  const bool leads = view.rules.slam_announcer_leads || view.After(view.dealer, 1) == view.viewer;
  if (leads && CertainSlam(view.hand)) reasons.push_back({.kind = ReasonKind::kSlamCertain});
  if (input.slam_made) reasons.push_back({.kind = ReasonKind::kSlamOpen});
  return reasons;
}

// One of the two actions is a handful, and the other is a card.
std::vector<Reason> HandfulReasons(const ReasonInput& input) {
  const bool missed = input.better.kind == Action::Kind::kHandful;
  const Action& handful = missed ? input.better : input.played;
  const ContractChance& chance = missed ? input.played_chance : input.better_chance;
  const View& view = input.view;
  const int level = rules::HandfulLevel(view.rules, view.players, handful.cards.Size());
  // The points of a handful go to the winner of the deal only under this rule.
  if (!chance.made || !chance.error || level == 0 ||
      view.rules.handful_owner != rules::HandfulOwner::kWinnerOfDeal) {
    return {};
  }
  const bool attacks = view.viewer == view.taker || view.viewer == view.partner;
  const int wins = attacks ? *chance.made : 1000 - *chance.made;
  // The camp is certain to win, or to lose, more often than not.
  if ((missed ? wins : 1000 - wins) <= 500 + kErrors * *chance.error) return {};
  return {{.kind = ReasonKind::kHandful,
           .trumps = handful.cards.Size(),
           .points = view.rules.handful_points[static_cast<std::size_t>(level - 1)],
           .number = wins}};
}

std::vector<Reason> AllReasons(const ReasonInput& input) {
  const Action::Kind kind = input.played.kind;
  if (kind != input.better.kind) {
    const bool handful =
        kind == Action::Kind::kHandful || input.better.kind == Action::Kind::kHandful;
    return handful ? HandfulReasons(input) : std::vector<Reason>();
  }
  switch (kind) {
    case Action::Kind::kBid:
      return BidReasons(input);
    case Action::Kind::kCall:
      return CallReasons(input);
    case Action::Kind::kDiscard:
      return DiscardReasons(input);
    case Action::Kind::kSlam:
      return SlamReasons(input);
    case Action::Kind::kHandful:
      return {};
    case Action::Kind::kPlay:
      break;
  }
  const std::optional<Knowledge> knowledge = Know(input.view);
  if (!knowledge) return {};
  return CardReasons(input, *knowledge).Find();
}

}  // namespace

HandFacts FactsOf(CardSet hand) {
  HandFacts facts{.trumps = (hand & CardSet::AllTrumps()).Size(),
                  .bouts = hand & CardSet::Bouts(),
                  .kings = (hand & CardSet::Kings()).Size()};
  for (std::size_t i = 0; i < kSuits.size(); ++i) {
    facts.lengths[i] = (hand & CardSet::OfSuit(kSuits[i])).Size();
  }
  return facts;
}

std::vector<Reason> FindReasons(const ReasonInput& input) {
  const rules::RuleSet& rules = input.view.rules;
  const bool bids = input.view.phase == rules::Phase::kBidding;
  if (rules.teams != rules::Teams::kTakerAgainstDefence ||
      rules.scoring != rules::Scoring::kNormal || (!bids && input.view.taker == rules::kNoSeat)) {
    return {};
  }
  std::vector<Reason> reasons = AllReasons(input);
  if (reasons.size() > kReasonsMax) reasons.resize(kReasonsMax);
  return reasons;
}

}  // namespace tarot::ai
