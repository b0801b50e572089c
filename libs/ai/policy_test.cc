#include "libs/ai/policy.h"

#include <gmock/gmock.h>

#include "libs/ai/arena.h"
#include "libs/ai/knowledge.h"
#include "libs/ai/sampler.h"
#include "libs/ai/search_policy.h"
#include "libs/rules/testing/random_rules.h"

namespace tarot::ai {
namespace {

const rules::RuleSet& Fft() { return rules::FindRuleSet("fft")->rules; }

// An observer of the arena, which calls it for every decision. It checks that ValidateView accepts
// the view.
void LooksRight(void*, const rules::View& view, const Decision&) {
  const absl::string_view wrong = ValidateView(view);
  EXPECT_EQ(std::string(wrong.data(), wrong.size()), "");
}

// Plays `deals` deals with `policy` at every seat. PlayToEnd dies if the policy returns an illegal
// action.
void PlayDeals(const Policy& policy, const rules::RuleSet& rules, int players, int deals,
               std::uint64_t node_budget) {
  const std::vector<const Policy*> seats(static_cast<std::size_t>(players), &policy);
  for (int i = 0; i < deals; ++i) {
    Rng rng(static_cast<std::uint64_t>(i));
    rules::Deal deal = RandomDeal(rules, players, rng);
    PlayToEnd(deal, seats, rng, node_budget, LooksRight);
    EXPECT_NE(deal.result.outcome, rules::Outcome::kNone);
  }
}

TEST(PolicyTest, NoviceIsAlwaysLegal) {
  for (int players = 3; players <= 5; ++players)
    PlayDeals(*FindPolicy("novice"), Fft(), players, 3000, 0);
}

// A player may no longer look at some cards that this player has seen, and the server does not send
// these cards. So a program that plays for a player can use only the level novice.
TEST(PolicyTest, NoviceIsLegalWithoutTheClosedCards) {
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int players = named.rules.players_min; players <= named.rules.players_max; ++players) {
      for (std::uint64_t seed = 0; seed < 50; ++seed) {
        Rng rng(seed);
        rules::Deal deal = RandomDeal(named.rules, players, rng);
        while (deal.phase != rules::Phase::kDone) {
          const rules::View view = rules::MakeView(deal, deal.turn);
          const rules::Action action = FindPolicy("novice")->Choose(view, Rng(0), {}).action;
          ASSERT_TRUE(Apply(deal, deal.turn, action).ok()) << named.name << " " << seed;
        }
      }
    }
  }
}

TEST(PolicyTest, ClubIsAlwaysLegal) {
  for (int players = 3; players <= 5; ++players)
    PlayDeals(*FindPolicy("club"), Fft(), players, 700, 200);
}

TEST(PolicyTest, StrongIsAlwaysLegal) {
  for (int players = 3; players <= 5; ++players)
    PlayDeals(*FindPolicy("strong"), Fft(), players, 50, 2000);
}

TEST(PolicyTest, ExpertIsAlwaysLegal) {
  for (int players = 3; players <= 5; ++players)
    PlayDeals(*FindPolicy("expert"), Fft(), players, 15, 3000);
}

TEST(PolicyTest, MasterJudgesDealsButSitsAtNoTable) {
  const Policy* const master = FindJudge("master");
  ASSERT_NE(master, nullptr);
  EXPECT_EQ(FindOpponent("master"), master);
  EXPECT_EQ(FindPolicy("master"), nullptr);
  EXPECT_EQ(FindJudge("expert"), FindPolicy("expert"));
  EXPECT_EQ(FindJudge("oracle"), nullptr);
  PlayDeals(*master, Fft(), 4, 2, 3000);
}

TEST(PolicyTest, PlaysEveryRuleSet) {
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int players = named.rules.players_min; players <= named.rules.players_max; ++players) {
      PlayDeals(*FindPolicy("novice"), named.rules, players, 100, 0);
      PlayDeals(*FindPolicy("club"), named.rules, players, 20, 400);
      PlayDeals(*FindPolicy("strong"), named.rules, players, 4, 2000);
      PlayDeals(*FindPolicy("expert"), named.rules, players, 2, 2000);
    }
  }
}

