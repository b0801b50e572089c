#include "libs/base/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <memory>
#include <vector>

namespace tarot {
namespace {

TEST(ThreadWorkerPoolTest, RunsEveryAcceptedJobOfManyThreads) {
  std::atomic<int> taken = 0;
  std::atomic<int> ran = 0;
  {
    ThreadWorkerPool pool(4, 64);
    std::vector<std::jthread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&] {
        for (int n = 0; n < 2000; ++n) {
          if (pool.TryRun([&ran, job = std::make_unique<int>(1)] { ran += *job; })) ++taken;
        }
      });
    }
    callers.clear();  // Joins the callers. The pool's destructor then runs the queued jobs.
  }
  EXPECT_EQ(ran, taken);
  EXPECT_GT(taken, 0);
}

// Each job waits until all four jobs run, so the pool must wake all four threads.
TEST(ThreadWorkerPoolTest, WakesAllThreadsWhenJobsWaitForEachOther) {
  ThreadWorkerPool pool(4, 64);
  for (int round = 0; round < 200; ++round) {
    std::latch together(4);
    std::latch done(4);
    for (int i = 0; i < 4; ++i) {
      ASSERT_TRUE(pool.TryRun([&] {
        together.arrive_and_wait();
        done.count_down();
      }));
    }
    done.wait();
  }
}

TEST(ThreadWorkerPoolTest, RefusesWhenTheQueueIsFull) {
  std::latch started(1);
  std::latch release(1);
  std::atomic<int> ran = 0;
  {
    ThreadWorkerPool pool(1, 2);
    ASSERT_TRUE(pool.TryRun([&] {
      started.count_down();
      release.wait();
    }));
    started.wait();  // Now the only worker is busy and the queue is empty.
    EXPECT_TRUE(pool.TryRun([&] { ++ran; }));
    EXPECT_TRUE(pool.TryRun([&] { ++ran; }));
    EXPECT_FALSE(pool.TryRun([&] { ++ran; }));
    release.count_down();
  }
  EXPECT_EQ(ran, 2);
}

TEST(InlineWorkerPoolTest, RunsAtOnce) {
  InlineWorkerPool pool;
  int ran = 0;
  EXPECT_TRUE(pool.TryRun([&] { ++ran; }));
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace tarot
