#include "tools/tarotctl/view/rooms.h"

#include "absl/strings/str_join.h"
#include "tools/tarotctl/commands/commands.h"
#include "tools/tarotctl/room/change.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::ListRoomsRequest;

cli::ExitCode RunRooms(Context& context) {
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  RoomLists lists;
  for (const auto& [filter, list] : {std::pair{ListRoomsRequest::MINE, &lists.mine},
                                     std::pair{ListRoomsRequest::INVITED, &lists.invited},
                                     std::pair{ListRoomsRequest::OPEN_SEATS, &lists.open}}) {
    ListRoomsRequest request;
    request.set_filter(filter);
    if (list == &lists.open) request.set_page_token(context.line().Get("page"));
    auto response = context.Call(&client::Rooms::ListRooms, request);
    if (!response.ok()) return context.Fail("list the rooms", response.status());
    *list = *std::move(response);
  }
  if (context.json()) {
    context.PrintJson(lists.mine);
    context.PrintJson(lists.invited);
    context.PrintJson(lists.open);
  } else {
    context.out() << RenderRooms(lists, context.me());
  }
  return cli::kOk;
}

// Makes the change that `verb` and the words of the command line describe. `what` follows the word
// "cannot" in the error text.
cli::ExitCode RunChange(Context& context, const std::string& verb, const std::string& what) {
  if (const absl::Status status = context.SignIn(""); !status.ok()) {
    return context.Fail("sign in", status);
  }
  const auto own = FindOwnRoom(context);
  if (!own.ok()) return context.Fail("find your room", own.status());
  std::vector<std::string> words = context.line().words;
  words.insert(words.begin(), verb);
  const auto room = ChangeRoom(context, *own, words);
  if (absl::IsInvalidArgument(room.status()) && GetErrorDetails(room.status()).reason.empty()) {
    context.err() << "tarotctl: " << cli::Safe(room.status().message()) << "\n";
    return cli::kUsage;
  }
  if (!room.ok()) return context.Fail(what, room.status());
  if (verb == "leave") {
    context.out() << (context.json() ? "{}\n" : "You left the room.\n");
  } else if (context.json()) {
    context.PrintJson(*room);
  } else {
    context.out() << RenderRoom(*room, context.style());
    if (verb == "start") context.err() << "To your seat: tarotctl room\n";
  }
  return cli::kOk;
}

}  // namespace

cli::Command RoomsCommand() {
  return {.name = "rooms",
          .usage = "rooms",
          .summary = "your room, your invitations, and open rooms with a free seat",
          .help =
              "  tarotctl rooms\n"
              "  tarotctl rooms --json          three lines: yours, invitations, open rooms\n"
              "  tarotctl rooms --page TOKEN    more open rooms\n\n"
              "The last line has your id. Others need this id to invite you.\n",
          .options = {{"json", false}, {"page"}},
          .run = WithClient(RunRooms)};
}

cli::Command InviteCommand() {
  return {.name = "invite",
          .usage = "invite PLAYER",
          .summary = "invite a player to the room where you sit",
          .help =
              "  tarotctl invite 5f3c2a10-0000-4000-8000-000000000003\n"
              "  tarotctl invite Zoë            a name on the ladder\n\n"
              "`tarotctl rooms` shows each player their own id and invitations.\n",
          .options = {{"json", false}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(
              [](Context& context) { return RunChange(context, "invite", "invite the player"); })};
}

cli::Command BotCommand() {
  return {
      .name = "bot",
      .usage = "bot SEAT|all LEVEL|none",
      .summary = "put a bot into a seat of your room",
      .help =
          "  tarotctl bot 3 club       a bot of this level in seat 3\n"
          "  tarotctl bot all strong   bots in all free seats\n"
          "  tarotctl bot 3 none       frees the seat\n\n"
          "Levels: novice, club, sociable, strong, expert; a sociable bot bids like people. Only\n"
          "the host may do it.\n",
      .options = {{"json", false}},
      .words_min = 2,
      .words_max = 2,
      .run = WithClient(
          [](Context& context) { return RunChange(context, "bot", "change the seat"); })};
}

cli::Command RemoveCommand() {
  return {.name = "remove",
          .usage = "remove SEAT",
          .summary = "take the seat of a player or a bot in your room",
          .help =
              "  tarotctl remove 2\n"
              "  tarotctl remove Zoë\n\n"
              "Only the host may do it.\n",
          .options = {{"json", false}},
          .words_min = 1,
          .words_max = 1,
          .run = WithClient(
              [](Context& context) { return RunChange(context, "remove", "take the seat"); })};
}

cli::Command StartCommand() {
  return {.name = "start",
          .usage = "start",
          .summary = "start a match in your room, also a return match",
          .help =
              "  tarotctl start\n\n"
              "All seats must be taken. Only the host may do it.\n",
          .options = {{"json", false}},
          .run = WithClient(
              [](Context& context) { return RunChange(context, "start", "start the match"); })};
}

cli::Command LeaveCommand() {
  return {.name = "leave",
          .usage = "leave",
          .summary = "leave the room where you sit",
          .help =
              "  tarotctl leave\n\n"
              "If you are the host, the next person becomes the host. A match goes on without "
              "you.\n",
          .options = {{"json", false}},
          .run = WithClient(
              [](Context& context) { return RunChange(context, "leave", "leave the room"); })};
}

}  // namespace tarot::tarotctl
