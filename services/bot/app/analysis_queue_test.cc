#include "services/bot/app/analysis_queue.h"

#include <gmock/gmock.h>

#include <deque>

#include "libs/ai/arena.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"
#include "services/bot/limits.h"

namespace tarot::bot_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

// Collects jobs. Each call of Step() runs the oldest one.
class StepPool final : public WorkerPool {
 public:
  bool TryRun(absl::AnyInvocable<void()> job) override {
    if (stopped) return false;
    jobs.push_back(std::move(job));
    return true;
  }
  bool Step() {
    if (jobs.empty()) return false;
    auto job = std::move(jobs.front());
    jobs.pop_front();
    job();
    return true;
  }
  std::deque<absl::AnyInvocable<void()>> jobs;
  bool stopped = false;
};

class Listener final : public AnalysisListener {
 public:
  void Decided(const ai::DecisionReport& report, int done, int total) override {
    EXPECT_EQ(report.entry, static_cast<int>(decided));
    EXPECT_EQ(done, ++decided);
    EXPECT_LE(done, total);
  }
  void Summed(const ai::DealReport& summary, int total) override {
    EXPECT_EQ(total, decided);
    EXPECT_EQ(summary.seats.size(), 4u);
    summed = true;
  }
  void Ended(const absl::Status& with) override {
    EXPECT_FALSE(ended);
    ended = true;
    status = with;
  }
  bool Gone() const override {
    if (slow != nullptr) slow->Advance(absl::Milliseconds(10));
    return gone;
  }

  int decided = 0;
  bool summed = false;
  bool ended = false;
  bool gone = false;
  absl::Status status;
  testkit::ManualTime* slow = nullptr;  // If set, each call of Gone() takes 10 ms on this clock.
};

// Returns a new analysis of a deal that was played to its end.
ai::Analyzer NewAnalyzer() {
  Rng rng(1);
  ai::History history{.start = ai::RandomDeal(rules::FindRuleSet("fft")->rules, 4, rng)};
  rules::Deal deal = history.start;
  while (deal.phase != rules::Phase::kDone) {
    const bool open = deal.phase == rules::Phase::kBidding && deal.bid_count == 0;
    if (open) {
      const auto prise = rules::Action::Bid(rules::Contract::kPrise);
      history.entries.emplace_back(deal.turn, prise);
      EXPECT_TRUE(Apply(deal, deal.turn, prise).ok());
      continue;
    }
    const auto decision =
        ai::FindPolicy("novice")->Choose(RememberedView(deal, deal.turn), Rng(1), {});
    history.entries.emplace_back(deal.turn, decision.action);
    EXPECT_TRUE(Apply(deal, deal.turn, decision.action).ok());
  }
  return ai::Analyzer(
      std::move(history),
      {.policy = ai::FindPolicy("club"), .node_budget = 100, .open_node_budget = 100});
}

class AnalysisQueueTest : public testing::Test {
 protected:
  static SlotHolder Holder(int n, const std::string& address = "") {
    std::array<std::uint8_t, 16> bytes{};
    bytes[0] = static_cast<std::uint8_t>(n);
    return {.player = {Uuid(bytes)}, .address = address};
  }

  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  StepPool pool_;
  testkit::ManualTime time_;
  AnalysisQueue queue_{
      pool_, {.per_player = 1, .per_address = 1, .per_network = 1, .all = 2}, time_, metrics_};
};

TEST_F(AnalysisQueueTest, TakesTurns) {
  const auto one = std::make_shared<Listener>();
  const auto two = std::make_shared<Listener>();
  ASSERT_THAT(queue_.Start(Holder(1), NewAnalyzer(), one), IsOk());
  ASSERT_THAT(queue_.Start(Holder(2), NewAnalyzer(), two), IsOk());
  EXPECT_EQ(metrics_.analyses_running.Value(), 2);
  while (pool_.Step()) EXPECT_LE(std::abs(one->decided - two->decided), 1);
  for (const auto& listener : {one, two}) {
    EXPECT_TRUE(listener->summed);
    EXPECT_TRUE(listener->ended);
    EXPECT_THAT(listener->status, IsOk());
  }
  EXPECT_EQ(metrics_.analyses_running.Value(), 0);
  EXPECT_EQ(metrics_.analyses_done.Value(), 2);
}

TEST_F(AnalysisQueueTest, LimitsAnalysesInAllAndPerPlayer) {
  const auto listener = std::make_shared<Listener>();
  ASSERT_THAT(queue_.Start(Holder(1), NewAnalyzer(), std::make_shared<Listener>()), IsOk());
  EXPECT_THAT(queue_.Start(Holder(1), NewAnalyzer(), listener), HasReason("ANALYSIS_RUNNING"));
  ASSERT_THAT(queue_.Start(Holder(2), NewAnalyzer(), std::make_shared<Listener>()), IsOk());
  EXPECT_THAT(queue_.Start(Holder(3), NewAnalyzer(), listener), HasReason("OVERLOADED"));
  while (pool_.Step()) continue;
  EXPECT_FALSE(listener->ended);  // The listener was not called.
  EXPECT_THAT(queue_.Start(Holder(1), NewAnalyzer(), listener), IsOk());
}

