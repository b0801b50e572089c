#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "libs/base/error.h"
#include "tools/tarotctl/testing/command_fixture.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::Room;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class RoomTest : public CommandFixture {
 protected:
  // Waits until `done` is true for the room.
  template <typename Done>
  void WaitFor(Done done) {
    while (!done(platform_.rooms().room())) std::this_thread::yield();
  }
};

TEST_F(RoomTest, OpensARoomWithBotsAndPlaysItsMatch) {
  EXPECT_EQ(
      Command({"open", "--name", "Ada", "--deals", "1", "--bots", "club", "--start", "--auto"}), 0)
      << err_.str();
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("Others join with: tarotctl join K7M2QX"),
                                HasSubstr("You left the room.")));
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("Private room 5f3c2a10"), HasSubstr("bot Papillon 1"),
                                HasSubstr("The match is over.")));
  const Room room = platform_.rooms().room();
  EXPECT_FALSE(room.has_viewer());
  EXPECT_EQ(room.terms().rule_set(), "fft");
  EXPECT_EQ(room.terms().player_count(), 4u);
  EXPECT_EQ(room.terms().deal_count(), 1u);
  EXPECT_EQ(room.terms().move_limit().seconds(), 30);
}

TEST_F(RoomTest, OpensWithTheTermsOfTheCommandLine) {
  EXPECT_EQ(Command({"open", "--json", "--rules", "pagat", "--players", "5", "--deals", "7",
                     "--move-limit", "1m30s", "--bank", "0", "--take-back", "--open"}),
            0)
      << err_.str();
  Room room = platform_.rooms().room();
  EXPECT_EQ(room.terms().rule_set(), "pagat");
  EXPECT_EQ(room.terms().player_count(), 5u);
  EXPECT_EQ(room.terms().deal_count(), 7u);
  EXPECT_EQ(room.terms().move_limit().seconds(), 90);
  EXPECT_FALSE(room.terms().has_time_bank());
  EXPECT_TRUE(room.terms().options().take_back());
  EXPECT_FALSE(room.terms().options().breaks());
  EXPECT_EQ(room.visibility(), Room::OPEN);
  EXPECT_THAT(out_.str(), HasSubstr("\"code\":\"K7M2QX\""));
  // The player still has the seat, so the platform refuses a second room.
  EXPECT_EQ(Command({"open", "--json"}), 1);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("IN_ROOM"), HasSubstr("tarotctl leave")));
  EXPECT_EQ(Command({"leave"}), 0);
  EXPECT_EQ(Command({"leave"}), 5);
  EXPECT_THAT(err_.str(), HasSubstr("you do not sit in a room"));
}

// A new name at a terminal makes another guest. The first guest may sit in a room, so the first
// guest's session moves to a file of its own.
TEST_F(RoomTest, KeepsTheSessionOfTheGuestBefore) {
  EXPECT_EQ(Command({"open", "--json", "--name", "Ada"}), 0) << err_.str();
  const auto ada = LoadSession(token_file_);
  ASSERT_TRUE(ada.ok());
  Command({"join", "K7M2QX", "--json", "--name", "Berta"});
  const std::string aside =
      absl::StrCat(token_file_, ".", ada->player().substr(ada->player().find('/') + 1));
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("This terminal was Ada until now."),
                                HasSubstr(absl::StrCat("TAROT_TOKEN_FILE=", aside))));
  EXPECT_EQ(LoadSession(token_file_)->display_name(), "Berta");
  EXPECT_EQ(LoadSession(aside)->display_name(), "Ada");
  unlink(aside.c_str());
}

TEST_F(RoomTest, AWrongCodeDoesNotReplaceTheGuest) {
  EXPECT_EQ(Command({"rooms"}), 0) << err_.str();
  const std::string before = LoadSession(token_file_)->display_name();
  EXPECT_EQ(Command({"join", "ABCDEF", "--name", "Berta"}), 5);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("CODE_NOT_FOUND"), Not(HasSubstr("until now"))));
  EXPECT_EQ(LoadSession(token_file_)->display_name(), before);
  EXPECT_EQ(Command({"open", "--name", "Berta", "--rules", "nowhere"}), 5);
  EXPECT_EQ(LoadSession(token_file_)->display_name(), before);
}

// The token may come from another gateway, which has another key.
TEST_F(RoomTest, KeepsATokenThatTheGatewayRefuses) {
  gateway::v1::Session old;
  old.set_player("players/x");
  old.set_token("of another gateway");
  old.set_display_name("Ada");
  old.mutable_expire_time()->set_seconds(absl::ToUnixSeconds(clock_.Now() + absl::Hours(24)));
  ASSERT_TRUE(SaveSession(token_file_, old).ok());
  EXPECT_EQ(Command({"tables"}), 0) << err_.str();
  const std::string aside = absl::StrCat(token_file_, ".x");
  EXPECT_THAT(err_.str(), HasSubstr(absl::StrCat("The old token stays in ", aside)));
  EXPECT_EQ(LoadSession(token_file_)->token(), "token");
  EXPECT_EQ(LoadSession(aside)->token(), "of another gateway");
  unlink(aside.c_str());
}

