#include "tools/tarotctl/view/lists.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/view/table_view.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::Ticket;
using ratings::v1::Rating;

std::string NameOf(const Rating& rating) {
  const std::string name = cli::Fit(rating.display_name(), 20);
  return name.empty() ? cli::Safe(IdOf(rating.player())).substr(0, 8) : name;
}

std::string WithDeviation(double rating, double deviation) {
  return absl::StrFormat("%.0f ± %.0f", rating, deviation);
}

std::string TierText(const Rating& rating) {
  switch (rating.tier()) {
    case Rating::VALET:
      return "Valet";
    case Rating::CAVALIER:
      return "Cavalier";
    case Rating::DAME:
      return "Dame";
    case Rating::ROI:
      return "Roi";
    case Rating::VINGT_ET_UN:
      return "Vingt-et-un";
    default:
      return "";
  }
}

// Returns the change of the place since Monday, for example "+3". Returns "" for a player who had
// no place on Monday.
std::string WeekText(const Rating& rating) {
  if (!rating.has_week_change()) return "";
  return rating.week_change() == 0 ? "=" : absl::StrFormat("%+d", rating.week_change());
}

std::string RoleText(ratings::v1::RoleResult::Role role) {
  switch (role) {
    case ratings::v1::RoleResult::TAKER:
      return "taker";
    case ratings::v1::RoleResult::PARTNER:
      return "partner";
    default:
      return "defender";
  }
}

std::string WaitText(const Ticket& ticket) {
  switch (ticket.wait_reason()) {
    case Ticket::TOO_FEW_PLAYERS:
      return "too few players wait";
    case Ticket::RATINGS_TOO_FAR:
      return absl::StrCat("no player within ±", ticket.rating_window(),
                          " rating points yet; the window opens with time");
    case Ticket::MAKING_TABLE:
      return "matched, the table is being made";
    case Ticket::NEXT_WAVE:
      return "the next round of matching comes within seconds";
    case Ticket::MET_JUST_NOW:
      return "the only others are those of your last matches";
    case Ticket::PARTY_INCOMPLETE:
      return "not all persons of your room wait in this queue";
    case Ticket::SAME_ADDRESS:
      return "the only others play from the same network as you, or from one network";
    case Ticket::FAR_AWAY:
      return "the only others play from distant regions; they count when you have waited longer";
    case Ticket::BLOCKED:
      return "enough players wait, but some of them have blocked each other";
    default:
      return "waiting";
  }
}

}  // namespace

std::string RenderLadder(const ratings::v1::ListRatingsResponse& ladder, const std::string& me,
                         const cli::TextStyle& style) {
  if (ladder.ratings().empty()) return "No player has finished a ranked match yet.\n";
  std::vector<std::vector<std::string>> rows = {
      {"place", "week", "player", "", "", "tier", "rating", "matches"}};
  bool provisional = false;
  for (const Rating& rating : ladder.ratings()) {
    if (!rating.has_rank() && !std::exchange(provisional, true)) {
      rows.push_back({"", "", "", "", "", "", "", ""});
      rows.push_back({"", "", "without a place yet:", "", "", "", "", ""});
    }
    const bool mine = rating.player() == me;
    rows.push_back({rating.has_rank() ? absl::StrCat(rating.rank()) : "-", WeekText(rating),
                    style.Paint(mine ? cli::Tone::kBold : cli::Tone::kPlain, NameOf(rating)),
                    mine ? "you" : (rating.bot() ? "bot" : ""), cli::Safe(rating.country()),
                    TierText(rating), WithDeviation(rating.rating(), rating.deviation()),
                    absl::StrCat(rating.match_count())});
  }
  std::string out = cli::Columns(rows, {0, 1, 6, 7});
  absl::StrAppend(&out, "\n", ladder.total_size(),
                  ladder.total_size() == 1 ? " player has" : " players have", " a place");
  if (ladder.season() > 0) {
    absl::StrAppend(&out, "; season ", ladder.season(), " began ",
                    DateText(ladder.season_start_time()));
  }
  return out + "\n";
}

