#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_replace.h"
#include "libs/notation/names.h"
#include "libs/notation/tdn.h"
#include "libs/notation/testing/examples.h"
#include "libs/notation/testing/random_records.h"

namespace tarot::notation {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

rules::Deal Start(const rules::RuleSet& rules, int players, Rng& rng) {
  rules::PackOrder order;
  for (int i = 0; i < rules::kCardCount; ++i) order[Slot(i)] = rules::CardAt(i);
  for (;;) {
    rng.Shuffle(order);
    const rules::DealtCards dealt = DealOut(rules, players, players - 1, order);
    const bool board = rules.taker_by == rules::TakerBy::kBoard;
    const rules::Seat taker = board ? rng.Below(rules.Playing(players)) : rules::kNoSeat;
    const rules::Deal deal = StartDeal(rules, players, players - 1, dealt.hands, dealt.dog, taker);
    if (deal.phase != rules::Phase::kDone) return deal;
  }
}

void ExpectSame(const rules::View& a, const rules::View& b) {
  EXPECT_EQ(a.phase, b.phase);
  EXPECT_EQ(a.turn, b.turn);
  EXPECT_EQ(a.hand, b.hand);
  EXPECT_EQ(a.hand_counts, b.hand_counts);
  EXPECT_EQ(a.bids, b.bids);
  EXPECT_EQ(a.bid_count, b.bid_count);
  EXPECT_EQ(a.taker, b.taker);
  EXPECT_EQ(a.contract, b.contract);
  EXPECT_EQ(a.called_card, b.called_card);
  EXPECT_EQ(a.partner, b.partner);
  EXPECT_EQ(a.dog, b.dog);
  EXPECT_EQ(a.discard, b.discard);
  EXPECT_EQ(a.discard_shown, b.discard_shown);
  EXPECT_EQ(a.slam_announced, b.slam_announced);
  EXPECT_EQ(a.handfuls, b.handfuls);
  EXPECT_EQ(a.trick_count, b.trick_count);
  EXPECT_EQ(a.sits_out, b.sits_out);
  EXPECT_EQ(a.playing, b.playing);
  EXPECT_EQ(a.legal, b.legal);
}

// Tests the view of every seat at every moment of random deals, under every rule set. This includes
// seats that are not in turn.
TEST(TdnViewTest, ReadsAndWritesEveryMomentOfADeal) {
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    for (int n = named.rules.players_min; n <= named.rules.players_max; ++n) {
      Rng rng(static_cast<std::uint64_t>(n) + 41);
      for (int i = 0; i < 6; ++i) {
        SCOPED_TRACE(testing::Message() << named.name << " n=" << n << " i=" << i);
        rules::Deal deal = Start(named.rules, n, rng);
        while (deal.phase != rules::Phase::kDone) {
          for (rules::Seat seat = 0; seat < deal.playing; ++seat) {
            const rules::View view = RememberedView(deal, seat);
            const std::string text = WriteTdnView(view);
            const auto back = ReadTdnView(text);
            ASSERT_TRUE(back.ok()) << back.status() << "\n" << text;
            ExpectSame(view, *back);
            ASSERT_EQ(WriteTdnView(*back), text);
            ASSERT_FALSE(HasFailure()) << text;
          }
          const rules::Action action = rules::RandomAction(deal, rng);
          const auto named_back = ParseActionName(ActionName(action));
          ASSERT_TRUE(named_back && *named_back == action) << ActionName(action);
          ASSERT_TRUE(Apply(deal, deal.turn, action).ok());
        }
      }
    }
  }
}

