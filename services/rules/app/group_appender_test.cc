// Tests group commit with the fake store: when statements begin, and that every entry gets one
// answer.
#include "services/rules/app/group_appender.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "libs/base/entropy.h"
#include "libs/base/real_clock.h"
#include "libs/base/write_batch.h"
#include "libs/testkit/manual_time.h"
#include "services/rules/testing/fake_table_store.h"

namespace tarot::rules_service {
namespace {

// Keeps the jobs and runs them only when the test says so.
class HeldWorkers final : public WorkerPool {
 public:
  bool TryRun(absl::AnyInvocable<void()> job) override {
    if (stopped) return false;
    jobs.push_back(std::move(job));
    return true;
  }
  void RunOne() {
    absl::AnyInvocable<void()> job = std::move(jobs.front());
    jobs.pop_front();
    job();
  }
  std::deque<absl::AnyInvocable<void()>> jobs;
  bool stopped = false;
};

class GroupAppenderTest : public testing::Test {
 protected:
  // Appends the first entry of a new table. The result goes to `outcomes`.
  void Append(GroupAppender& appender) {
    TableConfig config{.id = TableId{entropy.NewUuid()}};
    ASSERT_TRUE(store.Create(config).ok());
    NewEntry entry{.table = config.id};
    entry.entry.revision = 1;
    entry.entry.request = RequestId{entropy.NewUuid()};
    appender.Append(std::move(entry), [this](const absl::StatusOr<Appended>& outcome) {
      outcomes.push_back(outcome.status());
    });
  }

  // Rows() returns the number of entries in all statements. Statements() returns the number of
  // statements.
  double Rows() { return metrics.append_batch_rows.Collect().histogram.sample_sum; }
  auto Statements() { return metrics.append_batch_rows.Collect().histogram.sample_count; }

