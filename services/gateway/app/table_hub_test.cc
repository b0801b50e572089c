// Tests the hub with fake feeds that record the hub's requests.
#include "services/gateway/app/table_hub.h"

#include <gmock/gmock.h>

#include <limits>
#include <map>
#include <set>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/base/cell.h"
#include "libs/base/entropy.h"
#include "libs/base/error.h"
#include "libs/cluster/rendezvous.h"
#include "libs/testkit/status_matchers.h"
#include "services/gateway/limits.h"

namespace tarot::gateway_service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testkit::HasReason;
using testkit::IsOk;

const absl::Duration kDisconnectedAfter = kDisconnectedTicks * kTableTick;

// Fake feeds. wanted[host][table] is the revision after which the hub wants frames of the table.
class NotedFeeds final : public TableFeeds {
 public:
  void Add(const std::string& host, TableId table, int after_revision) override {
    wanted[host][table] = after_revision;
    ++adds;
  }
  void Remove(const std::string& host, TableId table) override { wanted[host].erase(table); }
  void ReportPresent(const std::string& host, TableId table,
                     const std::vector<PlayerId>& players) override {
    present[host][table] = players;
    ++reports;
  }

  std::map<std::string, std::map<TableId, int>> wanted;
  // present[host][table] are the persons in the last report.
  std::map<std::string, std::map<TableId, std::vector<PlayerId>>> present;
  int adds = 0;
  int reports = 0;
};

class NotedSink final : public FrameSink {
 public:
  void Show(const std::shared_ptr<const Frame>& frame) override {
    shown.push_back(frame->revision);
    last = frame->shared;
    disconnected = frame->disconnected_seats;
    version = frame->connections_version;
  }
  void End(const absl::Status& status) override { ends.push_back(status); }

  std::vector<int> shown;
  std::string last;
  std::vector<int> disconnected;
  int version = 0;
  std::vector<absl::Status> ends;
};

std::shared_ptr<const Frame> At(int revision, const std::string& shared = "") {
  return std::make_shared<const Frame>(Frame{.revision = revision, .shared = shared});
}

absl::Status Moved() {
  return Error(absl::StatusCode::kUnavailable, "TABLE_MOVED", "Another replica hosts it.");
}

class TableHubTest : public testing::Test {
 protected:
  TableHubTest() { hub.SetHosts(0, {"a", "b"}); }

  // Returns a table whose host is `host`, if the replicas are a and b.
  TableId TableOf(const std::string& host) {
    while (true) {
      const TableId table{entropy.NewUuid()};
      if (cluster::HostOf(table.uuid, {"a", "b"}) == host) return table;
    }
  }
  std::shared_ptr<NotedSink> Watch(TableId table, int after_revision = -1) {
    auto sink = std::make_shared<NotedSink>();
    EXPECT_THAT(hub.Watch(table, PlayerId(), "", after_revision, sink), IsOk());
    return sink;
  }
  std::shared_ptr<NotedSink> WatchAs(PlayerId player, TableId table) {
    auto sink = std::make_shared<NotedSink>();
    EXPECT_THAT(hub.Watch(table, player, "", -1, sink), IsOk());
    return sink;
  }
  // Returns a frame of a table where two persons have the seats 0 and 2.
  std::shared_ptr<const Frame> Seated(int revision) {
    return std::make_shared<const Frame>(
        Frame{.revision = revision, .parts = {{ada, "", 0}, {bea, "", 2}}});
  }
  void TickFor(absl::Duration time) {
    for (int i = 0; i < time / kTableTick; ++i) hub.Tick();
  }

  SeededEntropy entropy{1};
  const PlayerId ada{entropy.NewUuid()}, bea{entropy.NewUuid()};
  NotedFeeds feeds;
  prometheus::Registry registry;
  Metrics metrics{registry};
  TableHub hub{feeds, metrics};
};

