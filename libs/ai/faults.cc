#include "libs/ai/faults.h"

#include <algorithm>
#include <array>

#include "libs/ai/trick_in_play.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Card;
using rules::CardSet;
using rules::Contract;
using rules::Seat;
using rules::View;

constexpr std::array<absl::string_view, kFaultCount> kNames{
    "petit_thrown", "petit_led",        "top_trump_led", "honour_thrown",
    "honour_led",   "twenty_one_spent", "bare_sans",     "short_call"};

constexpr Card kTwenty = rules::Trump(20);

bool Defends(const View& view) { return view.viewer != view.taker && view.viewer != view.partner; }

// Returns the cards that have points of their own: court cards and bouts.
CardSet WithPoints() { return rules::Courts() | CardSet::Bouts(); }

CardSet TrumpsOf(CardSet cards) { return cards & CardSet::AllTrumps(); }

// Returns whether a seat other than the viewer may hold a card of `cards`.
bool MayHold(const View& view, const Knowledge& knowledge, CardSet cards) {
  for (Seat seat = 0; seat < view.players; ++seat) {
    if (seat == view.viewer || knowledge.count[static_cast<std::size_t>(seat)] == 0) continue;
    if (!(knowledge.may[static_cast<std::size_t>(seat)] & cards).Empty()) return true;
  }
  return false;
}

// Returns whether the viewer's camp loses the trick for sure if the viewer plays a card that does
// not win: no seat that may be in this camp can still beat the winning card.
bool LostForSure(const View& view, const Knowledge& knowledge) {
  if (!FoeWins(view)) return false;
  const CardSet beating = CardsAbove(WinningCard(view));
  for (int after = 1; TrickInPlay(view).size + after < view.playing; ++after) {
    const Seat seat = view.After(view.viewer, after);
    const bool foe = Defends(view) ? seat == view.taker || seat == view.partner
                                   : Alone(view) || (view.partner != rules::kNoSeat &&
                                                     seat != view.taker && seat != view.partner);
    if (!foe && !(knowledge.may[static_cast<std::size_t>(seat)] & beating).Empty()) return false;
  }
  return true;
}

bool ThrowsPetit(const View& view, const Knowledge& knowledge, Card card) {
  if (card != rules::kPetit || Leads(view) || Wins(view, card)) return false;
  if (TrumpsOf(view.legal.cards) == CardSet{rules::kPetit}) return false;
  return LostForSure(view, knowledge);
}

bool LeadsPetit(const View& view, const Knowledge& knowledge, Card card) {
  if (card != rules::kPetit || !Leads(view) || !Defends(view)) return false;
  // Near the end of the deal, the solver sees better than this rule.
  constexpr int kFewCards = 3;
  if (view.hand.Size() <= kFewCards) return false;
  if ((view.legal.cards - CardSet{rules::kPetit, rules::kExcuse}).Empty()) return false;
  return knowledge.may[static_cast<std::size_t>(view.taker)].Contains(rules::kTwentyOne);
}

bool LeadsTopTrump(const View& view, const Knowledge& knowledge, Card card) {
  if ((card != kTwenty && card != rules::kTwentyOne) || !Leads(view) || !Defends(view)) {
    return false;
  }
  if (2 * view.hand.Size() <= view.rules.HandSize(view.players)) return false;
  // A defender with many trumps may lead them to take the trumps of the taker.
  if (5 * TrumpsOf(view.hand).Size() >= 2 * view.hand.Size()) return false;
  if ((view.legal.cards - CardSet{kTwenty, rules::kTwentyOne, rules::kPetit, rules::kExcuse})
          .Empty()) {
    return false;
  }
  return card == rules::kTwentyOne || knowledge.unseen.Contains(rules::kTwentyOne);
}

bool ThrowsHonour(const View& view, const Knowledge& knowledge, Card card) {
  if (!rules::Courts().Contains(card) || Leads(view) || Wins(view, card)) return false;
  const bool other = !(view.legal.cards - CardSet::AllTrumps() - WithPoints()).Empty();
  return other && LostForSure(view, knowledge);
}

