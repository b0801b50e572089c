#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/testkit/golden.h"
#include "tools/cli/testing/sample_deal.h"
#include "tools/cli/testing/sample_record.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/view/lists.h"
#include "tools/tarotctl/view/table_view.h"

namespace tarot::tarotctl {
namespace {

using rules::Phase;
using rules::v1::DealRecord;
using rules::v1::Table;
using ::testing::HasSubstr;
using ::testing::Not;

const cli::TextStyle kPlain(false);
const absl::Time kNow = absl::FromUnixSeconds(1000);

std::string Golden(const char* name) {
  return absl::StrCat(TAROT_SOURCE_DIR "/tests/golden/tarotctl_", name, ".txt");
}

std::string Screen(const std::string& title, const Table& table) {
  return absl::StrCat("== ", title, "\n", RenderTable(table, kNow, kPlain), "\n");
}

TEST(TableViewTest, MatchesTheGoldenFile) {
  rules::Deal deal = cli::SampleDeal(4);
  std::string out = Screen("the auction begins", cli::SampleTable(deal, 0));
  rules::Apply(deal, deal.turn, cli::SampleAction(deal));
  out += Screen("after a bid", cli::SampleTable(deal, 1));
  cli::PlayUntil(deal, Phase::kDiscarding);
  out += Screen("the dog, as the taker sees it", cli::SampleTable(deal, 0));
  out += Screen("the dog, as a defender sees it", cli::SampleTable(deal, 1));
  cli::PlayUntil(deal, Phase::kPlaying, 10);
  out += Screen("in play", cli::SampleTable(deal, deal.turn));
  out += Screen("in play, as a watcher sees it", cli::SampleTable(deal, rules::kNoSeat));
  cli::PlayUntil(deal, Phase::kDone);
  out += absl::StrCat("== the end\n", RenderDealResult(cli::SampleTable(deal, 0), kPlain));
  rules::Deal five = cli::SampleDeal(5);
  cli::PlayUntil(five, Phase::kPlaying, 3);
  out += absl::StrCat("\n", Screen("five players", cli::SampleTable(five, five.turn)));
  EXPECT_TRUE(testkit::MatchesGolden(Golden("table"), out));
}

TEST(TableViewTest, FitsEightyColumnsAndRemovesEscapeSequences) {
  rules::Deal deal = cli::SampleDeal(4);
  for (cli::PlayUntil(deal, Phase::kPlaying); deal.phase != Phase::kDone;
       rules::Apply(deal, deal.turn, cli::SampleAction(deal))) {
    const std::string screen = RenderTable(cli::SampleTable(deal, 0), kNow, kPlain);
    EXPECT_THAT(screen, Not(HasSubstr("\x1b")));
    for (const absl::string_view line : absl::StrSplit(screen, '\n')) {
      EXPECT_LE(cli::Width(line), 80) << line;
    }
  }
}

TEST(TableViewTest, DoesNotCountPassedDeals) {
  Table table = cli::SampleTable(cli::SampleDeal(4), 0);
  EXPECT_THAT(RenderTable(table, kNow, kPlain), HasSubstr("deal 3 of 8\n"));
  table.set_deal_number(5);
  EXPECT_THAT(RenderTable(table, kNow, kPlain), HasSubstr("deal 3 of 8 (number 5 with redeals)\n"));
  table.set_state(Table::DEALING);
  table.set_deals_scored(0);  // All players passed in the first deal.
  EXPECT_THAT(RenderTable(table, kNow, kPlain), HasSubstr("deal 1 of 8\n"));
}

TEST(TableViewTest, ColoursChangeNoCharacter) {
  rules::Deal deal = cli::SampleDeal(4);
  cli::PlayUntil(deal, Phase::kPlaying, 6);
  const Table table = cli::SampleTable(deal, deal.turn);
  std::string colored = RenderTable(table, kNow, cli::TextStyle(true));
  for (std::size_t at; (at = colored.find('\x1b')) != std::string::npos;) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  EXPECT_EQ(colored, RenderTable(table, kNow, kPlain));
}

// The text of a deal does not depend on how the deal is divided into views.
TEST(EventsTest, DescribeEveryChangeOnce) {
  rules::Deal deal = cli::SampleDeal(4);
  Table before = cli::SampleTable(deal, rules::kNoSeat);
  std::vector<std::string> lines = DescribeChanges(Table(), before, kPlain);
  while (deal.phase != Phase::kDone) {
    rules::Apply(deal, deal.turn, cli::SampleAction(deal));
    const Table after = cli::SampleTable(deal, rules::kNoSeat);
    for (const std::string& line : DescribeChanges(before, after, kPlain)) lines.push_back(line);
    before = after;
  }
  EXPECT_TRUE(testkit::MatchesGolden(Golden("events"), absl::StrJoin(lines, "\n") + "\n"));
}

TEST(EventsTest, DescribeAMissedEndOfADealByItsTotals) {
  const Table before = cli::SampleTable(cli::SampleDeal(4), 0);
  Table after = before;
  after.set_deal_number(4);
  EXPECT_EQ(DescribeChanges(before, after, kPlain)[0], "Deal 3 is over: no score.");
  after.mutable_seats(0)->set_total(20);
  after.mutable_seats(1)->set_total(60);
  EXPECT_EQ(DescribeChanges(before, after, kPlain)[0], "Deal 3 is over: Ada -100, bot Zoë +100.");
}

TEST(RecordViewTest, MatchesTheGoldenFile) {
  setenv("TZ", "UTC", 1);
  const auto text = RenderRecord(cli::SampleRecord(), kPlain);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_TRUE(testkit::MatchesGolden(Golden("record"), *text));
}

TEST(RecordViewTest, SaysThatABotPlayedForAPerson) {
  DealRecord record = cli::SampleRecord();
  EXPECT_THAT(*RenderRecord(record, kPlain), Not(HasSubstr("for this player")));
  record.mutable_players(1)->set_stand_in_actions(7);
  EXPECT_THAT(*RenderRecord(record, kPlain), HasSubstr("(a bot made 7 moves for this player)\n"));
}

TEST(RecordViewTest, DetectsAForgedSeed) {
  DealRecord record = cli::SampleRecord();
  EXPECT_EQ(SeedProblem(record), "");
  (*record.mutable_seed())[0] = 8;
  EXPECT_THAT(SeedProblem(record), HasSubstr("does not fit the commitment"));
  const dealing::Commitment commitment = dealing::Commit({8});
  record.set_seed_commitment(std::string(commitment.begin(), commitment.end()));
  EXPECT_THAT(SeedProblem(record), HasSubstr("gives other cards"));
}

TEST(RecordViewTest, RefusesARecordAgainstTheRules) {
  DealRecord record = cli::SampleRecord();
  record.mutable_entries(0)->set_seat(2);
  EXPECT_EQ(RenderRecord(record, kPlain).status().code(), absl::StatusCode::kFailedPrecondition);
  record = cli::SampleRecord();
  record.mutable_entries()->RemoveLast();
  EXPECT_EQ(RenderRecord(record, kPlain).status().code(), absl::StatusCode::kFailedPrecondition);
  record = cli::SampleRecord();
  record.set_rule_set("nowhere");
  EXPECT_EQ(RenderRecord(record, kPlain).status().code(), absl::StatusCode::kNotFound);
}

ratings::v1::Rating Rated(const std::string& name, double rating, unsigned rank) {
  ratings::v1::Rating out;
  out.set_player(absl::StrCat("players/", name));
  out.set_display_name(name);
  out.set_rating(rating);
  out.set_deviation(31.6);
  out.set_match_count(12);
  if (rank > 0) out.set_rank(rank);
  return out;
}

TEST(ResultTextTest, NamesNoTakerWhereEachSeatPlaysAlone) {
  rules::v1::DealResult result;
  result.set_outcome(rules::v1::DealResult::SCORED);
  EXPECT_EQ(ResultText(result),
            "Each player plays alone, and scores a point for each court card and each bout.\n");
}

TEST(ListsTest, MatchTheGoldenFile) {
  setenv("TZ", "UTC", 1);
  ratings::v1::ListRatingsResponse ladder;
  *ladder.add_ratings() = Rated("Ada", 1712.3, 1);
  *ladder.add_ratings() = Rated("Zoë", 1698.4, 2);
  ladder.mutable_ratings(1)->set_bot(true);
  *ladder.add_ratings() = Rated("Émilie", 1500, 0);
  std::string out =
      absl::StrCat("== ladder\n", RenderLadder(ladder.ratings(), "players/Ada", kPlain),
                   "\n== empty ladder\n", RenderLadder({}, "", kPlain));

  ratings::v1::ListRatingChangesResponse changes;
  auto* change = changes.add_changes();
  change->set_table("tables/t1");
  change->set_points_per_deal(-12.25);
  change->set_rating_before(1720);
  change->set_rating_after(1712.3);
  change->mutable_match_time()->set_seconds(1'795'000'000);
  rules::v1::ListRecordsResponse records;
  *records.add_records() = cli::SampleRecord();
  records.mutable_records(0)->mutable_result()->set_outcome(rules::v1::DealResult::ALL_PASSED);
  absl::StrAppend(&out, "\n== player\n",
                  RenderPlayer(Rated("Ada", 1712.3, 1), changes, records, kPlain));

  ratings::v1::ListMatchesResponse matches;
  auto* ranked = matches.add_matches();
  ranked->set_table("tables/t2");
  ranked->mutable_match_time()->set_seconds(1'795'100'000);
  ranked->set_deal_count(8);
  ranked->set_points(-120);
  ranked->set_rating_before(1720);
  ranked->set_rating_after(1712.3);
  for (const auto& [name, points] : std::vector<std::pair<std::string, int>>{
           {"Zoë", 240}, {"Bla\x1bise", -60}, {"Émilie", -60}}) {
    auto* seat = ranked->add_opponents();
    seat->set_display_name(name);
    seat->set_points(points);
  }
  auto* casual = matches.add_matches();
  *casual = *ranked;
  casual->set_table("tables/t1");
  casual->mutable_match_time()->set_seconds(1'795'000'000);
  casual->set_deal_count(12);
  casual->clear_rating_before();
  casual->clear_rating_after();
  matches.set_next_page_token("dDE");
  absl::StrAppend(&out, "\n== matches\n", RenderMatches(matches), "\n== no matches\n",
                  RenderMatches({}));

  matchmaking::v1::Ticket ticket;
  ticket.set_position(2);
  ticket.set_waiting_count(3);
  ticket.set_wait_reason(matchmaking::v1::Ticket::RATINGS_TOO_FAR);
  ticket.set_rating_window(120);
  absl::StrAppend(&out, "\n== ticket\n", TicketText(ticket, 72), "\n",
                  TicketText(ticket, std::nullopt), "\n");
  EXPECT_TRUE(testkit::MatchesGolden(Golden("lists"), out));
}

// A bot has its mark on every screen, also if the name is long.
TEST(BotMarkTest, StandsBeforeTheNameOfABotOnEveryScreen) {
  const std::string name = "Papillon de Nuit du Soir";
  rules::Deal deal = cli::SampleDeal(4);
  cli::PlayUntil(deal, Phase::kPlaying, 6);
  Table before = cli::SampleTable(deal, 0);
  cli::PlayUntil(deal, Phase::kDone);
  Table table = cli::SampleTable(deal, 0);
  rules::v1::ListTablesResponse tables;
  for (Table* each : {&before, &table}) {
    each->mutable_seats(1)->set_display_name(name);
    each->mutable_seats(1)->clear_bot_level();
    EXPECT_THAT(RenderTable(*each, kNow, kPlain), Not(HasSubstr("bot Papi")));
    each->mutable_seats(1)->set_bot_level("club");
    EXPECT_THAT(RenderTable(*each, kNow, kPlain), HasSubstr("bot Papi"));
  }
  EXPECT_THAT(absl::StrJoin(DescribeChanges(before, table, kPlain), "\n"), HasSubstr("bot Papi"));
  EXPECT_THAT(RenderDealResult(table, kPlain), HasSubstr("bot Papi"));
  EXPECT_THAT(RenderMatchResult(table, {}, kPlain), HasSubstr("bot Papi"));
  *tables.add_tables() = table;
  EXPECT_THAT(RenderTables(tables), HasSubstr("bot Papi"));

  DealRecord record = cli::SampleRecord();
  record.mutable_players(1)->set_display_name(name);
  record.mutable_players(1)->set_bot_level("club");
  EXPECT_THAT(*RenderRecord(record, kPlain), HasSubstr("bot Papi"));

  ratings::v1::ListMatchesResponse matches;
  auto* const seat = matches.add_matches()->add_opponents();
  seat->set_display_name(name);
  seat->set_bot(true);
  EXPECT_THAT(RenderMatches(matches), HasSubstr("bot Papi"));
}

TEST(ResultViewTest, SharesPlacesForEqualTotalsAndShowsRatings) {
  Table table = cli::SampleTable(cli::SampleDeal(4), 0);
  table.mutable_seats(0)->set_player("players/a");
  ratings::v1::RatingChange change;
  change.set_rating_before(1500);
  change.set_rating_after(1511.6);
  EXPECT_EQ(RenderMatchResult(table, {{"players/a", change}}, kPlain),
            "The match is over.\n"
            "1.  Ada                 +120  rating 1500 → 1512 (+12)\n"
            "2.  bot Zoë              -40\n"
            "    Blaise?[2J           -40\n"
            "    Émilie du Châtelet   -40\n");
}

}  // namespace
}  // namespace tarot::tarotctl