std::string RenderFound(const ratings::v1::SearchPlayersResponse& found) {
  if (found.ratings().empty()) return "No player with a finished match has such a name.\n";
  std::vector<std::vector<std::string>> rows = {{"player", "", "place", "tier", "rating", "id"}};
  for (const Rating& rating : found.ratings()) {
    rows.push_back({NameOf(rating), rating.bot() ? "bot" : "",
                    rating.has_rank() ? absl::StrCat(rating.rank()) : "-", TierText(rating),
                    WithDeviation(rating.rating(), rating.deviation()),
                    cli::Safe(IdOf(rating.player()))});
  }
  std::string out = cli::Columns(rows, {2, 4});
  if (!found.next_page_token().empty()) {
    absl::StrAppend(&out, "\nMore: add --page ", found.next_page_token(), "\n");
  }
  return out;
}

bool HasFinishedDeal(const Rating& rating, const rules::v1::ListRecordsResponse& records) {
  return rating.match_count() > 0 || records.records_size() > 0 ||
         !records.next_page_token().empty();
}

std::string RenderPlayer(const Rating& rating,
                         const ratings::v1::ListRatingChangesResponse& changes,
                         const ratings::v1::GetPlayerStatisticsResponse& statistics,
                         const rules::v1::ListRecordsResponse& records,
                         const cli::TextStyle& style) {
  std::string out = absl::StrCat(
      style.Paint(cli::Tone::kBold, NameOf(rating)), rating.bot() ? " (bot)" : "", "\n",
      "  Player  ", cli::Safe(IdOf(rating.player())), "\n",
      rating.country().empty() ? "" : absl::StrCat("  Country ", cli::Safe(rating.country()), "\n"),
      "  Rating  ", WithDeviation(rating.rating(), rating.deviation()), " after ",
      rating.match_count(), rating.match_count() == 1 ? " match" : " matches", ", ",
      rating.has_rank() ? absl::StrCat("place ", rating.rank()) : "no place yet",
      rating.week_change() != 0 ? absl::StrCat(" (", WeekText(rating), " this week)") : "",
      rating.tier() ? absl::StrCat(", ", TierText(rating)) : "", "\n");
  if (statistics.roles_size() > 0) {
    std::vector<std::vector<std::string>> rows = {
        {"", "role", "deals", "won", "points a deal", "without luck"}};
    for (const ratings::v1::RoleResult& role : statistics.roles()) {
      rows.push_back(
          {"", RoleText(role.role()), absl::StrCat(role.deal_count()),
           absl::StrFormat("%.0f %%", 100.0 * role.won_count() / role.deal_count()),
           absl::StrFormat("%+.1f", static_cast<double>(role.points()) / role.deal_count()),
           absl::StrFormat("%+.1f", role.result_per_deal())});
    }
    absl::StrAppend(&out, "\nLast ", statistics.match_count(),
                    statistics.match_count() == 1 ? " ranked match" : " ranked matches",
                    " by role:\n", cli::Columns(rows, {2, 3, 4, 5}));
  }
  if (changes.changes_size() > 0) {
    std::vector<std::vector<std::string>> rows;
    for (const ratings::v1::RatingChange& c : changes.changes()) {
      rows.push_back(
          {"", DateText(c.match_time()),
           c.voided() ? "void"
                      : absl::StrFormat("%.0f → %.0f", c.rating_before(), c.rating_after()),
           c.voided() ? "" : absl::StrFormat("%+.0f", c.rating_after() - c.rating_before()),
           absl::StrFormat("%+.1f a deal", c.points_per_deal()), cli::Safe(IdOf(c.table())),
           LuckText(c)});
    }
    absl::StrAppend(&out, "\nRanked matches, newest first:\n", cli::Columns(rows, {2, 3, 4}));
  }
  if (records.records_size() > 0) {
    absl::StrAppend(&out, "\nDeals, newest first (tarotctl record TABLE/N):\n");
    for (const rules::v1::DealRecord& record : records.records()) {
      const std::string result = ResultText(record.result(), RulesOf(record));
      const std::string name = absl::StrReplaceAll(
          absl::StripPrefix(cli::Safe(record.name()), "tables/"), {{"/deals/", "/"}});
      absl::StrAppend(&out, "  ", name, "  ", result.substr(0, result.find('\n')), "\n");
    }
  }
  return out;
}

