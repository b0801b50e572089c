#include "services/matchmaking/app/casual_tables.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "libs/base/entropy.h"
#include "libs/base/rng.h"
#include "libs/testkit/status_matchers.h"
#include "services/matchmaking/testing/process.h"

namespace tarot::matchmaking_service {
namespace {

using matching::MatchTicket;
using matching::Obstacle;
using ::testing::SizeIs;
using testkit::HasReason;
using testkit::IsOk;

class PartyTest : public testing::Test {
 protected:
  PlayerId NewPlayer() { return PlayerId{environment_.entropy.NewUuid()}; }
  RequestId NewRequest() { return RequestId{environment_.entropy.NewUuid()}; }
  void Wait(absl::Duration time) { environment_.time.Advance(time); }

  RoomId NewRoom(const std::vector<PlayerId>& persons) {
    const Room room =
        process_.rooms
            .Create({.host = persons[0],
                     .display_name = "Zoë",
                     .request_id = NewRequest(),
                     .terms = {.rule_set = "fft", .deal_count = 1, .move_limit = absl::Seconds(30)},
                     .player_count = 5})
            .value()
            .room;
    for (std::size_t i = 1; i < persons.size(); ++i) {
      EXPECT_THAT(process_.rooms.Join({.player = persons[i],
                                       .display_name = "Zoë",
                                       .request_id = NewRequest(),
                                       .code = room.code}),
                  IsOk());
    }
    return room.id;
  }

  Ticket Join(PlayerId player, RoomId party) {
    const auto view = process_.JoinAsParty(player, "casual4", party);
    EXPECT_THAT(view, IsOk());
    return view.ok() ? view->ticket : Ticket();
  }
  void JoinAll(const std::vector<PlayerId>& persons, RoomId party) {
    for (const PlayerId person : persons) Join(person, party);
  }

  const std::vector<PlannedTable>& tables() { return environment_.tables.asked; }
  std::size_t Seated(const PlannedTable& table, const std::vector<PlayerId>& players) {
    std::size_t seated = 0;
    for (const PlannedSeat& seat : table.seats) {
      seated += static_cast<std::size_t>(std::count(players.begin(), players.end(), seat.player));
    }
    return seated;
  }

