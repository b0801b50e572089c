#include "libs/ai/sampler.h"

#include <gmock/gmock.h>

#include <map>

#include "libs/ai/arena.h"
#include "libs/ai/knowledge.h"

namespace tarot::ai {
namespace {

using rules::CardSet;
using rules::Contract;

// Checks that a sampled world has the right number of cards in each place, has each card once, and
// agrees with the facts.
void ExpectFits(const Knowledge& known, const rules::View& view, const World& world) {
  CardSet all;
  for (rules::Seat seat = 0; seat < view.players; ++seat) {
    const CardSet hand = world.hands[static_cast<std::size_t>(seat)];
    EXPECT_EQ(hand.Size(), view.hand_counts[static_cast<std::size_t>(seat)]);
    EXPECT_TRUE((all & hand).Empty());
    all |= hand;
    if (seat == view.viewer) {
      EXPECT_EQ(hand, view.hand);
    } else {
      EXPECT_TRUE(known.may[static_cast<std::size_t>(seat)].ContainsAll(hand));
    }
  }
  EXPECT_TRUE(known.may[kAside].ContainsAll(world.aside));
  EXPECT_TRUE((all & world.aside).Empty());
  EXPECT_EQ(all | world.aside, known.unseen | view.hand);
}

// Checks that the facts do not exclude the real deal.
void ExpectTrue(const Knowledge& known, const rules::Deal& deal, const rules::View& view) {
  CardSet aside = known.unseen;
  for (rules::Seat seat = 0; seat < deal.players; ++seat) {
    const CardSet hand = deal.hands[static_cast<std::size_t>(seat)];
    aside -= hand;
    if (seat != view.viewer) {
      EXPECT_TRUE(known.may[static_cast<std::size_t>(seat)].ContainsAll(hand));
    }
  }
  EXPECT_EQ(aside.Size(), known.count[kAside]);
  EXPECT_TRUE(known.may[kAside].ContainsAll(aside));
}

// Bids `contract` whenever this bid is legal. The test uses all contracts in turn. All other
// decisions are those of `novice`.
class Bold final : public Policy {
 public:
  explicit Bold(Contract contract) : contract_(contract) {}
  Decision Choose(const rules::View& view, Rng rng, const Request& request) const override {
    if (view.phase == rules::Phase::kBidding &&
        view.legal.bids[static_cast<std::size_t>(contract_)]) {
      return {.action = rules::Action::Bid(contract_)};
    }
    return FindPolicy("novice")->Choose(view, rng, request);
  }