TEST_F(TableHubTest, SubscribesOnceForAllWatchersOfATable) {
  const TableId table = TableOf("a");
  const auto first = Watch(table);
  const auto second = Watch(table);
  EXPECT_EQ(feeds.adds, 1);
  EXPECT_EQ(feeds.wanted["a"].at(table), -1);
  hub.OnFrame("a", table, At(3));
  EXPECT_THAT(first->shown, ElementsAre(3));
  EXPECT_THAT(second->shown, ElementsAre(3));
  const auto late = Watch(table);
  EXPECT_THAT(late->shown, ElementsAre(3)) << "The hub shows the frame in its memory at once.";
  EXPECT_EQ(feeds.adds, 1);
  hub.Unwatch(table, first.get());
  hub.Unwatch(table, second.get());
  EXPECT_EQ(feeds.wanted["a"].size(), 1u);
  hub.OnFrame("a", table, At(4));
  EXPECT_THAT(first->shown, ElementsAre(3));
  EXPECT_THAT(late->shown, ElementsAre(3, 4));
  hub.Unwatch(table, late.get());
  EXPECT_THAT(feeds.wanted["a"], IsEmpty());
  EXPECT_EQ(metrics.tables_watched.Value(), 0);
}

TEST_F(TableHubTest, SubscribesInTheCellOfTheTable) {
  hub.SetHosts(1, {"c", "d"});
  std::vector<TableId> tables;
  std::vector<std::shared_ptr<NotedSink>> sinks;
  for (int i = 0; i < 20; ++i) {
    tables.push_back({NewTableUuid(entropy, absl::UnixEpoch(), i % 2)});
    sinks.push_back(Watch(tables.back()));
    const std::vector<std::string> hosts =
        i % 2 == 0 ? std::vector<std::string>{"a", "b"} : std::vector<std::string>{"c", "d"};
    EXPECT_TRUE(feeds.wanted[cluster::HostOf(tables.back().uuid, hosts)].contains(tables.back()));
  }
  // The list of a cell changes only the hosts of its own tables.
  hub.SetHosts(1, {"c"});
  EXPECT_EQ(feeds.wanted["c"].size(), 10u);
  EXPECT_EQ(feeds.wanted["a"].size() + feeds.wanted["b"].size(), 10u);
  // The first cell answers for a table of an unknown cell.
  const TableId unknown{NewTableUuid(entropy, absl::UnixEpoch(), 7)};
  const auto sink = Watch(unknown);
  EXPECT_EQ(feeds.wanted["a"].count(unknown) + feeds.wanted["b"].count(unknown), 1u);
}

TEST_F(TableHubTest, ShowsOnlyLaterRevisions) {
  const TableId table = TableOf("a");
  const auto knows = Watch(table, 5);
  hub.OnFrame("a", table, At(5));
  EXPECT_THAT(knows->shown, IsEmpty());
  EXPECT_THAT(Watch(table, 5)->shown, IsEmpty());
  EXPECT_THAT(Watch(table, 4)->shown, ElementsAre(5));
  const auto never = Watch(table, std::numeric_limits<int>::max());
  hub.OnFrame("a", table, At(6));
  EXPECT_THAT(never->shown, IsEmpty());
  hub.OnFrame("a", table, At(6));
  EXPECT_THAT(knows->shown, ElementsAre(6));
}

// After an outage, the host shows the same revision again, with another time limit for the turn.
TEST_F(TableHubTest, ShowsAnotherClockAtTheSameRevision) {
  const TableId table = TableOf("a");
  const auto sink = Watch(table), knows = Watch(table, 5), ahead = Watch(table, 6);
  hub.OnFrame("a", table, At(5, "until ten"));
  hub.OnFrame("a", table, At(5, "until ten"));
  EXPECT_THAT(sink->shown, ElementsAre(5));
  hub.OnFrame("b", table, At(5, "until nine"));
  EXPECT_THAT(sink->shown, ElementsAre(5)) << "Host b does not host the table.";
  hub.OnFrame("a", table, At(5, "until noon"));
  EXPECT_THAT(sink->shown, ElementsAre(5, 5));
  EXPECT_THAT(knows->shown, ElementsAre(5));
  EXPECT_THAT(ahead->shown, IsEmpty());
  EXPECT_THAT(Watch(table)->last, "until noon");
}

