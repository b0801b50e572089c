// Tests how the relay delivers finished matches, with a clock that the test moves.
#include "services/rules/app/outbox_relay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "libs/base/entropy.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/worker_pool.h"
#include "libs/testkit/manual_time.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/hosts_all.h"
#include "services/rules/testing/played_match.h"

namespace tarot::rules_service {
namespace {

class FakeSink final : public MatchSink {
 public:
  void Deliver(const OutboxItem& item, const std::vector<FinishedDeal>& deals,
               absl::AnyInvocable<void(absl::Status)> done) override {
    if (!up) return done(absl::UnavailableError("away"));
    if (refused.contains(item.config.id)) return done(absl::InvalidArgumentError("no sum of 0"));
    delivered.push_back(item);
    deals_delivered.push_back(deals);
    done(absl::OkStatus());
  }
  bool up = true;
  std::set<TableId> refused;
  std::vector<OutboxItem> delivered;
  // Element i belongs to element i of `delivered`.
  std::vector<std::vector<FinishedDeal>> deals_delivered;
};

class StoreThatLosesDeals final : public FakeTableStore {
 public:
  absl::StatusOr<std::vector<DealKey>> ListDeals(const DealQuery& query) override {
    if (deals_lost) return std::vector<DealKey>();
    return FakeTableStore::ListDeals(query);
  }
  bool deals_lost = false;
};

class HostedElsewhere final : public Hosting {
 public:
  std::string HostOf(TableId) const override { return "elsewhere:1"; }
  bool Fresh() const override { return true; }
};

class OutboxRelayTest : public testing::Test {
 protected:
  // The outbox begins with a ranked match that has just ended.
  OutboxRelayTest() { EndMatch(); }

  // Plays a ranked match at random to its end.
  TableId EndMatch(int deal_count = 1) {
    PlayedMatch match("fft", 4, deal_count, entropy_);
    TableConfig config = match.config();
    config.ranked = true;
    EXPECT_TRUE(store_.Create(config).ok());
    while (!match.state().match.Finished()) {
      NewEntry entry = match.Next();
      entry.entry.create_time = time_.Now();
      EXPECT_TRUE(store_.Append({entry})[0].ok());
    }
    EXPECT_GT(match.state().match.deals_scored, 0);
    return config.id;
  }

  void Start(const Hosting& hosting) {
    relay_.emplace(store_, hosting, ratings_, matchmaking_, workers_, time_, scheduler_, metrics_,
                   absl::Seconds(1));
    relay_->set_on_refused([this](TableId table, OutboxTarget target, const absl::Status& status) {
      EXPECT_EQ(target, OutboxTarget::kRatings);
      EXPECT_EQ(status.message(), "no sum of 0");
      refused_.insert(table);
    });
    relay_->Start();
  }

