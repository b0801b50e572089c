#include "tools/tarotctl/room/visit.h"

#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "tools/cli/text.h"
#include "tools/tarotctl/play/game.h"
#include "tools/tarotctl/room/change.h"
#include "tools/tarotctl/view/rooms.h"

namespace tarot::tarotctl {
namespace {

using matchmaking::v1::Room;

constexpr std::size_t kLinesKept = 8;
constexpr absl::Duration kLongWait = absl::Seconds(30);
constexpr char kSeatStays[] =
    "Your seat in the room stays until the room ends. An unused room ends after ten minutes.\n"
    "Come back with: tarotctl room\n";

}  // namespace

RoomVisit::RoomVisit(Context& context, Input& input, bool plays_alone, bool starts,
                     const Room& room)
    : context_(context),
      input_(input),
      auto_(plays_alone),
      redraw_(context.environment().out_is_terminal && input.is_terminal()),
      starts_(starts),
      room_(room),
      rooms_(context, input, OpenRoom(context, room.name())) {
  if (!redraw_) context_.out() << RenderRoom(room_, context_.style()) << std::flush;
  Draw();
}

cli::ExitCode RoomVisit::Run() {
  while (true) {
    if (const Over over = Step()) return *over;
  }
}

RoomVisit::Over RoomVisit::Step() {
  const auto end = rooms_.End();
  if (std::optional<Room> room = rooms_.Take()) {
    Take(*std::move(room));
    return std::nullopt;
  }
  if (end && absl::IsNotFound(*end)) {
    context_.err() << "You sit in this room no longer.\n";
    return cli::kFailed;
  }
  if (end && !end->ok()) return context_.Fail("watch the room", *end);
  if (end || room_.state() == Room::ENDED) return cli::kOk;
  const bool gathering = room_.state() == Room::GATHERING;
  if (gathering && room_.start_refused() && IsHost(room_) && !input_.is_terminal()) {
    context_.err() << "tarotctl: the match could not be started; try again with: tarotctl start\n";
    return cli::kFailed;
  }
  if (room_.state() == Room::PLAYING && room_.table() != played_) return PlayMatch();
  if (starts_ && gathering && IsHost(room_) && FreeSeats(room_) == 0) {
    starts_ = false;
    return Change({"start"});
  }
  std::string line;
  switch (input_.Wait(kLongWait, input_.is_terminal(), &line)) {
    case InputEvent::kLine:
      return OnLine(line);
    case InputEvent::kEnd:
      return Pause(cli::kOk);
    case InputEvent::kInterrupt:
      return Pause(cli::kInterrupted);
    default:
      return std::nullopt;
  }
}

void RoomVisit::Take(Room room) {
  for (const std::string& line : DescribeRoomChanges(room_, room)) Say(line);
  room_ = std::move(room);
  Draw();
}

RoomVisit::Over RoomVisit::PlayMatch() {
  played_ = room_.table();
  context_.err() << "? helps, q leaves.\n";
  Game game(context_, input_, auto_, played_);
  const cli::ExitCode code = game.Play();
  if (!game.finished()) {
    context_.err() << kSeatStays;
    return code;
  }
  if (!input_.is_terminal()) return Change({"leave"});
  shows_result_ = redraw_;
  context_.out() << "The host can start a return match. Enter shows the room.\n";
  Hint();
  return std::nullopt;
}

RoomVisit::Over RoomVisit::OnLine(const std::string& line) {
  shows_result_ = false;
  std::vector<std::string> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipWhitespace());
  if (words.empty()) {
    Draw();
    return std::nullopt;
  }
  std::string& word = words[0];
  absl::AsciiStrToLower(&word);
  if (word == "q" || word == "quit") return Pause(cli::kOk);
  if (word == "?" || word == "help") {
    context_.out() << kRoomUsage << "  q                  leaves this screen; your seat stays\n"
                   << std::flush;
    return std::nullopt;
  }
  if (word == "s") word = "start";
  return Change(words);
}

RoomVisit::Over RoomVisit::Change(const std::vector<std::string>& words) {
  const auto room = ChangeRoom(context_, room_, words);
  if (!room.ok()) {
    if (!input_.is_terminal()) {
      return context_.Fail(words[0] == "start" ? "start the match" : "leave the room",
                           room.status());
    }
    Say(absl::StrCat("Not done: ", cli::Safe(room.status().message())));
    Draw();
    return std::nullopt;
  }
  if (words[0] == "leave") {
    context_.err() << "You left the room.\n";
    return cli::kOk;
  }
  Draw();  // The watch brings the change.
  return std::nullopt;
}

cli::ExitCode RoomVisit::Pause(cli::ExitCode code) {
  context_.err() << "\n" << kSeatStays << "To give it up: tarotctl leave\n";
  return code;
}

void RoomVisit::Say(const std::string& line) {
  if (!redraw_) {
    context_.out() << line << "\n" << std::flush;
    return;
  }
  lines_.push_back(line);
  while (lines_.size() > kLinesKept) lines_.pop_front();
}

void RoomVisit::Draw() {
  if (!redraw_ || shows_result_) return;
  context_.out() << "\x1b[H\x1b[J" << RenderRoom(room_, context_.style()) << "\n";
  for (const std::string& line : lines_) context_.out() << "  " << line << "\n";
  Hint();
}

void RoomVisit::Hint() {
  context_.out() << (IsHost(room_) ? "s starts the match, ? helps, q goes away: "
                                   : "? helps, q goes away: ")
                 << std::flush;
}

}  // namespace tarot::tarotctl