TEST(PolicyTest, PlaysRandomRuleSets) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Rng rng(seed);
    const rules::RuleSet rules = rules::RandomRuleSet(rng);
    for (int players = rules.players_min; players <= rules.players_max; ++players) {
      SCOPED_TRACE(testing::Message() << RuleSetText(rules) << " players=" << players);
      PlayDeals(*FindPolicy("novice"), rules, players, 3, 0);
      PlayDeals(*FindPolicy("club"), rules, players, 1, 200);
      PlayDeals(*FindPolicy("strong"), rules, players, 1, 1000);
      PlayDeals(*FindPolicy("expert"), rules, players, 1, 500);
    }
  }
}

// The chances of two cards come from the same worlds. The first candidate is the chosen card.
TEST(PolicyTest, TheErrorOfAChanceShrinksWithTheWorlds) {
  Rng rng(8);
  rules::Deal deal = RandomDeal(Fft(), 4, rng);
  const std::vector<const Policy*> seats(4, FindPolicy("novice"));
  while (deal.phase == rules::Phase::kBidding) {
    const auto bid = deal.bid_count == 0 ? rules::Contract::kGarde : rules::Contract::kPass;
    ASSERT_TRUE(Apply(deal, deal.turn, rules::Action::Bid(bid)).ok());
  }
  while (deal.cards_played < 8) {
    const rules::View view = RememberedView(deal, deal.turn);
    ASSERT_TRUE(Apply(deal, deal.turn, seats[0]->Choose(view, Rng(1), {}).action).ok());
  }
  const rules::View view = RememberedView(deal, deal.turn);
  ASSERT_GT(view.legal.cards.Size(), 1);
  const auto choose = [&](std::uint64_t nodes) {
    const Request request{.node_budget = nodes,
                          .consider = rules::Action::Play(view.legal.cards.First())};
    return FindPolicy("strong")->Choose(view, Rng(2), request);
  };
  const Decision few = choose(1'000);
  ASSERT_LT(few.worlds, 20);
  const Decision many = choose(400'000);
  ASSERT_GT(many.worlds, 200);
  for (const Candidate& candidate : few.candidates) {
    EXPECT_TRUE(candidate.made.has_value());
    EXPECT_FALSE(candidate.made_error.has_value());
    EXPECT_FALSE(candidate.made_difference_error.has_value());
  }
  EXPECT_EQ(many.candidates.front().made_difference_error, 0);
  for (const Candidate& candidate : many.candidates) {
    ASSERT_TRUE(candidate.made_error.has_value());
    EXPECT_LE(*candidate.made_error, 60);
    EXPECT_TRUE(candidate.made_difference_error.has_value());
  }
}

TEST(PolicyTest, FindPolicyKnowsOnlyTheLevels) {
  for (const std::string& level : Levels()) EXPECT_NE(FindPolicy(level), nullptr) << level;
  EXPECT_EQ(FindPolicy("champion"), nullptr);
}

// Returns another deal that looks the same to the viewer. Its hidden cards come from a sampled
// world.
rules::Deal Twin(const rules::Deal& deal, const rules::View& view, std::uint64_t seed) {
  rules::Deal twin = deal;
  const std::optional<Knowledge> known = Know(view);
  EXPECT_TRUE(known.has_value());
  Sampler sampler(*known, view.viewer, view.hand, Rng(seed));
  const World& world = sampler.Next();
  twin.hands = world.hands;
  for (rules::Seat seat = 0; deal.called_card != rules::kNoCard && seat < deal.players; ++seat) {
    if (!twin.hands[static_cast<std::size_t>(seat)].Contains(deal.called_card)) continue;
    twin.partner = seat == deal.taker ? rules::kNoSeat : seat;
  }
  if (deal.called_card != rules::kNoCard && world.aside.Contains(deal.called_card))
    twin.partner = rules::kNoSeat;
  if (deal.discard.Empty()) {
    if (!deal.DogShown()) twin.dog = world.aside;
  } else if (view.viewer != deal.taker) {
    twin.discard = world.aside | deal.DiscardShown();
  }
  return twin;
}

TEST(PolicyTest, IgnoresHiddenCards) {
  int different = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    const int players = 3 + rng.Below(3);
    rules::Deal deal = RandomDeal(Fft(), players, rng);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = RememberedView(deal, deal.turn);
      const rules::Deal twin = Twin(deal, view, seed);
      different += twin.hands != deal.hands ? 1 : 0;
      const rules::View twin_view = RememberedView(twin, deal.turn);
      for (const std::string& level : Levels()) {
        const Policy& policy = *FindPolicy(level);
        const Decision here = policy.Choose(view, Rng(seed), {.node_budget = 600});
        const Decision there = policy.Choose(twin_view, Rng(seed), {.node_budget = 600});
        ASSERT_EQ(here.action, there.action);
        ASSERT_EQ(here.nodes, there.nodes);
        ASSERT_EQ(here.value(), there.value());
      }
      const Decision next = FindPolicy("novice")->Choose(view, Rng(0), {});
      ASSERT_TRUE(Apply(deal, deal.turn, next.action).ok());
    }
  }
  EXPECT_GT(different, 1000);
}

