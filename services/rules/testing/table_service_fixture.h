// Defines a table service on a fake store, with bots, in one thread, with a clock that the test
// moves.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "libs/ai/policy.h"
#include "libs/base/scoped_scheduler.h"
#include "libs/base/worker_pool.h"
#include "libs/testkit/manual_time.h"
#include "libs/testkit/status_matchers.h"
#include "services/rules/app/table_service.h"
#include "services/rules/app/turn_driver.h"
#include "services/rules/testing/fake_table_store.h"
#include "services/rules/testing/hosts_all.h"

namespace tarot::rules_service {

// A bot service that answers with a legal action. A test can switch the service off, or make it
// answer with an illegal action.
class FakeBots final : public BotClient {
 public:
  void Choose(const BotQuestion& q,
              absl::AnyInvocable<void(absl::StatusOr<rules::Action>)> done) override {
    ++asked;
    if (!up) return done(absl::UnavailableError("no bots"));
    if (wrong) return done(rules::Action::Play(rules::kNoCard));
    done(ai::FindPolicy("novice")->Choose(q.view, Rng(q.seed), {}).action);
  }
  int asked = 0;
  bool up = true;
  bool wrong = false;
};

class LastView final : public Watcher {
 public:
  void Show(const std::shared_ptr<const TableState>& state, rules::Seat viewer) override {
    last = MakeTableView(*state, viewer);
    ++shown;
  }
  void End(const absl::Status& status) override { ended = status; }
  std::optional<TableView> last;
  std::optional<absl::Status> ended;
  int shown = 0;
};

// A store that counts the calls of Load and FindTables. Each commit takes `commit_time`.
class SlowStore final : public FakeTableStore {
 public:
  explicit SlowStore(testkit::ManualTime& time) : time_(time) {}
  std::vector<absl::StatusOr<Appended>> Append(const std::vector<NewEntry>& entries) override {
    auto answers = FakeTableStore::Append(entries);
    if (commit_time > absl::ZeroDuration()) time_.Advance(commit_time);
    return answers;
  }
  absl::StatusOr<StoredTable> Load(TableId table) override {
    ++loads;
    return FakeTableStore::Load(table);
  }
  absl::StatusOr<std::vector<TableId>> FindTables(const std::vector<TableId>& tables) override {
    ++finds;
    return FakeTableStore::FindTables(tables);
  }
  absl::Duration commit_time;
  int loads = 0;
  int finds = 0;

 private:
  testkit::ManualTime& time_;
};

constexpr absl::Duration kDealPause = absl::Seconds(3);

// A SubmitAction call.
struct Submission {
  RequestContext context;
  SubmitCommand command;
};

// One process of the service. A test can end the process and start another process on the same
// store.
struct Process {
  Process(FakeTableStore& store, testkit::ManualTime& manual_time, Entropy& entropy)
      : time(manual_time),
        metrics(registry),
        memory(store, 1000, time),
        scheduler(time),
        appender(store, workers, time, scheduler, metrics, {}),
        tables(store, appender, memory, hosting, workers, time, scheduler, entropy, metrics),
        driver(tables, hosting, bots, workers, time, scheduler, entropy, metrics,
               {.bot_delay = absl::Milliseconds(100),
                .deal_pause = kDealPause,
                .bots_only_delay = absl::Milliseconds(100)}) {
    tables.set_on_commit_unknown([this](TableId table) { driver.OnCommitUnknown(table); });
    tables.set_on_changed(
        [this](const std::shared_ptr<const TableState>& state) { driver.OnChanged(state); });
  }
  testkit::ManualTime& time;
  prometheus::Registry registry;
  Metrics metrics;
  TableRegistry memory;
  HostsAll hosting;
  ScopedScheduler scheduler;
  InlineWorkerPool workers;
  GroupAppender appender;
  TableService tables;
  FakeBots bots;
  TurnDriver driver;

  static TableService::Done Into(absl::StatusOr<TableView>& answer) {
    return [&answer](const absl::StatusOr<SeatView>& view) {
      if (view.ok()) {
        answer = MakeTableView(*view->state, view->viewer);
      } else {
        answer = view.status();
      }
    };
  }
  // Makes the table and deals the first deal.
  absl::Status Start(const TableConfig& config) {
    const absl::Status status = tables.Create(config).status();
    time.Advance(kDealPause);
    return status;
  }

  // The answers come at once, because all workers run their jobs on the caller's thread.
  absl::StatusOr<TableView> Submit(const Submission& submission) {
    absl::StatusOr<TableView> answer = absl::UnknownError("no answer");
    tables.Submit(submission.context, submission.command, Into(answer));
    return answer;
  }
  absl::StatusOr<TableView> Resume(const RequestContext& context, RequestId request) {
    absl::StatusOr<TableView> answer = absl::UnknownError("no answer");
    tables.Resume(context, request, Into(answer));
    return answer;
  }
  absl::StatusOr<TableView> Get(TableId table, PlayerId player = {}) {
    return tables.Get({.caller = {.player = player}, .table = table});
  }
};

class TableServiceTest : public testing::Test {
 protected:
  TableServiceTest() { Restart(); }

  void Restart() { process.emplace(store, time, entropy); }

  // The last seat deals first, so seat 0 bids first.
  static rules::RuleSet LastSeatDealsFirst() {
    rules::RuleSet rules;
    rules.dealer_by = rules::DealerBy::kBoard;
    return rules;
  }

  // Players sit in the first `people` seats, bots in the other seats.
  TableConfig Config(int people, int deals = 1) {
    TableConfig config{.id = TableId{entropy.NewUuid()},
                       .rule_set = "fft",
                       .rules = LastSeatDealsFirst(),
                       .deal_count = deals,
                       .move_limit = absl::Seconds(10),
                       .time_bank = absl::Seconds(5),
                       .ranked = true};
    for (int i = 0; i < 4; ++i) {
      config.seats.push_back({.player = PlayerId{entropy.NewUuid()},
                              .display_name = "P",
                              .bot_level = i < people ? "" : "novice"});
    }
    return config;
  }

  static RequestContext Context(const TableConfig& config, int seat) {
    return {.caller = {.player = config.seats[static_cast<std::size_t>(seat)].player},
            .table = config.id};
  }

  TableView Get(const TableConfig& config, int seat) {
    return *process->tables.Get(Context(config, seat));
  }

  Submission Command(const TableConfig& config, int seat, rules::Action action) {
    return {.context = Context(config, seat),
            .command = {.request = RequestId{entropy.NewUuid()},
                        .expected_revision = Get(config, seat).revision,
                        .action = action}};
  }

  testkit::ManualTime time;
  SlowStore store{time};
  SeededEntropy entropy{7};
  std::optional<Process> process;
};

}  // namespace tarot::rules_service