TEST_F(RoomTest, TakesTheSizeThatTheRuleSetHas) {
  EXPECT_EQ(Command({"open", "--json", "--rules", "fft_dead5"}), 0) << err_.str();
  EXPECT_EQ(platform_.rooms().room().terms().player_count(), 5u);
}

TEST_F(RoomTest, OpensACustomRuleSet) {
  EXPECT_EQ(Command({"open", "--json", "--rules", "booklet", "+mult=1,2,3,5"}), 0) << err_.str();
  EXPECT_EQ(platform_.rooms().room().terms().rules().mult(3), 5u);
  EXPECT_EQ(platform_.rooms().room().terms().player_count(), 4u);
  EXPECT_EQ(Command({"leave"}), 0);
  const std::string file = Script(R"({"preset": "fft_dead5", "handful": false})");
  EXPECT_EQ(Command({"open", "--json", "--rules-file", file}), 0) << err_.str();
  EXPECT_EQ(platform_.rooms().room().terms().rules().preset(), "fft_dead5");
  EXPECT_EQ(platform_.rooms().room().terms().player_count(), 5u);
}

TEST_F(RoomTest, RefusesWrongTermsBeforeItCallsThePlatform) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--players", "x"}, "--players takes a number"},
      {{"--deals", "-1"}, "--deals takes a number"},
      {{"--deals", "0"}, "--deals takes a number above 0"},
      {{"--move-limit", "soon"}, "--move-limit takes seconds"},
      {{"--move-limit", "1.5s"}, "--move-limit takes seconds"},
      {{"--bank", "inf"}, "--bank takes seconds"},
      {{"--bots", "genius"}, "novice, club, sociable, strong or expert"},
      {{"--open", "--private"}, "either --open or --private"},
      {{"cheese"}, "+PARAMETER=VALUE"},
      {{"+cheese=1"}, "cheese"},
      {{"--rules", "nowhere", "+mult=1,2,3,4"}, "no rule set has that name"},
      {{"--rules-file", "/nowhere/rules.json"}, "/nowhere/rules.json"},
      {{"--rules-file", Script("{\"cheese\": 1}")}, "is not a rule set"},
      {{"--rules-file", "x.json", "--rules", "fft"}, "either --rules or --rules-file"}};
  for (const auto& [options, problem] : cases) {
    std::vector<std::string> args = options;
    args.insert(args.begin(), "open");
    err_.str("");
    EXPECT_EQ(Command(args), 2) << problem;
    EXPECT_THAT(err_.str(), HasSubstr(problem));
  }
  EXPECT_EQ(platform_.rooms().room().name(), "");
  EXPECT_EQ(Command({"open", "--rules", "nowhere"}), 5);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("RULE_SET_NOT_FOUND"), HasSubstr("tarotctl rule-sets")));
}