std::string RenderMatches(const ratings::v1::ListMatchesResponse& matches) {
  if (matches.matches_size() == 0) return "No match is finished yet.\n";
  std::vector<std::vector<std::string>> rows = {
      {"finished", "deals", "points", "rating", "opponents", "table"}};
  for (const ratings::v1::PlayedMatch& match : matches.matches()) {
    std::vector<std::string> opponents;
    for (const ratings::v1::PlayedSeat& seat : match.opponents()) {
      opponents.push_back(absl::StrCat(MarkedName(seat.display_name(), seat.bot()),
                                       absl::StrFormat(" %+d", seat.points())));
    }
    rows.push_back(
        {DateText(match.match_time()), absl::StrCat(match.deal_count()),
         absl::StrFormat("%+d", match.points()),
         match.has_rating_after()
             ? absl::StrFormat("%.0f → %.0f (%+.0f)", match.rating_before(), match.rating_after(),
                               match.rating_after() - match.rating_before())
         : match.voided() ? "void"
                          : "casual",
         absl::StrJoin(opponents, ", "), cli::Safe(IdOf(match.table()))});
  }
  std::string out = cli::Columns(rows, {1, 2});
  if (!matches.next_page_token().empty()) {
    absl::StrAppend(&out, "\nMore: tarotctl matches --page ", matches.next_page_token(), "\n");
  }
  return out;
}

std::string RenderTables(const rules::v1::ListTablesResponse& tables) {
  if (tables.tables_size() == 0) {
    return "No table is in play. To start one: tarotctl play\n";
  }
  std::vector<std::vector<std::string>> rows = {{"table", "", "deal", "players"}};
  for (const rules::v1::Table& table : tables.tables()) {
    std::vector<std::string> players;
    for (int i = 0; i < table.seats_size(); ++i) {
      players.push_back(absl::StrCat(SeatName(table, static_cast<std::uint32_t>(i)), " ",
                                     Signed(table.seats(i).total())));
    }
    rows.push_back({cli::Safe(IdOf(table.name())), table.ranked() ? "ranked" : "casual",
                    table.state() == rules::v1::Table::FINISHED
                        ? "over"
                        : absl::StrCat(table.deals_scored() + 1, "/", table.deal_count()),
                    absl::StrJoin(players, ", ")});
  }
  return cli::Columns(rows, {});
}

std::string RenderQueues(const matchmaking::v1::ListQueuesResponse& queues) {
  std::vector<std::vector<std::string>> rows = {
      {"queue", "", "players", "deals", "a move", "bank", "rules", "waiting"}};
  for (const matchmaking::v1::Queue& queue : queues.queues()) {
    const std::string kind =
        queue.required_matches() > 0
            ? absl::StrCat("ranked, after ", queue.required_matches(), " casual matches")
            : (queue.ranked() ? "ranked" : "casual");
    rows.push_back({cli::Safe(IdOf(queue.name())), kind, absl::StrCat(queue.player_count()),
                    absl::StrCat(queue.deal_count()), ClockText(ToDuration(queue.move_limit())),
                    ClockText(ToDuration(queue.time_bank())), cli::Safe(queue.rule_set()),
                    absl::StrCat(queue.waiting_count())});
  }
  return cli::Columns(rows, {2, 3, 4, 5, 7});
}

std::string TicketText(const Ticket& ticket, std::optional<long long> waited_seconds) {
  const std::string waited =
      waited_seconds ? absl::StrCat("Waited ", ClockText(absl::Seconds(*waited_seconds)), ". ")
                     : "";
  if (ticket.state() == Ticket::PLACING) {
    return absl::StrCat(waited, "Matched, the table is being made.");
  }
  return absl::StrCat(waited, "Place ", ticket.position(), " of ", ticket.waiting_count(), ": ",
                      WaitText(ticket), ".");
}

}  // namespace tarot::tarotctl
