// Tests that a correct history passes, and that the checker names each planted fault.
#include "tools/load/check/checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tools/load/check/test_match.h"

namespace tarot::check {
namespace {

using load::Event;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> KindsFound(const TestMatch& match) {
  Checker checker(match.database, {});
  for (const Event& event : match.history) checker.See(event);
  std::vector<std::string> kinds;
  const Report report = checker.Finish();
  for (const auto& [kind, found] : report.findings) kinds.push_back(kind);
  return kinds;
}

// Returns the first event of this kind at `revision` or later.
Event& Find(TestMatch& match, Event::Kind kind, int revision = 0) {
  for (Event& event : match.history) {
    if (event.kind == kind && event.revision >= revision) return event;
  }
  ADD_FAILURE() << "no such event";
  return match.history[0];
}

void Erase(TestMatch& match, const std::function<bool(const Event&)>& gone) {
  std::erase_if(match.history, gone);
}

void ChangeView(Event& event, const std::function<void(rules::v1::Table&)>& change) {
  rules::v1::Table view;
  ASSERT_TRUE(view.ParseFromString(event.bytes));
  change(view);
  event.bytes = view.SerializeAsString();
}

TEST(CheckerTest, PassesCorrectMatches) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    EXPECT_THAT(KindsFound(TestMatch(seed)), IsEmpty()) << "seed " << seed;
    EXPECT_THAT(KindsFound(TestMatch(seed, 30)), IsEmpty()) << "seed " << seed;
  }
}

TEST(CheckerTest, CountsComparisons) {
  TestMatch match(1);
  Checker checker(match.database, {});
  for (const Event& event : match.history) checker.See(event);
  const Report report = checker.Finish();
  EXPECT_EQ(report.entries, static_cast<long>(match.stored().log.size()));
  EXPECT_EQ(report.views, 4 * (report.entries + 1));
  EXPECT_GT(report.acknowledged, 50);
  EXPECT_EQ(report.matches_finished, 1);
}

TEST(CheckerTest, FindsAnAcknowledgedActionThatIsNotStored) {
  TestMatch match(1, 30);
  match.stored().log.pop_back();
  Erase(match, [](const Event& e) { return e.kind == Event::Kind::kView && e.revision == 30; });
  EXPECT_THAT(KindsFound(match), ElementsAre("lost"));
}

TEST(CheckerTest, FindsARefusedActionThatIsStored) {
  TestMatch match(1);
  Event refused = Find(match, Event::Kind::kOk);
  refused.kind = Event::Kind::kRefused;
  refused.text = "ABORTED";
  match.history.push_back(refused);
  EXPECT_THAT(KindsFound(match), ElementsAre("refused"));
}

TEST(CheckerTest, FindsAnActionStoredTwice) {
  TestMatch match(1);
  match.stored().log[9].request = match.stored().log[8].request;
  Erase(match, [&](const Event& e) {
    return e.request == match.stored().log[9].request || e.revision == 9;
  });
  EXPECT_THAT(KindsFound(match), testing::Contains("log"));
}

TEST(CheckerTest, FindsAnActionAtAnotherRevision) {
  TestMatch match(1);
  --Find(match, Event::Kind::kCall, 5).revision;
  EXPECT_THAT(KindsFound(match), ElementsAre("place"));
}

TEST(CheckerTest, ExpectsNoRevisionThatDoesNotExistYet) {
  TestMatch match(1);
  ++Find(match, Event::Kind::kCall, 5).revision;
  EXPECT_THAT(KindsFound(match), ElementsAre("place"));
}

TEST(CheckerTest, FindsAnAnswerOlderThanItsAction) {
  TestMatch match(1);
  --Find(match, Event::Kind::kOk, 5).revision;
  EXPECT_THAT(KindsFound(match), ElementsAre("answer"));
}

TEST(CheckerTest, FindsAnotherActionThanWasSent) {
  TestMatch match(1);
  Find(match, Event::Kind::kCall, 5).bytes = rules::EncodeAction(rules::Action::Slam(true));
  EXPECT_THAT(KindsFound(match), ElementsAre("changed"));
}

// The log stores the cards of a claim, but the client does not send them.
TEST(CheckerTest, FindsAnActionInPlaceOfAClaim) {
  const std::string action = rules::EncodeAction(rules::Action::Play(rules::kExcuse));
  int claims = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    TestMatch match(seed);
    for (Event& event : match.history) {
      if (event.kind != Event::Kind::kCall || event.bytes != load::kClaimBytes) continue;
      ++claims;
      event.bytes = action;
      EXPECT_THAT(KindsFound(match), ElementsAre("changed")) << "seed " << seed;
      event.bytes = std::string(load::kClaimBytes);
    }
    Find(match, Event::Kind::kCall, 5).bytes = std::string(load::kClaimBytes);
    EXPECT_THAT(KindsFound(match), ElementsAre("changed")) << "seed " << seed;
  }
  EXPECT_GT(claims, 3);
}

