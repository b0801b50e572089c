#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "google/protobuf/util/json_util.h"
#include "libs/base/error.h"
#include "libs/base/ids.h"
#include "libs/rules/parameters/parameters.h"
#include "libs/wire/rule_set.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/play/input.h"
#include "tools/tarotctl/room/change.h"
#include "tools/tarotctl/room/visit.h"
#include "tools/tarotctl/view/words.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::Room;
using matchmaking::v1::RoomTerms;

// The terms of the queue casual4, with more deals.
constexpr std::uint32_t kDeals = 4;
constexpr char kMoveLimit[] = "30s";
constexpr char kTimeBank[] = "60s";
constexpr std::uint32_t kPlayers = 4;

absl::StatusOr<std::uint32_t> ReadCount(const cli::CommandLine& line, const std::string& option,
                                        std::uint32_t fallback) {
  std::uint32_t count = fallback;
  // The server would read 0 as "not given", so 0 is an error here.
  if (line.Has(option) && (!absl::SimpleAtoi(line.Get(option), &count) || count == 0)) {
    return absl::InvalidArgumentError(absl::StrCat("--", option, " takes a number above 0"));
  }
  return count;
}

// Reads "90", "90s" or "1m30s". The server checks the range.
absl::Status ReadClock(const cli::CommandLine& line, const std::string& option,
                       const std::string& fallback, google::protobuf::Duration* out) {
  const std::string text = line.Get(option, fallback);
  std::int64_t seconds = 0;
  absl::Duration time;
  if (!absl::SimpleAtoi(text, &seconds)) {
    if (!absl::ParseDuration(text, &time) || time % absl::Seconds(1) != absl::ZeroDuration() ||
        time == absl::InfiniteDuration() || time == -absl::InfiniteDuration()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", option, " takes seconds, for example 45 or 1m30s"));
    }
    seconds = absl::ToInt64Seconds(time);
  }
  out->set_seconds(seconds);
  return absl::OkStatus();
}

// Returns kPlayers, or the nearest number of players that the rule set allows.
std::uint32_t UsualPlayers(const rules::RuleSet& rules) {
  return std::clamp<std::uint32_t>(kPlayers, rules.players_min, rules.players_max);
}

// Reads a rule set from a JSON file of RuleSet, or of RuleSetInfo as `rule-sets --json` prints it.
absl::StatusOr<rules::v1::RuleSet> ReadRulesFile(const std::string& path) {
  TAROT_ASSIGN_OR_RETURN(const std::string text, cli::ReadFile(path));
  rules::v1::RuleSet rules;
  const auto plain = google::protobuf::util::JsonStringToMessage(text, &rules);
  if (plain.ok()) return rules;
  rules::v1::RuleSetInfo info;
  if (google::protobuf::util::JsonStringToMessage(text, &info).ok() && info.has_rules()) {
    return info.rules();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("is not a rule set: ", plain.message().ToString()));
}

// Sets the rule set of `terms` from --rules, the words after it, or --rules-file. Returns the
// usual number of players, or 0 if only the server knows the rule set.
absl::StatusOr<std::uint32_t> ReadRules(const cli::CommandLine& line, RoomTerms& terms) {
  const std::string file = line.Get("rules-file");
  std::string text = line.Get("rules", "fft");
  if (!file.empty()) {
    if (line.Has("rules") || !line.words.empty()) {
      return absl::InvalidArgumentError("give either --rules or --rules-file");
    }
    const auto read = ReadRulesFile(file);
    if (!read.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(file, " ", read.status().message()));
    }
    *terms.mutable_rules() = *read;
    TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, wire::DecodeRuleSet(*read, "rules"));
    return UsualPlayers(rules);
  }
  for (const std::string& word : line.words) {
    if (!absl::StartsWith(word, "+")) {
      return absl::InvalidArgumentError(
          absl::StrCat("'", word, "' does not have the form +PARAMETER=VALUE"));
    }
    absl::StrAppend(&text, " ", word);
  }
  if (!absl::StrContains(text, '+')) {
    terms.set_rule_set(text);
    return 0;
  }
  TAROT_ASSIGN_OR_RETURN(const rules::RuleSet rules, rules::ParseRuleSet(text));
  wire::EncodeRuleSet(rules, terms.mutable_rules());
  return UsualPlayers(rules);
}

// Returns the usual number of players of a named rule set. For an unknown name, which the server
// will refuse, returns kPlayers.
absl::StatusOr<std::uint32_t> UsualPlayersOf(Context& context, const std::string& name) {
  TAROT_ASSIGN_OR_RETURN(const auto sets, context.Call(&client::RuleSets::ListRuleSets, {}));
  for (const rules::v1::RuleSetInfo& set : sets.rule_sets()) {
    if (set.name() != name || set.player_counts().empty()) continue;
    return std::clamp(kPlayers, *set.player_counts().begin(), *set.player_counts().rbegin());
  }
  return kPlayers;
}

