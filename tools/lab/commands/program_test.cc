#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "libs/ai/analysis/testing/partners.h"
#include "libs/base/entropy.h"
#include "libs/base/real_clock.h"
#include "libs/notation/tdn.h"
#include "services/ratings/transport/rating_service.h"
#include "tools/lab/commands/commands.h"

namespace tarot::lab {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string kVectors = TAROT_SOURCE_DIR "/tests/data/vectors/";

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

Ran RunIt(const std::vector<std::string>& args) {
  RealClock clock;
  RealScheduler scheduler;
  SeededEntropy entropy(1);
  std::ostringstream out, err;
  const int code = cli::Run(
      TarotLab(), args,
      {.out = out, .err = err, .clock = clock, .scheduler = scheduler, .entropy = entropy});
  return {code, out.str(), err.str()};
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::string WriteFile(const std::string& name, const std::string& text) {
  const std::string path = absl::StrCat(testing::TempDir(), "/", name);
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(RunTest, PassesTheVectors) {
  const Ran ran = RunIt({"vectors", kVectors + "score.json", kVectors + "fullplay_3.jsonl",
                         kVectors + "fullplay_4.jsonl", kVectors + "fullplay_5.jsonl"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "297 passed, 0 failed\n");
}

TEST(RunTest, FailsForAWrongVector) {
  const std::string wrong = absl::StrReplaceAll(ReadFile(kVectors + "score.json"),
                                                {{"\"expect_unit\": 582", "\"expect_unit\": 583"}});
  const Ran ran = RunIt({"vectors", WriteFile("wrong.json", wrong)});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.out, HasSubstr("fft-5: unit: expected 583, got 582\n"));
  EXPECT_THAT(ran.out, EndsWith("\n30 passed, 1 failed\n"));
}

TEST(RunTest, ListsRuleSetsWithEveryParameter) {
  EXPECT_THAT(RunIt({"rulesets"}).out, HasSubstr("\nfft_dead5 "));
  const Ran all = RunIt({"rulesets", "--json"});
  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.out, AllOf(HasSubstr("{\n  \"fft\": {\n    \"players\": [3,4,5],"),
                             HasSubstr("\"booklet\": {"), HasSubstr("\"mult\": [1,2,3,4]")));
  EXPECT_THAT(RunIt({"rulesets", "fft", "+cut_min=3"}).out,
              AllOf(HasSubstr("*  cut_min "), EndsWith("As text: fft +cut_min=3\n")));
  const Ran wrong = RunIt({"rulesets", "fft +hand=4:17"});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.err, HasSubstr("against dog: "));
}

TEST(RunTest, MakesVectorsOrChecksThem) {
  const Ran made = RunIt({"vectors", "--count", "3", "--rules", "pagat", "--players", "5"});
  EXPECT_EQ(made.code, 0);
  const std::string path = WriteFile("made.jsonl", made.out);
  EXPECT_EQ(RunIt({"vectors", path}).out, "3 passed, 0 failed\n");
  EXPECT_EQ(RunIt({"vectors", "--answer", path}).out, made.out);
  EXPECT_EQ(RunIt({"vectors"}).code, 2);
  EXPECT_EQ(RunIt({"vectors", "--count", "3", path}).code, 2);
  EXPECT_EQ(RunIt({"vectors", "--count", "1", "--rules", "nowhere"}).code, 2);
  EXPECT_EQ(RunIt({"vectors", "--count", "1", "--rules", "club", "--players", "5"}).code, 1);
}

TEST(RunTest, ReturnsFiveForAMissingFile) {
  const std::string none = "/nonexistent/file";
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"vectors", kVectors + "score.json", none},
           {"vectors", "--answer", none},
           {"audit", TAROT_SOURCE_DIR "/tests/data/notation/example.tdn", none},
           {"record", none},
           {"verify", none},
           {"analyze", none}}) {
    const Ran ran = RunIt(args);
    EXPECT_EQ(ran.code, 5) << args[0];
    EXPECT_EQ(ran.out, "") << args[0];
    EXPECT_THAT(ran.err, testing::MatchesRegex("tarot-lab: /nonexistent/file: [^\n]*\n"));
  }
}

TEST(RunTest, RefusesADirectoryAsAFile) {
  const std::string directory = testing::TempDir();
  const std::string why = "cannot be read: Is a directory\n";
  EXPECT_THAT(RunIt({"vectors", directory}).out, HasSubstr(why));
  EXPECT_THAT(RunIt({"vectors", "--answer", directory}).err, EndsWith(why));
  EXPECT_THAT(RunIt({"verify", directory}).err, EndsWith(why));
  const Ran ran = RunIt({"record", directory});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, EndsWith(why));
}