  testkit::ManualTime time_;
  SeededEntropy entropy_{7};
  StoreThatLosesDeals store_;
  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  InlineWorkerPool workers_;
  ScopedScheduler scheduler_{time_};
  FakeSink ratings_, matchmaking_;
  std::set<TableId> refused_;
  std::optional<OutboxRelay> relay_;
};

TEST_F(OutboxRelayTest, RepeatsUntilBothServicesConfirm) {
  ratings_.up = false;
  const HostsAll hosting;
  Start(hosting);
  time_.Advance(absl::Seconds(5));
  EXPECT_EQ(matchmaking_.delivered.size(), 1u);
  EXPECT_EQ(store_.ListOutbox(10, 0)->size(), 1u);
  EXPECT_TRUE(refused_.empty()) << "the service did not answer";
  ratings_.up = true;
  time_.Advance(absl::Seconds(5));
  EXPECT_EQ(ratings_.delivered.size(), 1u);
  EXPECT_TRUE(store_.ListOutbox(10, 0)->empty());
}

TEST_F(OutboxRelayTest, DeliversAtOnceWhenItIsToldOfTheEndOfAMatch) {
  const HostsAll hosting;
  Start(hosting);
  relay_->Hurry();
  EXPECT_EQ(matchmaking_.delivered.size(), 1u);
  EXPECT_EQ(ratings_.delivered.size(), 1u);
  EndMatch();
  relay_->Hurry();
  EXPECT_EQ(matchmaking_.delivered.size(), 2u);
  EXPECT_TRUE(store_.ListOutbox(10, 0)->empty());
}

TEST_F(OutboxRelayTest, RatesNoMatchThatAnOperatorHasEnded) {
  PlayedMatch match("fft", 4, /*deal_count=*/4, entropy_);
  TableConfig config = match.config();
  config.ranked = true;
  ASSERT_TRUE(store_.Create(config).ok());
  const auto append = [&](NewEntry entry) {
    entry.entry.create_time = time_.Now();
    ASSERT_TRUE(store_.Append({entry})[0].ok());
  };
  while (match.state().match.deals_scored == 0) append(match.Next());
  append(match.Next());  // The next deal begins.
  TableState state = match.state();
  NewEntry end{.table = config.id};
  end.entry = {.revision = state.revision + 1,
               .request = RequestId{entropy_.NewUuid()},
               .actor = Actor::kServer,
               .body = DealVoided{.reason = "a fault", .ends_match = true}};
  ASSERT_TRUE(Advance(state, end.entry).ok());
  ASSERT_TRUE(state.match.Finished());
  end.progress = MatchProgress{
      .match_over = true,
      .deals_dealt = state.match.deals_dealt,
      .deals_scored = state.match.deals_scored,
      .totals = {state.match.totals.begin(), state.match.totals.begin() + state.match.players}};
  end.deal_revision = state.deal_revision;
  end.revealed = RevealedBy(state);
  append(end);
  EXPECT_TRUE(ReadLeftPlayers(store_, store_.ListOutbox(10, 0)->at(0)).empty());

  const HostsAll hosting;
  Start(hosting);
  time_.Advance(absl::Seconds(5));
  EXPECT_TRUE(store_.ListOutbox(10, 0)->empty());
  const auto has = [&](const FakeSink& sink) {
    return std::any_of(sink.delivered.begin(), sink.delivered.end(),
                       [&](const OutboxItem& item) { return item.config.id == config.id; });
  };
  EXPECT_TRUE(has(matchmaking_)) << "the players are free";
  EXPECT_FALSE(has(ratings_));
}

TEST_F(OutboxRelayTest, DeliversOtherMatchesBesideRefusedOnes) {
  for (int i = 0; i < 350; ++i) ratings_.refused.insert(EndMatch());
  const TableId last = EndMatch();
  const HostsAll hosting;
  Start(hosting);
  time_.Advance(absl::Seconds(15));
  const auto& told = ratings_.delivered;
  EXPECT_EQ(told.size(), 2u) << "the first match and the last";
  EXPECT_TRUE(std::any_of(told.begin(), told.end(),
                          [&](const OutboxItem& item) { return item.config.id == last; }));
  EXPECT_EQ(matchmaking_.delivered.size(), 352u);
  EXPECT_EQ(refused_, ratings_.refused);
  ratings_.refused.clear();
  time_.Advance(absl::Seconds(30));
  EXPECT_EQ(told.size(), 352u);
}

TEST_F(OutboxRelayTest, TellsRatingsAllDealsOfARankedMatch) {
  for (int i = 0; i < 5; ++i) EndMatch(6);
  const HostsAll hosting;
  Start(hosting);
  time_.Advance(absl::Seconds(2));
  for (const auto& deals : matchmaking_.deals_delivered) EXPECT_FALSE(deals.empty());
  ASSERT_EQ(ratings_.delivered.size(), 6u);
  for (std::size_t i = 0; i < ratings_.delivered.size(); ++i) {
    const auto& deals = ratings_.deals_delivered[i];
    int scored = 0;
    std::array<int, rules::kPlayersMax> sums{};
    for (std::size_t d = 0; d < deals.size(); ++d) {
      EXPECT_EQ(deals[d].number, static_cast<int>(d) + 1);
      EXPECT_EQ(std::set<char>(deals[d].pack.begin(), deals[d].pack.end()).size(), 78u);
      EXPECT_TRUE(deals[d].stand_ins.empty());
      if (deals[d].outcome == rules::Outcome::kScored) ++scored;
      for (std::size_t seat = 0; seat < 4; ++seat) sums[seat] += deals[d].scores[seat];
    }
    EXPECT_EQ(scored, ratings_.delivered[i].end.deals_scored);
    const std::vector<int>& totals = ratings_.delivered[i].end.totals;
    EXPECT_TRUE(std::equal(totals.begin(), totals.end(), sums.begin()));
  }
}

TEST_F(OutboxRelayTest, NamesTheSeatsForWhichABotActed) {
  PlayedMatch match("fft", 4, 1, entropy_);
  TableConfig config = match.config();
  config.ranked = true;
  ASSERT_TRUE(store_.Create(config).ok());
  while (!match.state().match.Finished()) {
    NewEntry entry = match.Next();
    if (entry.entry.seat == 1) entry.entry.actor = Actor::kBot;
    if (entry.entry.seat == 3) entry.entry.actor = Actor::kClock;
    ASSERT_TRUE(store_.Append({entry})[0].ok());
  }
  const HostsAll hosting;
  Start(hosting);
  time_.Advance(absl::Seconds(2));
  for (std::size_t i = 0; i < ratings_.delivered.size(); ++i) {
    if (ratings_.delivered[i].config.id != config.id) continue;
    for (const FinishedDeal& deal : ratings_.deals_delivered[i]) {
      EXPECT_EQ(deal.stand_ins, (std::vector<rules::Seat>{1, 3}));
      EXPECT_EQ(deal.away, (std::vector<rules::Seat>{1, 3}));
    }
    EXPECT_FALSE(ratings_.deals_delivered[i].empty());
  }
}

TEST(LeftPlayersTest, AreAwayAtTheEndOfTheLastTwoDeals) {
  TableConfig config;
  SeededEntropy entropy(1);
  for (int seat = 0; seat < 4; ++seat) {
    config.seats.push_back({.player = PlayerId{entropy.NewUuid()}});
  }
  const auto left = [&](const std::vector<std::vector<rules::Seat>>& away) {
    std::vector<FinishedDeal> deals;
    for (const std::vector<rules::Seat>& seats : away) deals.push_back({.away = seats});
    return LeftPlayers(config, deals);
  };
  const PlayerId first = config.seats[0].player, last = config.seats[3].player;
  EXPECT_EQ(left({{0, 1}, {0, 2}, {0, 2, 3}, {0, 3}}), (std::vector{first, last}));
  EXPECT_EQ(left({{3}}), std::vector{last}) << "the only deal";
  EXPECT_TRUE(left({{0}, {0}, {}}).empty()) << "The player came back.";
  EXPECT_TRUE(left({{}, {0}}).empty()) << "The player may only have been slow.";
  EXPECT_TRUE(left({}).empty());
}

TEST_F(OutboxRelayTest, WaitsForDealsThatCannotBeRead) {
  store_.deals_lost = true;
  const HostsAll hosting;
  Start(hosting);
  int unreadable = 0;
  relay_->set_on_refused([&](TableId, OutboxTarget, const absl::Status&) { ++unreadable; });
  time_.Advance(absl::Minutes(30));
  ASSERT_EQ(matchmaking_.delivered.size(), 1u) << "The players are free at once.";
  EXPECT_TRUE(matchmaking_.deals_delivered[0].empty());
  EXPECT_GT(unreadable, 0) << "an operator must hear of it";
  EXPECT_TRUE(ratings_.delivered.empty());
  store_.deals_lost = false;
  time_.Advance(absl::Seconds(10));
  ASSERT_EQ(ratings_.delivered.size(), 1u);
  EXPECT_FALSE(ratings_.deals_delivered[0].empty());
}

TEST_F(OutboxRelayTest, DeliversAResultWithoutDealsIfTheyCannotBeReadForAnHour) {
  store_.deals_lost = true;
  const HostsAll hosting;
  Start(hosting);
  int lost = 0;
  relay_->set_on_refused([](TableId, OutboxTarget, const absl::Status&) {});
  relay_->set_on_deals_lost([&](TableId, const absl::Status&) { ++lost; });
  time_.Advance(absl::Hours(1) + absl::Seconds(10));
  EXPECT_EQ(lost, 1);
  ASSERT_EQ(ratings_.delivered.size(), 1u);
  EXPECT_TRUE(ratings_.deals_delivered[0].empty());
  EXPECT_TRUE(store_.ListOutbox(10, 0)->empty());
}

TEST_F(OutboxRelayTest, DeliversAnotherReplicasMatchAfterTenSeconds) {
  const HostedElsewhere hosting;
  Start(hosting);
  time_.Advance(absl::Seconds(9));
  EXPECT_TRUE(matchmaking_.delivered.empty()) << "its host may still deliver it";
  time_.Advance(absl::Seconds(2));
  EXPECT_EQ(matchmaking_.delivered.size(), 1u);
  EXPECT_EQ(ratings_.delivered.size(), 1u);
  EXPECT_TRUE(store_.ListOutbox(10, 0)->empty());
}

}  // namespace
}  // namespace tarot::rules_service
