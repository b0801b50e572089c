#include "libs/ai/hand_search.h"

#include <gmock/gmock.h>

#include "libs/ai/arena.h"
#include "libs/rules/cards.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::CardSet;
using rules::Contract;
using rules::Phase;

const rules::RuleSet& Fft() { return rules::FindRuleSet("fft")->rules; }

CardSet Trumps(int low, int high) {
  CardSet cards;
  for (int rank = low; rank <= high; ++rank) cards.Insert(rules::Trump(rank));
  return cards;
}

// Returns a deal of four players. The seat that bids first holds `hand`. The dog gets every tenth
// of the other cards until the dog is full. The other seats get the remaining cards in order.
rules::Deal DealWith(CardSet hand, const rules::RuleSet& rules) {
  std::array<CardSet, rules::kPlayersMax> hands{};
  CardSet dog;
  hands[1] = hand;
  int at = 0;
  for (const rules::Card card : CardSet::All() - hand) {
    if (dog.Size() < 6 && at % 10 == 0) {
      dog.Insert(card);
    } else {
      for (const std::size_t seat : {0, 2, 3}) {
        if (hands[seat].Size() == 18) continue;
        hands[seat].Insert(card);
        break;
      }
    }
    ++at;
  }
  return StartDeal(rules, 4, 0, hands, dog);
}

Decision Bid(const rules::View& view, const Request& request) {
  return ChooseBid(view, *Know(view), Rng(1), request, kStrong);
}

