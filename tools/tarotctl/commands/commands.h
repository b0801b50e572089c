// The commands of tarotctl, and how they find a table, a player or a finished deal by the text that
// a person types. Each command has a file of its own here, or shares one with similar commands.
#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "tarot/matchmaking/v1/friend_service.pb.h"
#include "tarot/rules/v1/record_service.pb.h"
#include "tools/cli/command_line.h"
#include "tools/cli/program.h"
#include "tools/tarotctl/session/context.h"

namespace tarot::tarotctl {

cli::Command PlayCommand();
cli::Command NonceCommand();
cli::Command SayCommand();
cli::Command MuteCommand();
cli::Command TakeBackCommand();
cli::Command BreakCommand();
cli::Command AnswerCommand();
cli::Command ClaimCommand();
cli::Command WatchCommand();
cli::Command LadderCommand();
cli::Command PlayerCommand();
cli::Command SearchCommand();
cli::Command CountryCommand();
cli::Command MatchesCommand();
cli::Command ScoresCommand();
cli::Command RecordCommand();
cli::Command VerifyCommand();
cli::Command AnalyzeCommand();
cli::Command TablesCommand();
cli::Command QueuesCommand();
cli::Command RuleSetsCommand();
cli::Command OpenCommand();
cli::Command JoinCommand();
cli::Command RoomCommand();
cli::Command RoomsCommand();
cli::Command InviteCommand();
cli::Command BotCommand();
cli::Command RemoveCommand();
cli::Command StartCommand();
cli::Command LeaveCommand();
cli::Command FriendsCommand();
cli::Command ReportCommand();
cli::Command RegisterCommand();
cli::Command LoginCommand();
cli::Command RecoverCommand();
cli::Command SignOutCommand();
cli::Command TraceCommand();
cli::Command AdminCommand();

// Returns the program tarotctl with all its commands.
cli::Program Tarotctl();

// Returns the table in `tables` whose id begins or ends with `letters`. Returns NOT_FOUND when
// there is no such table or more than one.
absl::StatusOr<std::string> FindTable(const rules::v1::ListTablesResponse& tables,
                                      absl::string_view letters);

// Returns "tables/…". `typed` is a table's id, its resource name, or the first or last letters of
// the id of one table on the first page of ListTables. For "" returns the newest live table.
// Returns NOT_FOUND when there is no such table or more than one.
absl::StatusOr<std::string> ResolveTable(Context& context, const std::string& typed);

// Returns "players/…" for the seat of `table` that lists show as `typed`, or whose player has this
// name. Returns NOT_FOUND if there is no such seat, and FAILED_PRECONDITION if there are several.
absl::StatusOr<std::string> FindPlayerAt(const rules::v1::Table& table, const std::string& typed);

// Returns the error for a name that two players have. Only their ids tell them apart.
absl::Status Ambiguous(const std::string& typed);

// Returns the caller's newest table, in play or finished. Returns NOT_FOUND when there is none.
absl::StatusOr<std::string> OwnNewestTable(Context& context);

// Returns "players/…". `typed` is "me", a player's id, its resource name, or the name of a player
// who has finished a match. The name of a bot may begin with "bot ", as in lists. If several
// players have this name, returns the first of them who has a place on the ladder. If none of them
// has a place, returns the first of them.
absl::StatusOr<std::string> ResolvePlayer(Context& context, const std::string& typed);

// Returns all pages of the caller's list of friends, requests and blocked players.
absl::StatusOr<matchmaking::v1::ListFriendsResponse> ListAllFriends(Context& context);

// Reads the record of TABLE/N or tables/TABLE/deals/N. On an error, writes it to err, sets
// `exit_code` and returns nullopt.
std::optional<rules::v1::GetRecordResponse> FetchRecord(Context& context, const std::string& typed,
                                                        cli::ExitCode& exit_code);

}  // namespace tarot::tarotctl