TEST(CheckerTest, FindsAnActionOfAnotherSeat) {
  TestMatch match(1);
  Event& call = Find(match, Event::Kind::kCall, 5);
  call.client = (call.client + 1) % 4;
  EXPECT_THAT(KindsFound(match), ElementsAre("changed"));
}

TEST(CheckerTest, FindsAnActionThatNoClientSent) {
  TestMatch match(1);
  const RequestId request = Find(match, Event::Kind::kCall, 5).request;
  Erase(match, [&](const Event& e) { return e.request == request; });
  EXPECT_THAT(KindsFound(match), ElementsAre("stranger"));
}

TEST(CheckerTest, FindsAnActionStoredBeforeAnAcknowledgedOne) {
  TestMatch match(1);
  Event& earlier = Find(match, Event::Kind::kCall, 5);
  const Event& later = Find(match, Event::Kind::kOk, earlier.revision + 2);
  earlier.time_us = later.time_us + 1;
  EXPECT_THAT(KindsFound(match), ElementsAre("order"));
}

TEST(CheckerTest, FindsAViewThatDiffersFromTheLog) {
  TestMatch match(1);
  ChangeView(Find(match, Event::Kind::kView, 5),
             [](rules::v1::Table& view) { view.mutable_seats(0)->set_total(7); });
  EXPECT_THAT(KindsFound(match), ElementsAre("view"));
}

TEST(CheckerTest, FindsAViewOfARevisionThatIsNotStored) {
  TestMatch match(1, 30);
  match.stored().log.pop_back();
  Erase(match, [](const Event& e) {
    return (e.kind == Event::Kind::kCall && e.revision == 29) ||
           (e.kind == Event::Kind::kOk && e.revision == 30);
  });
  EXPECT_THAT(KindsFound(match), ElementsAre("view"));
}

// The checker must find the fault in any part of the view.
TEST(CheckerTest, FindsACardOfAnotherSeat) {
  const std::vector<std::function<void(rules::v1::DealView&, std::uint32_t)>> places = {
      [](rules::v1::DealView& deal, std::uint32_t card) { deal.add_hand(card); },
      [](rules::v1::DealView& deal, std::uint32_t card) { deal.add_dog(card); },
      [](rules::v1::DealView& deal, std::uint32_t card) { deal.add_discard(card); },
      [](rules::v1::DealView& deal, std::uint32_t card) { deal.add_discard_shown(card); },
      [](rules::v1::DealView& deal, std::uint32_t card) { deal.add_tricks()->add_cards(card); },
      [](rules::v1::DealView& deal, std::uint32_t card) { deal.add_handfuls()->add_cards(card); },
      [](rules::v1::DealView& deal, std::uint32_t card) { deal.mutable_legal()->add_cards(card); },
      [](rules::v1::DealView& deal, std::uint32_t card) {
        deal.mutable_legal()->add_handful_cards(card);
      },
      [](rules::v1::DealView& deal, std::uint32_t card) {
        deal.mutable_legal()->add_discards(card);
      }};
  for (std::size_t place = 0; place < places.size(); ++place) {
    TestMatch match(1);
    // This view of client 0 shows no card of another seat. The next event is the view of client 1.
    Event& event = Find(match, Event::Kind::kView, 2);
    rules::v1::Table others;
    ASSERT_TRUE(others.ParseFromString((&event + 1)->bytes));
    const std::uint32_t card = others.deal().hand(0);
    ChangeView(event, [&](rules::v1::Table& view) { places[place](*view.mutable_deal(), card); });
    EXPECT_THAT(KindsFound(match), ElementsAre("hidden card", "view")) << "place " << place;
  }
}