absl::StatusOr<matchmaking::v1::CreateRoomRequest> ReadRequest(const cli::CommandLine& line) {
  matchmaking::v1::CreateRoomRequest request;
  if (line.Has("open") && line.Has("private")) {
    return absl::InvalidArgumentError("give either --open or --private");
  }
  if (line.Has("bots") && !IsBotLevel(line.Get("bots"))) {
    return absl::InvalidArgumentError("--bots takes novice, club, sociable, strong or expert");
  }
  request.set_visibility(line.Has("open") ? Room::OPEN : Room::PRIVATE);
  RoomTerms& terms = *request.mutable_terms();
  TAROT_ASSIGN_OR_RETURN(const std::uint32_t usual, ReadRules(line, terms));
  TAROT_ASSIGN_OR_RETURN(const std::uint32_t players, ReadCount(line, "players", usual));
  TAROT_ASSIGN_OR_RETURN(const std::uint32_t deals, ReadCount(line, "deals", kDeals));
  terms.set_player_count(players);
  terms.set_deal_count(deals);
  TAROT_RETURN_IF_ERROR(ReadClock(line, "move-limit", kMoveLimit, terms.mutable_move_limit()));
  TAROT_RETURN_IF_ERROR(ReadClock(line, "bank", kTimeBank, terms.mutable_time_bank()));
  if (terms.time_bank().seconds() == 0) terms.clear_time_bank();
  if (line.Has("take-back")) terms.mutable_options()->set_take_back(true);
  if (line.Has("breaks")) terms.mutable_options()->set_breaks(true);
  return request;
}

cli::ExitCode FailInRoom(Context& context, const std::string& what, const absl::Status& status) {
  const cli::ExitCode code = context.Fail(what, status);
  if (GetErrorDetails(status).reason == "IN_ROOM") {
    context.err() << "To go back to your room: tarotctl room. To give your seat up: tarotctl "
                     "leave\n";
  }
  return code;
}

cli::ExitCode Visit(Context& context, const InputFile& script, const Room& room) {
  if (context.json()) {
    context.PrintJson(room);
    return cli::kOk;
  }
  Input input(script.fd());
  return RoomVisit(context, input, context.line().Has("auto"), context.line().Has("start"), room)
      .Run();
}

cli::ExitCode RunOpen(Context& context) {
  auto request = ReadRequest(context.line());
  if (!request.ok()) {
    context.err() << "tarotctl: " << cli::Safe(request.status().message()) << "\n";
    return cli::kUsage;
  }
  const InputFile script(context.line().Get("script"));
  if (script.fd() < 0) return context.FailScript();
  if (const absl::Status status = context.SignInUnkept(context.line().Get("name")); !status.ok()) {
    return context.Fail("sign in", status);
  }
  if (!context.line().Has("players") && !request->terms().has_rules()) {
    const auto usual = UsualPlayersOf(context, request->terms().rule_set());
    if (!usual.ok()) return context.Fail("list the rule sets", usual.status());
    request->mutable_terms()->set_player_count(*usual);
  }
  request->set_request_id(context.client().NewRequestId());
  const auto made = context.Call(&client::Rooms::CreateRoom, *request);
  if (!made.ok()) return FailInRoom(context, "open a room", made.status());
  if (const absl::Status kept = context.KeepSession(); !kept.ok()) {
    return context.Fail("keep your session", kept);
  }
  Room room = made->room();
  if (context.line().Has("bots")) {
    const auto filled = ChangeRoom(context, room, {"bot", "all", context.line().Get("bots")});
    if (!filled.ok()) return context.Fail("seat the bots", filled.status());
    room = *filled;
  }
  context.err() << "Others join with: tarotctl join " << cli::Safe(room.code()) << "\n";
  return Visit(context, script, room);
}

// Returns the room that `typed` names: a code, a room's id, or its resource name.
absl::StatusOr<Room> Join(Context& context, const std::string& typed) {
  matchmaking::v1::JoinRoomRequest request;
  const std::string id(absl::StripPrefix(typed, "rooms/"));
  const bool by_name = id != typed || Uuid::Parse(id).has_value();
  const auto own = FindOwnRoom(context);
  if (own.ok() &&
      (by_name ? IdOf(own->name()) == id : absl::EqualsIgnoreCase(own->code(), typed))) {
    return own;
  }
  if (by_name) {
    request.set_name(absl::StrCat("rooms/", id));
  } else {
    request.set_code(typed);
  }
  request.set_request_id(context.client().NewRequestId());
  TAROT_ASSIGN_OR_RETURN(const auto response, context.Call(&client::Rooms::JoinRoom, request));
  return response.room();
}