TEST_F(TableHubTest, TheEndOfTheMatchEndsEveryStream) {
  const TableId table = TableOf("a");
  const auto first = Watch(table);
  hub.OnFrame("a", table, At(9));
  hub.OnEnd("a", table, absl::OkStatus());
  EXPECT_THAT(first->ends, ElementsAre(IsOk()));
  EXPECT_EQ(metrics.tables_watched.Value(), 0);
  hub.Unwatch(table, first.get());  // A stream calls Unwatch() even if the hub has ended it.
  const auto missing = Watch(table);
  hub.OnEnd("a", table, Error(absl::StatusCode::kNotFound, "TABLE_NOT_FOUND", "No such table."));
  EXPECT_THAT(missing->ends, ElementsAre(HasReason("TABLE_NOT_FOUND")));
}

TEST_F(TableHubTest, SubscribesAtTheNewHostWithoutEndingStreams) {
  const TableId table = TableOf("a");
  const auto sink = Watch(table);
  hub.OnFrame("a", table, At(7));
  hub.SetHosts(0, {"b"});
  EXPECT_THAT(feeds.wanted["a"], IsEmpty());
  EXPECT_EQ(feeds.wanted["b"].at(table), 6)
      << "The hub asks for revision 7 again, to see whether the new host serves the table.";
  hub.OnEnd("a", table, Moved());  // The old host sends this event late.
  hub.OnFrame("b", table, At(7));
  hub.OnFrame("b", table, At(8));
  EXPECT_THAT(sink->shown, ElementsAre(7, 8));
  EXPECT_THAT(sink->ends, IsEmpty());
  TickFor(2 * kTableAwayMax);
  EXPECT_THAT(sink->ends, IsEmpty());
}

TEST_F(TableHubTest, MovesOnlyTheTablesOfTheChangedHost) {
  const TableId stays = TableOf("b");
  Watch(stays);
  hub.SetHosts(0, {"b"});
  EXPECT_EQ(feeds.adds, 1);
}

TEST_F(TableHubTest, SubscribesToAllTablesOfAReopenedFeed) {
  const TableId table = TableOf("a");
  const TableId other = TableOf("b");
  const auto sink = Watch(table);
  Watch(other);
  hub.OnFrame("a", table, At(2));
  hub.OnLost("a", 0);
  feeds.wanted.clear();
  hub.OnOpen("a");
  EXPECT_EQ(feeds.wanted["a"].at(table), 1);
  EXPECT_THAT(feeds.wanted["b"], IsEmpty());
  hub.OnFrame("a", table, At(2));
  EXPECT_THAT(sink->shown, ElementsAre(2));
  TickFor(2 * kTableAwayMax);
  EXPECT_THAT(sink->ends, IsEmpty());
}

TEST_F(TableHubTest, AsksARefusingHostAgainAtTheNextTick) {
  const TableId table = TableOf("a");
  const auto sink = Watch(table);
  hub.OnEnd("a", table, Moved());
  EXPECT_EQ(feeds.adds, 1) << "The hub asks again at the next tick only.";
  hub.Tick();
  EXPECT_EQ(feeds.adds, 2);
  hub.Tick();
  EXPECT_EQ(feeds.adds, 2);
  hub.OnFrame("a", table, At(0));
  EXPECT_THAT(sink->shown, ElementsAre(0));
}

TEST_F(TableHubTest, EndsStreamsOfATableWithoutAHost) {
  const TableId table = TableOf("a");
  const auto sink = Watch(table);
  hub.OnFrame("a", table, At(1));
  TickFor(2 * kTableAwayMax);
  EXPECT_THAT(sink->ends, IsEmpty()) << "A host that sends nothing is not away.";
  hub.OnLost("a", 0);
  TickFor(kTableAwayMax);
  EXPECT_THAT(sink->ends, IsEmpty());
  hub.Tick();
  EXPECT_THAT(sink->ends, ElementsAre(HasReason("SERVICE_AWAY")));
  EXPECT_THAT(feeds.wanted["a"], IsEmpty());
}

// The hub must also count the ticks for which the feed was silent before it was lost.
TEST_F(TableHubTest, CountsTheSilenceBeforeALoss) {
  const TableId table = TableOf("a");
  const auto sink = Watch(table);
  hub.OnFrame("a", table, At(1));
  hub.OnLost("a", 6);
  TickFor(kTableAwayMax - 6 * kTableTick);
  EXPECT_THAT(sink->ends, IsEmpty());
  hub.Tick();
  EXPECT_THAT(sink->ends, ElementsAre(HasReason("SERVICE_AWAY")));
}