// The hands and the seed of a deal that all seats passed stay secret until the match is over.
TEST(CheckerTest, FindsASecretOfADealThatEndedWithoutAScore) {
  int found = 0;
  for (std::uint64_t seed = 1; seed < 2000 && found < 3; ++seed) {
    TestMatch match(seed, 5);  // Five log entries: the deal and four bids.
    Event& event = Find(match, Event::Kind::kView, 5);
    rules::v1::Table others;
    ASSERT_TRUE(others.ParseFromString((&event + 1)->bytes));
    if (others.deal().result().outcome() != rules::v1::DealResult::ALL_PASSED) continue;
    ++found;
    EXPECT_THAT(KindsFound(match), IsEmpty());
    const std::string honest = event.bytes;
    ChangeView(event, [&](rules::v1::Table& view) {
      view.mutable_deal()->add_dog(others.deal().hand(0));
    });
    EXPECT_THAT(KindsFound(match), ElementsAre("hidden card", "view"));
    event.bytes = honest;
    const dealing::DealSeed dealt = *match.stored().config.first_seed;
    ChangeView(event, [&](rules::v1::Table& view) {
      view.set_seed_commitment(std::string(dealt.begin(), dealt.end()));
    });
    EXPECT_THAT(KindsFound(match), ElementsAre("seed", "view"));
  }
  EXPECT_EQ(found, 3);
}

TEST(CheckerTest, FindsTheSeedOfADealInProgress) {
  TestMatch match(1);
  const dealing::DealSeed seed = *match.stored().config.first_seed;
  ChangeView(Find(match, Event::Kind::kView, 5), [&](rules::v1::Table& view) {
    view.set_seed_commitment(std::string(seed.begin(), seed.end()));
  });
  EXPECT_THAT(KindsFound(match), ElementsAre("seed", "view"));
}

TEST(CheckerTest, FindsAStreamThatGoesBack) {
  TestMatch match(1);
  Event again = Find(match, Event::Kind::kView, 5);
  match.history.push_back(again);
  EXPECT_THAT(KindsFound(match), ElementsAre("stream"));
  // After the client has started anew, its next view may have an older revision.
  match.history.back().stream = 2;
  EXPECT_THAT(KindsFound(match), IsEmpty());
}

TEST(CheckerTest, FindsATableThatStandsStill) {
  TestMatch match(1, 30);
  match.history.back().time_us += 11'000'000;
  EXPECT_THAT(KindsFound(match), ElementsAre("stuck"));
  TestMatch over(1);
  over.history.back().time_us += 11'000'000;
  EXPECT_THAT(KindsFound(over), IsEmpty());
}

TEST(CheckerTest, FindsATableThatIsNotInTheDatabase) {
  TestMatch match(1);
  match.database = {};
  EXPECT_THAT(KindsFound(match), ElementsAre("table"));
}

TEST(CheckerTest, FindsAnAnswerThatClientsShouldNotGet) {
  TestMatch match(1);
  match.history.push_back({.kind = Event::Kind::kOdd, .table = match.table(), .text = "INTERNAL"});
  EXPECT_THAT(KindsFound(match), ElementsAre("odd"));
}

TEST(CheckerTest, FindsAMatchThatIsNotRated) {
  TestMatch match(1);
  match.database.ratings.rated.clear();
  match.database.ratings.ledger.clear();
  match.database.ratings.ladder.clear();
  EXPECT_THAT(KindsFound(match), ElementsAre("unrated"));
}

TEST(CheckerTest, FindsAMatchRatedTwice) {
  TestMatch match(1);
  match.database.ratings.rated.push_back(match.table());
  EXPECT_THAT(KindsFound(match), ElementsAre("rated twice"));
  TestMatch rows(1);
  ratings_service::LedgerRow again = rows.database.ratings.ledger[0];
  again.mu_before = again.mu_after;
  rows.database.ratings.ledger.push_back(again);
  ++rows.database.ratings.ladder[0].match_count;
  EXPECT_THAT(KindsFound(rows), ElementsAre("rated twice"));
}

TEST(CheckerTest, FindsARatedMatchThatIsNotOver) {
  TestMatch match(1, 30);
  match.database.ratings.rated.push_back(match.table());
  EXPECT_THAT(KindsFound(match), ElementsAre("rated"));
}

TEST(CheckerTest, FindsAMatchRatedWithOtherTotals) {
  TestMatch match(1);
  ++match.database.ratings.ledger[2].total;
  EXPECT_THAT(KindsFound(match), ElementsAre("rated"));
}

TEST(CheckerTest, FindsALadderThatDiffersFromItsLedger) {
  TestMatch match(1);
  match.database.ratings.ladder[1].mu = 0.25;
  EXPECT_THAT(KindsFound(match), ElementsAre("ledger"));
  TestMatch count(1);
  count.database.ratings.ladder[1].match_count = 2;
  EXPECT_THAT(KindsFound(count), ElementsAre("ledger"));
}

}  // namespace
}  // namespace tarot::check
