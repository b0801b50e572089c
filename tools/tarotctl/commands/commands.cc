#include "tools/tarotctl/commands/commands.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "libs/base/error.h"
#include "libs/base/ids.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {

cli::Program Tarotctl() {
  return {
      .name = "tarotctl",
      .about =
          "Play French Tarot and look around, from a terminal.\n\n"
          "  tarotctl play --name Ada          queue for a match and play it\n"
          "  tarotctl open --rules pagat       a table for friends, under any rules\n"
          "  tarotctl watch                    watch the newest table\n"
          "  tarotctl ladder --around me       your place among the players\n",
      .options =
          absl::StrCat("  --gateway HOST:PORT[,...]  where the platform is ($TAROT_GATEWAY, or ",
                       kDefaultGateway, ")\n"),
      .footer =
          "Exit codes: 0 done, 1 failed, refused or untrue, 2 wrong usage, 3 the gateway does not\n"
          "answer, 4 not signed in, 5 no such table, room, deal or player, 130 interrupted. Data\n"
          "goes to stdout, messages go to stderr.\n",
      .common_options = {{"gateway"}},
      .commands = {PlayCommand(),     OpenCommand(),   JoinCommand(),     RoomCommand(),
                   RoomsCommand(),    InviteCommand(), BotCommand(),      RemoveCommand(),
                   StartCommand(),    LeaveCommand(),  RuleSetsCommand(), NonceCommand(),
                   SayCommand(),      MuteCommand(),   TakeBackCommand(), BreakCommand(),
                   AnswerCommand(),   ClaimCommand(),  WatchCommand(),    LadderCommand(),
                   PlayerCommand(),   SearchCommand(), CountryCommand(),  MatchesCommand(),
                   ScoresCommand(),   RecordCommand(), VerifyCommand(),   AnalyzeCommand(),
                   TablesCommand(),   QueuesCommand(), FriendsCommand(),  ReportCommand(),
                   RegisterCommand(), LoginCommand(),  RecoverCommand(),  SignOutCommand(),
                   TraceCommand(),    AdminCommand()}};
}

absl::StatusOr<std::string> FindTable(const rules::v1::ListTablesResponse& tables,
                                      absl::string_view letters) {
  std::vector<std::string> found;
  for (const rules::v1::Table& table : tables.tables()) {
    const std::string id = IdOf(table.name());
    if (absl::EndsWith(id, letters) || absl::StartsWith(id, letters)) found.push_back(table.name());
  }
  if (found.size() == 1) return found[0];
  return absl::NotFoundError(
      found.empty() ? absl::StrCat("no recent table's id begins or ends with '", letters,
                                   "'; see `tarotctl tables`")
                    : absl::StrCat("the ids of ", found.size(), " tables begin or end with '",
                                   letters, "'; type the last letters, see `tarotctl tables`"));
}

namespace {

// Returns an error if the list lacks tables because a cell of the platform did not answer.
absl::Status CheckWhole(const rules::v1::ListTablesResponse& response) {
  if (response.silent_cells_size() == 0) return absl::OkStatus();
  return absl::UnavailableError("a part of the tables does not answer now; try again later");
}

}  // namespace

absl::StatusOr<std::string> ResolveTable(Context& context, const std::string& typed) {
  const std::string id(absl::StripPrefix(typed, "tables/"));
  if (TableId::Parse(id)) return absl::StrCat("tables/", id);
  rules::v1::ListTablesRequest request;
  request.set_page_size(typed.empty() ? 1 : 100);
  request.set_show_finished(!typed.empty());
  TAROT_ASSIGN_OR_RETURN(const auto response, context.Call(&client::Tables::ListTables, request));
  if (typed.empty()) {
    if (!response.tables().empty()) return response.tables(0).name();
    TAROT_RETURN_IF_ERROR(CheckWhole(response));
    return absl::NotFoundError("no table is in play");
  }
  const absl::StatusOr<std::string> found = FindTable(response, id);
  if (absl::IsNotFound(found.status())) TAROT_RETURN_IF_ERROR(CheckWhole(response));
  return found;
}

