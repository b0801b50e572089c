#include "libs/notation/prove.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "libs/notation/record_bytes.h"
#include "libs/notation/tdn.h"
#include "libs/notation/testing/examples.h"

namespace tarot::notation {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// Returns a scored deal of five players with its seed. The document states all values that follow
// from the deal and that TDN can express.
Document Sample() {
  Rng rng(5);
  Record record;
  do {
    record = RandomRecord(*rules::FindRuleSet("fft"), 5, rng);
  } while (record.entries.size() < 75);
  return ParseTdn(*WriteTdn(record))->front();
}

std::vector<std::string> False(const Document& document) {
  std::vector<std::string> all;
  for (const Check& check : Prove(document)) {
    if (check.truth == Truth::kFalse) all.push_back(check.what);
  }
  return all;
}

TEST(ProveTest, PassesATrueRecord) {
  std::vector<std::string> all;
  for (const Check& check : Prove(Sample())) {
    const bool stated = check.what != "unit";  // TDN does not state the unit.
    EXPECT_EQ(check.truth, stated ? Truth::kTrue : Truth::kUnknown)
        << check.what << ": " << check.text;
    all.push_back(check.what);
  }
  EXPECT_THAT(all, ElementsAre("cards", "commitment", "seed", "moves", "ending", "tricks",
                               "contract", "result", "unit", "score"));
}

TEST(ProveTest, FailsTheCheckOfEachLie) {
  Document lie = Sample();
  (*lie.record.commitment)[0] ^= 1;
  EXPECT_THAT(False(lie), ElementsAre("commitment"));
  lie = Sample();
  (*lie.record.seed)[63] ^= 1;
  EXPECT_THAT(False(lie), ElementsAre("commitment", "seed"));
  lie = Sample();
  lie.record.dog |= lie.record.hands[0];
  EXPECT_THAT(False(lie), ElementsAre("cards"));
  lie = Sample();
  lie.record.rule_set = "nowhere";
  EXPECT_THAT(False(lie), ElementsAre("cards"));
  lie = Sample();
  std::swap(lie.record.entries[20], lie.record.entries[21]);
  EXPECT_THAT(False(lie), ElementsAre("moves"));
  lie = Sample();
  lie.record.entries.pop_back();
  EXPECT_THAT(False(lie), ElementsAre("ending", "tricks"));
  lie = Sample();
  lie.claims.winners[3] = (lie.claims.winners[3] + 1) % 5;
  EXPECT_THAT(False(lie), ElementsAre("tricks"));
  lie = Sample();
  lie.claims.taker = (*lie.claims.taker + 1) % 5;
  EXPECT_THAT(False(lie), ElementsAre("contract"));
  lie = Sample();
  lie.claims.attack_half_points = *lie.claims.attack_half_points + 1;
  EXPECT_THAT(False(lie), ElementsAre("result"));
  lie = Sample();
  lie.claims.account.emplace();
  EXPECT_THAT(False(lie), ElementsAre("unit"));
  lie = Sample();
  (*lie.claims.scores)[0] += 1;
  EXPECT_THAT(False(lie), ElementsAre("score"));
}

// The record states a wrong seed, and the commitment that belongs to this wrong seed. The cards and
// the moves obey the rules, so only the check of the seed fails.
TEST(ProveTest, FailsForCardsThatDoNotFollowFromTheSeed) {
  Document lie = Sample();
  (*lie.record.seed)[0] ^= 1;
  lie.record.commitment = dealing::Commit(*lie.record.seed);
  EXPECT_THAT(False(lie), ElementsAre("seed"));
}

// Returns the first deal of a match, before the first bid. One player of the table has added a
// nonce.
Document Drawn() {
  dealing::Provenance from;
  from.seed.fill(5);
  from.nonces[1] = "mine";
  const rules::RuleSet fft;
  const rules::Seat dealer = FirstDealerOf(fft, 4, from);
  const rules::DealtCards cards = DealOut(fft, 4, dealer, PackOf(fft, 4, from));
  Document document;
  Record& record = document.record;
  record.rule_set = "fft";
  record.procedure = from.procedure;
  record.first_chair = 3 - dealer;  // The last seat of the record deals.
  record.first_deal = true;
  record.dog = cards.dog;
  record.seed = from.seed;
  record.commitment = dealing::Commit(from.seed);
  for (rules::Seat chair = 0; chair < 4; ++chair) {
    const std::size_t slot = Slot((record.first_chair + chair) % 4);
    record.hands[slot] = cards.hands[Slot(chair)];
    record.nonces[slot] = from.nonces[Slot(chair)];
  }
  document.claims.outcome = rules::Outcome::kNone;
  return document;
}

TEST(ProveTest, ProvesNoncesTheCutAndTheDrawnDealer) {
  const Document good = Drawn();
  EXPECT_THAT(False(good), IsEmpty());
  const auto found = [&](auto change) {
    Document lie = good;
    change(lie.record);
    return False(lie);
  };
  EXPECT_THAT(found([](Record& r) { r.nonces = {}; }), ElementsAre("seed"));
  EXPECT_THAT(found([](Record& r) { r.nonces[0] += "x"; }), ElementsAre("seed"));
  EXPECT_THAT(found([](Record& r) { r.nonces[0] = std::string(33, 'x'); }), ElementsAre("seed"));
  EXPECT_THAT(found([](Record& r) { r.first_chair = (r.first_chair + 1) % 4; }),
              ElementsAre("seed"));
  EXPECT_THAT(found([](Record& r) { r.procedure = dealing::Procedure::kSeedAlone; }),
              ElementsAre("seed"));
  EXPECT_THAT(found([](Record& r) { r.gathered = dealing::ShuffledPack({}); }), ElementsAre("seed"))
      << "a pack of one's own choice is no shuffle";
  EXPECT_THAT(found([](Record& r) { r.rule_set = "booklet_customs"; }), ElementsAre("seed"))
      << "cut and dog differ there";
}

// The pack of this deal was not shuffled. The order of the piles, of the packets and of the cards
// follows from the seed.
TEST(ProveTest, ProvesTheDrawnOrderOfAGatheredPack) {
  const rules::RuleSet& customs = rules::FindRuleSet("booklet_customs")->rules;
  dealing::Provenance from{.procedure = dealing::Procedure::kDrawnGathering};
  from.seed.fill(6);
  from.gathered = rules::OrderedPack();
  from.piles = {{6, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4}, {4, 4, 4, 4, 4, 4, 4, 4}};
  const rules::DealtCards cards = DealOut(customs, 4, 3, PackOf(customs, 4, from));
  Document good;
  good.record = {.rule_set = "booklet_customs",
                 .hands = cards.hands,
                 .dog = cards.dog,
                 .seed = from.seed,
                 .commitment = dealing::Commit(from.seed),
                 .procedure = from.procedure,
                 .gathered = from.gathered,
                 .piles = from.piles};
  good.claims.outcome = rules::Outcome::kNone;
  EXPECT_THAT(False(good), IsEmpty());
  const auto found = [&](auto change) {
    Document lie = good;
    change(lie.record);
    return False(lie);
  };
  EXPECT_THAT(found([](Record& r) { std::swap(r.piles[0][0], r.piles[0][1]); }),
              ElementsAre("seed"));
  EXPECT_THAT(found([](Record& r) { r.piles = {{77}}; }), ElementsAre("seed"));
  EXPECT_THAT(found([](Record& r) { r.piles.clear(); }), ElementsAre("seed"));
  EXPECT_THAT(found([](Record& r) { r.gathered.reset(); }), ElementsAre("seed"));
  EXPECT_THAT(found([](Record& r) { r.first_deal = true; }), ElementsAre("seed"));
  EXPECT_THAT(found([](Record& r) { r.procedure = dealing::Procedure::kSeedAndNonces; }),
              ElementsAre("seed"));
  EXPECT_THAT(found([](Record& r) { r.rule_set = "booklet"; }), Not(IsEmpty()))
      << "a rule set with a shuffle";
}

// Returns a scored deal under `booklet_customs`, and a record of it.
std::pair<rules::Deal, Document> PlayedDeal(Rng& rng) {
  const rules::RuleSet& customs = rules::FindRuleSet("booklet_customs")->rules;
  while (true) {
    const rules::DealtCards cards = DealOut(customs, 4, 3, rules::RandomPack(rng));
    Document document;
    document.record = {.rule_set = "booklet_customs", .hands = cards.hands, .dog = cards.dog};
    rules::Deal deal = Start(document.record).value();
    while (deal.phase != rules::Phase::kDone) {
      const Entry entry{.seat = deal.turn, .action = rules::RandomAction(deal, rng)};
      document.record.entries.push_back(entry);
      EXPECT_TRUE(Apply(deal, entry.seat, entry.action).ok());
    }
    if (deal.result.outcome == rules::Outcome::kScored) return {deal, document};
  }
}

// A server that knows the nonces could choose another pack. The checks of one deal alone would not
// find this.
TEST(ProveTest, FindsAPackThatTheDealBeforeDidNotLeave) {
  Rng rng(3);
  const auto [deal, before] = PlayedDeal(rng);
  Document after;
  after.record = {.rule_set = "booklet_customs",
                  .procedure = dealing::Procedure::kDrawnGathering,
                  .gathered = GatheredPack(deal),
                  .piles = GatheredPiles(deal)};
  const auto truth = [](const Document* earlier, const Document& later) {
    return ProveGathered(earlier, later).value().truth;
  };
  EXPECT_EQ(truth(&before, after), Truth::kTrue);
  Document other = after;
  std::swap((*other.record.gathered)[0], (*other.record.gathered)[1]);
  EXPECT_EQ(truth(&before, other), Truth::kFalse);
  other = after;
  ++other.record.piles.front().front();
  --other.record.piles.back().front();
  EXPECT_EQ(truth(&before, other), Truth::kFalse);
  const Document third = PlayedDeal(rng).second;
  EXPECT_EQ(truth(&third, after), Truth::kFalse);
  EXPECT_EQ(truth(nullptr, after), Truth::kUnknown);
  other.record.gathered.reset();
  EXPECT_EQ(truth(&before, other), Truth::kFalse) << "shuffled, although a pack was left";
  other.record.first_deal = true;
  EXPECT_FALSE(ProveGathered(nullptr, other));
  other = after;
  other.record.rule_set = "fft";
  EXPECT_FALSE(ProveGathered(&before, other)) << "these rules shuffle each pack";
}

TEST(ProveTest, ProvesAShuffleAfterADealWithoutAScore) {
  Rng rng(4);
  Document passed = PlayedDeal(rng).second;
  passed.record.entries.clear();
  for (rules::Seat seat = 0; seat < 4; ++seat) {
    passed.record.entries.push_back(
        {.seat = seat, .action = rules::Action::Bid(rules::Contract::kPass)});
  }
  Document after;
  after.record = {.rule_set = "booklet_customs", .procedure = dealing::Procedure::kDrawnGathering};
  EXPECT_EQ(ProveGathered(&passed, after).value().truth, Truth::kTrue);
  passed.record.entries.pop_back();
  EXPECT_EQ(ProveGathered(&passed, after).value().truth, Truth::kUnknown);
}

TEST(ProveTest, ReturnsUnknownForUnstatedFacts) {
  Document bare = Sample();
  bare.record.seed.reset();
  bare.record.commitment.reset();
  bare.claims = Claims();
  EXPECT_THAT(False(bare), IsEmpty());
  int unknown = 0;
  for (const Check& check : Prove(bare)) unknown += check.truth == Truth::kUnknown ? 1 : 0;
  // The unknown checks are commitment, seed, tricks, contract, result, unit and score.
  EXPECT_EQ(unknown, 7);
}

// Returns a scored deal that was encoded for an archive and decoded again.
Document Stored(bool seed) {
  Rng rng(8);
  Record record;
  do {
    record = RandomRecord(*rules::FindRuleSet("fft"), 4, rng);
  } while (record.entries.size() < 76);
  if (!seed) {
    record.seed.reset();
    record.commitment.reset();
  }
  return *DecodeRecord(*EncodeRecord(record));
}

TEST(UntruthTest, IsEmptyForTrueRecords) {
  EXPECT_THAT(Untruth(Stored(false)), IsEmpty());
  EXPECT_THAT(Untruth(Stored(true)), IsEmpty());
}

TEST(UntruthTest, NamesEachLie) {
  Document lie = Stored(false);
  (*lie.claims.scores)[0] += 2;
  EXPECT_THAT(Untruth(lie), HasSubstr("score: stated A:"));
  lie = Stored(false);
  ++*lie.claims.attack_half_points;
  EXPECT_THAT(Untruth(lie), HasSubstr("result: stated "));
  lie = Stored(false);
  *lie.claims.bouts = 5;
  EXPECT_THAT(Untruth(lie), HasSubstr("bouts: 5, but it is"));
  lie = Stored(false);
  lie.claims.outcome = rules::Outcome::kAllPassed;
  EXPECT_THAT(Untruth(lie), HasSubstr("ending: stated passed by all"));
  lie = Stored(false);
  std::swap(lie.record.entries[20].action, lie.record.entries[24].action);
  EXPECT_THAT(Untruth(lie), HasSubstr("moves: action "));
  lie = Stored(false);
  lie.record.entries.pop_back();
  EXPECT_THAT(Untruth(lie), HasSubstr("ending: "));
  lie = Stored(false);
  lie.record.rule_set = "nowhere";
  EXPECT_THAT(Untruth(lie), HasSubstr("cards: "));
  lie = Stored(true);
  (*lie.record.seed)[0] ^= 1;
  EXPECT_THAT(Untruth(lie), HasSubstr("seed: it gives other cards"));
}

}  // namespace
}  // namespace tarot::notation
