// Compares the sampler with a full enumeration near the end of real deals. The test makes every
// layout of the unseen cards. It replays each layout as a deal through rules::Deal, from the first
// bid. Know() must allow exactly the layouts that the rules accept. The sampler must draw each of
// these layouts equally often.
#include <gmock/gmock.h>

#include <map>

#include "libs/ai/arena.h"
#include "libs/ai/sampler.h"

namespace tarot::ai {
namespace {

using rules::Action;
using rules::CardSet;
using rules::Contract;
using rules::Phase;
using rules::Seat;
using rules::View;

// A policy for a deal in which `seat` bids `contract` and the other seats pass. All other decisions
// are those of `novice`.
class Taker final : public Policy {
 public:
  Taker(Seat seat, Contract contract) : seat_(seat), contract_(contract) {}
  Decision Choose(const View& view, Rng rng, const Request& request) const override {
    if (view.phase != Phase::kBidding) return FindPolicy("novice")->Choose(view, rng, request);
    return {.action = Action::Bid(view.viewer == seat_ ? contract_ : Contract::kPass)};
  }

 private:
  const Seat seat_;
  const Contract contract_;
};

bool Replay(rules::Deal& deal, const View& view, CardSet discard) {
  const auto apply = [&deal](const Action& action) { return Apply(deal, deal.turn, action).ok(); };
  for (int i = 0; i < view.bid_count; ++i) {
    if (!apply(Action::Bid(view.bids[static_cast<std::size_t>(i)]))) return false;
  }
  while (deal.phase != Phase::kPlaying) {
    const Action action = deal.phase == Phase::kCalling      ? Action::Call(view.called_card)
                          : deal.phase == Phase::kDiscarding ? Action::Discard(discard)
                                                             : Action::Slam(view.slam_announced);
    if (!apply(action)) return false;
  }
  std::array<bool, rules::kPlayersMax> has_played{};
  for (int t = 0; t < view.trick_count; ++t) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(t)];
    for (int k = 0; k < trick.size; ++k) {
      for (int i = 0; i < view.handful_count; ++i) {
        const rules::ShownHandful& shown = view.handfuls[static_cast<std::size_t>(i)];
        if (shown.seat != deal.turn || has_played[static_cast<std::size_t>(deal.turn)]) continue;
        if (!apply(Action::Handful(shown.cards))) return false;
      }
      has_played[static_cast<std::size_t>(deal.turn)] = true;
      if (!apply(Action::Play(trick.cards[static_cast<std::size_t>(k)]))) return false;
    }
  }
  return true;
}

// Returns whether the viewer of a deal with the hidden cards of `world` can have the view `view`.
bool Possible(const View& view, const World& world) {
  std::array<CardSet, rules::kPlayersMax> dealt = world.hands;
  for (int t = 0; t < view.trick_count; ++t) {
    const rules::Trick& trick = view.tricks[static_cast<std::size_t>(t)];
    for (int k = 0; k < trick.size; ++k) {
      dealt[static_cast<std::size_t>(view.After(trick.leader, k))].Insert(
          trick.cards[static_cast<std::size_t>(k)]);
    }
  }
  CardSet dog = world.aside;
  CardSet discard;
  if (rules::DogIsShown(view.rules, view.phase, view.contract)) {
    dog = view.dog;
    discard = view.viewer == view.taker ? view.discard : world.aside | view.discard_shown;
    CardSet& hand = dealt[static_cast<std::size_t>(view.taker)];
    if (!(hand & discard).Empty()) return false;
    hand |= discard;
    if (!hand.ContainsAll(dog)) return false;
    hand -= dog;
  }
  rules::Deal deal = StartDeal(view.rules, view.players, view.dealer, dealt, dog);
  if (deal.phase == Phase::kDone || !Replay(deal, view, discard)) return false;
  const View same = RememberedView(deal, view.viewer);
  return same.hand == view.hand && same.partner == view.partner && same.turn == view.turn &&
         same.discard_shown == view.discard_shown && same.legal == view.legal;
}

// Deals the cards from index `at` on to the places in every possible way. Calls `tell` for each
// layout. room[place] says how many more cards this place can take.
void ForWays(const std::vector<rules::Card>& cards, std::size_t at, std::array<int, kPlaces>& room,
             World& world, const std::function<void(const World&)>& tell) {
  if (at == cards.size()) return tell(world);
  for (std::size_t place = 0; place < kPlaces; ++place) {
    if (room[place] == 0) continue;
    CardSet& there = place == kAside ? world.aside : world.hands[place];
    --room[place];
    there.Insert(cards[at]);
    ForWays(cards, at + 1, room, world, tell);
    there.Erase(cards[at]);
    ++room[place];
  }
}

bool Allowed(const Knowledge& known, const View& view, const World& world) {
  for (std::size_t seat = 0; seat < rules::kPlayersMax; ++seat) {
    if (static_cast<Seat>(seat) == view.viewer) continue;
    if (!known.may[seat].ContainsAll(world.hands[seat])) return false;
  }
  return known.may[kAside].ContainsAll(world.aside);
}

// Counts how often each card was in each place. The key is a pair: the index of the card, and the
// place.
using Counts = std::map<std::pair<int, std::size_t>, double>;

