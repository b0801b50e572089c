#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "libs/base/entropy.h"
#include "libs/base/real_clock.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Ran {
  int code = 0;
  std::string out;
  std::string err;
};

Ran RunIt(const std::vector<std::string>& args) {
  setenv("TAROT_TOKEN_FILE", absl::StrCat(testing::TempDir(), "/run_test_token").c_str(), 1);
  RealClock clock;
  RealScheduler scheduler;
  SeededEntropy entropy(1);
  std::ostringstream out, err;
  const int code = cli::Run(
      Tarotctl(), args,
      {.out = out, .err = err, .clock = clock, .scheduler = scheduler, .entropy = entropy});
  return {code, out.str(), err.str()};
}

TEST(RunTest, ReturnsTwoForWrongUsage) {
  EXPECT_EQ(RunIt({}).code, 2);
  EXPECT_EQ(RunIt({"dance"}).code, 2);
  EXPECT_THAT(RunIt({"--gateway", "127.0.0.1:1"}).err, HasSubstr("Commands:"));
  EXPECT_EQ(RunIt({"tables", "--jason"}).code, 2);
  EXPECT_EQ(RunIt({"tables", "--color", "pink"}).code, 2);
  EXPECT_EQ(RunIt({"record", "nothing"}).code, 2);
  EXPECT_EQ(RunIt({"record", "x/1", "--format", "pdf"}).code, 2);
  EXPECT_EQ(RunIt({"verify"}).code, 2);
  EXPECT_EQ(RunIt({"verify", "nothing"}).code, 2);
  EXPECT_EQ(RunIt({"analyze"}).code, 2);
  EXPECT_EQ(RunIt({"analyze", "x/1", "--seed", "y"}).code, 2);
  EXPECT_EQ(RunIt({"ladder", "--count", "0"}).code, 2);
  EXPECT_EQ(RunIt({"ladder", "--friends", "--around", "me"}).code, 2);
  for (const std::string gateway : {"", "nowhere", "127.0.0.1:", ":7100", "127.0.0.1:65537",
                                    "127.0.0.1:7100,", "127.0.0.1:x", "https://", "https://a"}) {
    const Ran ran = RunIt({"tables", "--gateway", gateway});
    EXPECT_EQ(ran.code, 2) << gateway;
    EXPECT_THAT(ran.err, HasSubstr("takes [https://]HOST:PORT[,...], not '" + gateway + "'\n"));
  }
}

// Tables that begin in the same minute have the same first letters.
TEST(FindTableTest, RefusesLettersOfTwoTables) {
  rules::v1::ListTablesResponse tables;
  for (const char* end : {"5f3c2a10", "9a41c07e"}) {
    tables.add_tables()->set_name(absl::StrCat("tables/01a21a25-7e00-7000-8000-0000", end));
  }
  EXPECT_EQ(FindTable(tables, "9a41c07e").value(), tables.tables(1).name());
  EXPECT_THAT(FindTable(tables, "01a21a25").status().message(), HasSubstr("the ids of 2 tables"));
  EXPECT_THAT(FindTable(tables, "x").status().message(), HasSubstr("no recent table"));
}

TEST(FindPlayerAtTest, AcceptsTheNamesThatListsShow) {
  rules::v1::Table table;
  for (const char* name : {"Ada", "Tournesol", "ada", "Zoë of the very long name"}) {
    rules::v1::Seat& seat = *table.add_seats();
    seat.set_display_name(name);
    seat.set_player(absl::StrCat("players/", table.seats_size()));
  }
  table.mutable_seats(1)->set_bot_level("strong");
  EXPECT_EQ(FindPlayerAt(table, "tournesol").value(), "players/2");
  EXPECT_EQ(FindPlayerAt(table, "bot Tournesol").value(), "players/2");
  EXPECT_EQ(FindPlayerAt(table, SeatName(table, 3)).value(), "players/4");
  EXPECT_TRUE(absl::IsNotFound(FindPlayerAt(table, "bot Zoë").status()));
  EXPECT_TRUE(absl::IsFailedPrecondition(FindPlayerAt(table, "Ada").status()));
}

TEST(RunTest, RefusesAnUnreadableFileOfAuthorities) {
  setenv("SSL_CERT_FILE", "/nowhere", 1);
  const Ran ran = RunIt({"tables", "--gateway", "https://127.0.0.1:1"});
  unsetenv("SSL_CERT_FILE");
  EXPECT_EQ(ran.code, 2);
  EXPECT_THAT(ran.err, HasSubstr("SSL_CERT_FILE names '/nowhere', which cannot be read"));
}

TEST(RunTest, HelpBeginsWithExamples) {
  const Ran overview = RunIt({"--help"});
  EXPECT_EQ(overview.code, 0);
  for (const cli::Command& command : Tarotctl().commands) {
    EXPECT_THAT(overview.out, HasSubstr("tarotctl " + command.usage));
    const Ran help = RunIt({command.name, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_THAT(help.out, HasSubstr("\n\n  tarotctl " + command.name));
  }
}

TEST(RunTest, ReturnsThreeWhenTheGatewayDoesNotAnswer) {
  const std::vector<std::vector<std::string>> lines = {{"tables", "--gateway", "127.0.0.1:1"},
                                                       {"--gateway", "127.0.0.1:1", "tables"},
                                                       {"--gateway=127.0.0.1:1", "tables"}};
  for (const auto& line : lines) {
    const Ran ran = RunIt(line);
    EXPECT_EQ(ran.code, 3);
    EXPECT_EQ(ran.out, "");
    EXPECT_THAT(ran.err, AllOf(HasSubstr("127.0.0.1:1."), HasSubstr("tools/dev up")));
  }
}

}  // namespace
}  // namespace tarot::tarotctl