TEST_F(TableHubTest, ANewHostStartsItsOwnCount) {
  const TableId table = TableOf("a");
  const auto sink = Watch(table);
  hub.OnLost("a", 0);
  TickFor(kTableAwayMax);
  hub.SetHosts(0, {"b"});
  TickFor(kTableAwayMax);
  EXPECT_THAT(sink->ends, IsEmpty());
  hub.Tick();
  EXPECT_THAT(sink->ends, ElementsAre(HasReason("SERVICE_AWAY")));
}

TEST_F(TableHubTest, AHostThatLagsBehindDoesNotCountAsServing) {
  const TableId table = TableOf("a");
  const auto sink = Watch(table);
  hub.OnFrame("a", table, At(5));
  hub.OnLost("a", 0);
  hub.OnOpen("a");
  hub.OnFrame("a", table, At(4));
  EXPECT_THAT(sink->shown, ElementsAre(5));
  TickFor(kTableAwayMax);
  hub.Tick();
  EXPECT_THAT(sink->ends, ElementsAre(HasReason("SERVICE_AWAY")));
}

TEST_F(TableHubTest, ReportsThePersonsWhoWatchTheirOwnTable) {
  const TableId table = TableOf("a");
  const auto of_ada = WatchAs(ada, table);
  const auto spectator = Watch(table);
  EXPECT_EQ(feeds.reports, 0) << "Before the first frame, the hub does not know the seats.";
  hub.OnFrame("a", table, Seated(1));
  EXPECT_THAT(feeds.present["a"].at(table), ElementsAre(ada));
  hub.OnFrame("a", table, Seated(2));
  Watch(table);
  EXPECT_EQ(feeds.reports, 1) << "Neither frames nor spectators change the report.";
  const auto of_bea = WatchAs(bea, table);
  EXPECT_THAT(feeds.present["a"].at(table), ElementsAre(ada, bea));
  const auto second_tab = WatchAs(ada, table);
  hub.Unwatch(table, of_ada.get());
  EXPECT_THAT(feeds.present["a"].at(table), ElementsAre(ada, bea)) << "One stream is left.";
  hub.Unwatch(table, second_tab.get());
  EXPECT_THAT(feeds.present["a"].at(table), ElementsAre(bea));
  // The new host gets a report, also if it shows no new revision.
  hub.SetHosts(0, {"b"});
  EXPECT_TRUE(feeds.present["b"].empty());
  hub.OnFrame("b", table, Seated(2));
  EXPECT_THAT(feeds.present["b"].at(table), ElementsAre(bea));
}

TEST_F(TableHubTest, ShowsASeatAsDisconnectedAfterAWhile) {
  const TableId table = TableOf("a");
  const auto sink = WatchAs(ada, table);
  hub.OnFrame("a", table, Seated(1));
  TickFor(2 * kDisconnectedAfter);
  EXPECT_THAT(sink->shown, ElementsAre(1)) << "The host has not said who watches.";
  hub.OnConnected("b", table, {});
  hub.OnConnected("a", table, {ada});
  TickFor(kDisconnectedAfter - kTableTick);
  EXPECT_THAT(sink->shown, ElementsAre(1));
  hub.Tick();
  EXPECT_THAT(sink->shown, ElementsAre(1, 1));
  EXPECT_THAT(sink->disconnected, ElementsAre(2));
  hub.OnFrame("a", table, Seated(2));
  EXPECT_THAT(sink->disconnected, ElementsAre(2)) << "Later frames say so, too.";
  EXPECT_THAT(Watch(table)->disconnected, ElementsAre(2));
  const auto back = Watch(table, 2);
  EXPECT_THAT(back->shown, ElementsAre(2)) << "The watcher may have missed the change of the list.";
  EXPECT_THAT(back->disconnected, ElementsAre(2));
  EXPECT_THAT(Watch(table, 3)->shown, IsEmpty());
  const int before = sink->version;
  hub.OnConnected("a", table, {ada, bea});
  EXPECT_THAT(sink->shown, ElementsAre(1, 1, 2, 2));
  EXPECT_THAT(sink->disconnected, IsEmpty());
  EXPECT_GT(sink->version, before);
  // A short loss is not shown.
  hub.OnConnected("a", table, {ada});
  TickFor(kDisconnectedAfter - kTableTick);
  hub.OnConnected("a", table, {ada, bea});
  TickFor(kDisconnectedAfter);
  EXPECT_THAT(sink->shown, ElementsAre(1, 1, 2, 2));
}