void Count(const View& view, const World& world, Counts& counts) {
  for (std::size_t seat = 0; seat < rules::kPlayersMax; ++seat) {
    if (static_cast<Seat>(seat) == view.viewer) continue;
    for (const rules::Card c : world.hands[seat]) counts[{Index(c), seat}] += 1;
  }
  for (const rules::Card c : world.aside) counts[{Index(c), kAside}] += 1;
}

// Counts the kinds of views that the test has met, to show that the test covers all kinds.
struct Met {
  int views = 0;
  int open = 0;  // The number of views with more than one possible layout of the hidden cards.
  int voids_or_ceilings = 0;
  int handfuls = 0;
  int hidden_discards = 0;
  int shown_trumps = 0;
  int hidden_partners = 0;
  int untouched_dogs = 0;
};

void Prove(const View& view, Met& met) {
  const std::optional<Knowledge> known = Know(view);
  ASSERT_TRUE(known.has_value());
  std::vector<rules::Card> cards;
  for (const rules::Card c : known->unseen) cards.push_back(c);
  std::array<int, kPlaces> room{};
  for (std::size_t place = 0; place < kPlaces; ++place) room[place] = known->count[place];
  World world;
  world.hands[static_cast<std::size_t>(view.viewer)] = view.hand;
  Counts expected;
  int ways = 0;
  int all = 0;
  int wrong = 0;
  ForWays(cards, 0, room, world, [&](const World& way) {
    ++all;
    const bool possible = Possible(view, way);
    wrong += possible != Allowed(*known, view, way) ? 1 : 0;
    if (!possible) return;
    ++ways;
    Count(view, way, expected);
  });
  EXPECT_EQ(wrong, 0);
  ASSERT_GT(ways, 0);
  constexpr int kSamples = 8'000;
  Counts found;
  Sampler sampler(*known, view.viewer, view.hand, Rng(11));
  for (int i = 0; i < kSamples; ++i) Count(view, sampler.Next(), found);
  for (const auto& [where, count] : found) EXPECT_EQ(expected.count(where), 1u);
  // Successive samples are slightly correlated, so the limit is wide. It is more than six times the
  // standard deviation that independent samples would have.
  for (const auto& [where, count] : expected) {
    EXPECT_NEAR(found[where] / kSamples, count / ways, 0.035)
        << "card " << where.first << " at " << where.second << " of " << ways << " ways";
  }
  ++met.views;
  met.open += ways > 1 ? 1 : 0;
  met.voids_or_ceilings += ways < all ? 1 : 0;
  met.handfuls += view.handful_count > 0 ? 1 : 0;
  met.hidden_discards += known->count[kAside] > 0 && !view.dog.Empty() ? 1 : 0;
  met.shown_trumps += view.discard_shown.Empty() ? 0 : 1;
  met.hidden_partners += view.called_card != rules::kNoCard && view.partner == rules::kNoSeat;
  met.untouched_dogs += view.contract >= Contract::kGardeSans ? 1 : 0;
}

// Takes about half of the decisions in which the seat in turn has `cards_left` cards, and checks
// them.
Met ProveDeals(int players, int deals, int cards_left) {
  rules::RuleSet rules = rules::FindRuleSet("fft")->rules;
  Met met;
  for (int i = 0; i < deals; ++i) {
    Rng rng(static_cast<std::uint64_t>(1000 * players + i));
    rules::Deal deal = RandomDeal(rules, players, rng);
    const auto contract = static_cast<Contract>(1 + rng.Below(4));
    const Taker policy(rng.Below(players), contract);
    while (deal.phase != Phase::kDone) {
      const View view = RememberedView(deal, deal.turn);
      if (deal.phase == Phase::kPlaying && view.hand.Size() == cards_left && rng.Below(2) == 0) {
        SCOPED_TRACE(testing::Message()
                     << players << " players, deal " << i << ", played " << deal.cards_played);
        Prove(view, met);
        if (testing::Test::HasFailure()) return met;
      }
      if (deal.phase == Phase::kPlaying && view.hand.Size() < cards_left) break;
      Apply(deal, deal.turn, policy.Choose(view, Rng(0), {}).action);
    }
  }
  return met;
}

TEST(SamplerProofTest, EqualsTheEnumerationForThreePlayers) {
  const Met met = ProveDeals(3, 40, 3);
  EXPECT_GT(met.open, 20);
  EXPECT_GT(met.voids_or_ceilings, 10);
  EXPECT_GT(met.hidden_discards, 5);
  EXPECT_GT(met.untouched_dogs, 5);
}

TEST(SamplerProofTest, EqualsTheEnumerationForFourPlayers) {
  const Met met = ProveDeals(4, 12, 2);
  EXPECT_GT(met.open, 10);
  EXPECT_GT(met.voids_or_ceilings, 10);
  EXPECT_GT(met.hidden_discards, 5);
  EXPECT_GT(met.untouched_dogs, 5);
}

TEST(SamplerProofTest, EqualsTheEnumerationForFivePlayers) {
  const Met met = ProveDeals(5, 10, 2);
  EXPECT_GT(met.open, 10);
  EXPECT_GT(met.voids_or_ceilings, 10);
  EXPECT_GT(met.hidden_discards, 5);
  EXPECT_GT(met.untouched_dogs, 5);
  EXPECT_GT(met.hidden_partners, 0);
}

}  // namespace
}  // namespace tarot::ai