TEST(PolicyTest, ExceedsTheBudgetByAtMostOneWorld) {
  Rng rng(3);
  rules::Deal deal = RandomDeal(Fft(), 4, rng);
  while (deal.phase == rules::Phase::kBidding) {
    const rules::View view = RememberedView(deal, deal.turn);
    const auto bid = view.legal.bids[2] ? rules::Contract::kGarde : rules::Contract::kPass;
    ASSERT_TRUE(Apply(deal, deal.turn, rules::Action::Bid(bid)).ok());
  }
  while (deal.phase != rules::Phase::kDone) {
    const rules::View view = RememberedView(deal, deal.turn);
    const Decision decision = FindPolicy("club")->Choose(view, Rng(1), {.node_budget = 5000});
    EXPECT_LE(decision.nodes, 5000u + 18 * 72);
    EXPECT_LE(FindPolicy("strong")->Choose(view, Rng(1), {.node_budget = 5000}).nodes,
              7000u + 18 * 72);
    ASSERT_TRUE(Apply(deal, deal.turn, decision.action).ok());
  }
}

// The policy must evaluate the action `consider` in every case: also if the search is stopped at
// once, and also if no other action is legal.
TEST(PolicyTest, EvaluatesTheConsideredAction) {
  Rng rng(4);
  rules::Deal deal = RandomDeal(Fft(), 4, rng);
  ASSERT_TRUE(Apply(deal, deal.turn, rules::Action::Bid(rules::Contract::kGarde)).ok());
  int decisions = 0;
  while (deal.phase != rules::Phase::kDone) {
    const rules::View view = RememberedView(deal, deal.turn);
    if (view.phase == rules::Phase::kPlaying && view.hand.Size() < 18) {
      const rules::Card last = view.legal.cards.Last();
      for (const char* level : {"club", "strong", "expert"}) {
        const Decision decision = FindPolicy(level)->Choose(
            view, Rng(1), {.stop = [] { return true; }, .consider = rules::Action::Play(last)});
        EXPECT_TRUE(decision.stopped);
        EXPECT_GE(decision.worlds, 1);
        int considered = 0;
        for (const Candidate& candidate : decision.candidates) {
          considered += candidate.action == rules::Action::Play(last) && candidate.value ? 1 : 0;
        }
        EXPECT_EQ(considered, 1);
        EXPECT_EQ(decision.action, decision.candidates.front().action);
      }
      ++decisions;
    }
    ASSERT_TRUE(Apply(deal, deal.turn, FindPolicy("novice")->Choose(view, Rng(0), {}).action).ok());
  }
  EXPECT_EQ(decisions, 68);
}