  ProcessEnvironment environment_;
  Process process_{environment_};
  const std::vector<PlayerId> two_ = {NewPlayer(), NewPlayer()};
  const std::vector<PlayerId> three_ = {NewPlayer(), NewPlayer(), NewPlayer()};
};

TEST_F(PartyTest, WaitsUntilAllItsPersonsWait) {
  const RoomId room = NewRoom(three_);
  Join(three_[0], room);
  Join(three_[1], room);
  for (int i = 0; i < 3; ++i) process_.JoinNew(1500, "casual4");
  Wait(absl::Seconds(30));
  ASSERT_THAT(tables(), SizeIs(1)) << "The other players get a table with a bot.";
  EXPECT_EQ(Seated(tables()[0], three_), 0);
  Join(three_[2], room);
  Wait(absl::Seconds(15));
  ASSERT_THAT(tables(), SizeIs(2));
  EXPECT_EQ(Seated(tables()[1], three_), 3);
}

TEST_F(PartyTest, SitsWithTheOldestOtherTicketsWhateverTheirRatings) {
  const RoomId room = NewRoom(three_);
  const Ticket old = process_.JoinNew(2100, "casual4");
  Wait(absl::Seconds(1));
  JoinAll(three_, room);
  process_.JoinNew(1500, "casual4");
  Wait(absl::Seconds(3));
  ASSERT_THAT(tables(), SizeIs(1));
  EXPECT_EQ(Seated(tables()[0], three_), 3);
  EXPECT_EQ(Seated(tables()[0], {old.player}), 1);
}

TEST_F(PartyTest, TakesTheOldestOtherTickets) {
  const RoomId room = NewRoom(three_);
  const Ticket oldest = process_.JoinNew(1500, "casual4");
  Wait(absl::Seconds(1));
  process_.JoinNew(1500, "casual4");
  JoinAll(three_, room);
  Wait(absl::Seconds(3));
  ASSERT_THAT(tables(), SizeIs(1));
  EXPECT_EQ(Seated(tables()[0], three_), 3);
  EXPECT_EQ(Seated(tables()[0], {oldest.player}), 1);
}

TEST_F(PartyTest, HasThePersonsWhoSitInTheRoomNow) {
  const RoomId room = NewRoom(three_);
  Join(three_[0], room);
  const Ticket second = Join(three_[1], room);
  Wait(absl::Seconds(3));
  EXPECT_EQ(process_.Now(second).state, TicketState::kWaiting);
  // The third person leaves the room, so the other two persons are now the complete party.
  EXPECT_THAT(process_.rooms.Leave(three_[2], room, three_[2]), IsOk());
  Wait(absl::Seconds(20));
  ASSERT_THAT(tables(), SizeIs(1));
  EXPECT_EQ(Seated(tables()[0], three_), 2);
}

TEST_F(PartyTest, APersonWhoLeavesTheRoomWaitsAlone) {
  const RoomId room = NewRoom(three_);
  JoinAll({three_[0], three_[1]}, room);
  EXPECT_THAT(process_.rooms.Leave(three_[0], room, three_[0]), IsOk());
  Join(three_[2], room);
  for (int i = 0; i < 2; ++i) process_.JoinNew(1500, "casual4");
  Wait(absl::Seconds(30));
  std::size_t together = 0;
  for (const PlannedTable& table : tables()) {
    together = std::max(together, Seated(table, {three_[1], three_[2]}));
  }
  EXPECT_EQ(together, 2);
}

TEST_F(PartyTest, TwoPartiesThatDoNotFitTogetherGetTwoTables) {
  JoinAll(three_, NewRoom(three_));
  JoinAll(two_, NewRoom(two_));
  Wait(absl::Seconds(6));
  EXPECT_THAT(tables(), SizeIs(0)) << "Five persons do not fit at one table.";
  Wait(absl::Seconds(10));
  ASSERT_THAT(tables(), SizeIs(2));
  for (const PlannedTable& table : tables()) {
    EXPECT_THAT(Seated(table, two_), testing::AnyOf(0, 2));
    EXPECT_THAT(Seated(table, three_), testing::AnyOf(0, 3));
  }
}

TEST_F(PartyTest, NeverMeetsAPlayerWithABlock) {
  JoinAll(three_, NewRoom(three_));
  const PlayerId other = NewPlayer();
  EXPECT_TRUE(*environment_.store.Block(other, three_[2], environment_.time.Now()));
  process_.Join(other, "casual4");
  Wait(absl::Seconds(20));
  ASSERT_THAT(tables(), SizeIs(2));
  EXPECT_EQ(Seated(tables()[0], three_) + Seated(tables()[1], three_), 3);
  for (const PlannedTable& table : tables()) {
    EXPECT_THAT(Seated(table, three_), testing::AnyOf(0, 3));
    EXPECT_NE(Seated(table, three_) + Seated(table, {other}), 4)
        << "Without the block, they would sit at one table.";
  }
}

TEST_F(PartyTest, GetsATableWithYoungerTicketsIfTheOldestDoNotFit) {
  const std::vector<PlayerId> others = {NewPlayer(), NewPlayer()};
  process_.JoinNew(1500, "casual4");
  Wait(absl::Seconds(1));
  JoinAll(two_, NewRoom(two_));
  JoinAll(others, NewRoom(others));
  Wait(absl::Seconds(3));
  ASSERT_THAT(tables(), SizeIs(1)) << "The single ticket is the oldest, and leaves one seat.";
  EXPECT_EQ(Seated(tables()[0], two_), 2);
  EXPECT_EQ(Seated(tables()[0], others), 2);
}

TEST_F(PartyTest, APersonAloneInARoomMeetsTheOtherTickets) {
  Join(two_[0], NewRoom({two_[0]}));
  for (int i = 0; i < 3; ++i) process_.JoinNew(1500, "casual4");
  Wait(absl::Seconds(3));
  ASSERT_THAT(tables(), SizeIs(1)) << "A party of one waits for no other person.";
  EXPECT_EQ(Seated(tables()[0], two_), 1);
}

TEST_F(PartyTest, SaysBlockedOnlyIfABlockForbidsTheTable) {
  const auto reason = [&](const Ticket& ticket) {
    return process_.tickets.Get(ticket.player, ticket.id)->wait_reason;
  };
  JoinAll(three_, NewRoom(three_));
  const RoomId room = NewRoom(two_);
  const Ticket of_two = Join(two_[0], room);
  Join(two_[1], room);
  Wait(absl::Seconds(3));
  EXPECT_EQ(reason(of_two), TicketWaitReason::kTooFewPlayers)
      << "Three others wait, but not two who fit.";

  const Ticket single = process_.JoinNew(1500, "casual4");
  EXPECT_TRUE(*environment_.store.Block(single.player, three_[0], environment_.time.Now()));
  Wait(absl::Seconds(2));
  EXPECT_EQ(reason(single), TicketWaitReason::kBlocked)
      << "Without the block, the four would play.";
  EXPECT_EQ(reason(of_two), TicketWaitReason::kTooFewPlayers);
}

TEST_F(PartyTest, SaysWhyItWaits) {
  const RoomId room = NewRoom(three_);
  const Ticket first = Join(three_[0], room);
  Join(three_[1], room);
  const Ticket alone = process_.JoinNew(1500, "casual4");
  Wait(absl::Seconds(3));
  const auto reason = [&] { return process_.tickets.Get(first.player, first.id)->wait_reason; };
  EXPECT_EQ(reason(), TicketWaitReason::kPartyIncomplete);
  EXPECT_EQ(process_.tickets.Explain(alone.id)->others,
            (std::map<matching::Obstacle, int>{{matching::Obstacle::kPartyIncomplete, 2}}));
  EXPECT_TRUE(*environment_.store.Block(alone.player, three_[2], environment_.time.Now()));
  Join(three_[2], room);
  Wait(absl::Seconds(2));
  EXPECT_EQ(reason(), TicketWaitReason::kBlocked) << "The fourth player blocks one of the three.";
  EXPECT_EQ(process_.tickets.Explain(first.id)->others,
            (std::map<matching::Obstacle, int>{{matching::Obstacle::kNone, 2},
                                               {matching::Obstacle::kBlocked, 1}}))
      << "The party sits together, so the block keeps the fourth player from all of the three.";
  EXPECT_TRUE(*environment_.store.Block(three_[0], three_[1], environment_.time.Now()));
  EXPECT_THAT(environment_.store.Unblock(alone.player, three_[2]), IsOk());
  Wait(absl::Seconds(2));
  EXPECT_EQ(reason(), TicketWaitReason::kBlocked) << "Two of the party have a block.";
}

TEST_F(PartyTest, ExplainsThatTwoPartiesAreTooLargeTogether) {
  const RoomId room = NewRoom(two_);
  const Ticket of_two = Join(two_[0], room);
  Join(two_[1], room);
  JoinAll(three_, NewRoom(three_));
  Wait(absl::Seconds(3));
  EXPECT_EQ(process_.tickets.Get(of_two.player, of_two.id)->wait_reason,
            TicketWaitReason::kTooFewPlayers);
  EXPECT_EQ(process_.tickets.Explain(of_two.id)->others,
            (std::map<matching::Obstacle, int>{{matching::Obstacle::kNone, 1},
                                               {matching::Obstacle::kPartyTooLarge, 3}}));
}

TEST_F(PartyTest, ACancelOfOneCancelsAll) {
  const RoomId room = NewRoom(three_);
  const Ticket first = Join(three_[0], room), second = Join(three_[1], room);
  EXPECT_THAT(process_.tickets.Cancel(three_[1], second.id), IsOk());
  EXPECT_EQ(process_.Now(first).state, TicketState::kCancelled);
  EXPECT_EQ(process_.Now(second).state, TicketState::kCancelled);
}

TEST_F(PartyTest, ASecondTicketNamesThePartyOfTheFirst) {
  const RoomId room = NewRoom(two_);
  const Ticket first = Join(two_[0], room);
  const absl::Status second = process_.JoinAsParty(two_[0], "casual4", room).status();
  EXPECT_THAT(second, HasReason("TICKET_EXISTS"));
  EXPECT_EQ(GetErrorDetails(second).metadata,
            (std::map<std::string, std::string>{{"ticket", "tickets/" + first.id.ToString()},
                                                {"party", "rooms/" + room.ToString()}}));
}

TEST_F(PartyTest, RefusesPartiesThatCannotPlay) {
  const RoomId room = NewRoom(two_);
  const PlayerId stranger = NewPlayer();
  EXPECT_THAT(process_.JoinAsParty(stranger, "casual4", room), HasReason("ROOM_NOT_FOUND"));
  EXPECT_THAT(process_.JoinAsParty(two_[0], "casual4", RoomId{environment_.entropy.NewUuid()}),
              HasReason("ROOM_NOT_FOUND"));
  EXPECT_THAT(process_.JoinAsParty(two_[0], "ranked4", room), HasReason("BAD_REQUEST"));
  EXPECT_TRUE(*environment_.store.Block(two_[0], two_[1], environment_.time.Now()));
  EXPECT_THAT(process_.JoinAsParty(two_[0], "casual4", room), HasReason("BLOCKED"));
  EXPECT_THAT(environment_.store.Unblock(two_[0], two_[1]), IsOk());
  for (int seat = 2; seat < 5; ++seat) {
    EXPECT_THAT(process_.rooms.SetBot(two_[0], room, seat, "club"), IsOk());
  }
  EXPECT_THAT(process_.rooms.StartMatch(two_[0], room, NewRequest()), IsOk());
  EXPECT_THAT(process_.JoinAsParty(two_[1], "casual4", room), HasReason("MATCH_RUNNING"));
  std::vector<PlayerId> five = three_;
  five.push_back(NewPlayer());
  five.push_back(NewPlayer());
  EXPECT_THAT(process_.JoinAsParty(five[0], "casual4", NewRoom(five)),
              HasReason("PARTY_TOO_LARGE"));
}

// A wave of a casual queue with random parties and blocks. Some parties are incomplete.
class RandomParties {
 public:
  explicit RandomParties(std::uint64_t seed) : rng_(seed) {
    for (int group = 1 + rng_.Below(6); group > 0; --group) AddGroup();
    for (MatchTicket& candidate : candidates_) {
      if (rng_.Below(4) > 0) continue;
      blocked_.push_back(
          {static_cast<std::uint32_t>(rng_.Below(static_cast<int>(tickets_.size())))});
      if (blocked_.back()[0] != candidate.player) candidate.blocked = blocked_.back();
    }
  }

