#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>

#include "absl/strings/str_cat.h"
#include "libs/rules/parameters/parameters.h"
#include "tools/lab/arena/match.h"
#include "tools/lab/arena/process.h"
#include "tools/lab/arena/results_file.h"

namespace tarot::lab {
namespace {

using ::testing::HasSubstr;

std::string RandomEngine(const std::string& fault = "") {
  return absl::StrCat("exec python3 -B ", TAROT_SOURCE_DIR, "/tests/engine/random_engine.py ",
                      fault);
}

MatchSettings Settings(const std::string& one, const std::string& rest,
                       const std::string& rules = "fft", int players = 4) {
  return {.one = one, .rest = rest, .rules = *rules::ParseRuleSet(rules), .players = players};
}

// The random engine shares no code with the bots. The arena must play whole deals with it under
// rule sets with a call, with a free choice of the écart, and with a dealer who sits out.
TEST(ArenaTest, PlaysWholeDealsWithARandomEngine) {
  int points = 0;
  for (const auto& [rules, players] : {std::pair<std::string, int>{"fft", 3},
                                       {"fft", 4},
                                       {"fft", 5},
                                       {"webguide", 4},
                                       {"fft_dead5", 5},
                                       {"preneur", 5},
                                       {"fft_duplicate", 4}}) {
    SCOPED_TRACE(absl::StrCat(rules, " ", players));
    const MatchSettings settings = Settings("novice", RandomEngine(), rules, players);
    MatchTable table(settings);
    for (int deal = 0; deal < 3; ++deal) {
      const auto played = table.Play(deal);
      ASSERT_TRUE(played.ok()) << played.status();
      EXPECT_EQ(static_cast<int>(played->size()), settings.rules.Playing(players));
      for (const SeatResult& result : *played) points += result.points;
    }
  }
  EXPECT_GT(points, 0);  // The heuristics of `novice` get more points than random play.
}

TEST(ArenaTest, PlaysTheSameMatchBehindTheProtocol) {
  const MatchSettings inside = Settings("club", "novice");
  const MatchSettings outside = {.one = TAROT_BIN_DIR "/tarot-lab engine --level club",
                                 .rest = "novice",
                                 .rules = inside.rules,
                                 .node_budget = 500};
  MatchSettings budget = inside;
  budget.node_budget = 500;
  MatchTable ours(budget), theirs(outside);
  for (int deal = 0; deal < 2; ++deal) {
    const auto points = ours.Play(deal);
    const auto same = theirs.Play(deal);
    ASSERT_TRUE(points.ok()) << points.status();
    ASSERT_TRUE(same.ok()) << same.status();
    EXPECT_EQ(*points, *same);
  }
}

TEST(ArenaTest, ReportsFaultsOfPlayers) {
  const std::pair<std::string, std::string> faults[] = {
      {RandomEngine("crash"), "it has ended"},
      {RandomEngine("hang"), "no answer in time"},
      {RandomEngine("babble"), "it answered \"bestaction whatever is best\""},
      {RandomEngine("illegal"), "it answered \"bestaction play T22\""},
      {"exit 0", "it has ended"},
      {"sed -u 's/^tarot$/tarotok/; s/^isready$/readyok/; s/^go.*/bestaction\\tplay H1/'",
       "\"play H1\": "}};
  for (const auto& [command, what] : faults) {
    MatchSettings settings = Settings(command, "novice");
    settings.patience = absl::Seconds(what == "no answer in time" ? 1 : 20);
    const auto played = MatchTable(settings).Play(3);
    ASSERT_FALSE(played.ok()) << command;
    EXPECT_THAT(std::string(played.status().message()),
                AllOf(HasSubstr("deal 3, seat A, "), HasSubstr(what)));
  }
}

TEST(ArenaTest, StopsWaitingForAProgramThatDoesNotRead) {
  const auto process = Process::Start("exec sleep 1000");
  ASSERT_TRUE(process.ok()) << process.status();
  EXPECT_TRUE((*process)->Write("isready\n", absl::Seconds(20)).ok());
  EXPECT_TRUE(absl::IsDeadlineExceeded(
      (*process)->Write(std::string(10'000'000, 'x'), absl::Milliseconds(200))));
}

// If the arena is killed, all its engines end, even an engine that does not read its input.
TEST(ArenaTest, EndsItsEnginesWithItself) {
  const std::string arena = absl::StrCat("echo $$; exec ", TAROT_BIN_DIR,
                                         "/tarot-lab arena 'echo begun >&2; exec sleep 1000' novice"
                                         " --jobs 1 --timeout 900 2>&1");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(popen(arena.c_str(), "re"), &pclose);
  ASSERT_NE(out, nullptr);
  char line[100] = "";
  ASSERT_NE(std::fgets(line, sizeof(line), out.get()), nullptr);
  const pid_t pid = std::atoi(line);
  ASSERT_GT(pid, 1);
  ASSERT_NE(std::fgets(line, sizeof(line), out.get()), nullptr);
  EXPECT_STREQ(line, "begun\n");
  ASSERT_EQ(kill(pid, SIGKILL), 0);
  // The engine also has this pipe open, as its stderr. So a reader of the pipe reaches the end only
  // after the engine has ended.
  pollfd ended{.fd = fileno(out.get()), .events = 0, .revents = 0};
  EXPECT_EQ(poll(&ended, 1, 20'000), 1);
  EXPECT_EQ(ended.revents, POLLHUP);
}

TEST(ArenaTest, KeepsPlayedDealsInTheFile) {
  const std::string path = absl::StrCat(testing::TempDir(), "/arena_results.txt");
  std::remove(path.c_str());
  const MatchSettings settings = Settings("novice", "club");
  {
    auto file = ResultsFile::Open(path, settings);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_TRUE(file->kept().empty());
    EXPECT_TRUE(file->Append(4, {{1}, {-2}, {3}, {0}}).ok());
    EXPECT_TRUE(file->Append(0, {{5, Role::kTaker}, {5, Role::kDefender}, {5}, {5}}).ok());
  }
  std::ofstream(path, std::ios::app) << "7 1 2";  // The line is cut short.
  {
    auto file = ResultsFile::Open(path, settings);
    ASSERT_TRUE(file.ok()) << file.status();
    const std::map<int, std::vector<SeatResult>> kept = {
        {0, {{5, Role::kTaker}, {5, Role::kDefender}, {5}, {5}}}, {4, {{1}, {-2}, {3}, {0}}}};
    EXPECT_EQ(file->kept(), kept);
    EXPECT_TRUE(file->Append(7, {{1}, {1}, {1}, {1}}).ok());
  }
  EXPECT_EQ(ResultsFile::Open(path, settings)->kept().size(), 3u);
  MatchSettings other = settings;
  other.seed = 2;
  EXPECT_THAT(std::string(ResultsFile::Open(path, other).status().message()),
              HasSubstr("not of this match"));
  std::ofstream(path, std::ios::app) << "8 1 2\n";
  EXPECT_THAT(std::string(ResultsFile::Open(path, settings).status().message()),
              HasSubstr(":5: no deal"));
  EXPECT_FALSE(ResultsFile::Open(testing::TempDir() + "/none/such", settings).ok());
}

TEST(ArenaTest, SummarizesAMatch) {
  const Role t = Role::kTaker, d = Role::kDefender;
  const MatchSummary same = Summarize({{{4, t}, {-2, d}}, {{1, d}, {1, t}}, {{3, t}, {-1, d}}});
  EXPECT_EQ(same.deals, 3);
  EXPECT_DOUBLE_EQ(same.all.points, 1);
  // Each deal has the mean 1, so both ends of the interval are 1.
  EXPECT_DOUBLE_EQ(same.all.low95, 1);
  EXPECT_DOUBLE_EQ(same.all.high95, 1);
  EXPECT_NEAR(same.by_seat[0].points, 8 / 3.0, 1e-9);
  ASSERT_EQ(same.by_role.size(), 2u);  // The deals had no partner.
  EXPECT_EQ(same.by_role.at(t).games, 3);
  EXPECT_NEAR(same.by_role.at(t).points, 8 / 3.0, 1e-9);
  EXPECT_NEAR(same.by_role.at(d).points, -2 / 3.0, 1e-9);
  std::vector<std::vector<SeatResult>> coins;
  for (int i = 0; i < 400; ++i) coins.push_back({{i % 2 == 0 ? 10 : -10}});
  const MatchSummary spread = Summarize(coins);  // The half width is 1.96 * 10 / sqrt(400) = 0.98.
  EXPECT_NEAR(spread.all.low95, -0.98, 0.1);
  EXPECT_NEAR(spread.all.high95, 0.98, 0.1);
}

// If the contract is given, the arena draws the taker and asks for no bids. The taker is the same
// in all games of a deal.
TEST(ArenaTest, PlaysAGivenContract) {
  for (const int players : {3, 4, 5}) {
    MatchSettings settings = Settings("novice", "novice", "fft", players);
    settings.contract = rules::Contract::kGarde;
    MatchTable table(settings);
    for (int deal = 0; deal < 5; ++deal) {
      const auto games = table.Play(deal);
      ASSERT_TRUE(games.ok()) << games.status();
      int takers = 0;
      for (const SeatResult& result : *games) {
        takers += result.role == Role::kTaker ? 1 : 0;
        EXPECT_NE(result.role, Role::kNone);
        EXPECT_EQ(result.points, 0);  // `one` and `rest` are equal, so all games are equal.
      }
      EXPECT_EQ(takers, 1);
    }
  }
}

// `rival` shares no code with the bots, which are measured against it. It must play whole matches
// without an illegal action.
TEST(ArenaTest, PlaysAgainstTheRival) {
  for (const int players : {3, 4, 5}) {
    MatchSettings settings =
        Settings(TAROT_BIN_DIR "/rival pimc 3", TAROT_BIN_DIR "/rival rule", "fft", players);
    MatchTable table(settings);
    for (int deal = 0; deal < 4; ++deal) {
      const auto games = table.Play(deal);
      ASSERT_TRUE(games.ok()) << games.status();
    }
  }
}

}  // namespace
}  // namespace tarot::lab