TEST_F(RoomTest, JoinsByCodeAndByName) {
  platform_.rooms().OpenForOthers();
  EXPECT_EQ(Command({"join", "ABCDEF"}), 5);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("CODE_NOT_FOUND"), HasSubstr("Ask the host")));
  EXPECT_EQ(Command({"join", "k7m2qx", "--json"}), 0) << err_.str();
  EXPECT_TRUE(platform_.rooms().room().has_viewer());
  EXPECT_EQ(Command({"join", "k7m2qx", "--json"}), 0) << "it is the player's own room";
  EXPECT_EQ(Command({"leave"}), 0);
  EXPECT_EQ(Command({"join", "5f3c2a10-0000-4000-8000-000000000005", "--json"}), 0) << err_.str();
  EXPECT_EQ(Command({"leave"}), 0);
  for (const int seat : {0, 2, 3}) platform_.rooms().Sit(seat, absl::StrCat("P", seat));
  EXPECT_EQ(Command({"join", "rooms/5f3c2a10-0000-4000-8000-000000000005"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("ROOM_FULL"));
}

TEST_F(RoomTest, ListsRooms) {
  EXPECT_EQ(Command({"rooms"}), 0);
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("No open room has a free seat."),
                                HasSubstr("your id: 5f3c2a10-0000-4000-8000-000000000003")));
  platform_.rooms().OpenForOthers();
  EXPECT_EQ(Command({"rooms"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("Zoë, 3 free"));
}

TEST_F(RoomTest, ChangesTheRoomByCommands) {
  EXPECT_EQ(Command({"bot", "2", "club"}), 5) << "there is no room";
  EXPECT_EQ(Command({"open", "--json"}), 0);
  EXPECT_EQ(Command({"bot", "2", "club"}), 0) << err_.str();
  EXPECT_EQ(platform_.rooms().room().seats(1).bot_level(), "club");
  EXPECT_EQ(Command({"bot", "all", "sociable"}), 0) << err_.str();
  EXPECT_EQ(platform_.rooms().room().seats(1).bot_level(), "club");
  EXPECT_EQ(platform_.rooms().room().seats(3).bot_level(), "sociable");
  EXPECT_EQ(Command({"bot", "all", "sociable"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("no seat of the room is free"));
  EXPECT_EQ(Command({"room", "--json"}), 0);
  EXPECT_EQ(Command({"bot", "4", "none"}), 0) << err_.str();
  EXPECT_EQ(platform_.rooms().room().seats(3).player(), "");
  platform_.rooms().Sit(3, "Bea");
  EXPECT_EQ(Command({"remove", "bea"}), 0) << err_.str();
  EXPECT_EQ(platform_.rooms().room().seats(3).player(), "");
  EXPECT_EQ(Command({"remove", "2"}), 0) << err_.str();
  EXPECT_EQ(platform_.rooms().room().seats(1).player(), "");
  EXPECT_EQ(Command({"invite", kFriend}), 0) << err_.str();
  EXPECT_EQ(platform_.rooms().room().invited(0), kFriend);
  EXPECT_EQ(Command({"invite", "me"}), 5);
  EXPECT_THAT(err_.str(), HasSubstr("PLAYER_NOT_FOUND"));
  EXPECT_EQ(Command({"bot", "5", "club"}), 2);
  EXPECT_EQ(Command({"bot", "2", "genius"}), 2);
  EXPECT_EQ(Command({"remove", "Dora"}), 2);
  platform_.rooms().RefuseStart(
      Error(absl::StatusCode::kFailedPrecondition, "SEATS_FREE", "3 seats are free"));
  EXPECT_EQ(Command({"start"}), 1);
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("SEATS_FREE"), HasSubstr("tarotctl bot all sociable")));
}

TEST_F(RoomTest, FollowsTheRoomAtATerminal) {
  Keyboard keyboard;
  std::thread host([&] {
    EXPECT_EQ(Command({"open", "--auto", "--script", keyboard.path()}), 0) << err_.str();
  });
  WaitFor([](const Room& room) { return room.has_viewer(); });
  platform_.rooms().Sit(1, "Bea");
  keyboard.Type("dance\n?\nbot all novice\n");
  WaitFor([](const Room& room) { return !room.seats(3).player().empty(); });
  keyboard.Type("s\n");
  WaitFor(
      [](const Room& room) { return room.state() == Room::GATHERING && !room.table().empty(); });
  const std::string first = platform_.rooms().room().table();
  keyboard.Type("\ns\n");  // The return match.
  WaitFor(
      [&](const Room& room) { return room.state() == Room::GATHERING && room.table() != first; });
  keyboard.Type("leave\n");
  host.join();
  EXPECT_FALSE(platform_.rooms().room().has_viewer());
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("Not done: expected: start"),
                                HasSubstr("starts the match, also a return match"),
                                HasSubstr("Bea takes seat 2."), HasSubstr("bot Papillon 3"),
                                HasSubstr("The host can start a return match.")));
  EXPECT_THAT(err_.str(), HasSubstr("You left the room."));
}

TEST_F(RoomTest, KeepsTheSeatWhenThePersonGoesAway) {
  Keyboard keyboard;
  keyboard.Type("q\n");
  EXPECT_EQ(Command({"open", "--script", keyboard.path()}), 0) << err_.str();
  EXPECT_TRUE(platform_.rooms().room().has_viewer());
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("An unused room ends after ten minutes."),
                                HasSubstr("tarotctl room"), HasSubstr("tarotctl leave")));
  Keyboard again;
  again.Type("Leave\n");  // Capitals do not matter.
  EXPECT_EQ(Command({"room", "--script", again.path()}), 0) << err_.str();
  EXPECT_FALSE(platform_.rooms().room().has_viewer());
}

TEST_F(RoomTest, WatchesAMatchThatBeganWithoutThePlayer) {
  Keyboard keyboard;
  platform_.Unseat();
  EXPECT_EQ(Command({"open", "--json", "--bots", "club"}), 0) << err_.str();
  EXPECT_EQ(Command({"start"}), 0) << err_.str();
  keyboard.Type("q\n");
  EXPECT_EQ(Command({"room", "--script", keyboard.path()}), 0) << err_.str();
  EXPECT_THAT(err_.str(), AllOf(HasSubstr("Your seat in the room stays"),
                                Not(HasSubstr("while you are away the clock runs"))));
}

TEST_F(RoomTest, EndsWhenTheHostRemovesThePlayer) {
  platform_.rooms().OpenForOthers();
  std::thread guest([&] { EXPECT_EQ(Command({"join", "K7M2QX"}), 1); });
  WaitFor([](const Room& room) { return room.has_viewer(); });
  platform_.rooms().RemovePlayer();
  guest.join();
  EXPECT_THAT(err_.str(), HasSubstr("You sit in this room no longer."));
  EXPECT_THAT(err_.str(), Not(HasSubstr("token")));
}

TEST_F(RoomTest, ShowsTheRuleSets) {
  EXPECT_EQ(Command({"rule-sets"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("fft_dead5"), HasSubstr("3,4,5")));
  EXPECT_EQ(Command({"rule-sets", "pagat", "--json"}), 0);
  EXPECT_THAT(out_.str(), HasSubstr("{\"name\":\"pagat\""));
  EXPECT_EQ(Command({"rule-sets", "nowhere"}), 5);
}

}  // namespace
}  // namespace tarot::tarotctl
