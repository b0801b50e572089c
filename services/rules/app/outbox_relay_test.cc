// Tests deliveries of the ends of matches, with a clock that the test moves.
#include "services/rules/app/outbox_relay.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "libs/base/entropy.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/worker_pool.h"
#include "libs/testkit/manual_time.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/hosts_all.h"

namespace tarot::rules_service {
namespace {

class FakeSink final : public MatchSink {
 public:
  void Deliver(const OutboxItem& item, absl::AnyInvocable<void(absl::Status)> done) override {
    if (!up) return done(absl::UnavailableError("away"));
    if (refused.contains(item.config.id)) return done(absl::InvalidArgumentError("no sum of 0"));
    delivered.push_back(item);
    done(absl::OkStatus());
  }
  bool up = true;
  std::set<TableId> refused;
  std::vector<OutboxItem> delivered;
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

  TableId EndMatch() {
    TableConfig config{.id = TableId{entropy_.NewUuid()}, .ranked = true};
    EXPECT_TRUE(store_.Create(config).ok());
    LogEntry last{
        .revision = 1, .request = RequestId{entropy_.NewUuid()}, .create_time = time_.Now()};
    NewEntry entry{.table = config.id, .entry = std::move(last)};
    entry.progress =
        MatchProgress{.match_over = true, .deals_dealt = 1, .deals_scored = 1, .totals = {1, -1}};
    EXPECT_TRUE(store_.Append({entry})[0].ok());
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
  FakeTableStore store_;
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
