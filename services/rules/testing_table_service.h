// A table service on a fake store, with bots, in one thread and with a clock that the test moves.
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
#include "services/rules/storage/fake_table_store.h"

namespace tarot::rules_service {

// Answers with a random legal action, or fails as told.
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

// Each commit takes some time, none unless told.
class SlowStore final : public FakeTableStore {
 public:
  explicit SlowStore(testkit::ManualTime& time) : time_(time) {}
  std::vector<absl::StatusOr<Appended>> Append(const std::vector<NewEntry>& entries) override {
    auto answers = FakeTableStore::Append(entries);
    if (commit_time > absl::ZeroDuration()) time_.Advance(commit_time);
    return answers;
  }
  absl::Duration commit_time;

 private:
  testkit::ManualTime& time_;
};

constexpr absl::Duration kDealPause = absl::Seconds(3);

// One process: dies and starts again over the same store.
struct Process {
  Process(FakeTableStore& store, testkit::ManualTime& manual_time, Entropy& entropy)
      : time(manual_time),
        metrics(registry),
        memory(store, 1000, time),
        scheduler(time),
        appender(store, workers, time, scheduler, metrics, {}),
        tables(store, appender, memory, hosting, workers, time, entropy, metrics),
        driver(tables, hosting, bots, workers, time, scheduler, entropy, metrics,
               {.bot_delay = absl::Milliseconds(100),
                .deal_pause = kDealPause,
                .bots_only_delay = absl::Milliseconds(100)}) {
    tables.set_on_doubt([this](TableId table) { driver.OnDoubt(table); });
    tables.set_on_changed([this](std::shared_ptr<const TableState> s) { driver.OnChanged(s); });
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

  static TableService::SightDone Into(absl::StatusOr<TableView>& answer) {
    return [&answer](const absl::StatusOr<TableService::Sight>& sight) {
      if (sight.ok()) {
        answer = MakeTableView(*sight->state, sight->viewer);
      } else {
        answer = sight.status();
      }
    };
  }
  // Made, and the first deal dealt.
  absl::Status Start(const TableConfig& config) {
    const absl::Status status = tables.Create(config).status();
    time.Advance(kDealPause);
    return status;
  }

  // The answers, which come at once: all workers are inline.
  absl::StatusOr<TableView> Submit(const SubmitCommand& command) {
    absl::StatusOr<TableView> answer = absl::UnknownError("none came");
    tables.Submit(command, Into(answer));
    return answer;
  }
  absl::StatusOr<TableView> Resume(TableId table, PlayerId player, RequestId request) {
    absl::StatusOr<TableView> answer = absl::UnknownError("none came");
    tables.Resume(table, player, request, Into(answer));
    return answer;
  }
};

class TableServiceTest : public testing::Test {
 protected:
  TableServiceTest() { Restart(); }

  void Restart() { process.emplace(store, time, entropy); }

  // So that the first seat speaks first.
  static rules::RuleSet LastSeatDealsFirst() {
    rules::RuleSet rules;
    rules.dealer_by = rules::DealerBy::kBoard;
    return rules;
  }

  // `people` persons, the rest bots.
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

  TableView Get(const TableConfig& config, int seat) {
    return *process->tables.Get(config.id, config.seats[static_cast<std::size_t>(seat)].player);
  }

  SubmitCommand Command(const TableConfig& config, int seat, rules::Action action) {
    return {.table = config.id,
            .player = config.seats[static_cast<std::size_t>(seat)].player,
            .request = RequestId{entropy.NewUuid()},
            .expected_revision = Get(config, seat).revision,
            .action = action};
  }

  testkit::ManualTime time;
  SlowStore store{time};
  SeededEntropy entropy{7};
  std::optional<Process> process;
};

}  // namespace tarot::rules_service