cli::ExitCode RunJoin(Context& context) {
  const InputFile script(context.line().Get("script"));
  if (script.fd() < 0) return context.FailScript();
  if (const absl::Status status = context.SignInUnkept(context.line().Get("name")); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto room = Join(context, context.line().words[0]);
  if (!room.ok()) return FailInRoom(context, "join the room", room.status());
  if (const absl::Status kept = context.KeepSession(); !kept.ok()) {
    return context.Fail("keep your session", kept);
  }
  return Visit(context, script, *room);
}

cli::ExitCode RunRoom(Context& context) {
  const InputFile script(context.line().Get("script"));
  if (script.fd() < 0) return context.FailScript();
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto room = FindOwnRoom(context);
  if (!room.ok()) return context.Fail("find your room", room.status());
  return Visit(context, script, *room);
}

}  // namespace

cli::Command OpenCommand() {
  return {
      .name = "open",
      .usage = "open [--rules RULES]",
      .summary = "open a room for a casual match under any rules",
      .help =
          "  tarotctl open --name Ada                   four players; prints a code for friends\n"
          "  tarotctl open --rules pagat --players 5    another rule set, and five players\n"
          "  tarotctl open --rules fft +mult=1,2,3,4    a rule set of your own\n"
          "  tarotctl open --bots strong --start        against bots, at once\n\n"
          "  --rules RULES       a name of tarotctl rule-sets, fft by default; +PARAMETER=VALUE\n"
          "                      changes it, with the parameters of tarot-lab rulesets\n"
          "  --rules-file FILE   a rule set as JSON, as tarotctl rule-sets NAME --json prints it\n"
          "  --players N         3 to 5, as the rules allow; 4 by default\n"
          "  --deals N           scored deals of a match, 1 to 100; 4 by default\n"
          "  --move-limit TIME   for each move, 1s to 10m; 30s by default\n"
          "  --bank TIME         more time for the whole match, up to 1h; 60s by default, 0 for "
          "none\n"
          "  --take-back         a player may take a card back, if the others agree\n"
          "  --breaks            the players may make breaks, if all agree\n"
          "  --open              all players see the room and may join; --private is the default:\n"
          "                      only players with the code or an invitation join. All players "
          "may\n"
          "                      watch the matches of both kinds; they see no hand\n"
          "  --bots LEVEL        bots in all other seats: novice, club, sociable, strong, expert\n"
          "  --start             starts the first match when all seats are taken\n"
          "  --name, --auto, --script   as in tarotctl play\n"
          "  --json              prints the room and ends; the seat stays until the room ends,\n"
          "                      as an unused room does after ten minutes\n\n"
          "In the room, ? helps. After a match you come back to the room. Without a terminal, the\n"
          "command leaves the room after one match.\n",
      .options = {{"rules"},
                  {"rules-file"},
                  {"players"},
                  {"deals"},
                  {"move-limit"},
                  {"bank"},
                  {"take-back", false},
                  {"breaks", false},
                  {"open", false},
                  {"private", false},
                  {"bots"},
                  {"start", false},
                  {"name"},
                  {"auto", false},
                  {"script"},
                  {"json", false}},
      .words_min = 0,
      .words_max = 100,
      .run = WithClient(RunOpen, 8)};
}

cli::Command JoinCommand() {
  return {.name = "join",
          .usage = "join CODE|ROOM",
          .summary = "take a seat in a room",
          .help =
              "  tarotctl join K7M2QX --name Zoë    by the code that the host has told you\n"
              "  tarotctl join 5f3c2a10-0000-4000-8000-000000000001    the id of a room in "
              "`tarotctl rooms`\n"
              "\n"
              "  --name, --auto, --script   as in tarotctl play\n"
              "  --json                     prints the room and ends; the seat stays until the\n"
              "                             room ends, as an unused room does after ten minutes\n\n"
              "In the room, ? helps. Without a terminal, the command leaves the room after one\n"
              "match.\n",
          .options = {{"name"}, {"auto", false}, {"script"}, {"json", false}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(RunJoin, 8)};
}

cli::Command RoomCommand() {
  return {.name = "room",
          .usage = "room",
          .summary = "return to the room where you sit",
          .help =
              "  tarotctl room\n"
              "  tarotctl room --json    prints the room and ends\n\n"
              "In the room, ? helps.\n",
          .options = {{"auto", false}, {"script"}, {"json", false}},
          .run = WithClient(RunRoom, 8)};
}

}  // namespace tarot::tarotctl
