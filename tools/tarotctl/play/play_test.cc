#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <string>
#include <thread>
#include <vector>

#include "tools/tarotctl/testing/command_fixture.h"

namespace tarot::tarotctl {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class PlayTest : public CommandFixture {
 protected:
  int Play(std::vector<std::string> args) {
    args.insert(args.begin(), "play");
    return Command(std::move(args));
  }
};

TEST_F(PlayTest, AutoPlaysAWholeMatch) {
  EXPECT_EQ(Play({"--name", "Ada", "--auto"}), 0) << err_.str();
  EXPECT_THAT(err_.str(), HasSubstr("You are Ada, waiting in casual4"));
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("wins trick 18."), HasSubstr("is over. "),
                                HasSubstr("The match is over.")));
}

TEST_F(PlayTest, SaysWhichSeatHasLostTheConnection) {
  platform_.LoseConnection(2);
  EXPECT_EQ(Play({"--auto"}), 0) << err_.str();
  const std::string out = out_.str();
  const std::size_t told = out.find(" has lost the connection.\n");
  ASSERT_NE(told, std::string::npos) << out;
  EXPECT_EQ(out.find(" has lost the connection.\n", told + 1), std::string::npos);
}

TEST_F(PlayTest, ExplainsAndRefusesAnswersOfAScript) {
  // The player bids first and takes. The script has all kinds of wrong answers.
  EXPECT_EQ(Play({"--script", Script("?\ndance\ngarde\ns4 s5\ns4 s5 s7 h5 h8 t15\n"
                                     "s4 s5 s7 h5 h8 h9\nn\nhr\nt21\nclaim\n")}),
            1);
  const std::string out = out_.str();
  EXPECT_THAT(out, AllOf(HasSubstr("Bids: pass (p)"), HasSubstr("'dance' is not a bid"),
                         HasSubstr("Ada takes: garde."), HasSubstr("Your écart, 6 of"),
                         HasSubstr("Announce a slam"), HasSubstr("Your card: ")));
  EXPECT_THAT(out, HasSubstr("Not allowed: You do not hold ♥R.\n"));
  EXPECT_THAT(out, HasSubstr("Not allowed: It is not proven that you win trick 4.\n"));
  // The server refused two écarts, two cards and a claim, each with its reason.
  std::size_t refusals = 0;
  for (std::size_t at = 0; (at = out.find("Not allowed: ", at)) != std::string::npos; ++at) {
    ++refusals;
  }
  EXPECT_EQ(refusals, 5u) << out;
  EXPECT_THAT(err_.str(), HasSubstr("Come back with: tarotctl play --resume"));
}

TEST_F(PlayTest, WaitsWithItsPartyInsteadOfAlone) {
  EXPECT_EQ(Command({"open", "--json"}), 0) << err_.str();
  platform_.WaitAlone();
  EXPECT_EQ(Play({"--party", "--auto"}), 0) << err_.str();
  EXPECT_TRUE(platform_.ticket_deleted());
}

TEST_F(PlayTest, TakesItsSeatBackFromTheBot) {
  platform_.HoldSeat();
  EXPECT_EQ(Play({"--auto"}), 0) << err_.str();
  EXPECT_FALSE(platform_.seat_held());
  EXPECT_THAT(err_.str(), HasSubstr("You have your seat back from the bot."));
}

