// Tests two replicas that share one Postgres, each on its own threads. Even if both believe that
// they host every queue, the database gives each ticket to one of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "libs/base/real_clock.h"
#include "libs/pg/migrate.h"
#include "libs/testkit/pg_fixture.h"
#include "libs/testkit/status_matchers.h"
#include "migrations/matchmaking_migrations.h"
#include "services/matchmaking/app/population_job.h"
#include "services/matchmaking/app/queue_catalog.h"
#include "services/matchmaking/app/ticket_service.h"
#include "services/matchmaking/app/wave_job.h"
#include "services/matchmaking/storage/pg_ticket_store.h"
#include "services/matchmaking/testing/fake_ticket_store.h"

namespace tarot::matchmaking_service {
namespace {

using testkit::IsOk;

// The rules service of both replicas. It loses every third answer.
class SharedRules final : public TableClient {
 public:
  void CreateTable(const PlannedTable& table, Done done) override {
    bool lost = false;
    {
      const std::lock_guard lock(mutex_);
      const auto [known, is_new] = tables_.emplace(table.id, table);
      EXPECT_EQ(known->second.seats, table.seats)
          << "a repeated request differs from the first one";
      lost = ++calls_ % 3 == 0;
    }
    done(lost ? absl::UnavailableError("lost") : absl::OkStatus());
  }
  std::map<TableId, PlannedTable> Tables() {
    const std::lock_guard lock(mutex_);
    return tables_;
  }

 private:
  std::mutex mutex_;
  int calls_ = 0;
  std::map<TableId, PlannedTable> tables_;
};

class SameRating final : public RatingClient {
 public:
  void GetRatings(const std::vector<PlayerId>& players, int, Done done) override {
    Ratings ratings;
    for (const PlayerId player : players) ratings[player] = 1500;
    done(std::move(ratings));
  }
};

struct Matcher {
  Matcher(const std::string& dsn, RealScheduler& scheduler, TableClient& rules)
      : store(MakePgTicketStore(dsn, 4, registry)),
        executor(scheduler, thread),
        placer(clock, executor, *store, rules, lobby, metrics, report, hosts),
        waves(clock, executor, entropy, *store, ratings, placer, lobby, metrics, report, hosts,
              catalog),
        tickets(clock, entropy, *store, lobby, catalog) {
    EXPECT_THAT(catalog.Refresh(), IsOk());
    waves.Start();
  }
  ~Matcher() {
    executor.Stop();
    thread.Stop();
  }

  RealClock clock;
  OsEntropy entropy;
  prometheus::Registry registry;
  Metrics metrics{registry};
  const std::unique_ptr<TicketStore> store;
  const Report report = [](absl::string_view, const absl::Status&) {};
  const Hosts hosts = [](const std::string&) { return true; };
  ThreadWorkerPool thread{1, 4096};
  Executor executor;
  QueueCatalog catalog{*store, 0};
  Lobby lobby{clock};
  SameRating ratings;
  TablePlacer placer;
  WaveJob waves;
  TicketService tickets;
};

TEST(PgReplicasTest, TwoActiveMatchersSeatEachPlayerOnce) {
  const std::string dsn = testkit::PgCluster::Shared().NewDatabase();
  ASSERT_THAT(pg::Migrate(dsn, "matchmaking", Migrations()), IsOk());
  prometheus::Registry registry;
  ASSERT_THAT(MakePgTicketStore(dsn, 1, registry)->WriteCatalog(TestCatalog()), IsOk());
  RealScheduler scheduler;
  SharedRules rules;
  Matcher one(dsn, scheduler, rules), two(dsn, scheduler, rules);

  constexpr int kPlayers = 400;
  std::vector<std::vector<Ticket>> joined(2);
  std::vector<std::set<TicketId>> cancelled(2);
  std::vector<std::thread> crowds;
  for (std::size_t side = 0; side < 2; ++side) {
    crowds.emplace_back([&, side] {
      Matcher& matcher = side == 0 ? one : two;
      for (int i = 0; i < kPlayers / 2; ++i) {
        const auto view =
            matcher.tickets.Create({.player = PlayerId{matcher.entropy.NewUuid()},
                                    .display_name = "P",
                                    .queue = "ranked4",
                                    .request_id = RequestId{matcher.entropy.NewUuid()}});
        ASSERT_THAT(view, IsOk());
        joined[side].push_back(view->ticket);
        if (i % 10 != 9) continue;
        const Ticket& back = joined[side][joined[side].size() - 5];
        if (matcher.tickets.Cancel(back.player, back.id).ok()) cancelled[side].insert(back.id);
      }
    });
  }
  for (std::thread& crowd : crowds) crowd.join();

  std::vector<TicketId> ids;
  for (std::size_t side = 0; side < 2; ++side) {
    for (const Ticket& ticket : joined[side]) {
      if (!cancelled[side].contains(ticket.id)) ids.push_back(ticket.id);
    }
  }
  const std::size_t left_over = ids.size() % 4;
  const auto matched = [&] {
    std::vector<Ticket> tickets = one.store->Get(ids).value();
    std::erase_if(tickets, [](const Ticket& t) { return t.state != TicketState::kMatched; });
    return tickets;
  };
  for (int tenths = 0; tenths < 300 && matched().size() + left_over < ids.size(); ++tenths) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  const std::vector<Ticket> seated = matched();
  EXPECT_EQ(seated.size(), ids.size() - left_over);

  std::map<PlayerId, int> seats;
  for (const auto& [id, table] : rules.Tables()) {
    for (const PlannedSeat& seat : table.seats) ++seats[seat.player];
  }
  for (const Ticket& ticket : seated) EXPECT_EQ(seats[ticket.player], 1);
  EXPECT_EQ(seats.size(), seated.size())
      << "a player sits at a table, but the ticket is not matched";
  EXPECT_GT(one.metrics.tables_made.Value() * two.metrics.tables_made.Value(), 0)
      << "only one replica made tables, so this proves nothing";
}

}  // namespace
}  // namespace tarot::matchmaking_service