TEST_F(TableHubTest, CountsNoSeatAsDisconnectedWhileTheHostIsAway) {
  const TableId table = TableOf("a");
  const auto sink = WatchAs(ada, table);
  hub.OnFrame("a", table, Seated(1));
  hub.OnConnected("a", table, {ada});
  hub.OnLost("a", 0);
  TickFor(kDisconnectedAfter);
  EXPECT_THAT(sink->shown, ElementsAre(1));
}

// Spectators of one table, each from another address.
TEST_F(TableHubTest, SpectatorsOfACrowdedTableGetOneViewPerSecond) {
  const TableId table = TableOf("a");
  const auto seat = WatchAs(ada, table);
  std::vector<std::shared_ptr<NotedSink>> spectators;
  for (std::size_t i = 0; i < kCrowdMin - 1; ++i) {
    spectators.push_back(std::make_shared<NotedSink>());
    ASSERT_THAT(
        hub.Watch(table, PlayerId{entropy.NewUuid()}, absl::StrCat(i), -1, spectators.back()),
        IsOk());
  }
  hub.OnFrame("a", table, Seated(1));
  EXPECT_THAT(spectators[0]->shown, ElementsAre(1)) << "the table has few watchers";
  spectators.push_back(Watch(table));
  TickFor(2 * kSpectatorTicks * kTableTick);
  for (int revision = 2; revision <= 5; ++revision) hub.OnFrame("a", table, Seated(revision));
  EXPECT_THAT(seat->shown, ElementsAre(1, 2, 3, 4, 5)) << "a seat gets each view at once";
  EXPECT_THAT(spectators[0]->shown, ElementsAre(1));
  hub.Tick();
  EXPECT_THAT(spectators[0]->shown, ElementsAre(1, 5));
  hub.OnFrame("a", table, Seated(6));
  for (int i = 1; i < kSpectatorTicks; ++i) hub.Tick();
  EXPECT_THAT(spectators[0]->shown, ElementsAre(1, 5)) << "less than a second later";
  hub.Tick();
  EXPECT_THAT(spectators[0]->shown, ElementsAre(1, 5, 6));
  TickFor(absl::Seconds(10));
  EXPECT_THAT(spectators[0]->shown, ElementsAre(1, 5, 6)) << "there is no new view";
  EXPECT_THAT(seat->shown, ElementsAre(1, 2, 3, 4, 5, 6));

  hub.OnFrame("a", table, Seated(7));
  hub.OnEnd("a", table, absl::OkStatus());
  EXPECT_THAT(spectators[0]->shown, ElementsAre(1, 5, 6, 7)) << "the last view of the match";
  EXPECT_THAT(spectators[0]->ends, ElementsAre(absl::OkStatus()));
}

TEST_F(TableHubTest, LimitsTheSpectatorsOfOneAddress) {
  const TableId table = TableOf("a");
  const auto watch = [&](PlayerId player, const std::string& address) {
    return hub.Watch(table, player, address, -1, std::make_shared<NotedSink>());
  };
  ASSERT_THAT(watch(ada, "home"), IsOk());
  hub.OnFrame("a", table, Seated(1));
  for (int i = 0; i < kSpectatorsPerAddressMax; ++i) {
    ASSERT_THAT(watch(PlayerId{entropy.NewUuid()}, "home"), IsOk()) << i;
  }
  EXPECT_THAT(watch(PlayerId{entropy.NewUuid()}, "home"), HasReason("RATE_LIMITED"));
  EXPECT_THAT(watch(bea, "home"), IsOk()) << "a person with a seat";
  EXPECT_THAT(watch(PlayerId{entropy.NewUuid()}, "elsewhere"), IsOk());
}

}  // namespace
}  // namespace tarot::gateway_service