TEST_F(PlayTest, LeavesTheSeatToTheBotAtAnIdleTerminal) {
  Keyboard keyboard;
  keyboard.Type("p\n\nq\n");  // The keys are a bid, then Enter to take the seat back.
  // The first command only takes a seat. Without it, the second command would wait in the queue,
  // and would read the keys before the match begins.
  EXPECT_EQ(Play({"--script", Script("")}), 1);
  platform_.HoldSeatAfterNextAction();
  EXPECT_EQ(Play({"--resume", "--script", keyboard.path()}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("A bot plays for you. Enter takes your seat back."));
  EXPECT_FALSE(platform_.seat_held());
  EXPECT_THAT(err_.str(), HasSubstr("You have your seat back from the bot."));
}

TEST_F(PlayTest, ResumesOnlyAtItsOwnTable) {
  EXPECT_EQ(Play({"--resume"}), 5);
  EXPECT_EQ(Play({"--script", Script("")}), 1);  // The player sits down at a table and leaves.
  EXPECT_EQ(Play({"--resume", "--auto"}), 0) << err_.str();
  EXPECT_THAT(err_.str(), HasSubstr("You sit at a table already"));
}

TEST_F(PlayTest, LeavesTheQueueOnCtrlC) {
  platform_.KeepWaiting();
  std::thread player([&] { EXPECT_EQ(Play({}), 130); });
  // Waits until the command handles SIGINT. Without a terminal, the end of the input does not end
  // the wait in the queue. Only the signal does.
  while (true) {
    struct sigaction now = {};
    sigaction(SIGINT, nullptr, &now);
    if (now.sa_handler != SIG_DFL) break;
    std::this_thread::yield();
  }
  raise(SIGINT);
  player.join();
  EXPECT_TRUE(platform_.ticket_deleted());
  EXPECT_THAT(err_.str(), HasSubstr("You left the queue."));
}

TEST_F(PlayTest, ExplainsAnUnknownQueue) {
  EXPECT_EQ(Play({"--queue", "ranked9"}), 5);
  EXPECT_THAT(err_.str(), HasSubstr("QUEUE_NOT_FOUND"));
  EXPECT_THAT(err_.str(), Not(HasSubstr("token")));
}

TEST_F(PlayTest, AddsANonceOnceAndShowsIt) {
  // The player has a seat, and the deal continues.
  EXPECT_EQ(Play({"--name", "Ada", "--script", Script("")}), 1);
  EXPECT_EQ(Command({"nonce", "", "--hex", "c0ffee"}), 0) << err_.str();
  EXPECT_EQ(platform_.nonce(), "\xc0\xff\xee");
  EXPECT_THAT(out_.str(), AllOf(HasSubstr("Deal 2 of tables/"), HasSubstr("commitment  5e5e5e"),
                                HasSubstr("your nonce  c0ffee\n")));
  EXPECT_EQ(Command({"nonce", ""}), 1) << "the first one stays";
  EXPECT_THAT(err_.str(), HasSubstr("the nonce stays"));
}

TEST_F(PlayTest, SpeaksAndMutesAtItsTurn) {
  EXPECT_EQ(Play({"--name", "Ada", "--script",
                  Script("say\nsay nonsense\nsay 2\nsay hello\nmute nemo\nmute 2\ngarde\n")}),
            1);
  const std::string out = out_.str();
  EXPECT_THAT(
      out, AllOf(HasSubstr("The phrases: 1 hello, 2 well played, 3 sorry"),
                 HasSubstr("Ada: Well played!\n"), HasSubstr("Not allowed: one phrase is enough\n"),
                 HasSubstr("Name a seat by its player, or by its number from 1.\n")));
  EXPECT_THAT(out, HasSubstr("bot Zoë is muted.\n"));
  EXPECT_EQ(platform_.muted(), 1u);
  EXPECT_THAT(out, Not(HasSubstr("Your time was up"))) << "a phrase is no move";
  EXPECT_THAT(out, HasSubstr("Ada takes: garde.")) << "the turn goes on after the phrase";
}

TEST_F(PlayTest, BlamesNoClockForADealThatAnOperatorCancels) {
  platform_.CancelDealAtNextPhrase();
  EXPECT_EQ(Play({"--name", "Ada", "--script", Script("say hello\ngarde\n")}), 1);
  EXPECT_THAT(out_.str(), Not(HasSubstr("Your time was up")));
  EXPECT_THAT(out_.str(), HasSubstr("Ada takes: garde.")) << "in the next deal";
}

TEST_F(PlayTest, MakesABreakAndComesBack) {
  EXPECT_EQ(Play({"--script", Script("takeback\nback\nagree\nbreak\nback\ngarde\n")}), 1);
  const std::string out = out_.str();
  EXPECT_THAT(out, AllOf(HasSubstr("Not allowed: the table does not allow it\n"),
                         HasSubstr("'back' is not a bid"), HasSubstr("No proposal is open.\n"),
                         HasSubstr("A break begins"), HasSubstr("The break is over.\n")));
  EXPECT_THAT(out, Not(HasSubstr("Your time was up"))) << "a break is no move";
  EXPECT_THAT(out, HasSubstr("Ada takes: garde.")) << "the turn goes on after the break";
}

TEST_F(PlayTest, KeepsALineOfTheScriptUntilABreakEnds) {
  platform_.EndBreaksAtOnce();
  EXPECT_EQ(Play({"--script", Script("break\ngarde\n")}), 1);
  EXPECT_THAT(out_.str(), HasSubstr("A break begins"));
  EXPECT_THAT(out_.str(), HasSubstr("Ada takes: garde.")) << "the break did not eat the bid";
}

TEST_F(PlayTest, VerifiesADealWithTheDealBefore) {
  const std::string table = "tables/5f3c2a10-0000-4000-8000-000000000001";
  EXPECT_EQ(Command({"verify", table + "/2"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("shuffled, because the previous deal had no score"));
  EXPECT_EQ(Command({"verify", table + "/8"}), 0);
  EXPECT_THAT(err_.str(), HasSubstr("The deal before cannot be read: the record is closed"));
  EXPECT_THAT(out_.str(), HasSubstr("the previous deal is missing"));
}

TEST_F(PlayTest, SpeaksAndMutesByCommands) {
  EXPECT_EQ(Play({"--name", "Ada", "--script", Script("")}), 1);
  EXPECT_EQ(Command({"say", "", "dance"}), 2);
  EXPECT_THAT(err_.str(), HasSubstr("the phrases are: 1 hello"));
  EXPECT_EQ(Command({"say", "", "good-game"}), 0) << err_.str();
  EXPECT_EQ(Command({"say", "", "6"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("one phrase is enough"));
  EXPECT_EQ(Command({"mute", "", "3"}), 0) << err_.str();
  EXPECT_EQ(platform_.muted(), 2u);
  EXPECT_EQ(Command({"mute", "", "9"}), 2);
  EXPECT_EQ(Command({"mute", "", "3", "--off"}), 0) << err_.str();
  EXPECT_EQ(platform_.muted(), std::nullopt);
}

TEST_F(PlayTest, MakesBreaksAndClaimsByCommands) {
  EXPECT_EQ(Play({"--name", "Ada", "--script", Script("")}), 1);
  EXPECT_EQ(Command({"takeback", ""}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("cannot take the card back: the table does not allow it"));
  EXPECT_EQ(Command({"break", ""}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("A break begins"));
  EXPECT_EQ(Command({"break", "", "--end"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("The break is over."));
  EXPECT_EQ(Command({"answer", "", "perhaps"}), 2);
  EXPECT_EQ(Command({"answer", "", "agree"}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("no proposal is open at this table"));
  EXPECT_EQ(Command({"claim", ""}), 1);
  EXPECT_THAT(err_.str(), HasSubstr("It is not proven that you win trick 4."));
}

TEST_F(PlayTest, ShowsTheDrawForTheFirstDealerOnce) {
  EXPECT_EQ(Play({"--name", "Ada", "--script", Script("garde\n")}), 1);
  const std::string out = out_.str();
  const std::string draw = "Draw for the first dealer: ";
  EXPECT_THAT(out, HasSubstr(draw));
  EXPECT_EQ(out.find(draw, out.find(draw) + 1), std::string::npos) << out;
}

TEST_F(PlayTest, ShowsTheSheetOfTheOwnTableOnly) {
  EXPECT_EQ(Command({"scores"}), 5) << "the player has sat at no table";
  EXPECT_THAT(err_.str(), HasSubstr("you have sat at no table"));
  EXPECT_EQ(Play({"--name", "Ada", "--script", Script("")}), 1);
  EXPECT_EQ(Command({"scores"}), 0) << err_.str();
  EXPECT_THAT(out_.str(), HasSubstr("Draw for the first dealer: "));
}

TEST_F(PlayTest, RefusesNoncesOfWrongSize) {
  for (const std::string hex : {"", "c", "zz", "c0 ffe"}) {
    EXPECT_EQ(Command({"nonce", "", "--hex", hex}), 2) << hex;
  }
  EXPECT_EQ(Command({"nonce", "", "--hex", std::string(66, 'a')}), 2);
  EXPECT_EQ(platform_.nonce(), "");
}

}  // namespace
}  // namespace tarot::tarotctl