absl::StatusOr<std::string> FindPlayerAt(const rules::v1::Table& table, const std::string& typed) {
  std::string found;
  for (int i = 0; i < table.seats_size(); ++i) {
    const bool named =
        absl::EqualsIgnoreCase(table.seats(i).display_name(), typed) ||
        absl::EqualsIgnoreCase(SeatName(table, static_cast<std::uint32_t>(i)), typed);
    if (!named) continue;
    if (!found.empty()) return Ambiguous(typed);
    found = table.seats(i).player();
  }
  if (!found.empty()) return found;
  return absl::NotFoundError(absl::StrCat("no seat of this table has the name '", typed, "'"));
}

absl::Status Ambiguous(const std::string& typed) {
  return absl::FailedPreconditionError(
      absl::StrCat("two players are named '", typed, "'; name the player by id"));
}

absl::StatusOr<std::string> OwnNewestTable(Context& context) {
  rules::v1::ListTablesRequest request;
  request.set_player(context.me());
  request.set_show_finished(true);
  request.set_page_size(1);
  TAROT_ASSIGN_OR_RETURN(const auto response, context.Call(&client::Tables::ListTables, request));
  if (response.tables().empty()) {
    TAROT_RETURN_IF_ERROR(CheckWhole(response));
    return absl::NotFoundError("you have sat at no table; `tarotctl tables` lists others");
  }
  return response.tables(0).name();
}

absl::StatusOr<std::string> ResolvePlayer(Context& context, const std::string& typed) {
  if (typed == "me") return context.me();
  const std::string id(absl::StripPrefix(typed, "players/"));
  if (PlayerId::Parse(id)) return absl::StrCat("players/", id);
  // No person has a name that begins with the word bot.
  absl::string_view name = typed;
  if (absl::StartsWithIgnoreCase(name, kBotMark)) name.remove_prefix(kBotMark.size());
  ratings::v1::SearchPlayersRequest request;
  request.set_query(std::string(name));
  request.set_page_size(100);
  TAROT_ASSIGN_OR_RETURN(const auto found, context.Call(&client::Ratings::SearchPlayers, request));
  std::string first;
  for (const ratings::v1::Rating& rating : found.ratings()) {
    if (!absl::EqualsIgnoreCase(rating.display_name(), name)) continue;
    if (rating.has_rank()) return rating.player();
    if (first.empty()) first = rating.player();
  }
  if (!first.empty()) return first;
  return absl::NotFoundError(absl::StrCat(
      "no player with a finished match is named '", typed, "'; `tarotctl search ", typed,
      "` shows similar names, and `tarotctl rooms` shows each player their id"));
}

std::optional<rules::v1::GetRecordResponse> FetchRecord(Context& context, const std::string& typed,
                                                        cli::ExitCode& exit_code) {
  const std::string name = absl::StrReplaceAll(typed, {{"/deals/", "/"}});
  const std::size_t slash = name.rfind('/');
  int number = 0;
  if (slash == std::string::npos || !absl::SimpleAtoi(name.substr(slash + 1), &number) ||
      number < 1) {
    context.err() << "tarotctl: a deal is TABLE/N, for instance 5f3c2a10-…/1\n";
    exit_code = cli::kUsage;
    return std::nullopt;
  }
  const auto fail = [&](const std::string& what, const absl::Status& status) {
    exit_code = context.Fail(what, status);
    return std::nullopt;
  };
  if (const absl::Status status = context.SignIn(""); !status.ok()) return fail("sign in", status);
  const auto table = ResolveTable(context, name.substr(0, slash));
  if (!table.ok()) return fail("find the table", table.status());
  rules::v1::GetRecordRequest request;
  request.set_name(absl::StrCat(*table, "/deals/", number));
  auto response = context.Call(&client::Records::GetRecord, request);
  if (!response.ok()) return fail("read the deal", response.status());
  return *std::move(response);
}

}  // namespace tarot::tarotctl