 private:
  const Contract contract_;
};

TEST(SamplerTest, RespectsAllFactsAndNeverExcludesTheTruth) {
  const rules::RuleSet& rules = rules::FindRuleSet("fft")->rules;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    Rng rng(seed);
    const int players = 3 + rng.Below(3);
    const Bold bold(static_cast<Contract>(1 + rng.Below(4)));
    rules::Deal deal = RandomDeal(rules, players, rng);
    while (deal.phase != rules::Phase::kDone) {
      const rules::View view = RememberedView(deal, deal.turn);
      SCOPED_TRACE(testing::Message() << "seed=" << seed << " played=" << deal.cards_played);
      ASSERT_EQ(ValidateView(view), "");
      const std::optional<Knowledge> known = Know(view);
      ASSERT_TRUE(known.has_value());
      ExpectTrue(*known, deal, view);
      Sampler sampler(*known, view.viewer, view.hand, Rng(seed));
      for (int i = 0; i < 3; ++i) ExpectFits(*known, view, sampler.Next());
      if (HasFailure()) return;
      ASSERT_TRUE(Apply(deal, deal.turn, bold.Choose(view, Rng(0), {}).action).ok());
    }
  }
}

// Adds every possible layout of `cards` to `ways`, by brute force.
void Enumerate(const Knowledge& known, std::vector<rules::Card> cards, std::vector<int>& places,
               Knowledge left, std::map<std::vector<int>, int>& ways) {
  if (places.size() == cards.size()) {
    ways[places] = 0;
    return;
  }
  for (std::size_t place = 0; place < kPlaces; ++place) {
    if (left.count[place] == 0 || !known.may[place].Contains(cards[places.size()])) continue;
    --left.count[place];
    places.push_back(static_cast<int>(place));
    Enumerate(known, cards, places, left, ways);
    places.pop_back();
    ++left.count[place];
  }
}

// Samples many worlds and checks that every possible layout occurs equally often.
void ExpectUniform(const Knowledge& known, int per_way) {
  ASSERT_TRUE(Satisfiable(known));
  std::vector<rules::Card> cards;
  for (const rules::Card c : known.unseen) cards.push_back(c);
  std::map<std::vector<int>, int> ways;
  std::vector<int> places;
  Enumerate(known, cards, places, known, ways);
  ASSERT_GT(ways.size(), 1u);
  Sampler sampler(known, 4, CardSet(), Rng(7));
  const int samples = per_way * static_cast<int>(ways.size());
  for (int i = 0; i < samples; ++i) {
    const World& world = sampler.Next();
    std::vector<int> found;
    for (const rules::Card c : cards) {
      int place = kAside;
      for (int seat = 0; seat < rules::kPlayersMax; ++seat) {
        if (world.hands[static_cast<std::size_t>(seat)].Contains(c)) place = seat;
      }
      found.push_back(place);
    }
    ASSERT_EQ(ways.count(found), 1u);
    ++ways[found];
  }
  // Successive samples are slightly correlated, so the limit is wide. It is 15 %, more than six
  // times the standard deviation that independent samples would have.
  for (const auto& [way, count] : ways) EXPECT_NEAR(count, per_way, 0.15 * per_way);
}

TEST(SamplerTest, DrawsEveryWayEquallyOften) {
  // Seven cards are in three hands and aside. Seat 0 is void in spades. Seat 1 has no trump above
  // the 10. No King, trump or Excuse is aside.
  Knowledge known;
  known.unseen = {rules::SuitCard(rules::Suit::kSpades, 14),
                  rules::SuitCard(rules::Suit::kSpades, 2),
                  rules::SuitCard(rules::Suit::kHearts, 3),
                  rules::SuitCard(rules::Suit::kHearts, 9),
                  rules::Trump(5),
                  rules::Trump(17),
                  rules::kExcuse};
  known.count = {2, 2, 2, 0, 0, 1};
  known.may[0] = known.unseen - CardSet::OfSuit(rules::Suit::kSpades);
  known.may[1] = known.unseen - CardSet::TrumpsAbove(10);
  known.may[2] = known.unseen;
  known.may[kAside] = known.unseen & CardSet::FromWords(~0ull, 0);
  known.may[kAside] -= CardSet::Kings();
  ExpectUniform(known, 2000);
}

TEST(SamplerTest, ReachesWaysThatSwapsDoNot) {
  // Card i may be in place i or in place (i + 1) % 4. So there are two layouts. The only way from
  // one layout to the other is a move of all four cards at once.
  Knowledge known;
  const std::array<rules::Card, 5> cards{rules::Trump(2), rules::Trump(3), rules::Trump(4),
                                         rules::Trump(6), rules::Trump(7)};
  for (std::size_t i = 0; i < 4; ++i) {
    known.unseen.Insert(cards[i]);
    known.may[i].Insert(cards[i]);
    known.may[(i + 1) % 4].Insert(cards[i]);
    known.count[i] = 1;
  }
  ExpectUniform(known, 100'000);  // The chain rarely moves all four cards at once.
}

TEST(SamplerTest, DetectsContradictions) {
  Knowledge known;
  known.unseen = {rules::Trump(2), rules::Trump(3)};
  known.count = {1, 1, 0, 0, 0, 0};
  known.may[0] = known.may[1] = known.unseen;
  EXPECT_TRUE(Satisfiable(known));
  known.may[0] = known.may[1] = CardSet{rules::Trump(2)};
  EXPECT_FALSE(Satisfiable(known));
}

}  // namespace
}  // namespace tarot::ai
