// Tests on real processes that the players of a table, and its spectators, see which seats have
// lost the connection. The players use different gateways, so the host of the table must add up the
// lists of the gateways.
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "tests/e2e/cluster.h"

namespace tarot::e2e {
namespace {

using client::Rooms;
using matchmaking::v1::Room;
using rules::v1::WatchTableResponse;

// A gateway shows a loss after five seconds. The machine may be slow.
constexpr absl::Duration kWait = absl::Minutes(1);

// Keeps the newest message of a WatchTable stream. The destructor cuts the stream.
class Stream {
 public:
  Stream(client::Client& client, const std::string& table)
      : watch_(client.WatchTableMessages(
            table, std::nullopt,
            [this](const WatchTableResponse& message) {
              const std::lock_guard lock(mutex_);
              newest_ = message;
            },
            [](const absl::Status&) {})) {}

  WatchTableResponse newest() {
    const std::lock_guard lock(mutex_);
    return newest_;
  }
  std::vector<std::uint32_t> disconnected() {
    const WatchTableResponse message = newest();
    return {message.disconnected_seats().begin(), message.disconnected_seats().end()};
  }
  bool Opens() {
    return Eventually(kWait, [&] { return newest().has_table(); });
  }
  bool Shows(const std::vector<std::uint32_t>& seats) {
    return Eventually(kWait, [&] { return disconnected() == seats; });
  }

 private:
  std::mutex mutex_;
  WatchTableResponse newest_;
  // The watch is destroyed first, because its callback uses the other members.
  std::unique_ptr<client::Watch> watch_;
};

class ConnectionsTest : public testing::Test {
 protected:
  // Ada opens a room, Bea joins it, and a bot takes the third seat. Returns the table of the match.
  // The seats have much time, so no bot takes a seat of a person who has lost the connection.
  std::string StartMatch() {
    matchmaking::v1::CreateRoomRequest create;
    create.mutable_terms()->set_rule_set("fft");
    create.mutable_terms()->set_player_count(3);
    create.mutable_terms()->set_deal_count(1);
    create.mutable_terms()->mutable_move_limit()->set_seconds(600);
    create.set_visibility(Room::PRIVATE);
    create.set_request_id(ada_->NewRequestId());
    const auto created = ada_->Call(&Rooms::CreateRoom, create);
    EXPECT_TRUE(created.ok()) << created.status();
    if (!created.ok()) return "";
    matchmaking::v1::JoinRoomRequest join;
    join.set_code(created->room().code());
    join.set_request_id(bea_->NewRequestId());
    const auto joined = bea_->Call(&Rooms::JoinRoom, join);
    EXPECT_TRUE(joined.ok()) << joined.status();
    matchmaking::v1::SetBotRequest bot;
    bot.set_name(created->room().name());
    bot.set_seat(2);
    bot.set_bot_level("novice");
    const auto seated = ada_->Call(&Rooms::SetBot, bot);
    EXPECT_TRUE(seated.ok()) << seated.status();
    matchmaking::v1::StartMatchRequest start;
    start.set_name(created->room().name());
    start.set_request_id(ada_->NewRequestId());
    const auto started = ada_->Call(&Rooms::StartMatch, start);
    EXPECT_TRUE(started.ok()) << started.status();
    matchmaking::v1::GetRoomRequest get;
    get.set_name(created->room().name());
    std::string table;
    EXPECT_TRUE(Eventually(kWait, [&] {
      const auto room = ada_->Call(&Rooms::GetRoom, get);
      if (room.ok() && room->room().state() == Room::PLAYING) table = room->room().table();
      return !table.empty();
    }));
    return table;
  }

  // Returns the seat of `client` in the newest view of its stream.
  static std::uint32_t SeatOf(Stream& stream) { return stream.newest().table().viewer(); }

  Cluster cluster_{{.population = 0, .replicas = {{"rules", 2}, {"gateway", 2}}, .fsync = false}};
  const std::unique_ptr<client::Client> ada_ = cluster_.SignIn("Ada");
  const std::unique_ptr<client::Client> bea_ = cluster_.SignIn("Bea", "gateway.2");
  const std::unique_ptr<client::Client> cleo_ = cluster_.SignIn("Cleo", "gateway.2");
};

TEST_F(ConnectionsTest, ShowsTheSeatWhoseStreamWasCutToAllViewers) {
  const std::string table = StartMatch();
  ASSERT_NE(table, "");
  Stream ada(*ada_, table), spectator(*cleo_, table);
  auto bea = std::make_unique<Stream>(*bea_, table);
  for (Stream* const each : {&ada, &spectator, bea.get()}) ASSERT_TRUE(each->Opens());
  const std::uint32_t seat = SeatOf(*bea);
  EXPECT_NE(seat, SeatOf(ada));

  bea.reset();
  for (Stream* const each : {&ada, &spectator}) {
    EXPECT_TRUE(each->Shows({seat})) << testing::PrintToString(each->disconnected());
    const rules::v1::Seat& shown = each->newest().table().seats(static_cast<int>(seat));
    EXPECT_FALSE(shown.held_by_bot()) << "The seat has time left.";
  }
  bea = std::make_unique<Stream>(*bea_, table);
  ASSERT_TRUE(bea->Opens());
  for (Stream* const each : {&ada, &spectator, bea.get()}) {
    EXPECT_TRUE(each->Shows({})) << testing::PrintToString(each->disconnected());
  }
}

TEST_F(ConnectionsTest, ShowsTheSeatsOfADeadGateway) {
  const std::string table = StartMatch();
  ASSERT_NE(table, "");
  Stream ada(*ada_, table);
  auto bea = std::make_unique<Stream>(*bea_, table);
  ASSERT_TRUE(ada.Opens());
  ASSERT_TRUE(bea->Opens());
  const std::uint32_t seat = SeatOf(*bea);
  ASSERT_TRUE(ada.Shows({}));

  cluster_.Kill("gateway.2", SIGKILL);
  EXPECT_TRUE(ada.Shows({seat})) << testing::PrintToString(ada.disconnected());
  cluster_.Start("gateway.2");
  bea = std::make_unique<Stream>(*bea_, table);
  EXPECT_TRUE(ada.Shows({})) << testing::PrintToString(ada.disconnected());

  // After the host has died, the next host learns again which persons watch.
  bea.reset();
  ASSERT_TRUE(ada.Shows({seat}));
  cluster_.Kill("rules", SIGKILL);
  cluster_.Start("rules");
  bea = std::make_unique<Stream>(*bea_, table);
  EXPECT_TRUE(ada.Shows({})) << testing::PrintToString(ada.disconnected());
  bea.reset();
  EXPECT_TRUE(ada.Shows({seat})) << testing::PrintToString(ada.disconnected());
}

}  // namespace
}  // namespace tarot::e2e