  FakeTableStore store;
  testkit::ManualTime time;
  SeededEntropy entropy{3};
  prometheus::Registry registry;
  Metrics metrics{registry};
  HeldWorkers workers;
  std::vector<absl::Status> outcomes;
};

// Counts its writes.
struct CountingWriter final : BatchedWriter {
  void WriteWaiting() override { ++writes; }
  int writes = 0;
};

TEST_F(GroupAppenderTest, TheResultsOfAStatementAreWrittenTogether) {
  GroupAppender appender(store, workers, time, time, metrics, {.batches_max = 1});
  CountingWriter stream;
  int results = 0;
  for (int i = 0; i < 40; ++i) {
    appender.Append(NewEntry{}, [&](const absl::StatusOr<Appended>&) {
      ++results;
      EXPECT_TRUE(WriteBatch::Join(stream, [] { return std::shared_ptr<void>(); }));
    });
  }
  workers.RunOne();
  EXPECT_EQ(results, 40);
  EXPECT_EQ(stream.writes, 2) << "one write for 32 results, and one for the others";
}

TEST_F(GroupAppenderTest, StoresTheFirstEntryAtOnceAndTheNextOnesTogether) {
  GroupAppender appender(store, workers, time, time, metrics, {.batches_max = 1});
  Append(appender);
  ASSERT_EQ(workers.jobs.size(), 1u) << "the first entry waits for no other";
  workers.RunOne();
  EXPECT_EQ(outcomes.size(), 1u);

  Append(appender);
  absl::AnyInvocable<void()> running = std::move(workers.jobs.front());
  workers.jobs.pop_front();
  for (int i = 0; i < 5; ++i) Append(appender);
  EXPECT_TRUE(workers.jobs.empty()) << "one statement at a time";
  running();  // The next batch takes all waiting entries.
  EXPECT_EQ(outcomes.size(), 7u);
  EXPECT_EQ(Statements(), 2u);
  EXPECT_EQ(Rows(), 7);
}

TEST_F(GroupAppenderTest, TheEntriesOfAWriteBatchShareAStatement) {
  GroupAppender appender(store, workers, time, time, metrics, {.batches_max = 2});
  {
    const WriteBatch writes;
    for (int i = 0; i < 3; ++i) Append(appender);
    EXPECT_TRUE(workers.jobs.empty()) << "the statement begins at the end of the batch";
  }
  ASSERT_EQ(workers.jobs.size(), 1u);
  workers.RunOne();
  EXPECT_EQ(Statements(), 1u);
  EXPECT_EQ(Rows(), 3);
  time.Advance(absl::Seconds(1));
  EXPECT_TRUE(workers.jobs.empty()) << "no timer waits for entries that are stored";
}

TEST_F(GroupAppenderTest, BeginsASecondStatementAfterTheLinger) {
  GroupAppender appender(store, workers, time, time, metrics,
                         {.batches_max = 2, .linger_max = absl::Milliseconds(2)});
  Append(appender);
  Append(appender);
  EXPECT_EQ(workers.jobs.size(), 1u);
  time.Advance(absl::Milliseconds(1));
  Append(appender);
  EXPECT_EQ(workers.jobs.size(), 1u);
  time.Advance(absl::Milliseconds(1));
  EXPECT_EQ(workers.jobs.size(), 2u) << "the second statement begins";
  time.Advance(absl::Seconds(1));
  EXPECT_EQ(workers.jobs.size(), 2u) << "no third statement begins";
  while (!workers.jobs.empty()) workers.RunOne();
  EXPECT_EQ(outcomes.size(), 3u);
}

TEST_F(GroupAppenderTest, BeginsAFullBatchAtOnce) {
  GroupAppender appender(store, workers, time, time, metrics,
                         {.batches_max = 2, .batch_rows_max = 4});
  for (int i = 0; i < 3; ++i) Append(appender);
  EXPECT_EQ(workers.jobs.size(), 1u);
  Append(appender);
  EXPECT_EQ(workers.jobs.size(), 2u);
  for (int i = 0; i < 7; ++i) Append(appender);
  while (!workers.jobs.empty()) workers.RunOne();
  EXPECT_EQ(outcomes.size(), 11u);
  EXPECT_EQ(Statements(), 3u);
  for (const absl::Status& outcome : outcomes) EXPECT_TRUE(outcome.ok()) << outcome;
}

TEST_F(GroupAppenderTest, RefusesEntriesWhenTheQueueIsFull) {
  GroupAppender appender(store, workers, time, time, metrics,
                         {.batches_max = 1, .queue_rows_max = 3});
  for (int i = 0; i < 4; ++i) Append(appender);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_TRUE(absl::IsResourceExhausted(outcomes[0]));
  workers.RunOne();
  EXPECT_EQ(outcomes.size(), 4u);
  EXPECT_EQ(Rows(), 3);
}

TEST_F(GroupAppenderTest, RefusesEntriesAfterTheEnd) {
  GroupAppender appender(store, workers, time, time, metrics, {});
  workers.stopped = true;
  Append(appender);
  Append(appender);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_TRUE(absl::IsResourceExhausted(outcomes[1]));
}

TEST_F(GroupAppenderTest, ReportsALostConnectionToItsBatchOnly) {
  GroupAppender appender(store, workers, time, time, metrics, {});
  store.FailNextAppend(FakeTableStore::Fault::kStoredButUnanswered);
  for (int i = 0; i < 3; ++i) Append(appender);
  workers.RunOne();
  Append(appender);
  workers.RunOne();
  ASSERT_EQ(outcomes.size(), 4u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(absl::IsUnavailable(outcomes[i]));
  EXPECT_TRUE(outcomes[3].ok());
}

TEST_F(GroupAppenderTest, AnswersEveryThread) {
  constexpr int kThreads = 4;
  constexpr int kEach = 200;
  std::atomic<int> stored = 0;
  std::vector<TableId> tables;
  for (int i = 0; i < kThreads; ++i) {
    tables.push_back(TableId{entropy.NewUuid()});
    ASSERT_TRUE(store.Create({.id = tables.back()}).ok());
  }
  {
    RealClock clock;
    RealScheduler scheduler;
    ThreadWorkerPool threads(3, 3);
    GroupAppender appender(store, threads, clock, scheduler, metrics,
                           {.batches_max = 2, .linger_max = absl::Microseconds(50)});
    std::vector<std::thread> writers;
    for (const TableId table : tables) {
      writers.emplace_back([&, table] {
        OsEntropy ids;
        for (int i = 0; i < kEach;
             ++i) {  // Each table appends one entry at a time, as the service does.
          NewEntry entry{.table = table};
          entry.entry.revision = i + 1;
          entry.entry.request = RequestId{ids.NewUuid()};
          std::atomic<bool> answered = false;
          appender.Append(std::move(entry), [&](const absl::StatusOr<Appended>& outcome) {
            EXPECT_TRUE(outcome.ok()) << outcome.status();
            ++stored;
            answered = true;
            answered.notify_one();
          });
          answered.wait(false);
        }
      });
    }
    for (std::thread& writer : writers) writer.join();
    threads.Stop();
  }
  EXPECT_EQ(stored, kThreads * kEach);
  for (const TableId table : tables) {
    EXPECT_EQ(store.Load(table)->log.size(), static_cast<std::size_t>(kEach));
  }
}

}  // namespace
}  // namespace tarot::rules_service