Contract FirstBid(CardSet hand, const rules::RuleSet& rules) {
  const rules::Deal deal = DealWith(hand, rules);
  return Bid(RememberedView(deal, deal.turn), {.node_budget = 20'000}).action.contract;
}

CardSet Strong() {
  return Trumps(13, 21) | CardSet{rules::kExcuse, rules::kPetit} |
         CardSet{SuitCard(rules::Suit::kSpades, 14), SuitCard(rules::Suit::kSpades, 13),
                 SuitCard(rules::Suit::kHearts, 14), SuitCard(rules::Suit::kHearts, 13),
                 SuitCard(rules::Suit::kHearts, 12), SuitCard(rules::Suit::kDiamonds, 14),
                 SuitCard(rules::Suit::kDiamonds, 2)};
}

CardSet Hopeless() {
  CardSet hand = Trumps(2, 4);
  for (int rank = 1; hand.Size() < 18; ++rank) {
    for (int suit = 0; suit < 4 && hand.Size() < 18; ++suit) {
      hand.Insert(SuitCard(static_cast<rules::Suit>(suit), rank));
    }
  }
  return hand;
}

TEST(HandSearchTest, StrongHandsBidHighAndWeakHandsPass) {
  EXPECT_GE(FirstBid(Strong(), Fft()), Contract::kGardeSans);
  EXPECT_EQ(FirstBid(Hopeless(), Fft()), Contract::kPass);
  // In the rule set `only_garde`, Garde is the only bid besides a pass.
  rules::RuleSet only_garde = Fft();
  only_garde.bids = 1u << static_cast<int>(Contract::kGarde);
  EXPECT_EQ(FirstBid(Strong(), only_garde), Contract::kGarde);
  EXPECT_EQ(FirstBid(Hopeless(), only_garde), Contract::kPass);
}

TEST(HandSearchTest, PassesBadContractsWhereOnlyTheTakerScores) {
  for (const char* name : {"booklet_practice2", "booklet_practice3"}) {
    SCOPED_TRACE(name);
    EXPECT_GE(FirstBid(Strong(), rules::FindRuleSet(name)->rules), Contract::kGarde);
    EXPECT_EQ(FirstBid(Hopeless(), rules::FindRuleSet(name)->rules), Contract::kPass);
  }
}

// Returns a random legal action. Shows a handful as soon as one is legal without the Excuse.
Action AnyAction(const rules::LegalActions& legal, Phase phase, const rules::View& view, Rng& rng) {
  const auto some = [&rng](CardSet cards, int count) {
    while (cards.Size() > count) {
      auto card = cards.begin();
      for (int skip = rng.Below(cards.Size()); skip > 0; --skip) ++card;
      cards.Erase(*card);
    }
    return cards;
  };
  switch (phase) {
    case Phase::kBidding: {
      int bid = rng.Below(5);
      while (!legal.bids[static_cast<std::size_t>(bid)]) bid = (bid + 1) % 5;
      return Action::Bid(static_cast<Contract>(bid));
    }
    case Phase::kCalling:
      if (legal.calls.Empty()) return Action::Call(rules::kNoCard);
      return Action::Call(some(legal.calls, 1).First());
    case Phase::kDiscarding: {
      const CardSet trumps = legal.discards & CardSet::AllTrumps();
      const int plain = legal.discard_count - legal.discard_trump_count;
      if (legal.discard_trump_count == 0) {
        return Action::Discard(some(legal.discards, legal.discard_count));
      }
      return Action::Discard(some(legal.discards - trumps, plain) |
                             some(trumps, legal.discard_trump_count));
    }
    case Phase::kSlam:
      return Action::Slam(rng.Below(2) == 0);
    default:
      break;
  }
  for (int level = 1; level <= 3; ++level) {
    if (!legal.handful_levels[static_cast<std::size_t>(level)]) continue;
    const CardSet trumps = legal.handful_cards & CardSet::AllTrumps();
    const int size = view.rules.HandfulSize(view.players, level);
    if (trumps.Size() >= size) return Action::Handful(some(trumps, size));
  }
  return Action::Play(some(legal.cards, 1).First());
}

TEST(HandSearchTest, EvaluatesTheConsideredAction) {
  std::array<int, 6> seen{};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed);
    const auto& named = rules::RuleSets()[static_cast<std::size_t>(
        rng.Below(static_cast<int>(rules::RuleSets().size())))];
    const int players =
        named.rules.players_min + rng.Below(named.rules.players_max - named.rules.players_min + 1);
    rules::Deal deal = RandomDeal(named.rules, players, rng);
    while (deal.phase != Phase::kDone && deal.cards_played < 2 * players) {
      const rules::View view = RememberedView(deal, deal.turn);
      const Action action = AnyAction(view.legal, view.phase, view, rng);
      const Request request{.node_budget = 300, .consider = action};
      const Decision decision = FindPolicy("club")->Choose(view, Rng(seed), request);
      bool found = false;
      for (const Candidate& candidate : decision.candidates) {
        found |= candidate.action == action && candidate.value.has_value();
      }
      ASSERT_TRUE(found) << named.name << " players=" << players << " seed=" << seed
                         << " phase=" << static_cast<int>(view.phase);
      ASSERT_EQ(decision.action, decision.candidates.front().action);
      rules::Deal after = deal;
      ASSERT_TRUE(Apply(after, deal.turn, decision.action).ok());
      ++seen[static_cast<std::size_t>(action.kind)];
      ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
    }
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

// Counts the deals in which the search chooses an écart that it had dropped. It drops weak écarts
// after a third and after two thirds of its budget.
int ChosenAfterDrop(const SearchBudget& budget) {
  int chosen = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    rules::Deal deal = RandomDeal(Fft(), 4, rng);
    const rules::Seat taker = deal.turn;
    while (deal.phase == Phase::kBidding) {
      const Contract bid = deal.turn == taker ? Contract::kGarde : Contract::kPass;
      EXPECT_TRUE(Apply(deal, deal.turn, Action::Bid(bid)).ok());
    }
    const rules::View view = RememberedView(deal, taker);
    const Request request{.node_budget = 20'000};
    const Decision decision = ChooseDiscard(view, *Know(view), Rng(seed), request, budget);
    chosen += decision.candidates.front().worlds < decision.worlds ? 1 : 0;
  }
  return chosen;
}

// A dropped écart was worse in the worlds that it saw. Its mean may still be higher than a mean
// over other worlds.
TEST(HandSearchTest, ComparesEcartsInTheWorldsThatBothSaw) {
  EXPECT_EQ(ChosenAfterDrop(kStrong), 0);
  EXPECT_GT(ChosenAfterDrop(kFrozenExpert), 0) << "the test is too weak";
}

// Returns the candidate for `contract`.
const Candidate& CandidateOf(const Decision& decision, Contract contract) {
  return *std::find_if(decision.candidates.begin(), decision.candidates.end(),
                       [&](const Candidate& one) { return one.action.contract == contract; });
}

// Garde and Garde contre have two fits of the margin, from different deals. The value of a pass
// hardly depends on a margin, so the error of Garde contre against a pass is about its own error.
// The error against a Garde is not smaller. It would be smaller if both fits were too high, or both
// too low, at the same time.
TEST(HandSearchTest, TheErrorOfABidCoversTwoIndependentFits) {
  const rules::Deal deal = DealWith(Strong(), Fft());
  const Request request{.node_budget = 60'000, .consider = Action::Bid(Contract::kGarde)};
  const Decision decision = Bid(RememberedView(deal, deal.turn), request);
  ASSERT_EQ(decision.action.contract, Contract::kGardeContre);
  const int pass = *CandidateOf(decision, Contract::kPass).difference_error;
  const int garde = *CandidateOf(decision, Contract::kGarde).difference_error;
  EXPECT_GT(pass, 1'000);
  EXPECT_GT(garde, pass * 95 / 100);
  EXPECT_EQ(CandidateOf(decision, Contract::kGardeContre).difference_error, 0);
}

TEST(HandSearchTest, TheChanceOfABidIsSurerWithMoreWorlds) {
  const CardSet courts{SuitCard(rules::Suit::kSpades, 14), SuitCard(rules::Suit::kHearts, 14)};
  CardSet hand = courts | Trumps(7, 13) | CardSet{rules::kExcuse};
  for (const rules::Suit suit : {rules::Suit::kDiamonds, rules::Suit::kClubs}) {
    for (int rank = 1; rank <= 4; ++rank) hand.Insert(SuitCard(suit, rank));
  }
  const rules::Deal deal = DealWith(hand, Fft());
  const auto garde = [&](std::uint64_t nodes) {
    const Request request{.node_budget = nodes, .consider = Action::Bid(Contract::kGarde)};
    return CandidateOf(Bid(RememberedView(deal, deal.turn), request), Contract::kGarde);
  };
  const Candidate few = garde(1'000);
  ASSERT_LT(few.worlds, 20);
  EXPECT_TRUE(few.made.has_value());
  EXPECT_FALSE(few.made_error.has_value()) << "fewer than twenty worlds";
  const Candidate some = garde(5'000);
  const Candidate many = garde(100'000);
  ASSERT_TRUE(some.made_error.has_value());
  ASSERT_TRUE(many.made_error.has_value());
  EXPECT_LT(*many.made_error, *some.made_error);
  EXPECT_LE(*many.made_error, 50) << "the analysis gives no chance with a larger error";
}

TEST(HandSearchTest, ReturnsTheBestSoFarWhenStopped) {
  const rules::Deal deal = DealWith(Strong(), Fft());
  const Request request{.node_budget = 1'000'000, .stop = [] { return true; }};
  const Decision decision = Bid(RememberedView(deal, deal.turn), request);
  EXPECT_TRUE(decision.stopped);
  EXPECT_EQ(decision.worlds, 1);
  EXPECT_TRUE(decision.value().has_value());
}

TEST(HandSearchTest, AnnouncesACertainSlam) {
  // The hand has the trumps 21 down to 8, so no other hand has more than seven trumps. Its other
  // cards are the four Kings.
  const CardSet hand =
      Trumps(8, 21) |
      CardSet{SuitCard(rules::Suit::kSpades, 14), SuitCard(rules::Suit::kHearts, 14),
              SuitCard(rules::Suit::kDiamonds, 14), SuitCard(rules::Suit::kClubs, 14)};
  rules::Deal deal = DealWith(hand, Fft());
  ASSERT_TRUE(Apply(deal, 1, Action::Bid(Contract::kGardeContre)).ok());
  ASSERT_EQ(deal.phase, Phase::kSlam);
  const Request request{.node_budget = 2000};
  const rules::View view = RememberedView(deal, 1);
  EXPECT_TRUE(ChooseSlam(view, *Know(view), Rng(1), request).action.announce);
}

TEST(HandSearchTest, ShowsAHandfulWhenItWillWin) {
  const auto advise = [](CardSet hand) {
    rules::Deal deal = DealWith(hand, Fft());
    EXPECT_TRUE(Apply(deal, 1, Action::Bid(Contract::kGardeContre)).ok());
    EXPECT_TRUE(Apply(deal, 1, Action::Slam(false)).ok());
    const rules::View view = RememberedView(deal, 1);
    EXPECT_TRUE(HandfulIsDue(view));
    return AdviseHandful(view, *Know(view), Rng(1), {.node_budget = 5000});
  };
  EXPECT_TRUE(advise(Strong()).pays);
  CardSet losing = Trumps(2, 11);
  for (int rank = 3; losing.Size() < 18; ++rank) {
    losing.Insert(SuitCard(rules::Suit::kSpades, rank));
    losing.Insert(SuitCard(rules::Suit::kHearts, rank));
  }
  EXPECT_FALSE(advise(losing).pays);
}

}  // namespace
}  // namespace tarot::ai
