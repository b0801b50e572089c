#include "libs/ai/tie_break.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "libs/ai/arena.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::Card;
using rules::Suit;
using rules::View;

Card Heart(int rank) { return rules::SuitCard(Suit::kHearts, rank); }
Card Club(int rank) { return rules::SuitCard(Suit::kClubs, rank); }

// Returns a view of seat 0, whose turn it is. The seats just before it have played `trick`. If
// `trick` is empty, seat 0 leads. Seat `taker` is the taker.
View AfterCards(const std::vector<Card>& trick, rules::Seat taker, int players = 4) {
  View view;
  view.players = view.playing = players;
  view.phase = rules::Phase::kPlaying;
  view.viewer = view.turn = 0;
  view.taker = taker;
  view.hand = {Club(1), Club(2), Club(3), Club(4), Club(5)};
  view.trick_count = 1;
  view.tricks[0].leader = trick.empty() ? 0 : players - static_cast<int>(trick.size());
  for (const Card card : trick) {
    view.tricks[0].cards[static_cast<std::size_t>(view.tricks[0].size++)] = card;
  }
  return view;
}

TEST(TieBreakTest, LastSeatWinsWithItsLowestTrumpAndSavesThePetit) {
  const View view = AfterCards({Heart(5), Heart(12), Heart(14)}, 0);
  EXPECT_LT(Price(view, rules::Trump(3)), Price(view, rules::kTwentyOne));
  EXPECT_LT(Price(view, rules::kPetit), Price(view, rules::Trump(3)));
  EXPECT_EQ(Leniency(view, rules::kTwentyOne, rules::Trump(3)), 1);
  EXPECT_LT(Price(view, rules::kTwentyOne), Price(view, rules::kExcuse));
}

TEST(TieBreakTest, GivesNoHonoursToLostTricks) {
  const View view = AfterCards({Heart(5), rules::Trump(12), Heart(14)}, 0);
  EXPECT_LT(Price(view, Club(6)), Price(view, Club(14)));
  EXPECT_LT(Price(view, Club(14)), Price(view, rules::kPetit));
  EXPECT_EQ(Leniency(view, Club(14), Club(6)), 1);
}

TEST(TieBreakTest, GivesHonoursAndThePetitToPartners) {
  const View view = AfterCards({Heart(5), rules::Trump(12), Heart(14)}, 1);
  EXPECT_LT(Price(view, Club(13)), Price(view, Club(6)));
  EXPECT_LT(Price(view, Club(6)), Price(view, Club(14)));
  EXPECT_LT(Price(view, rules::kPetit), Price(view, Club(13)));
  EXPECT_EQ(Leniency(view, Club(6), Club(13)), 2);
}

TEST(TieBreakTest, TrickBelongsToPartnersOnceTheTakerHasPlayed) {
  // The viewer (seat 0) is in turn. Seats 2 and 3 have played, and seat 1 plays last.
  const std::vector<Card> trick{Heart(5), rules::Trump(12)};
  EXPECT_EQ(Leniency(AfterCards(trick, 2), Club(6), Club(13)), 2);
  const View open = AfterCards(trick, 1);
  EXPECT_EQ(Leniency(open, Club(6), Club(13)), 0);
  EXPECT_EQ(Price(open, Club(6)), Price(open, Club(13)));
}

TEST(TieBreakTest, AssumesNoFoeBeforeThePartnerIsKnown) {
  View view = AfterCards({Heart(5), Heart(3), Heart(2), Heart(6)}, 0, 5);
  view.called_card = rules::SuitCard(Suit::kSpades, 14);
  EXPECT_EQ(Price(view, Club(6)), Price(view, Club(14)));
  view.partner = 1;
  EXPECT_LT(Price(view, Club(6)), Price(view, Club(14)));
  view.partner = 4;  // Seat 4, which has played the six of hearts, is the viewer's partner.
  EXPECT_LT(Price(view, Club(13)), Price(view, Club(6)));
}

TEST(TieBreakTest, LeadsTheExcuseOnlyForAClearGain) {
  View view = AfterCards({}, 0);
  EXPECT_EQ(Leniency(view, rules::kExcuse, Heart(11)), 2);
  EXPECT_EQ(Price(view, Heart(11)), Price(view, Heart(2)));
  EXPECT_TRUE(WantsReason(view, rules::kExcuse));
  // With two cards left, the seat must play the Excuse now. In the last trick, the seat would lose
  // the Excuse.
  view.hand = {rules::kExcuse, Heart(11)};
  EXPECT_EQ(Leniency(view, rules::kExcuse, Heart(11)), 0);
  EXPECT_FALSE(WantsReason(view, rules::kExcuse));
}

TEST(TieBreakTest, DefenderLeadsThePetitOnlyForAClearGain) {
  EXPECT_TRUE(WantsReason(AfterCards({}, 1), rules::kPetit));
  EXPECT_FALSE(WantsReason(AfterCards({}, 0), rules::kPetit));
  EXPECT_FALSE(WantsReason(AfterCards({Heart(5)}, 1), rules::kPetit));
  EXPECT_FALSE(WantsReason(AfterCards({}, 1), rules::kTwentyOne));
  View late = AfterCards({}, 1);
  late.hand = {rules::kPetit, Heart(1), Heart(2)};
  EXPECT_FALSE(WantsReason(late, rules::kPetit));
}

