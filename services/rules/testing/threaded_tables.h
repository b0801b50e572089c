// Defines a table service with real threads and the real clock, for tests with a real server.
#pragma once

#include <memory>

#include "libs/base/real_clock.h"
#include "libs/base/scoped_scheduler.h"
#include "services/rules/app/table_service.h"
#include "services/rules/testing/hosts_all.h"

namespace tarot::rules_service {

// `Store` is FakeTableStore or a class derived from it. A test must call Stop before it destroys
// objects that the tasks of the workers use.
template <typename Store>
struct ThreadedTables {
  ThreadedTables() {
    tables.set_on_changed([](const std::shared_ptr<const TableState>&) {});
    tables.set_on_commit_unknown([](TableId) {});
  }

  void Stop() {
    scheduler.Stop();
    workers.Stop();
    append_threads.Stop();
  }

  // Returns the settings of a table for four people and one deal. Does not make the table.
  TableConfig FourPeople() {
    TableConfig config{.id = TableId{entropy.NewUuid()},
                       .rule_set = "fft",
                       .deal_count = 1,
                       .move_limit = absl::Seconds(10),
                       .time_bank = absl::Seconds(5)};
    for (int i = 0; i < 4; ++i) {
      config.seats.push_back({.player = PlayerId{entropy.NewUuid()}, .display_name = "P"});
    }
    return config;
  }

  RealClock clock;
  RealScheduler timer;
  OsEntropy entropy;
  prometheus::Registry registry;
  Metrics metrics{registry};
  Store store;
  TableRegistry memory{store, 100, clock};
  HostsAll hosting;
  ScopedScheduler scheduler{timer};
  ThreadWorkerPool append_threads{2, 3};
  GroupAppender appender{store, append_threads, clock, scheduler, metrics, {}};
  ThreadWorkerPool workers{2, 100};
  TableService tables{store, appender,  memory,  hosting, workers,
                      clock, scheduler, entropy, metrics};
};

}  // namespace tarot::rules_service
