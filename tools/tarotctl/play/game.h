// One match at the terminal: shows the table as it changes, asks the player at each of the player's
// turns, and shows how the match ended.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "tarot/ratings/v1/rating_service.pb.h"
#include "tarot/rules/v1/table.pb.h"
#include "tools/tarotctl/play/feed.h"
#include "tools/tarotctl/play/input.h"
#include "tools/tarotctl/play/screen.h"
#include "tools/tarotctl/session/context.h"

namespace tarot::tarotctl {

class Game {
 public:
  // Plays at tables/{table}. With `plays_alone`, SimplestAction decides for the person. `context`
  // and `input` must outlive the game.
  Game(Context& context, Input& input, bool plays_alone, const std::string& table);

  // Runs until the match is over, the player leaves, or something fails.
  cli::ExitCode Play();

  // Returns true if the match is over.
  bool finished() const { return table_.state() == rules::v1::Table::FINISHED; }

 private:
  // The exit code, if the game is over.
  using Over = std::optional<cli::ExitCode>;

  Over Step();
  void Take(rules::v1::Table table);
  // During the first deal, shows the cards that the seats drew for the first dealer. Shows them
  // only once.
  void ShowDraw();
  void Decide();
  absl::Duration TimeToWait() const;
  void OnTimeout();
  Over OnLine(const std::string& line);
  void Submit(const rules::v1::Action& action);
  void Claim();
  // Says a phrase or mutes a seat if `words` begin with say, mute or unmute. If not, returns false.
  bool Talk(const std::string& words);
  // Makes or answers a proposal, or ends a break, if `word` is such a command. If not, returns
  // false.
  bool Ask(const std::string& word);
  // Shows the table of the answer, or the reason why the server refused the request.
  template <typename Response>
  void TakeTalk(absl::StatusOr<Response> response);
  // Shows the table of the answer, or the reason of the error.
  template <typename Response>
  void TakeAnswer(absl::StatusOr<Response> response);
  void ResumeSeat();
  void Prompt();
  cli::ExitCode Leave(cli::ExitCode code);
  cli::ExitCode Finish();
  std::map<std::string, ratings::v1::RatingChange> WaitForRatings();

  // Returns true if the player must act now: it is the turn of the player's seat, no bot holds the
  // seat, and the game is not paused. Returns false in the last trick, because the server plays it.
  bool MyTurn() const;
  bool HeldByBot() const;  // Returns true if a bot holds the player's seat.
  absl::Time Now() const { return context_.environment().clock.Now(); }

  Context& context_;
  const std::string name_;
  Input& input_;
  const bool auto_;
  Screen screen_;
  rules::v1::Table table_;
  // True if the seat was the player's own at some time since the start.
  bool seated_ = false;
  bool draw_shown_ = false;
  std::optional<int> asked_;      // The revision for which the game asked the player.
  std::optional<int> warned_;     // The revision for which the game warned of the clock.
  std::optional<int> submitted_;  // The revision for which the game sent an action.
  // The line of a script that came in a pause and waits for the end of the pause.
  std::optional<std::string> held_line_;
  TableFeed tables_;
};

}  // namespace tarot::tarotctl
