#include "tools/lab/engine/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "libs/notation/testing/examples.h"
#include "libs/testkit/golden.h"
#include "tools/lab/engine/line_input.h"

namespace tarot::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr char kNewDeal[] = "newdeal players 4 seat B seed 17 rules fft\n";

const std::string kView = std::string("view\n") + notation::kExampleView;

// Returns each line of `text`, followed by the answer to it.
std::string Session(const std::string& text) {
  std::ostringstream out;
  Engine engine("novice", out);
  std::string session;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipEmpty())) {
    out.str("");
    const bool on = engine.Take(line);
    absl::StrAppend(&session, "> ", line, "\n", out.str());
    if (!on) break;
  }
  return session;
}

// Returns the last answer to `text`.
std::string Answer(const std::string& text) {
  const std::vector<std::string> lines = absl::StrSplit(Session(text), '\n', absl::SkipEmpty());
  return lines.back();
}

// docs/engine_protocol.md shows the same session.
TEST(EngineTest, PlaysTheSessionOfTheGoldenFile) {
  const std::string hand = "[Deal \"A:? 21,19,18,16,10/92/QT954/7/QT421 ? ?\"]\n";
  const std::string bidding = "view\n% VIEW B\n[Players \"4\"]\n[Rules \"fft\"]\n" + hand +
                              "[Dog \"?\"]\n[Auction \"A\"]\n-\n*\n";
  std::string session =
      Session(absl::StrCat("tarot\nsetoption level novice\nisready\n", kNewDeal, bidding,
                           "legal\ngo nodes 1000\n", kView, "legal\ngo\nquit\n"));
  // Replaces the list of levels, so that a new level does not change the golden file.
  session = absl::StrReplaceAll(session, {{absl::StrJoin(ai::Levels(), " "), "novice club …"}});
  EXPECT_TRUE(testkit::MatchesGolden(TAROT_SOURCE_DIR "/tests/golden/engine_session.txt", session));
}

TEST(EngineTest, AnswersBadLinesWithAnErrorAndNoChange) {
  const std::string before = absl::StrCat(kNewDeal, kView);
  const std::string best = Answer(before + "go\n");
  EXPECT_THAT(best, StartsWith("bestaction play H"));
  const std::string bad[] = {"fold",
                             "tarot now",
                             "isready 1",
                             "go fast",
                             "go nodes -1",
                             "go nodes",
                             "setoption",
                             "setoption level grandmaster",
                             "newdeal",
                             "newdeal players 4 seat E seed 1 rules fft",
                             "newdeal players 6 seat A seed 1 rules fft",
                             "newdeal players 4 seat A seed x rules fft",
                             "newdeal players 4 seat A seed 1 rules bridge",
                             "view\n*",
                             "view\n% VIEW B\nfold\n*",
                             "\x01\x1b[2J"};
  for (const std::string& line : bad) {
    SCOPED_TRACE(line);
    const std::string session = Session(absl::StrCat(before, line, "\n"));
    const std::vector<std::string> lines = absl::StrSplit(session, '\n', absl::SkipEmpty());
    EXPECT_THAT(lines.back(), StartsWith("error "));
    EXPECT_EQ(Answer(absl::StrCat(before, line, "\ngo\n")), best);
  }
}

TEST(EngineTest, ListsOnlyKnownLinesInHelp) {
  EXPECT_THAT(Answer("fold\n"), HasSubstr("help"));
  std::vector<std::string> lines = absl::StrSplit(Session("help\n"), '\n', absl::SkipEmpty());
  ASSERT_GT(lines.size(), 2u);
  EXPECT_EQ(lines.back(), "helpok");
  for (std::size_t i = 1; i + 1 < lines.size(); ++i) {
    SCOPED_TRACE(lines[i]);
    ASSERT_THAT(lines[i], StartsWith("help "));
    const std::string verb = lines[i].substr(5, lines[i].find_first_of(" ,:", 5) - 5);
    EXPECT_THAT(Session(absl::StrCat(verb, "\n")), Not(HasSubstr("unknown")));
  }
}

TEST(EngineTest, RefusesViewsThatDoNotFitTheDeal) {
  EXPECT_EQ(Answer(kView), "error view: there is no newdeal");
  EXPECT_EQ(Answer("go\n"), "error there is no view");
  EXPECT_EQ(Answer(absl::StrCat(kNewDeal, "legal\n")), "error there is no view");
  EXPECT_THAT(Answer(absl::StrCat("newdeal players 4 seat A seed 1 rules fft\n", kView)),
              HasSubstr("differs from newdeal"));
  std::string waiting = kView;
  waiting.replace(waiting.find("H2 HJ"), 5, "H2");
  EXPECT_EQ(Answer(absl::StrCat(kNewDeal, waiting, "go\n")), "error the seat is not in turn");
  // A new deal removes the view.
  EXPECT_EQ(Answer(absl::StrCat(kNewDeal, kView, kNewDeal, "go\n")), "error there is no view");
}

TEST(EngineTest, ReportsCandidatesAndStopsOnRequest) {
  std::ostringstream out;
  int asked = 0;
  Engine engine("club", out, [&asked] { return ++asked == 3; });
  for (const absl::string_view line :
       absl::StrSplit(absl::StrCat(kNewDeal, kView, "go nodes 100000000\n"), '\n')) {
    engine.Take(line);
  }
  EXPECT_EQ(asked, 3);
  EXPECT_THAT(out.str(), HasSubstr(" worlds 3 solved 0\n"));
  EXPECT_THAT(out.str(), HasSubstr("info candidate play H4 value "));
  EXPECT_THAT(out.str(),
              ::testing::ContainsRegex("bestaction play H. value -?[0-9]+\\.[0-9][0-9]\n$"));
}

// A pipe. The test writes into one end, and the reader under test reads from the other end, out().
class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_), 0); }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  int out() const { return ends_[0]; }
  void Write(const std::string& text) {
    EXPECT_EQ(write(ends_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }

 private:
  int ends_[2] = {-1, -1};
};

TEST(LineInputTest, LooksAheadWithoutConsuming) {
  Pipe pipe;
  LineInput input(pipe.out());
  EXPECT_FALSE(input.NextIs("stop"));
  pipe.Write("go\nstop\r\nst");
  EXPECT_FALSE(input.NextIs("stop"));
  EXPECT_EQ(input.Next(), "go");
  EXPECT_TRUE(input.NextIs("stop"));
  EXPECT_EQ(input.Next(), "stop\r");
  EXPECT_FALSE(input.NextIs("stop"));
  pipe.Write("op it\n");
  EXPECT_FALSE(input.NextIs("stop"));
  EXPECT_EQ(input.Next(), "stop it");
}

TEST(LineInputTest, CutsLinesThatAreTooLong) {
  Pipe pipe;
  LineInput input(pipe.out());
  std::thread writer([&pipe] {
    for (int i = 0; i < 50; ++i) pipe.Write(std::string(10'000, 'x'));
    pipe.Write("\nisready\n");
  });
  EXPECT_EQ(input.Next(), std::string(LineInput::kLineBytesMax, 'x'));
  EXPECT_EQ(input.Next(), "isready");
  writer.join();
  EXPECT_LT(Answer(absl::StrCat(std::string(50'000, 'x'), "\n")).size(), 300u);
}

TEST(EngineTest, GivesTheSameAnswerTwice) {
  const std::string text = absl::StrCat("setoption level club\n", kNewDeal, kView);
  EXPECT_EQ(Answer(text + "go nodes 3000\n"), Answer(text + "go nodes 50\ngo nodes 3000\n"));
}

}  // namespace
}  // namespace tarot::lab
