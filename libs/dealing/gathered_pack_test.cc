// Tests that deals without a shuffle keep the hands secret (source 002, page 28: the cards are
// "naturally randomized during scoring and dealing"). After a scored deal, every player knows all
// tricks. In the next deal, each player also sees one hand. The other hands must remain unknown.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/entropy.h"
#include "libs/dealing/provenance.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/rules/parameters/validation.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/rules/testing/random_rules.h"

namespace tarot::dealing {
namespace {

using rules::Card;
using rules::Deal;
using rules::Outcome;
using rules::PackOrder;
using rules::RuleSet;
using rules::Seat;

constexpr std::size_t kPlaces = rules::kPlayersMax + 1;  // The hands and the dog.
using Counts = std::array<int, kPlaces>;

struct Setting {
  std::string name;
  RuleSet rules;
  int players = 4;
};

// Changes `rules` so that the pack is not shuffled between deals. Then adds a Setting with these
// rules for each number of players for which MayGather() is true. For the other numbers of players,
// the pack would still be shuffled.
void Add(const std::string& name, RuleSet rules, std::vector<Setting>& settings) {
  rules.shuffle = rules::Shuffle::kNoneBetweenDeals;
  // Validate() refuses this change for rule sets whose deals are boards.
  if (!rules::Validate(rules).empty()) return;
  for (int n = rules.players_min; n <= rules.players_max; ++n) {
    if (MayGather(rules, n)) settings.push_back({name, rules, n});
  }
}

// Returns settings for all named rule sets, for three copies of `booklet` with large packets, and
// for 300 random rule sets. Add() turns off the shuffle, and adds one setting for each number of
// players.
std::vector<Setting> Settings() {
  std::vector<Setting> settings;
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    Add(std::string(named.name), named.rules, settings);
  }
  // The rule set `booklet` permits large packets, because in this rule set the last cards of the
  // pack are the dog.
  RuleSet large = rules::FindRuleSet("booklet")->rules;
  using Packets = std::array<std::uint8_t, 3>;
  for (const Packets& packets : {Packets{12, 9, 5}, Packets{8, 6, 5}, Packets{24, 18, 15}}) {
    large.packet_size = packets;
    Add(absl::StrCat("packets of ", packets[0]), large, settings);
  }
  Rng rng(2048);
  for (int i = 0; i < 300; ++i) {
    const RuleSet custom = rules::RandomRuleSet(rng);
    Add(rules::RuleSetText(custom), custom, settings);
  }
  return settings;
}

Deal ScoredDeal(const Setting& setting, Rng& rng) {
  for (;;) {
    Deal deal = RandomDeal(setting.rules, setting.players, rng);
    while (deal.phase != rules::Phase::kDone) Apply(deal, deal.turn, RandomAction(deal, rng));
    if (deal.result.outcome == Outcome::kScored) return deal;
  }
}

// The deal after the scored deal. order[i] is card number i of the pack before the cut. This card
// goes to places[i], which is a seat, or kPlayersMax for the dog. `cut` is the size of the cut.
struct NextDeal {
  PackOrder order;
  int cut = 0;
  std::array<std::size_t, rules::kCardCount> places{};
};

std::array<std::size_t, rules::kCardCount> PlacesOf(const Setting& setting, Seat dealer, int cut) {
  // In the ordered pack, a card's number is its position.
  const rules::DealtCards dealt =
      DealOut(setting.rules, setting.players, dealer, rules::Cut(rules::OrderedPack(), cut));
  std::array<std::size_t, rules::kCardCount> places{};
  places.fill(rules::kPlayersMax);
  for (std::size_t seat = 0; seat < rules::kPlayersMax; ++seat) {
    for (const Card card : dealt.hands[seat]) {
      places[static_cast<std::size_t>(rules::Index(card))] = seat;
    }
  }
  return places;
}

NextDeal Draw(const Setting& setting, const Deal& last, const Provenance& from) {
  NextDeal next;
  next.cut = CutOf(setting.rules, setting.players, from);
  const PackOrder pack = PackOf(setting.rules, setting.players, from);
  next.order = rules::Cut(pack, rules::kCardCount - next.cut);
  next.places = PlacesOf(setting, (last.dealer + 1) % setting.players, next.cut);
  return next;
}

Provenance After(const Deal& last, Entropy& entropy) {
  Provenance from{.procedure = ProcedureOf(last.rules)};
  entropy.Fill(absl::MakeSpan(from.seed));
  from.gathered = GatheredPack(last);
  from.piles = GatheredPiles(last);
  return from;
}

double LogFactorial(int n) { return std::lgamma(n + 1.0) / std::log(10.0); }

// In NextDeal::places, this number means the dog.
constexpr std::size_t kDog = rules::kPlayersMax;

// Returns where each packet of `order` ends, counted from the top. The first card of a packet says
// which packet it is, because no card is in two packets.
std::vector<std::size_t> PacketEnds(const Provenance& from, const PackOrder& order) {
  std::map<Card, std::size_t> size_of;
  auto card = from.gathered->begin();
  for (const std::vector<std::uint8_t>& pile : from.piles) {
    for (const std::uint8_t size : pile) {
      for (int i = 0; i < size; ++i) size_of[*card++] = size;
    }
  }
  std::vector<std::size_t> ends;
  for (std::size_t at = 0; at < order.size(); ends.push_back(at)) at += size_of.at(order[at]);
  return ends;
}

// Returns the decimal logarithm of a lower bound for a number of deals: the deals that could have
// happened, as far as `viewer` knows. The viewer knows the piles of the last deal, the cards of
// `viewer` in the new deal, and the new dog, which may be open. The bound counts only deals with
// the same cut and with the packets at the same positions.
//
// For one packet, let a, b, ... be the number of its cards in the hand of each other seat. There
// are (a + b + ...)! / (a! b! ...) ways to give these cards to these hands. The bound is the
// product over the packets. It counts no deal twice, because the hands of a deal show how each
// packet was divided.
double LogDeals(const NextDeal& next, const std::vector<std::size_t>& ends, std::size_t viewer) {
  double log = 0;
  std::size_t at = 0;
  for (const std::size_t end : ends) {
    Counts counts{};
    while (at < end) ++counts[next.places[at++]];
    counts[viewer] = counts[kDog] = 0;
    int others = 0;
    for (const int count : counts) {
      others += count;
      log -= LogFactorial(count);
    }
    log += LogFactorial(others);
  }
  return log;
}

TEST(Source002Customs, CardsAreRandomizedDuringScoringAndDealing) {
  SeededEntropy entropy(2049);
  Rng rng(2049);
  for (const Setting& setting : Settings()) {
    double least = 100;
    const int deals = rules::FindRuleSet(setting.name) != nullptr ? 300 : 20;
    for (int i = 0; i < deals; ++i) {
      const Deal last = ScoredDeal(setting, rng);
      const Provenance from = After(last, entropy);
      const NextDeal next = Draw(setting, last, from);
      const std::vector<std::size_t> ends = PacketEnds(from, next.order);
      for (std::size_t viewer = 0; viewer < static_cast<std::size_t>(setting.players); ++viewer) {
        least = std::min(least, LogDeals(next, ends, viewer));
      }
    }
    EXPECT_GT(least, 6) << setting.name << " " << setting.players;
  }
}

// Checks LogDeals() by samples. For each rule set and number of players, draws 500 of the deals
// that it counts. The viewer must see the same cards in all of them, and no two may have the same
// hands. If each rule set had only a million possible deals, the test would almost surely find two
// samples with the same hands.
TEST(Source002Customs, OneHandDoesNotDetermineTheOthers) {
  SeededEntropy entropy(2050);
  Rng rng(2050);
  for (const Setting& setting : Settings()) {
    const Deal last = ScoredDeal(setting, rng);
    const Provenance from = After(last, entropy);
    const NextDeal next = Draw(setting, last, from);
    const Seat dealer = (last.dealer + 1) % setting.players;
    const auto viewer = static_cast<std::size_t>((dealer + 1) % setting.players);
    const rules::DealtCards real =
        DealOut(setting.rules, setting.players, dealer, rules::Cut(next.order, next.cut));
    std::set<std::string> deals;
    constexpr int kSamples = 500;
    for (int sample = 0; sample < kSamples; ++sample) {
      PackOrder order = next.order;
      std::size_t at = 0;
      for (const std::size_t end : PacketEnds(from, order)) {
        // The positions of the cards that the viewer does not know.
        std::vector<std::size_t> hidden;
        for (; at < end; ++at) {
          if (next.places[at] != viewer && next.places[at] != kDog) hidden.push_back(at);
        }
        for (std::size_t left = hidden.size(); left > 1; --left) {
          const auto other = static_cast<std::size_t>(rng.Below(static_cast<int>(left)));
          std::swap(order[hidden[left - 1]], order[hidden[other]]);
        }
      }
      const rules::DealtCards dealt =
          DealOut(setting.rules, setting.players, dealer, rules::Cut(order, next.cut));
      ASSERT_EQ(dealt.hands[viewer], real.hands[viewer]) << setting.name << " " << setting.players;
      ASSERT_EQ(dealt.dog, real.dog) << setting.name << " " << setting.players;
      std::string hands;
      for (const rules::CardSet hand : dealt.hands) {
        for (const Card card : hand) hands += static_cast<char>('0' + rules::Index(card));
        hands += ' ';
      }
      deals.insert(hands);
    }
    EXPECT_EQ(deals.size(), kSamples) << setting.name << " " << setting.players;
  }
}

// Before the deal, a player knows the piles, but not the seed. So as far as this player knows, each
// card is about equally likely in each hand.
TEST(Source002Customs, TheLastDealDoesNotSayWhichHandGetsACard) {
  SeededEntropy entropy(2051);
  Rng rng(2051);
  const Setting setting{"booklet_customs", rules::FindRuleSet("booklet_customs")->rules, 4};
  const Deal last = ScoredDeal(setting, rng);
  constexpr int kDraws = 4000;
  std::array<std::array<int, rules::kCardCount>, 4> count{};
  for (int i = 0; i < kDraws; ++i) {
    const Provenance from = After(last, entropy);
    const rules::DealtCards dealt =
        DealOut(setting.rules, 4, (last.dealer + 1) % 4, PackOf(setting.rules, 4, from));
    for (std::size_t seat = 0; seat < 4; ++seat) {
      for (const Card card : dealt.hands[seat]) {
        ++count[seat][static_cast<std::size_t>(rules::Index(card))];
      }
    }
  }
  // A card is in a hand with the probability 18/78, so the expected count is 923, with a standard
  // deviation of 27.
  for (const auto& hand : count) {
    for (const int n : hand) EXPECT_NEAR(n, 923, 200);
  }
}

}  // namespace
}  // namespace tarot::dealing