TEST(RunTest, RefusesToAnswerAListOfScores) {
  const Ran ran = RunIt({"vectors", "--answer", kVectors + "score.json"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, EndsWith("score.json: is a list of scores, not one deal per line\n"));
}

TEST(RunTest, ConvertsAndAuditsAFileOfRecords) {
  const std::string example = TAROT_SOURCE_DIR "/tests/data/notation/example.tdn";
  const Ran bin = RunIt({"record", example, "--format", "bin"});
  EXPECT_EQ(bin.code, 0) << bin.err;
  const std::string archive = WriteFile("example.tarotrec", bin.out);
  EXPECT_EQ(RunIt({"record", archive}).out, ReadFile(example));
  EXPECT_EQ(RunIt({"verify", archive}).code, 0);
  const Ran sound = RunIt({"audit", "--jobs", "2", archive, example});
  EXPECT_EQ(sound.code, 0);
  EXPECT_EQ(sound.out, "2 records, 0 wrong\n");
  std::string lie = absl::StrReplaceAll(ReadFile(example), {{"C:40/41", "C:41/41"}});
  const std::string path = WriteFile("lie.tdn", lie);
  EXPECT_EQ(RunIt({"record", path}).code, 1);
  const Ran wrong = RunIt({"audit", path, archive});
  EXPECT_EQ(wrong.code, 1);
  EXPECT_THAT(wrong.out, AllOf(HasSubstr(path + ":1: result: stated 41 points"),
                               EndsWith("2 records, 1 wrong\n")));
  EXPECT_EQ(RunIt({"audit"}).code, 2);
}

TEST(RunTest, AnalyzesAFileOfRecordsByAnyLevel) {
  const std::string example = TAROT_SOURCE_DIR "/tests/data/notation/example.tdn";
  const std::vector<std::string> few = {"--nodes", "200", "--open-nodes", "200", "--json"};
  for (const std::string level : {"club", "master", "oracle"}) {
    std::vector<std::string> args = {"analyze", example, "--level", level};
    args.insert(args.end(), few.begin(), few.end());
    const Ran ran = RunIt(args);
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_THAT(ran.out, HasSubstr("\"level\": \"" + level + "\""));
  }
  const Ran unknown = RunIt({"analyze", example, "--level", "champion"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("--level: is one of novice, club, "));
}

TEST(RunTest, SaysWhatToBid) {
  const std::string hand = "X,21,19,18,15,12,9,6,3/KQ52/K4/T98/-";
  const Ran ran = RunIt({"bid", hand, "--bids", "-,P"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("8 trumps, 2 bouts (21, Excuse), 2 Kings, no clubs\n"));
  EXPECT_THAT(ran.out, HasSubstr("Garde: expected "));
  EXPECT_THAT(ran.out, testing::Not(HasSubstr("Prise"))) << "another seat has bid Prise";
  EXPECT_THAT(RunIt({"bid", hand, "--lang", "fr"}).out, HasSubstr("8 atouts, 2 bouts"));
  for (const std::vector<std::string>& wrong :
       std::vector<std::vector<std::string>>{{"bid", "KQ/-"},
                                             {"bid", hand, "--players", "3"},
                                             {"bid", hand, "--players", "9"},
                                             {"bid", hand, "--bids", "P,P"},
                                             {"bid", hand, "--bids", "-,-,-,-"},
                                             {"bid", hand, "--bids", "maybe"},
                                             {"bid", hand, "--lang", "de"},
                                             {"bid", "1/KQ5432/K43/T98/J987K"}}) {
    const Ran refused = RunIt(wrong);
    EXPECT_EQ(refused.code, 2) << wrong.back();
    EXPECT_EQ(refused.out, "") << wrong.back();
  }
}

TEST(RunTest, ProvesATrueFile) {
  const std::string example = TAROT_SOURCE_DIR "/tests/data/notation/example.tdn";
  const Ran ran = RunIt({"verify", example});
  EXPECT_EQ(ran.code, 0);
  EXPECT_THAT(ran.out, HasSubstr("79 actions, each legal"));
  EXPECT_THAT(ran.out, EndsWith("\nTrue: 7 of 10 checks passed, 0 failed, 3 not stated\n"));
  const std::string lie = absl::StrReplaceAll(ReadFile(example), {{"C:40/41", "C:41/41"}});
  const Ran untrue = RunIt({"verify", WriteFile("lie.tdn", lie)});
  EXPECT_EQ(untrue.code, 1);
  EXPECT_THAT(untrue.out, HasSubstr("line 41: stated 41 points"));
  EXPECT_THAT(untrue.out, HasSubstr("\nUntrue: 6 of 10 checks passed, 1 failed"));
}

TEST(RunTest, PrintsNoProofOfAFileThatItCannotRead) {
  const Ran ran = RunIt({"verify", WriteFile("noise.tdn", "[Event")});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(ran.err, HasSubstr("line 1: expected a value in quotes"));
}

TEST(RunTest, HelpBeginsWithExamples) {
  const Ran overview = RunIt({"--help"});
  EXPECT_EQ(overview.code, 0);
  for (const cli::Command& command : TarotLab().commands) {
    EXPECT_THAT(overview.out, HasSubstr("tarot-lab " + command.usage));
    const Ran help = RunIt({command.name, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, HasSubstr("\n\n  tarot-lab " + command.name));
  }
}

TEST(RunTest, ReturnsThreeWhenTheRulesServiceDoesNotAnswer) {
  for (const std::vector<std::string>& args : std::vector<std::vector<std::string>>{
           {"vectors", "--address", "127.0.0.1:1", kVectors + "fullplay_3.jsonl"},
           {"vectors", "--address", "127.0.0.1:1", "--count", "9"}}) {
    const Ran ran = RunIt(args);
    EXPECT_EQ(ran.code, 3) << ran.err;
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, testing::MatchesRegex("tarot-lab: [^\n]*\n"));
  }
  EXPECT_EQ(RunIt({"vectors", "--address", "here", "--count", "9"}).code, 2);
}

// A match that was stopped and continued must have the same result as a match without a stop.
TEST(RunTest, ContinuesAnArenaThatWasStopped) {
  const std::string out = absl::StrCat(testing::TempDir(), "/run_test_arena.txt");
  std::remove(out.c_str());
  const std::vector<std::string> match = {"arena", "club",   "novice", "--nodes",
                                          "200",   "--jobs", "2"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args = match;
    args.insert(args.end(), more.begin(), more.end());
    return RunIt(args);
  };
  EXPECT_EQ(with({"--deals", "3", "--out", out}).code, 0);
  const Ran resumed = with({"--deals", "6", "--out", out, "--json"});
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_EQ(resumed.out, with({"--deals", "6", "--json", "--jobs", "1"}).out);
  EXPECT_THAT(resumed.out, HasSubstr("\"deals\": 6, "));
  EXPECT_EQ(with({"--seed", "2", "--out", out}).code, 1);
  EXPECT_EQ(with({"--deals", "0"}).code, 2);
  EXPECT_EQ(with({"--players", "5", "--rules", "bridge"}).code, 2);
}

TEST(RunTest, StopsTheArenaWhenAnEngineFails) {
  const Ran ran = RunIt({"arena", "exit 0", "novice", "--deals", "2"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_THAT(ran.err, AllOf(HasSubstr("the arena stops: deal "), HasSubstr("it has ended")));
  EXPECT_EQ(ran.out, "");
  EXPECT_THAT(RunIt({"arena", "novice", "novise", "--deals", "1"}).err,
              HasSubstr("novise: is no level, and as a shell command: it has ended"));
  EXPECT_EQ(RunIt({"arena", "novice", " "}).code, 2);
}

TEST(RunTest, SeasonPrintsTheFileOfTheNextSeason) {
  const Ran ran = RunIt({"season", "--players", "3,4", "--population", "24", "--rounds", "24",
                         "--place-deals", "500"});
  ASSERT_EQ(ran.code, 0) << ran.err;
  const auto request = ratings_service::ReadSeasonFile(WriteFile("season.json", ran.out));
  ASSERT_TRUE(request.ok()) << request.status();
  ASSERT_EQ(request->ladders_size(), 2);
  EXPECT_EQ(request->ladders(1).player_count(), 4u);
  EXPECT_GT(request->ladders(1).luck_share(), 0.3);
  EXPECT_THAT(request->ladders(1).provenance(), HasSubstr("population 24, 24 rounds, seed 1"));
  EXPECT_EQ(RunIt({"season", "--players", "4,6"}).code, 2);
  EXPECT_EQ(RunIt({"season", "--luck-share", "0"}).code, 2);
}

TEST(RunTest, MatchmakingShowsWhatWasRecordedAndWhatWouldHappen) {
  std::string lines = "seconds,player,rating,wait,table\n";
  for (int i = 0; i < 40; ++i) {
    absl::StrAppend(&lines, 3 * i, ",p", i, ",", 1400 + 7 * (i % 5), ",", 11.5, ",t", i / 4, "\n");
  }
  const Ran ran = RunIt({"matchmaking", "--arrivals", WriteFile("arrivals.csv", lines)});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out,
              AllOf(HasSubstr("40 arrivals."), HasSubstr("\nas recorded "), HasSubstr(" 11.5 "),
                    HasSubstr("\ntoday's matcher "), HasSubstr("\nfirst come, first served ")));
  EXPECT_THAT(RunIt({"matchmaking", "--players", "400", "--rate", "2"}).out,
              AllOf(HasSubstr("400 arrivals."), Not(HasSubstr("as recorded"))));
  EXPECT_EQ(RunIt({"matchmaking", "--arrivals", "/nonexistent/file"}).code, 5);
  EXPECT_EQ(RunIt({"matchmaking", "--arrivals", WriteFile("bad.csv", "1,2\n")}).code, 1);
  EXPECT_EQ(RunIt({"matchmaking", "--rate", "0"}).code, 2);
}

// Returns the TDN record of a simulated deal. In TDN the last seat deals, so the seats are turned.
std::string TdnOf(const ai::History& history, const std::array<std::string, 4>& names) {
  notation::Record record{.rule_set = "fft", .players = 4};
  const auto seat_of = [&](rules::Seat seat) { return (seat - history.start.dealer + 3) % 4; };
  for (int seat = 0; seat < 4; ++seat) {
    record.names[notation::Slot(seat_of(seat))] = names[notation::Slot(seat)];
    record.hands[notation::Slot(seat_of(seat))] = history.start.dealt[notation::Slot(seat)];
  }
  record.dog = history.start.dog;
  for (const auto& [seat, action] : history.entries) {
    record.entries.push_back({.seat = seat_of(seat), .action = action});
  }
  return notation::WriteTdn(record).value();
}

// Returns the records of `count` deals. Four of the players A to H play each deal. With `help`, B
// and C help each other.
std::string DealsOfEight(int count, bool help) {
  std::vector<std::string> order{"A", "B", "C", "D", "E", "F", "G", "H"};
  Rng rng(2);
  std::string text;
  for (int i = 0; i < count; ++i) {
    rng.Shuffle(order);
    std::array<ai::SimulatedPlayer, rules::kPlayersMax> players;
    for (std::size_t seat = 0; help && seat < 4; ++seat) {
      for (std::size_t other = 0; other < 4; ++other) {
        if (order[seat] + order[other] != "BC" && order[seat] + order[other] != "CB") continue;
        players[seat] = {.friend_seat = static_cast<rules::Seat>(other), .helping_cards = 100};
      }
    }
    absl::StrAppend(&text, TdnOf(ai::PlayWithPartners(players, 4, rng),
                                 {order[0], order[1], order[2], order[3]}));
  }
  return text;
}

TEST(RunTest, CollusionNamesThePairThatHelpsAndItsDeals) {
  const std::string flags = WriteFile("flags.json", "");
  const Ran ran =
      RunIt({"collusion", WriteFile("helping.tdn", DealsOfEight(1'000, true)), "--flags", flags});
  EXPECT_EQ(ran.code, 0) << ran.err;
  std::ifstream in(flags);
  const std::string json{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_THAT(json, AllOf(AnyOf(HasSubstr(R"("players": ["B", "C"])"),
                                HasSubstr(R"("players": ["C", "B"])")),
                          HasSubstr("the first defends: "), HasSubstr("helping.tdn record ")));
  EXPECT_THAT(ran.out,
              AllOf(AnyOf(HasSubstr("B and C: z "), HasSubstr("C and B: z ")),
                    HasSubstr("for the other one\n  "), HasSubstr("helping.tdn record "),
                    HasSubstr(" 28 pairs tested, 1 flagged\n"),
                    AnyOf(HasSubstr("B defends against C"), HasSubstr("C defends against B"))));
  EXPECT_THAT(RunIt({"collusion", WriteFile("honest.tdn", DealsOfEight(1'000, false))}).out,
              HasSubstr(" 28 pairs tested, 0 flagged\n"));
  EXPECT_EQ(RunIt({"collusion", "/nonexistent/file"}).code, 5);
  EXPECT_EQ(RunIt({"collusion", "--false-share", "2", "/nonexistent/file"}).code, 2);
}

}  // namespace
}  // namespace tarot::lab