  const Queue& queue() const { return queue_; }
  const std::vector<Ticket>& tickets() const { return tickets_; }
  const std::vector<MatchTicket>& candidates() const { return candidates_; }

  // Returns the tickets of a table that has only the tickets `a` and `b` and their parties.
  std::set<std::size_t> Union(std::size_t a, std::size_t b) const {
    std::set<std::size_t> members = {a, b};
    for (std::size_t i = 0; i < tickets_.size(); ++i) {
      for (const std::size_t one : {a, b}) {
        if (!tickets_[i].party.empty() && tickets_[i].party == tickets_[one].party) {
          members.insert(i);
        }
      }
    }
    return members;
  }

  // Returns true if a table may have all these tickets, which are whole groups.
  bool MayShareATable(const std::set<std::size_t>& members) const {
    if (members.size() > static_cast<std::size_t>(queue_.player_count)) return false;
    for (const std::size_t a : members) {
      const auto present = std::count_if(members.begin(), members.end(), [&](std::size_t b) {
        return a == b || (!tickets_[a].party.empty() && tickets_[a].party == tickets_[b].party);
      });
      if (present < tickets_[a].party_size) return false;
      for (const std::size_t b : members) {
        if (matching::BlockBetween(candidates_[a], candidates_[b])) return false;
      }
    }
    return true;
  }