TEST_F(AnalysisQueueTest, SharesTimeEqually) {
  const auto slow = std::make_shared<Listener>();
  const auto fast = std::make_shared<Listener>();
  slow->slow = &time_;
  ASSERT_THAT(queue_.Start(Holder(1), NewAnalyzer(), slow), IsOk());
  ASSERT_TRUE(pool_.Step() && pool_.Step());
  ASSERT_EQ(slow->decided, 2);
  ASSERT_THAT(queue_.Start(Holder(2), NewAnalyzer(), fast), IsOk());
  while (!fast->ended) ASSERT_TRUE(pool_.Step());
  EXPECT_TRUE(fast->summed);
  EXPECT_LE(slow->decided, 3) << "The slow one has used its share.";
}

TEST_F(AnalysisQueueTest, ANewAnalysisDoesNotMakeAnotherWait) {
  const auto first = std::make_shared<Listener>();
  first->slow = &time_;
  ASSERT_THAT(queue_.Start(Holder(1), NewAnalyzer(), first), IsOk());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(pool_.Step());
  const int before = first->decided;
  // Another caller starts an analysis and cancels it, again and again. The first analysis must
  // still go on.
  for (int i = 0; i < 10; ++i) {
    const auto next = std::make_shared<Listener>();
    next->slow = &time_;
    ASSERT_THAT(queue_.Start(Holder(2), NewAnalyzer(), next), IsOk());
    ASSERT_TRUE(pool_.Step() && pool_.Step());
    next->gone = true;
    while (!next->ended) ASSERT_TRUE(pool_.Step());
  }
  EXPECT_GE(first->decided, before + 3);
}

TEST_F(AnalysisQueueTest, LimitsTheAnalysesOfAnAddress) {
  const auto listener = std::make_shared<Listener>();
  ASSERT_THAT(queue_.Start(Holder(1, "here"), NewAnalyzer(), std::make_shared<Listener>()), IsOk());
  EXPECT_THAT(queue_.Start(Holder(2, "here"), NewAnalyzer(), listener), HasReason("RATE_LIMITED"));
  EXPECT_THAT(queue_.Start(Holder(2, "there"), NewAnalyzer(), listener), IsOk());
}

TEST_F(AnalysisQueueTest, EndsAnAnalysisThatTakesTooLong) {
  const auto listener = std::make_shared<Listener>();
  ASSERT_THAT(queue_.Start(Holder(1), NewAnalyzer(), listener), IsOk());
  ASSERT_TRUE(pool_.Step());
  time_.Advance(kAnalysisTimeMax + absl::Seconds(1));
  while (pool_.Step()) continue;
  EXPECT_EQ(listener->decided, 1);
  EXPECT_THAT(listener->status, HasReason("ANALYSIS_TOO_LONG"));
  EXPECT_EQ(metrics_.analyses_running.Value(), 0);
  EXPECT_THAT(queue_.Start(Holder(1), NewAnalyzer(), std::make_shared<Listener>()), IsOk());
}

TEST_F(AnalysisQueueTest, StopsWhenTheListenerIsGone) {
  const auto listener = std::make_shared<Listener>();
  ASSERT_THAT(queue_.Start(Holder(1), NewAnalyzer(), listener), IsOk());
  ASSERT_TRUE(pool_.Step());
  listener->gone = true;
  while (pool_.Step()) continue;
  EXPECT_EQ(listener->decided, 1);
  EXPECT_TRUE(listener->ended);
  EXPECT_FALSE(listener->summed);
  EXPECT_EQ(metrics_.analyses_cancelled.Value(), 1);
}

TEST_F(AnalysisQueueTest, EndsAllAnalysesOnStop) {
  const auto one = std::make_shared<Listener>();
  const auto two = std::make_shared<Listener>();
  ASSERT_THAT(queue_.Start(Holder(1), NewAnalyzer(), one), IsOk());
  ASSERT_TRUE(pool_.Step());
  queue_.Stop();
  EXPECT_THAT(queue_.Start(Holder(2), NewAnalyzer(), two), HasReason("SHUTTING_DOWN"));
  while (pool_.Step()) continue;
  EXPECT_THAT(one->status, HasReason("SHUTTING_DOWN"));
  EXPECT_EQ(metrics_.analyses_running.Value(), 0);
}

}  // namespace
}  // namespace tarot::bot_service
