#include "services/bot/app/analysis_queue.h"

#include <gmock/gmock.h>

#include <deque>

#include "libs/ai/arena.h"
#include "libs/testkit/status_matchers.h"

namespace tarot::bot_service {
namespace {

using testkit::HasReason;
using testkit::IsOk;

// Each call of Step() runs one job.
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
  bool Gone() const override { return gone; }

  int decided = 0;
  bool summed = false;
  bool ended = false;
  bool gone = false;
  absl::Status status;
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
  static PlayerId Player(int n) {
    std::array<std::uint8_t, 16> bytes{};
    bytes[0] = static_cast<std::uint8_t>(n);
    return {Uuid(bytes)};
  }

  prometheus::Registry registry_;
  Metrics metrics_{registry_};
  StepPool pool_;
  AnalysisQueue queue_{pool_, 2, metrics_};
};

TEST_F(AnalysisQueueTest, TakesTurns) {
  const auto one = std::make_shared<Listener>();
  const auto two = std::make_shared<Listener>();
  ASSERT_THAT(queue_.Start(Player(1), NewAnalyzer(), one), IsOk());
  ASSERT_THAT(queue_.Start(Player(2), NewAnalyzer(), two), IsOk());
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
  ASSERT_THAT(queue_.Start(Player(1), NewAnalyzer(), std::make_shared<Listener>()), IsOk());
  EXPECT_THAT(queue_.Start(Player(1), NewAnalyzer(), listener), HasReason("ANALYSIS_RUNNING"));
  ASSERT_THAT(queue_.Start(Player(2), NewAnalyzer(), std::make_shared<Listener>()), IsOk());
  EXPECT_THAT(queue_.Start(Player(3), NewAnalyzer(), listener), HasReason("OVERLOADED"));
  while (pool_.Step()) continue;
  EXPECT_FALSE(listener->ended);  // The listener was not called.
  EXPECT_THAT(queue_.Start(Player(1), NewAnalyzer(), listener), IsOk());
}

TEST_F(AnalysisQueueTest, StopsWhenTheListenerIsGone) {
  const auto listener = std::make_shared<Listener>();
  ASSERT_THAT(queue_.Start(Player(1), NewAnalyzer(), listener), IsOk());
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
  ASSERT_THAT(queue_.Start(Player(1), NewAnalyzer(), one), IsOk());
  ASSERT_TRUE(pool_.Step());
  queue_.Stop();
  EXPECT_THAT(queue_.Start(Player(2), NewAnalyzer(), two), HasReason("SHUTTING_DOWN"));
  while (pool_.Step()) continue;
  EXPECT_THAT(one->status, HasReason("SHUTTING_DOWN"));
  EXPECT_EQ(metrics_.analyses_running.Value(), 0);
}

}  // namespace
}  // namespace tarot::bot_service