// Damages views at random. The reader must refuse such a view, or read a view that the writer can
// write. The reader must also refuse the view of a deal that is over.
TEST(TdnViewTest, SurvivesDamage) {
  int read = 0;
  for (const rules::NamedRuleSet& named : rules::RuleSets()) {
    Rng rng(7);
    const int n = named.rules.players_max;
    rules::Deal deal = Start(named.rules, n, rng);
    std::string text;
    while (deal.phase != rules::Phase::kDone) {
      text = WriteTdnView(RememberedView(deal, rng.Below(deal.playing)));
      for (int i = 0; i < 20; ++i) {
        std::string damaged = text;
        for (int edits = 1 + rng.Below(3); edits > 0; --edits) {
          const auto at = static_cast<std::size_t>(rng.Below(static_cast<int>(damaged.size())));
          const auto from = static_cast<std::size_t>(rng.Below(static_cast<int>(text.size())));
          if (rng.Below(2) == 0) damaged[at] = text[from];
          if (rng.Below(4) == 0) damaged.insert(at, text.substr(from, 12));
          if (rng.Below(4) == 0) damaged.erase(at, 6);
        }
        const auto view = ReadTdnView(damaged);
        if (!view.ok()) continue;
        ++read;
        EXPECT_TRUE(ReadTdnView(WriteTdnView(*view)).ok()) << damaged;
      }
      ASSERT_TRUE(Apply(deal, deal.turn, rules::RandomAction(deal, rng)).ok());
    }
    // Adds the last card of the deal to the last view, so that the deal is over.
    const rules::Trick& last = deal.tricks[Slot(deal.trick_count - 1)];
    if (deal.trick_count == 0) continue;
    text.insert(text.rfind("\n*"), " " + CardName(last.cards[Slot(last.size - 1)]));
    EXPECT_FALSE(ReadTdnView(text).ok()) << text;
  }
  EXPECT_GT(read, 100);
}

std::string Problem(const std::string& from, const std::string& to) {
  EXPECT_THAT(kExampleView, HasSubstr(from));
  const auto view = ReadTdnView(absl::StrReplaceAll(kExampleView, {{from, to}}));
  EXPECT_FALSE(view.ok());
  return std::string(view.status().message());
}

TEST(TdnViewTest, NamesTheErrorAndItsLine) {
  const auto view = ReadTdnView(kExampleView);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_EQ(view->turn, 1);
  EXPECT_EQ(view->legal.cards, *ParseHandName("-/-/QT954/-/-"));
  EXPECT_THAT(Problem("% VIEW B\n", ""), HasSubstr("VIEW"));
  EXPECT_THAT(Problem("VIEW B", "VIEW E"), HasSubstr("VIEW"));
  EXPECT_THAT(Problem("A:? 21", "A:T1 21"), StartsWith("line 6: "));
  EXPECT_THAT(Problem("QT421", "QT42"), HasSubstr("expected 18 cards"));
  EXPECT_THAT(Problem("X,5/1", "X,21/1"), HasSubstr("cards of the viewer"));
  EXPECT_THAT(Problem("NJ4/-\"", "NJ/-\""), HasSubstr("not a dog"));
  EXPECT_THAT(Problem("X,5/1/-/NJ4/-", "?"), HasSubstr("the dog was shown"));
  EXPECT_THAT(Problem("- - G -", "- - G P"), StartsWith("line 9: "));
  EXPECT_THAT(Problem("- - G -", "- - G - -"), HasSubstr("the auction is over"));
  EXPECT_THAT(Problem("[Taker \"C\"]", "[Taker \"B\"]"), HasSubstr("not the taker"));
  EXPECT_THAT(Problem("[Contract \"G\"]", "[Contract \"P\"]"), HasSubstr("not the contract"));
  EXPECT_THAT(Problem("[Ecart \"?\"]\n", ""), HasSubstr("does not come yet"));
  EXPECT_THAT(Problem("[Ecart \"?\"]", "[Ecart \"21/?\"]"), HasSubstr("expected \"?\""));
  EXPECT_THAT(Problem("[Ecart \"?\"]", "[Ecart \"?\"]\n[Call \"HK\"]"), HasSubstr("Call"));
  EXPECT_THAT(Problem("[Play \"A\"]", "[Play \"B\"]"), HasSubstr("expected A"));
  EXPECT_THAT(Problem("D1 D7", "D1 H9"), StartsWith("line 14: by B: "));
  EXPECT_THAT(Problem("HJ", "DJ"), HasSubstr("also in another place"));
  EXPECT_THAT(Problem("DK =D", "DK =C"), HasSubstr("expected =D"));
  EXPECT_THAT(Problem("D: H2", "D: D1"), HasSubstr("also in another place"));
  EXPECT_THAT(Problem("*\n", ""), HasSubstr("does not end"));
}

TEST(TdnViewTest, RefusesBadActionNames) {
  for (const char* text : {"", "play", "play H0", "play H4 H5", "bid X", "slam maybe", "discard H4",
                           "handful S4", "call", "fold now", "play  H4"}) {
    EXPECT_FALSE(ParseActionName(text)) << text;
  }
}

}  // namespace
}  // namespace tarot::notation
