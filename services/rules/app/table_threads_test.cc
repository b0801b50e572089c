// Tests tables under real threads and a store that fails. Every acknowledged action must be in the
// log once, and every table must make progress. The thread sanitizer runs this test too.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <set>
#include <thread>

#include "libs/base/real_clock.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/rules/testing/random_deals.h"
#include "services/rules/app/table_service.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/hosts_all.h"

namespace tarot::rules_service {
namespace {

constexpr int kTables = 6;

struct ThreadsFixture {
  ThreadsFixture() {
    tables.set_on_changed([this](const std::shared_ptr<const TableState>& state) {
      if (!state->match.DealRunning() && !state->match.Finished()) {
        Deal(state->config->id, state->revision);
      }
    });
    tables.set_on_commit_unknown([this](TableId table) { Wake(table); });
  }
  ~ThreadsFixture() {
    scheduler.Stop();
    workers.Stop();
    append_threads.Stop();
  }

  void Deal(TableId table, int revision) {
    tables.DealNext(table, revision,
                    [this, table, revision](const absl::StatusOr<SeatView>& dealt) {
                      if (dealt.ok() || absl::IsAborted(dealt.status())) return;
                      scheduler.After(absl::Milliseconds(1),
                                      [this, table, revision] { Deal(table, revision); });
                    });
  }

  void Wake(TableId table) {
    scheduler.After(absl::Milliseconds(1), [this, table] {
      tables.Wake(table, [this, table](const absl::StatusOr<SeatView>& woken) {
        if (!woken.ok()) Wake(table);
      });
    });
  }

  // Sends the command twice at the same time. Returns OK if one of the answers is OK. Only status
  // codes pass from thread to thread: Abseil's library is built without the sanitizer, so the
  // sanitizer cannot see the reference counts of a Status.
  absl::StatusCode SubmitTwice(const RequestContext& context, const SubmitCommand& command) {
    std::array<std::promise<absl::StatusCode>, 2> answers;
    for (std::promise<absl::StatusCode>& answer : answers) {
      tables.Submit(context, command, [&answer](const absl::StatusOr<SeatView>& view) {
        answer.set_value(view.status().code());
      });
    }
    const absl::StatusCode first = answers[0].get_future().get();
    const absl::StatusCode second = answers[1].get_future().get();
    return second == absl::StatusCode::kOk ? second : first;
  }

  RealClock clock;
  RealScheduler timer;
  OsEntropy entropy;
  prometheus::Registry registry;
  Metrics metrics{registry};
  FakeTableStore store;
  TableRegistry memory{store, 100, clock};
  HostsAll hosting;
  ScopedScheduler scheduler{timer};
  ThreadWorkerPool append_threads{3, 3};
  GroupAppender appender{store,     append_threads, clock,
                         scheduler, metrics,        {.linger_max = absl::Microseconds(50)}};
  ThreadWorkerPool workers{3, 1000};
  TableService tables{store, appender,  memory,  hosting, workers,
                      clock, scheduler, entropy, metrics};
};

TableConfig Config(ThreadsFixture& fixture) {
  TableConfig config{.id = TableId{fixture.entropy.NewUuid()},
                     .rule_set = "fft",
                     .deal_count = 1,
                     .move_limit = absl::Seconds(60),
                     .time_bank = absl::Seconds(60)};
  for (int i = 0; i < 4; ++i) {
    config.seats.push_back({.player = PlayerId{fixture.entropy.NewUuid()}, .display_name = "P"});
  }
  return config;
}

// Plays a match to its end. Repeats failed calls, as a client does. Returns the requests that the
// service acknowledged.
std::set<RequestId> Play(ThreadsFixture& fixture, const TableConfig& config, std::uint64_t seed) {
  Rng rng(seed);
  std::set<RequestId> acknowledged;
  const std::shared_ptr<Table> table = *fixture.memory.Get(config.id);
  while (true) {
    const std::shared_ptr<const TableState> state = table->Snapshot();
    if (state->match.Finished()) return acknowledged;
    if (!state->match.DealRunning()) {
      std::this_thread::yield();
      continue;
    }
    const rules::Deal& deal = state->match.deal;
    const RequestContext context{
        .caller = {.player = config.seats[static_cast<std::size_t>(deal.turn)].player},
        .table = config.id};
    const SubmitCommand command{.request = RequestId{fixture.entropy.NewUuid()},
                                .expected_revision = state->revision,
                                .action = rules::RandomAction(deal, rng)};
    absl::StatusCode answer = absl::StatusCode::kUnknown;
    while (answer != absl::StatusCode::kOk && answer != absl::StatusCode::kAborted) {
      answer = fixture.SubmitTwice(context, command);
    }
    if (answer == absl::StatusCode::kOk) acknowledged.insert(command.request);
  }
}

TEST(TableThreadsTest, EveryAcknowledgedActionIsInTheLogOnce) {
  ThreadsFixture fixture;
  std::vector<TableConfig> configs;
  for (int i = 0; i < kTables; ++i) {
    configs.push_back(Config(fixture));
    ASSERT_TRUE(fixture.tables.Create(configs.back()).ok());
  }
  std::atomic<bool> playing = true;
  std::thread faults([&] {
    using Fault = FakeTableStore::Fault;
    constexpr std::array<Fault, 4> kFaults = {Fault::kLost, Fault::kStoredButUnanswered,
                                              Fault::kSlow, Fault::kConflict};
    for (std::size_t i = 0; playing; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      fixture.store.FailNextAppend(kFaults[i % kFaults.size()]);
    }
  });
  std::vector<std::set<RequestId>> acknowledged(kTables);
  std::vector<std::thread> players;
  for (std::size_t i = 0; i < kTables; ++i) {
    players.emplace_back([&, i] { acknowledged[i] = Play(fixture, configs[i], i); });
  }
  for (std::thread& player : players) player.join();
  playing = false;
  faults.join();
  for (std::size_t i = 0; i < kTables; ++i) {
    const std::vector<LogEntry> log = fixture.store.Load(configs[i].id)->log;
    std::set<RequestId> stored;
    for (std::size_t at = 0; at < log.size(); ++at) {
      EXPECT_EQ(log[at].revision, static_cast<int>(at) + 1);
      EXPECT_TRUE(stored.insert(log[at].request).second) << "twice";
    }
    for (const RequestId& request : acknowledged[i]) EXPECT_TRUE(stored.contains(request));
    EXPECT_GT(acknowledged[i].size(), 70u);
  }
}

}  // namespace
}  // namespace tarot::rules_service
