// A person's stay in a room at the terminal: shows the room as it changes, takes what the person
// types, plays each match of the room, and comes back to the room after each match.
#pragma once

#include <deque>
#include <optional>
#include <string>

#include "tarot/matchmaking/v1/room_service.pb.h"
#include "tools/tarotctl/play/feed.h"
#include "tools/tarotctl/play/input.h"
#include "tools/tarotctl/session/context.h"

namespace tarot::tarotctl {

class RoomVisit {
 public:
  // `room` is the room where the player sits. With `plays_alone`, SimplestAction decides at the
  // table. With `starts`, the host's first match starts when all seats are taken. `context` and
  // `input` must outlive the visit. In the room, only lines from a terminal are read: the lines of
  // a script are answers at the table.
  RoomVisit(Context& context, Input& input, bool plays_alone, bool starts,
            const matchmaking::v1::Room& room);

  // Runs until the room has ended, the player leaves, or something fails. Without a terminal, ends
  // after one match and gives up the seat.
  cli::ExitCode Run();

 private:
  // The exit code, if the visit is over.
  using Over = std::optional<cli::ExitCode>;

  Over Step();
  void Take(matchmaking::v1::Room room);
  Over PlayMatch();
  Over OnLine(const std::string& line);
  Over Change(const std::vector<std::string>& words);
  cli::ExitCode Pause(cli::ExitCode code);
  void Say(const std::string& line);
  void Draw();
  void Hint();

  Context& context_;
  Input& input_;
  const bool auto_;
  const bool redraw_;
  bool starts_;
  matchmaking::v1::Room room_;
  std::deque<std::string> lines_;
  std::string played_;  // The table of the last match that the player has played during this visit.
  // True while a terminal shows the result of the last match in the place of the room.
  bool shows_result_ = false;
  RoomFeed rooms_;
};

}  // namespace tarot::tarotctl