// The test covers the auction, the call, the écart and the play.
TEST(PolicyTest, PlaysLegallyWhenStoppedAtOnce) {
  std::array<int, 6> seen{};  // The number of decisions that the test has seen, indexed by phase.
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    Rng rng(seed);
    const int players = 3 + static_cast<int>(seed % 3);
    rules::Deal deal = RandomDeal(Fft(), players, rng);
    const auto garde = rules::Action::Bid(rules::Contract::kGarde);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = RememberedView(deal, deal.turn);
      ++seen[static_cast<std::size_t>(view.phase)];
      const Decision decision =
          FindPolicy("expert")->Choose(view, Rng(seed), {.stop = [] { return true; }});
      ASSERT_TRUE(Check(deal, deal.turn, decision.action).ok());
      const bool first = view.phase == rules::Phase::kBidding && view.bid_count == 0;
      ASSERT_TRUE(Apply(deal, deal.turn, first ? garde : decision.action).ok());
    }
  }
  for (const rules::Phase phase : {rules::Phase::kBidding, rules::Phase::kCalling,
                                   rules::Phase::kDiscarding, rules::Phase::kPlaying}) {
    EXPECT_GT(seen[static_cast<std::size_t>(phase)], 0);
  }
}

TEST(PolicyTest, StrongSolvesOnlyItsEndings) {
  int early = 0;
  int solved = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Rng rng(seed);
    rules::Deal deal = RandomDeal(Fft(), 4, rng);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = RememberedView(deal, deal.turn);
      const Decision club = FindPolicy("club")->Choose(view, Rng(seed), {.node_budget = 2000});
      const Decision strong = FindPolicy("strong")->Choose(view, Rng(seed), {.node_budget = 2000});
      EXPECT_EQ(club.solved, 0);
      if (view.hand.Size() > kStrong.endgame_tricks[4]) {
        ASSERT_EQ(strong.solved, 0);
        ++early;
      } else if (strong.solved > 0) {
        ++solved;
      }
      ASSERT_TRUE(Apply(deal, deal.turn, strong.action).ok());
    }
  }
  EXPECT_GT(early, 100);
  EXPECT_GT(solved, 50);
}

// The two levels differ only in the auction: the sociable bot passes less often.
TEST(PolicyTest, SociablePassesLessAndPlaysAsStrong) {
  const Policy& sociable = *FindPolicy("sociable");
  const Policy& strong = *FindPolicy("strong");
  int bids = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Rng rng(seed);
    rules::Deal deal = RandomDeal(Fft(), 4, rng);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = RememberedView(deal, deal.turn);
      const rules::Action action = sociable.Choose(view, Rng(seed), {.node_budget = 3000}).action;
      const rules::Action other = strong.Choose(view, Rng(seed), {.node_budget = 3000}).action;
      if (view.phase != rules::Phase::kBidding) {
        ASSERT_EQ(action, other);
      } else if (!(action == other)) {
        ASSERT_GT(action.contract, other.contract);
        ASSERT_EQ(other.contract, rules::Contract::kPass);
        ++bids;
      }
      ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
      // This test is about bids. So it plays only the first four deals to their ends, and stops the
      // other deals after the auction.
      if (seed >= 4 && deal.phase != rules::Phase::kBidding) break;
    }
  }
  EXPECT_GT(bids, 5);
}

TEST(PolicyTest, ClubBeatsNoviceInDuplicate) {
  for (int players = 3; players <= 5; ++players) {
    const Margin margin =
        Duplicate(Fft(), players, *FindPolicy("club"), *FindPolicy("novice"), 100, 2026, 4000);
    EXPECT_GT(margin.points, 5) << players << " players, +-" << margin.half_width;
  }
}

}  // namespace
}  // namespace tarot::ai