TEST(TieBreakTest, BetterTrumpThanNeededIsAWaste) {
  using rules::Trump;
  const View lost = AfterCards({rules::kTwentyOne, Trump(3)}, 1);
  EXPECT_TRUE(Wastes(lost, Trump(20), Trump(4)));
  EXPECT_FALSE(Wastes(lost, Trump(4), Trump(20)));
  EXPECT_FALSE(Wastes(lost, Trump(20), rules::kPetit));
  // For a defender, a losing trump below the 19 is not wasted, because it could beat a partner's
  // trump later. A taker has no partner here and wastes such a trump.
  EXPECT_FALSE(Wastes(lost, Trump(17), Trump(4)));
  EXPECT_TRUE(Wastes(AfterCards({rules::kTwentyOne, Trump(3)}, 0), Trump(17), Trump(4)));
  EXPECT_LT(Price(lost, Trump(4)), Price(lost, Trump(17)));
  const View last = AfterCards({Heart(5), Trump(2), Heart(14)}, 1);
  EXPECT_TRUE(Wastes(last, Trump(9), Trump(4)));
  // One seat still has to play to this trick.
  EXPECT_FALSE(Wastes(AfterCards({Heart(5), Trump(2)}, 1), Trump(9), Trump(4)));
}

// `best` counts the decisions in which a card that wastes a trump had the highest value. `played`
// counts the decisions in which the bot played such a card.
struct Waste {
  int best = 0;
  int played = 0;
};

void CountWaste(void* context, const View& view, const Decision& decision) {
  if (view.phase != rules::Phase::kPlaying || !decision.value() || decision.solved > 0) return;
  const Candidate* best = &decision.candidates.front();
  for (const Candidate& other : decision.candidates) {
    if (*other.value > *best->value) best = &other;
  }
  const auto wasted = [&](const Action& action) {
    const auto needless = [&](const Candidate& other) {
      return other.value != best->value && Wastes(view, action.card, other.action.card);
    };
    return std::any_of(decision.candidates.begin(), decision.candidates.end(), needless);
  };
  Waste& waste = *static_cast<Waste*>(context);
  waste.best += wasted(best->action) ? 1 : 0;
  waste.played += wasted(decision.action) ? 1 : 0;
}

TEST(TieBreakTest, WastesHardlyAnyTrump) {
  Waste waste;
  for (std::uint64_t seed = 100; seed < 180; ++seed) {
    Rng rng(seed);
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
    const std::vector<const Policy*> seats(4, FindPolicy("expert"));
    PlayToEnd(deal, seats, rng, 6000, CountWaste, &waste);
  }
  // Without the tie-break, `played` equals `best`. In 160 deals, `expert` played 29 such cards of
  // 46, and `frozen_expert` played 40 of 62.
  EXPECT_GT(waste.best, 15);
  EXPECT_LE(4 * waste.played, 3 * waste.best);
}

// The bot does not play the Excuse for a small gain, even if it does not lead. The test counts
// decisions in which the Excuse has the best mean over the worlds, but the bot plays another card.
TEST(TieBreakTest, KeepsTheExcuseForSmallGains) {
  const auto kept = [](void* context, const View& view, const Decision& decision) {
    if (!decision.value() || view.phase != rules::Phase::kPlaying) return;
    const Candidate* best = &decision.candidates.front();
    for (const Candidate& other : decision.candidates) {
      if (*other.value > *best->value) best = &other;
    }
    const bool leads = view.tricks[static_cast<std::size_t>(view.trick_count - 1)].size == 0;
    const bool excuse = best->action == Action::Play(rules::kExcuse);
    if (excuse && !leads && decision.action != best->action) ++*static_cast<int*>(context);
  };
  int times = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Rng rng(seed);
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng);
    const std::vector<const Policy*> seats(4, FindPolicy("expert"));
    PlayToEnd(deal, seats, rng, 4000, kept, &times);
  }
  EXPECT_GT(times, 0);
}

// Looks at the last seat of each trick. If this seat plays a card, the card must be the cheapest of
// the cards with the same value.
void IsThePlainest(void* context, const View& view, const Decision& decision) {
  if (decision.action.kind != rules::Action::Kind::kPlay || !decision.value()) return;
  if (view.tricks[static_cast<std::size_t>(view.trick_count - 1)].size + 1 != view.playing) return;
  for (const Candidate& other : decision.candidates) {
    const Card played = decision.action.card;
    if (other.value != decision.value() || Leniency(view, played, other.action.card) == 0) continue;
    EXPECT_LE(Price(view, played), Price(view, other.action.card));
    *static_cast<int*>(context) += Price(view, played) < Price(view, other.action.card) ? 1 : 0;
  }
}

TEST(TieBreakTest, LastSeatPlaysTheCheapestOfEquals) {
  int choices = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Rng rng(seed);
    const int players = 3 + rng.Below(3);
    rules::Deal deal = RandomDeal(rules::FindRuleSet("fft")->rules, players, rng);
    const std::vector<const Policy*> seats(static_cast<std::size_t>(players), FindPolicy("expert"));
    PlayToEnd(deal, seats, rng, 4000, IsThePlainest, &choices);
  }
  EXPECT_GT(choices, 20);
}

}  // namespace
}  // namespace tarot::ai