 private:
  void AddGroup() {
    const int size = 1 + rng_.Below(queue_.player_count);
    const bool incomplete = size > 1 && rng_.Below(4) == 0;
    const RoomId room = size > 1 ? RoomId{entropy_.NewUuid()} : RoomId();
    for (int i = incomplete ? 1 : 0; i < size; ++i) {
      const auto number = static_cast<std::uint32_t>(tickets_.size());
      tickets_.push_back({.id = TicketId{entropy_.NewUuid()},
                          .create_time = absl::UnixEpoch() + absl::Seconds(number),
                          .party = room,
                          .party_size = size});
      candidates_.push_back(
          {.id = number, .player = number, .create_time = tickets_.back().create_time});
    }
  }

  Rng rng_;
  SeededEntropy entropy_{7};
  Queue queue_{.player_count = 3 + rng_.Below(3)};
  std::vector<Ticket> tickets_;
  std::vector<MatchTicket> candidates_;
  std::deque<std::vector<std::uint32_t>> blocked_;
};

// Compares ExplainCasual() with a plain search over the tickets of both parties. All tickets have
// the same rating, so only parties and blocks keep two tickets apart.
TEST(ExplainCasualTest, CountsATicketAsFittingExactlyIfATableMayHaveBothParties) {
  std::map<Obstacle, int> seen;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed=" << seed);
    const RandomParties wave(seed);
    for (std::size_t a = 0; a < wave.tickets().size(); ++a) {
      const std::vector<Obstacle> obstacles = ExplainCasual(
          wave.queue(), wave.tickets(), wave.candidates(), absl::UnixEpoch() + absl::Hours(1), a);
      for (std::size_t b = 0; b < wave.tickets().size(); ++b) {
        if (a == b) continue;
        const std::set<std::size_t> both = wave.Union(a, b);
        EXPECT_EQ(obstacles[b] == Obstacle::kNone, wave.MayShareATable(both));
        if (obstacles[b] == Obstacle::kPartyTooLarge) {
          std::set<RoomId> parties;
          int players = 0;
          for (const std::size_t i : both) {
            const Ticket& ticket = wave.tickets()[i];
            const bool counts = ticket.party.empty() || parties.insert(ticket.party).second;
            if (counts) players += ticket.party_size;
          }
          EXPECT_GT(players, wave.queue().player_count);
        }
        ++seen[obstacles[b]];
      }
    }
  }
  EXPECT_THAT(seen, testing::UnorderedElementsAre(
                        testing::Pair(Obstacle::kNone, testing::Gt(100)),
                        testing::Pair(Obstacle::kBlocked, testing::Gt(100)),
                        testing::Pair(Obstacle::kPartyIncomplete, testing::Gt(100)),
                        testing::Pair(Obstacle::kPartyTooLarge, testing::Gt(100))));
}

}  // namespace
}  // namespace tarot::matchmaking_service
