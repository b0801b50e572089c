#include "libs/rules/view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <initializer_list>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/rules/testing/random_deals.h"
#include "libs/testkit/golden.h"
#include "libs/wire/convert.h"
#include "tools/cli/testing/sample_deal.h"
#include "tools/cli/testing/sample_record.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/view/lists.h"
#include "tools/tarotctl/view/score_sheet.h"
#include "tools/tarotctl/view/table_view.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using rules::Phase;
using rules::v1::DealRecord;
using rules::v1::DealView;
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
  EXPECT_THAT(RenderTable(table, kNow, kPlain),
              HasSubstr("deal 3 of 8 (number 5: 2 deals had no score)\n"));
  table.set_deal_number(4);
  EXPECT_THAT(RenderTable(table, kNow, kPlain), HasSubstr("(number 4: 1 deal had no score)\n"));
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

TEST(EventsTest, DescribeProposalsAndTheirAnswers) {
  rules::Deal deal = cli::SampleDeal(4);
  while (deal.phase != Phase::kPlaying) rules::Apply(deal, deal.turn, cli::SampleAction(deal));
  // Plays one card first, so that the card that is taken back is not the first card of the deal.
  // Another test takes back the first card, which opens the dog again.
  rules::Apply(deal, deal.turn, cli::SampleAction(deal));
  const Table before = cli::SampleTable(deal, 1);
  rules::Apply(deal, deal.turn, cli::SampleAction(deal));
  const Table played = cli::SampleTable(deal, 1);
  Table asked = played;
  asked.mutable_proposal()->set_kind(rules::v1::Proposal::TAKE_BACK);
  asked.mutable_proposal()->set_seat(0);
  asked.mutable_proposal()->add_pending_seats(1);
  asked.mutable_proposal()->set_revision(7);
  EXPECT_EQ(absl::StrJoin(DescribeChanges(played, asked, kPlain), "|"),
            "Ada wants to take the last card back.|Answer with agree or refuse.");
  EXPECT_EQ(absl::StrJoin(DescribeChanges(asked, played, kPlain), "|"), "The proposal is over.");
  Table refused = played;
  refused.mutable_last_proposal()->set_revision(7);
  refused.mutable_last_proposal()->set_outcome(rules::v1::ClosedProposal::REFUSED);
  refused.mutable_last_proposal()->add_seats(2);
  EXPECT_EQ(absl::StrJoin(DescribeChanges(asked, refused, kPlain), "|"),
            absl::StrCat(SeatName(played, 2), " refuses the proposal."));
  refused.mutable_last_proposal()->set_seats(0, 0);
  EXPECT_EQ(absl::StrJoin(DescribeChanges(asked, refused, kPlain), "|"),
            absl::StrCat(SeatName(played, 0), " takes the proposal back."));
  refused.mutable_last_proposal()->set_outcome(rules::v1::ClosedProposal::LAPSED);
  refused.mutable_last_proposal()->add_seats(3);
  EXPECT_EQ(absl::StrJoin(DescribeChanges(asked, refused, kPlain), "|"),
            absl::StrCat("The proposal is over. There was no answer from: ", SeatName(played, 0),
                         ", ", SeatName(played, 3), "."));
  EXPECT_THAT(RenderTable(asked, absl::UnixEpoch(), kPlain),
              testing::HasSubstr("A proposal waits for answers, 0:00 left."));
  EXPECT_EQ(absl::StrJoin(DescribeChanges(asked, before, kPlain), "|"),
            absl::StrCat(SeatName(before, before.deal().turn()), " takes the card back."));
  Table in_break = played;
  in_break.mutable_break_expire_time()->set_seconds(4'000'000'000);
  EXPECT_EQ(absl::StrJoin(DescribeChanges(asked, in_break, kPlain), "|"),
            "A break begins: no clock runs.|A break: back ends it.");
  EXPECT_EQ(absl::StrJoin(DescribeChanges(in_break, played, kPlain), "|"), "The break is over.");
  Table ended = played;
  ended.mutable_last_proposal()->set_break_ended_by(1);
  EXPECT_EQ(absl::StrJoin(DescribeChanges(in_break, ended, kPlain), "|"),
            absl::StrCat(SeatName(played, 1), " ends the break."));
}

// The first card closes the dog. If the card is taken back, the dog opens again, and the line about
// the dog must not come again.
TEST(EventsTest, DescribeTheDogOnceAlsoAfterTheFirstCardWasTakenBack) {
  rules::Deal deal = cli::SampleDeal(4);
  cli::PlayUntil(deal, Phase::kPlaying);
  const Table before = cli::SampleTable(deal, rules::kNoSeat);
  EXPECT_THAT(absl::StrJoin(DescribeChanges(Table(), before, kPlain), "\n"),
              HasSubstr("The dog: "));
  rules::Apply(deal, deal.turn, cli::SampleAction(deal));
  Table asked = cli::SampleTable(deal, rules::kNoSeat);
  asked.mutable_proposal()->set_kind(rules::v1::Proposal::TAKE_BACK);
  EXPECT_EQ(asked.deal().dog_size(), 0);
  EXPECT_EQ(before.deal().dog_size(), 6);
  EXPECT_THAT(absl::StrJoin(DescribeChanges(asked, before, kPlain), "\n"),
              Not(HasSubstr("The dog: ")));
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

// Returns the record of a deal of a rule set in which the seat that bids first takes with
// `contract`.
DealRecord RecordWith(const char* set, int players, rules::Contract contract) {
  const rules::RuleSet& rules = rules::FindRuleSet(set)->rules;
  const rules::DealtCards cards =
      rules::DealOut(rules, players, 0, dealing::ShuffledPack(cli::SampleSeed()));
  rules::Deal deal = rules::StartDeal(rules, players, 0, cards.hands, cards.dog);
  DealRecord record;
  record.set_rule_set(set);
  for (int seat = 0; seat < players; ++seat) {
    record.add_players()->set_display_name(absl::StrCat("P", seat));
    wire::EncodeCards(deal.dealt[static_cast<std::size_t>(seat)],
                      record.add_hands()->mutable_cards());
  }
  wire::EncodeCards(deal.dog, record.mutable_dog());
  while (deal.phase != Phase::kDone) {
    const rules::Action action =
        deal.phase == Phase::kBidding ? FirstTakes(deal, contract) : cli::SampleAction(deal);
    DealRecord::Entry* const entry = record.add_entries();
    entry->set_seat(static_cast<std::uint32_t>(deal.turn));
    wire::EncodeAction(action, entry->mutable_action());
    rules::Apply(deal, deal.turn, action);
  }
  return record;
}

// With Garde sans and Garde contre the dog is not shown before the play.
TEST(RecordViewTest, TellsOfTheDogOnlyWhenTheTakerTakesIt) {
  const auto text = [](rules::Contract contract) {
    return RenderRecord(RecordWith("fft", 4, contract), kPlain).value();
  };
  EXPECT_THAT(text(rules::Contract::kGarde), HasSubstr("\nThe dog: "));
  EXPECT_THAT(text(rules::Contract::kGardeSans), Not(HasSubstr("The dog: ")));
  EXPECT_THAT(text(rules::Contract::kGardeContre), Not(HasSubstr("The dog: ")));
  EXPECT_THAT(text(rules::Contract::kGardeContre), HasSubstr("\nDog  ")) << "below the hands";
}

TEST(RecordViewTest, GivesNoColumnAndNoScoreToTheSeatThatSitsOut) {
  const std::string text =
      RenderRecord(RecordWith("fft_dead5", 5, rules::Contract::kGarde), kPlain).value();
  const std::size_t head = text.find("\ntrick ");
  ASSERT_NE(head, std::string::npos);
  EXPECT_THAT(text.substr(head, text.find('\n', head + 1) - head), Not(HasSubstr("P0")));
  const std::string scores = text.substr(text.find("(> leads, ! wins)"));
  EXPECT_THAT(scores, HasSubstr("P1 "));
  EXPECT_THAT(scores, Not(HasSubstr("P0"))) << scores;
}

// At a board the taker is known before the first bid.
TEST(EventsTest, TheTakerOfABoardTakesWithTheBid) {
  Rng rng(5);
  rules::Deal deal = RandomDeal(rules::FindRuleSet("fft_teams")->rules, 4, rng);
  const auto as_table = [&] {
    Table table;
    table.set_state(Table::PLAYING);
    table.set_deal_number(1);
    for (int seat = 0; seat < 4; ++seat)
      table.add_seats()->set_display_name(absl::StrCat("P", seat));
    wire::EncodeView(rules::MakeView(deal, rules::kNoSeat), "fft_teams", table.mutable_deal());
    return table;
  };
  const Table before = as_table();
  EXPECT_THAT(DescribeChanges(Table(), before, kPlain),
              testing::Each(Not(HasSubstr("takes: pass"))));
  ASSERT_TRUE(rules::Apply(deal, deal.turn, rules::Action::Bid(rules::Contract::kGarde)).ok());
  EXPECT_THAT(DescribeChanges(before, as_table(), kPlain),
              testing::Contains(HasSubstr(" takes: garde.")));
}

TEST(TableViewTest, ShowsNoDealerBeforeTheFirstDeal) {
  Table table;
  table.set_name("tables/0190c1a2-7e00-7000-8000-00005f3c2a10");
  table.set_state(Table::DEALING);
  for (const char* name : {"Ada", "Bo", "Cy", "Di"}) table.add_seats()->set_display_name(name);
  const std::string screen = RenderTable(table, kNow, kPlain);
  EXPECT_THAT(screen, Not(HasSubstr("dealer")));
  EXPECT_THAT(screen, HasSubstr("Table 5f3c2a10"));
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

TEST(ResultTextTest, TellsWhyADealWasCancelled) {
  rules::v1::DealResult result;
  result.set_outcome(rules::v1::DealResult::VOIDED);
  result.set_void_reason("a power cut\x1b[2J");
  EXPECT_EQ(ResultText(result, rules::RuleSet()),
            "The deal was cancelled: a power cut?[2J. No score; the same player deals again.\n");
}

TEST(TableViewTest, ShowsTheHandOfAPetitSec) {
  Table table = cli::SampleTable(cli::SampleDeal(4), 0);
  rules::v1::DealResult* result = table.mutable_deal()->mutable_result();
  result->set_outcome(rules::v1::DealResult::PETIT_SEC);
  result->set_petit_sec_seat(1);
  result->add_petit_sec_hand(56);
  EXPECT_THAT(RenderDealResult(table, kPlain), HasSubstr("bot Zoë: T1"));
}

// In a rule set with tricks_open=none, the view leaves out the cards of finished tricks.
TEST(TableViewTest, ShowsTheWinnerOfAClosedTrick) {
  Table table = cli::SampleTable(cli::SampleDeal(4), 0);
  table.mutable_deal()->clear_tricks();
  rules::v1::Trick* trick = table.mutable_deal()->add_tricks();
  trick->set_leader(0);
  trick->set_winner(1);
  EXPECT_THAT(RenderTable(table, kNow, kPlain), HasSubstr("Last trick: goes to bot Zoë\n"));
}

// A view may have a handful without its cards, for example for a watcher who comes later.
TEST(TableViewTest, ShowsAClosedHandfulByItsLevel) {
  Table table = cli::SampleTable(cli::SampleDeal(4), 0);
  table.mutable_deal()->set_taker(0);
  rules::v1::Handful* handful = table.mutable_deal()->add_handfuls();
  handful->set_seat(0);
  handful->set_level(2);
  EXPECT_THAT(RenderTable(table, kNow, kPlain), HasSubstr("Ada showed a double handful.\n"));
}

TEST(ResultTextTest, NamesNoTakerWhereEachSeatPlaysAlone) {
  rules::v1::DealResult result;
  result.set_outcome(rules::v1::DealResult::SCORED);
  EXPECT_EQ(ResultText(result, rules::FindRuleSet("booklet_practice1")->rules),
            "Each player plays alone, and scores a point for each court card and each bout.\n");
}

TEST(ListsTest, APageOfClosedRecordsStillShowsAKnownPlayer) {
  rules::v1::ListRecordsResponse records;
  EXPECT_FALSE(HasFinishedDeal(ratings::v1::Rating(), records));
  EXPECT_TRUE(HasFinishedDeal(Rated("Ada", 1500, 0), records));
  records.set_next_page_token("next");
  EXPECT_TRUE(HasFinishedDeal(ratings::v1::Rating(), records));
}

TEST(ListsTest, MatchTheGoldenFile) {
  setenv("TZ", "UTC", 1);
  ratings::v1::ListRatingsResponse ladder;
  *ladder.add_ratings() = Rated("Ada", 1712.3, 1);
  *ladder.add_ratings() = Rated("Zoë", 1698.4, 2);
  ladder.mutable_ratings(1)->set_bot(true);
  *ladder.add_ratings() = Rated("Émilie", 1500, 0);
  ladder.mutable_ratings(0)->set_tier(ratings::v1::Rating::VINGT_ET_UN);
  ladder.mutable_ratings(0)->set_week_change(-2);
  ladder.mutable_ratings(1)->set_tier(ratings::v1::Rating::CAVALIER);
  ladder.mutable_ratings(1)->set_week_change(0);
  ladder.mutable_ratings(1)->set_country("BE");
  ladder.mutable_ratings(2)->set_tier(ratings::v1::Rating::VALET);
  ladder.set_total_size(2);
  ladder.set_season(3);
  ladder.mutable_season_start_time()->set_seconds(1'794'000'000);
  std::string out = absl::StrCat("== ladder\n", RenderLadder(ladder, "players/Ada", kPlain),
                                 "\n== empty ladder\n", RenderLadder({}, "", kPlain));

  ratings::v1::SearchPlayersResponse found;
  *found.mutable_ratings() = ladder.ratings();
  found.set_next_page_token("dDE");
  absl::StrAppend(&out, "\n== found\n", RenderFound(found), "\n== nothing found\n",
                  RenderFound({}));

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
  ratings::v1::GetPlayerStatisticsResponse statistics;
  statistics.set_match_count(12);
  for (const auto& [role, points] : {std::pair{ratings::v1::RoleResult::TAKER, -120},
                                     std::pair{ratings::v1::RoleResult::DEFENDER, 333}}) {
    auto* result = statistics.add_roles();
    result->set_role(role);
    result->set_deal_count(20);
    result->set_won_count(9);
    result->set_points(points);
    result->set_result_per_deal(points / 30.0);
  }
  absl::StrAppend(&out, "\n== player\n",
                  RenderPlayer(Rated("Ada", 1712.3, 1), changes, statistics, records, kPlain));

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

TEST(ScoreSheetTest, ShowsThePetitSecThatCancelledADeal) {
  rules::v1::ScoreSheet sheet;
  sheet.set_rule_set("fft");
  for (const char* name : {"Ada", "Zoë", "Bea", "Carl"})
    sheet.add_players()->set_display_name(name);
  rules::v1::DealResult* result = sheet.add_deals()->mutable_result();
  result->set_outcome(rules::v1::DealResult::PETIT_SEC);
  result->set_petit_sec_seat(1);
  result->add_petit_sec_hand(56);
  EXPECT_THAT(RenderScoreSheet(sheet, kPlain), HasSubstr("Zoë: T1"));
}

TEST(ScoreSheetTest, NamesTheSeatThatClaimedTheLastTricks) {
  rules::v1::ScoreSheet sheet;
  sheet.set_rule_set("fft");
  for (const char* name : {"Ada", "Zoë", "Bea", "Carl"})
    sheet.add_players()->set_display_name(name);
  rules::v1::DealResult* const result = sheet.add_deals()->mutable_result();
  result->set_outcome(rules::v1::DealResult::SCORED);
  EXPECT_THAT(RenderScoreSheet(sheet, kPlain), testing::Not(HasSubstr("claimed")));
  result->set_claim_seat(1);
  result->set_claim_trick(15);
  EXPECT_THAT(RenderScoreSheet(sheet, kPlain), HasSubstr("Zoë claimed all tricks from trick 15"));
}

TEST(ScoreSheetTest, MatchesTheGoldenFile) {
  using rules::v1::ScoreSheet;
  ScoreSheet sheet;
  sheet.set_table("tables/89abcdef01234567");
  sheet.set_rule_set("booklet");
  sheet.set_deal_count(3);
  for (const char* name : {"Ada", "Bla\x1bise", "Chloé", "Driss", "Zoë"}) {
    sheet.add_players()->set_display_name(name);
  }
  sheet.mutable_players(4)->set_bot_level("club");
  std::string out = absl::StrCat("== before the first deal\n", RenderScoreSheet(sheet, kPlain));
  sheet.set_first_dealer(1);
  for (const auto& [seat, card, round] :
       {std::array{0u, 18u, 1u}, {1u, 77u, 1u}, {1u, 4u, 1u}, {2u, 4u + 14, 1u}, {1u, 20u, 2u}}) {
    ScoreSheet::DrawnCard* const drawn = sheet.add_first_dealer_draw();
    drawn->set_seat(seat);
    drawn->set_card(card);
    drawn->set_round(round);
    drawn->set_put_aside(card == 77);
  }
  const auto add = [&](std::uint32_t number) {
    ScoreSheet::Deal* const deal = sheet.add_deals();
    deal->set_number(number);
    deal->set_dealer(number);
    for (int seat = 0; seat < 5; ++seat) deal->add_totals(seat == 0 ? 440 : -110);
    return deal;
  };
  rules::v1::DealResult* result = add(1)->mutable_result();
  result->set_outcome(rules::v1::DealResult::SCORED);
  result->set_taker(0);
  result->set_contract(rules::v1::GARDE);
  result->set_won(true);
  result->set_bouts(2);
  result->set_attack_half_points(122);
  result->set_needed_half_points(82);
  result->set_difference(20);
  result->set_handful_points(20);
  result->set_unit(110);
  for (int seat = 0; seat < 5; ++seat) result->add_scores(seat == 0 ? 440 : -110);
  ScoreSheet::Deal* const first = sheet.mutable_deals(0);
  first->set_called_card(13);
  first->set_alone(ScoreSheet::CALLED_CARD_IN_DOG);
  first->set_arithmetic("(25 + 20) × 2 + 20 = 110");
  rules::v1::Handful* const handful = first->add_handfuls();
  handful->set_seat(0);
  for (std::uint32_t card = 56; card < 64; ++card) handful->add_cards(card);
  add(2)->mutable_result()->set_outcome(rules::v1::DealResult::ALL_PASSED);
  for (const auto alone : {ScoreSheet::CALLED_OWN_CARD, ScoreSheet::CALLED_NO_CARD}) {
    ScoreSheet::Deal* const deal = add(3);
    *deal->mutable_result() = *result;
    deal->set_alone(alone);
    deal->set_slam_announced(true);
  }
  sheet.mutable_deals(3)->mutable_result()->set_partner(4);
  sheet.mutable_deals(3)->set_alone(ScoreSheet::ALONE_NONE);
  sheet.mutable_deals(3)->set_sits_out(3);
  absl::StrAppend(&out, "\n== three deals\n", RenderScoreSheet(sheet, kPlain));
  EXPECT_TRUE(testkit::MatchesGolden(Golden("scores"), out));
}

// Tests the texts of practice games, which the source defines.
TEST(ResultTextTest, PracticeGamesReadAsTheirSourceSays) {
  rules::v1::DealResult result;
  result.set_outcome(rules::v1::DealResult::SCORED);
  result.set_taker(0);
  result.set_contract(rules::v1::GARDE);
  result.set_won(true);
  result.set_bouts(1);
  result.set_difference(2);
  result.set_attack_half_points(90);
  result.set_needed_half_points(20);
  result.set_unit(24);
  EXPECT_EQ(ResultText(result, rules::FindRuleSet("booklet_practice2")->rules),
            "Garde made by 2: 12 court cards and bouts with 1 bout, 10 needed.\n"
            "  Only the taker scores.\n")
      << "an old record has no honours: 24 / 2";
  result.set_honours(11);
  EXPECT_EQ(ResultText(result, rules::FindRuleSet("booklet_practice2")->rules),
            "Garde made by 2: 11 court cards and bouts with 1 bout, 10 needed.\n"
            "  Only the taker scores.\n");
  EXPECT_EQ(ResultText(result, rules::FindRuleSet("booklet_practice3")->rules),
            "Garde made by 2: 45 points with 1 bout, 10 needed.\n"
            "  Only the taker scores.\n");
}

// In `fft_dead5` the dealer sits out. No list may give the dealer a bid or a card.
TEST(SitsOutTest, TheDealerOfADeadHandIsSkippedInEveryList) {
  Rng rng(5);
  const rules::RuleSet& dead = rules::FindRuleSet("fft_dead5")->rules;
  rules::Deal deal = RandomDeal(dead, 5, rng);
  const auto as_table = [&] {
    Table table;
    table.set_state(Table::PLAYING);
    table.set_deal_number(1);
    for (int seat = 0; seat < 5; ++seat)
      table.add_seats()->set_display_name(absl::StrCat("P", seat));
    wire::EncodeView(rules::MakeView(deal, rules::kNoSeat), "fft_dead5", table.mutable_deal());
    return table;
  };
  const std::string dealer = absl::StrCat("P", deal.dealer);
  Table before = as_table();
  while (deal.phase != Phase::kDone) {
    const rules::Seat seat = deal.turn;
    const rules::Action action = deal.phase == Phase::kBidding
                                     ? FirstTakes(deal, rules::Contract::kGarde)
                                     : RandomAction(deal, rng);
    ASSERT_TRUE(rules::Apply(deal, seat, action).ok());
    const Table after = as_table();
    const std::string lines = absl::StrJoin(DescribeChanges(before, after, kPlain), "\n");
    EXPECT_THAT(lines, Not(HasSubstr(dealer)));
    if (action.kind == rules::Action::Kind::kPlay || action.kind == rules::Action::Kind::kBid) {
      EXPECT_THAT(lines, HasSubstr(absl::StrCat("P", seat, " ")));
    }
    const std::string screen = RenderTable(after, kNow, kPlain);
    const std::size_t at = screen.find(dealer);
    EXPECT_THAT(screen.substr(at, screen.find('\n', at) - at), HasSubstr("sits out"));
    EXPECT_EQ(screen.find(dealer, at + 1), std::string::npos) << screen;
    before = after;
  }
}

// The seat that played the Excuse keeps it, and gives a card of half a point for it.
TEST(LivePointsTest, FollowTheExcuseToItsOwnerAndAreOffInRankedPlay) {
  Table table;
  table.set_state(Table::PLAYING);
  for (int seat = 0; seat < 4; ++seat) table.add_seats()->set_display_name(absl::StrCat("P", seat));
  DealView& deal = *table.mutable_deal();
  deal.set_rule_set("pagat");
  deal.set_player_count(4);
  deal.set_phase(rules::v1::PLAYING);
  rules::v1::Trick* const trick = deal.add_tricks();
  trick->set_leader(1);
  for (const std::uint32_t card : {13u, 0u, 77u, 1u}) trick->add_cards(card);
  trick->set_winner(1);
  const std::string screen = RenderTable(table, kNow, kPlain);
  const auto line = [&](const char* name) {
    const std::size_t at = screen.find(name);
    return screen.substr(at, screen.find('\n', at) - at);
  };
  // P1 has 4.5 points for the King, 0.5 for each of the two low cards, and 0.5 for the card that P3
  // gives for the Excuse.
  EXPECT_THAT(line("P1"), HasSubstr(" 6 "));
  EXPECT_THAT(line("P3"), HasSubstr(" 4 "));
  EXPECT_THAT(screen, HasSubstr("points"));
  table.set_ranked(true);
  EXPECT_THAT(RenderTable(table, kNow, kPlain), Not(HasSubstr("points")));
  table.set_ranked(false);
  // In the rule set fft, players may not look at tricks before the last one.
  deal.set_rule_set("fft");
  EXPECT_THAT(RenderTable(table, kNow, kPlain), Not(HasSubstr("points")));
  deal.set_rule_set("booklet_practice2");
  EXPECT_THAT(RenderTable(table, kNow, kPlain), Not(HasSubstr("points")));
}

// A bot has its mark on every screen, even if the bot's name is long.
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

TEST(ListViewTest, ShowsVoidMatchesWithoutRating) {
  ratings::v1::ListMatchesResponse matches;
  matches.add_matches()->set_voided(true);
  EXPECT_THAT(RenderMatches(matches), HasSubstr("void"));
  EXPECT_THAT(RenderMatches(matches), testing::Not(HasSubstr("casual")));
  ratings::v1::ListRatingChangesResponse changes;
  changes.add_changes()->set_voided(true);
  const std::string player = RenderPlayer(Rated("Ada", 1500, 0), changes, {}, {}, kPlain);
  EXPECT_THAT(player, HasSubstr("void"));
  EXPECT_THAT(player, testing::Not(HasSubstr("0 → 0")));
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
  change.set_points(120);
  change.set_luck(30.4);
  EXPECT_THAT(RenderMatchResult(table, {{"players/a", change}}, kPlain),
              HasSubstr("rating 1500 → 1512 (+12)  luck +30, without it +90\n"));
}

}  // namespace
}  // namespace tarot::tarotctl