bool LeadsHonour(const View& view, const Knowledge& knowledge, Card card) {
  constexpr int kKnight = 12;
  constexpr int kQueen = 13;
  const int rank = RankOf(card);
  if (view.viewer != view.taker || !Leads(view) || IsTrump(card)) return false;
  if (rank != kKnight && rank != kQueen) return false;
  if (view.hand.Contains(SuitCard(SuitOf(card), rank - 1))) return false;
  CardSet higher;
  for (int above = rank + 1; above <= rules::kSuitSize; ++above) {
    const Card c = SuitCard(SuitOf(card), above);
    if (c != view.called_card) higher.Insert(c);
  }
  if (!MayHold(view, knowledge, higher)) return false;
  return !(view.legal.cards - WithPoints()).Empty();
}

bool SpendsTwentyOne(const View& view, Card card) {
  if (card != rules::kTwentyOne) return false;
  if (4 * (view.trick_count - 1) >= view.rules.HandSize(view.players)) return false;
  const CardSet lower = TrumpsOf(view.legal.cards) - CardSet{rules::kPetit, rules::kTwentyOne};
  if (lower.Empty()) return false;
  if (Leads(view)) return !Defends(view) && 3 * TrumpsOf(view.hand).Size() <= view.hand.Size();
  const rules::Trick& trick = TrickInPlay(view);
  return std::none_of(trick.cards.begin(), trick.cards.begin() + trick.size, [](Card c) {
    constexpr int kQueen = 7;
    return c != rules::kExcuse && HalfPoints(c) >= kQueen;
  });
}

std::optional<Fault> FaultOfCard(const View& view, const Knowledge& knowledge, Card card) {
  if (view.taker == rules::kNoSeat) return std::nullopt;
  if (ThrowsPetit(view, knowledge, card)) return Fault::kPetitThrown;
  if (LeadsPetit(view, knowledge, card)) return Fault::kPetitLed;
  if (LeadsTopTrump(view, knowledge, card)) return Fault::kTopTrumpLed;
  if (ThrowsHonour(view, knowledge, card)) return Fault::kHonourThrown;
  if (LeadsHonour(view, knowledge, card)) return Fault::kHonourLed;
  if (SpendsTwentyOne(view, card)) return Fault::kTwentyOneSpent;
  return std::nullopt;
}

std::optional<Fault> FaultOfBid(const View& view, Contract bid) {
  constexpr int kFewTrumps = 4;
  const bool high = bid == Contract::kGardeSans || bid == Contract::kGardeContre;
  if (!high || view.playing != 5) return std::nullopt;
  if (!view.legal.bids[static_cast<std::size_t>(Contract::kGarde)]) return std::nullopt;
  if (TrumpsOf(view.hand).Size() > kFewTrumps) return std::nullopt;
  return Fault::kBareSans;
}

std::optional<Fault> FaultOfCall(const View& view, Card call) {
  if (!rules::IsKing(call) || view.hand.Contains(call)) return std::nullopt;
  const auto suit_of = [&](Card king) { return view.hand & CardSet::OfSuit(SuitOf(king)); };
  const auto queen_of = [](Card king) { return SuitCard(SuitOf(king), RankOf(king) - 1); };
  if (view.hand.Contains(queen_of(call))) return std::nullopt;
  for (const Card king : (view.legal.calls & CardSet::Kings()) - view.hand) {
    if (view.hand.Contains(queen_of(king)) && suit_of(king).Size() > suit_of(call).Size()) {
      return Fault::kShortCall;
    }
  }
  return std::nullopt;
}

}  // namespace

absl::string_view FaultName(Fault fault) { return kNames[static_cast<std::size_t>(fault)]; }

std::optional<Fault> ParseFaultName(absl::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Fault>(found - kNames.begin());
}

std::optional<Fault> FaultOf(const View& view, const Knowledge& knowledge, const Action& action) {
  switch (action.kind) {
    case Action::Kind::kBid:
      return FaultOfBid(view, action.contract);
    case Action::Kind::kCall:
      return FaultOfCall(view, action.card);
    case Action::Kind::kPlay:
      return FaultOfCard(view, knowledge, action.card);
    default:
      return std::nullopt;
  }
}

}  // namespace tarot::ai
